"""Runs one application without the library and then with it, in every setting of its row in applications.py, and
compares what it printed; prints how many broadcasts each run made and what became of them.

    run_application.py NAME --mpi mpich --launcher mpiexec.mpich --library libbcast_SITE.so --idle-shim libidle_shim.so
"""

import argparse
import difflib
import math
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from applications import ALL, APPLICATIONS, NONE, Application, Setting

RUN_MPI = Path(__file__).parents[1] / "mpi" / "run_mpi.py"
TRACE_LINE = re.compile(r"bytes=(\d+) machines=\d+ ranks=(\d+) rule=(\S+) algorithm=(\S+) segment=\d+ .*")
# Ways that lead past the planned algorithms, whatever the setting.
ASIDE = {"one rank", "no bytes", "between groups"}


class Failure(Exception):
    """What is wrong with a run, in words for the one who reads the test's output."""


def run(name: str, application: Application, options: argparse.Namespace, folder: Path, setting: Setting | None) -> str:
    """What the application prints, run in `folder`; with traces in `folder`/trace.<rank> if under the library."""
    folder.mkdir()
    for file, source in application.inputs.items():
        if isinstance(source, Path):
            shutil.copy(source, folder / file)
        else:
            (folder / file).write_text(source(), encoding="ascii")
    command = [sys.executable, RUN_MPI, "--mpi", options.mpi, "--launcher", options.launcher]
    command += ["--ranks", str(application.ranks), "--timeout", str(options.timeout)]
    if application.crowded:
        command += ["--preload", options.idle_shim]
    if setting:
        command += ["--preload", options.library, "--machines", application.machines]
        command += ["--env", f"BCASTGEN_TRACE={folder / 'trace'}"]
        for variable, value in setting.environment().items():
            command += ["--env", f"{variable}={value}"]
    command += ["--", *application.command(options.mpi)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise Failure(f"{name} failed:\n{done.stdout[-3000:]}\n{done.stderr[-6000:]}")
    return done.stdout


def results(application: Application, output: str) -> list[str]:
    """The lines to compare: without what varies from run to run, and without spacing."""
    proofs = len(re.findall(application.proof, output, re.MULTILINE))
    if proofs != application.proofs:
        wrong = f"'{application.proof}' is {proofs} times in the output, not {application.proofs}"
        raise Failure(f"{wrong}:\n{output[-3000:]}")
    kept = re.sub(application.varying, "*", output, flags=re.MULTILINE)
    return [" ".join(line.split()) for line in kept.splitlines()]


def number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def equal(application: Application, line: str, other: str) -> bool:
    """Word by word: the same words, and numbers within the application's tolerance."""
    words, others = line.split(), other.split()
    return len(words) == len(others) and all(
        one == two
        or None not in (number(one), number(two))
        and math.isclose(number(one), number(two), rel_tol=application.tolerance)
        for one, two in zip(words, others))


def way(message_bytes: str, ranks: str, rule: str, algorithm: str) -> str:
    if ranks == "1":
        return "one rank"
    if rule == "declined:intercommunicator":
        return "between groups"
    return "no bytes" if message_bytes == "0" else algorithm


def served(folder: Path, ranks: int) -> list[Counter]:
    """For each rank, how many broadcasts went which way: an algorithm's name, "native", or one of ASIDE."""
    counts = []
    for rank in range(ranks):
        file = folder / f"trace.{rank}"
        ways = Counter()
        for line in file.read_text(encoding="ascii").splitlines() if file.exists() else []:
            match = TRACE_LINE.fullmatch(line)
            if not match:
                raise Failure(f"rank {rank}'s trace has a line of another form: {line}")
            ways[way(*match.groups())] += 1
        counts.append(ways)
    return counts


def check_served(counts: list[Counter], setting: Setting) -> None:
    """Throws unless the traces show what the setting promises."""
    for rank, ways in enumerate(counts):
        planned = set(ways) - ASIDE - {"native"}
        as_promised = {
            ALL: planned == {setting.algorithm} and "native" not in ways,
            NONE: set(ways) == {"one rank"},
        }.get(setting.served, bool(planned))
        if not as_promised:
            raise Failure(f"under {setting}, rank {rank}'s broadcasts went these ways: {dict(ways)}")


def summary(setting: Setting, ways: Counter) -> str:
    parts = ", ".join(f"{count} {way}" for way, count in sorted(ways.items()))
    return f"{setting}: rank 0 made {ways.total()} broadcasts: {parts}; results equal"


def compare(name: str, options: argparse.Namespace, scratch: Path) -> None:
    application = APPLICATIONS[name]
    without = results(application, run(f"{name} without the library", application, options, scratch / "without", None))
    broadcasts = None
    for number, setting in enumerate(application.settings):
        folder = scratch / f"with-{number}"
        lines = results(application, run(f"{name} under {setting}", application, options, folder, setting))
        if len(lines) != len(without) or not all(equal(application, *pair) for pair in zip(without, lines)):
            difference = difflib.unified_diff(without, lines, "without the library", f"under {setting}", lineterm="")
            raise Failure("results differ:\n" + "\n".join(difference))
        counts = served(folder, application.ranks)
        check_served(counts, setting)
        totals = [ways.total() for ways in counts]
        if broadcasts is not None and totals != broadcasts:
            raise Failure(f"the ranks made {totals} broadcasts under {setting}, {broadcasts} before")
        broadcasts = totals
        print(summary(setting, counts[0]), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=APPLICATIONS)
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--idle-shim", required=True)
    parser.add_argument("--timeout", type=float, default=500, metavar="SECONDS", help="of each run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bcastgen-application-") as scratch:
        try:
            compare(options.name, options, Path(scratch))
        except Failure as failure:
            print(failure, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
