"""Runs one MPI program under one MPI and returns its result; says which ranks hung if it does not end in time.

    run_mpi.py --mpi mpich --launcher mpiexec.mpich --ranks 4 [options] -- PROGRAM [ARGUMENT…]

With --trace served every rank's trace must show that the preloaded library broadcast by a planned algorithm, with
--trace native that it looked at the broadcasts and left all of them to the MPI; --trace absent: there must be none, as
the library is for another MPI. --lines N: every rank's trace has
exactly N lines, one for each broadcast the program made. --rule 5=TEXT: on five machines the library took a rule whose
description begins so, and no other. --warnings N: the library says N lines on stderr. --says TEXT: one of them begins so;
each line must be one that is asked for. --hangs: it does not end; once the library has said something, which is to be what
--says has, it is ended. --ends-job TEXT: the job must end with an error, after a line of the library's that matches the
regular expression TEXT. --memory N: without N GB that are free it is skipped, with exit code 77.
"""

import argparse
import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OPTIONS = {
    "mpich": [],
    "openmpi": ["--oversubscribe", "--bind-to", "none"],
}
# Open MPI refuses root unless told twice. Its waiting ranks are to step aside: others want the processors too.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", choices=OPTIONS, required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--machines", help="BCASTGEN_MACHINES: rank r plays the r-th")
    parser.add_argument("--preload", action="append", default=[], metavar="LIBRARY")
    parser.add_argument("--rank-preload", action="append", default=[], metavar="RANK:LIBRARY", help="instead, there")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--rank-env", action="append", default=[], metavar="RANK:NAME=VALUE")
    parser.add_argument("--timeout", type=float, default=30, metavar="SECONDS")
    parser.add_argument("--trace", choices=["served", "native", "absent", "off"], default="off")
    parser.add_argument("--warnings", type=int, help="lines that the library writes to stderr, all ranks together")
    parser.add_argument("--says", action="append", metavar="TEXT", help="a line that the library writes to stderr begins so; no others")
    parser.add_argument("--hangs", action="store_true", help="the job hangs, and says why")
    parser.add_argument("--ends-job", metavar="TEXT", help="the job ends with an error, after saying this")
    parser.add_argument("--memory", type=float, default=0, metavar="GB")
    parser.add_argument("--own-shared-memory", metavar="SIZE", help="a /dev/shm of its own, of that size; needs root")
    parser.add_argument("--hand-on", metavar="WAY", help="some broadcasts are handed on so, by every rank's trace")
    parser.add_argument("--lines", type=int, help="lines in every rank's trace")
    parser.add_argument("--rule", action="append", default=[], metavar="MACHINES=TEXT", help="what rules on so many machines begin with")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    options.command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not options.command:
        parser.error("no program")
    return options


def write_settings(options: argparse.Namespace, folder: Path) -> None:
    """The files that rank.sh reads: settings for all ranks, settings.RANK for one."""
    everywhere = [f"export {name}={shlex.quote(value)}" for name, value in (e.split("=", 1) for e in options.env)]
    if options.machines:
        everywhere.append(f"export BCASTGEN_MACHINES={options.machines}")
    if options.trace != "off":
        everywhere.append(f"export BCASTGEN_TRACE={folder}/trace")
    everywhere.append(f"preload={shlex.quote(':'.join(options.preload))}")
    (folder / "settings").write_text("\n".join(everywhere) + "\n", encoding="utf-8")
    for kind, given in (("env", options.rank_env), ("preload", options.rank_preload)):
        for text in given:
            rank, setting = text.split(":", 1)
            if kind == "env":
                name, value = setting.split("=", 1)
                line = f"export {name}={shlex.quote(value)}"
            else:
                line = f"preload={shlex.quote(setting)}"
            with (folder / f"settings.{rank}").open("a", encoding="utf-8") as file:
                file.write(line + "\n")


def number_in(file: Path) -> int | None:
    text = file.read_text(encoding="utf-8").strip() if file.exists() else ""
    return int(text) if text.isdigit() else None


def hung_rank(rank: int, pid: int) -> str:
    """Where the process stands: the innermost calls if there is a debugger, else the system call it sleeps in."""
    where = []
    if shutil.which("gdb"):
        command = ["gdb", "-p", str(pid), "-batch", "-nx", "-ex", "bt 14"]
        with contextlib.suppress(subprocess.TimeoutExpired):  # on a busy host
            trace = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
            where = [line for line in trace.stdout.splitlines() if line.startswith("#")]
    if not where:
        wchan = Path(f"/proc/{pid}/wchan")
        where = [f"kernel: {wchan.read_text(encoding='utf-8') if wchan.exists() else 'gone'}"]
    return f"rank {rank} (process {pid}) has not ended:\n    " + "\n    ".join(where)


def hung_ranks(options: argparse.Namespace, folder: Path) -> list[str]:
    reports = []
    for rank in range(options.ranks):
        pid = number_in(folder / f"pid.{rank}")
        if pid is None:
            reports.append(f"rank {rank} was never started")
        elif number_in(folder / f"exit.{rank}") is None:
            reports.append(hung_rank(rank, pid))
    return reports or ["every rank's program has ended: the launcher hangs"]


def kill(launcher: subprocess.Popen, folder: Path) -> None:
    """Ends what we started: the launcher's process group, and the ranks, which may have groups of their own."""
    for file in folder.glob("pid.*"):
        if number_in(folder / f"exit{file.suffix}") is None:
            try:
                os.kill(number_in(file) or 0, signal.SIGKILL)
            except ProcessLookupError:
                pass
    try:
        os.killpg(launcher.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_for_shells(folder: Path) -> None:
    """A launcher that ends a job does not wait for what the ranks' shells still write into the folder."""
    until = time.monotonic() + 10
    for file in folder.glob("shell.*"):
        while is_running(number_in(file) or 0) and time.monotonic() < until:
            time.sleep(0.02)


def hang(options: argparse.Namespace, launcher: subprocess.Popen, folder: Path, errors: Path) -> list[str]:
    """Waits until the library says something, and ends the job. What went wrong."""
    until = time.monotonic() + options.timeout
    while launcher.poll() is None and time.monotonic() < until:
        if "bcastgen: " in errors.read_text(encoding="utf-8"):
            time.sleep(1)  # for what others say, too, if they do
            break
        time.sleep(0.05)
    ended = launcher.poll()
    kill(launcher, folder)
    text = errors.read_text(encoding="utf-8")
    return said_errors(options, text) + ([text, f"the launcher returned {ended}"] if ended is not None else [])


def run(options: argparse.Namespace, folder: Path) -> list[str]:
    """What went wrong; empty if nothing."""
    rank_script = str(Path(__file__).with_name("rank.sh"))
    command = [options.launcher, *OPTIONS[options.mpi], "-n", str(options.ranks), rank_script, str(folder)]
    if options.own_shared_memory:
        mount = f'mount -t tmpfs -o size={options.own_shared_memory} none /dev/shm && exec "$@"'
        command = ["unshare", "--mount", "sh", "-c", mount, "sh", *command]
    environment = {**os.environ, **ENVIRONMENT}
    output, errors = folder / "stdout", folder / "stderr"
    with output.open("wb") as stdout, errors.open("wb") as stderr, subprocess.Popen(
        command + options.command, env=environment, start_new_session=True, stdout=stdout, stderr=stderr
    ) as launcher:
        if options.hangs:
            return hang(options, launcher, folder, errors)
        try:
            code = launcher.wait(options.timeout)
        except subprocess.TimeoutExpired:
            try:
                reports = hung_ranks(options, folder)
            finally:
                kill(launcher, folder)
            return [errors.read_text(encoding="utf-8"), f"not done after {options.timeout:g} s", *reports]
    text = errors.read_text(encoding="utf-8")
    sys.stderr.write(text)
    complaints = [line for line in text.splitlines() if line.startswith("bcastgen: ")]
    if options.ends_job:
        wrong = ["the launcher returned 0"] if code == 0 else []
        said = sum(bool(re.fullmatch("bcastgen: " + options.ends_job, line)) for line in complaints)
        return wrong + ([] if said else [f"never said: {options.ends_job}"])
    wrong = [f"the launcher returned {code}"] if code != 0 else []
    warnings = len(complaints)
    if options.warnings is not None and warnings != options.warnings:
        wrong.append(f"{warnings} lines from bcastgen on stderr, not {options.warnings}")
    wrong += said_errors(options, text)
    for rank in range(options.ranks):
        ended = number_in(folder / f"exit.{rank}")
        if ended != 0:
            wrong.append(f"rank {rank} " + ("left no result" if ended is None else f"returned {ended}"))
    return wrong


def said_errors(options: argparse.Namespace, text: str) -> list[str]:
    """Whether the library has said what it should, in any order, and nothing else."""
    lines = [line.removeprefix("bcastgen: ") for line in text.splitlines() if line.startswith("bcastgen: ")]
    wrong = []
    for expected in options.says or []:
        found = next((line for line in lines if line.startswith(expected)), None)
        if found is None:
            wrong.append(f"the library has not said: {expected}")
        else:
            lines.remove(found)
    return wrong + ([f"the library has also said: {line}" for line in lines] if options.says else [])


def launcher_came_late(options: argparse.Namespace, folder: Path) -> bool:
    """Whether Open MPI's launcher took well-ended ranks for lost: 4.1's MPI_Finalize waits 2 s for the launcher's answer
    and then goes on without, so that a launcher which gets no processor for that long hears of the ranks' ends first."""
    said = options.mpi == "openmpi" and "exiting improperly" in (folder / "stderr").read_text(encoding="utf-8")
    return said and all(number_in(folder / f"exit.{rank}") in (0, None) for rank in range(options.ranks))


TRACE_LINE = re.compile(
    r"bytes=\d+ machines=\d+ ranks=\d+ rule=.+ algorithm=(\S+) segment=\d+ "
    r"entered=\d+\.\d{6} took_us=\d+\.\d imbalance=(?:-|\d+\.\d\d) root=\d+ hand_on=(\w+)(?: (?:fragments|received|dropped|duplicate|stale|damaged|foreign|penalty_rounds)=\d+)*"
    r"(?: machine=[\w.-]+ from=[\w.-]+(?:,[\w.-]+)* first_us=\d+\.\d(?:,\d+\.\d)* last_us=\d+\.\d(?:,\d+\.\d)* rest=\d+(?:,\d+)*)?"
)


def trace_errors(options: argparse.Namespace, folder: Path) -> list[str]:
    """What the traces show that they should not."""
    wrong = []
    for rank in range(options.ranks):
        file = folder / f"trace.{rank}"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        matches = [TRACE_LINE.fullmatch(line) for line in lines]
        algorithms = {match[1] for match in matches if match}
        if options.trace == "absent":
            wrong += [f"rank {rank}: there is a trace"] if file.exists() else []
        elif not lines or None in matches:
            wrong.append(f"rank {rank}: " + ("the trace has lines of another form" if lines else "no trace"))
        elif options.trace == "served" and algorithms == {"native"}:
            wrong.append(f"rank {rank}: no broadcast went by a planned algorithm, as in: {lines[-1]}")
        elif options.trace == "native" and algorithms != {"native"}:
            wrong.append(f"rank {rank}: broadcasts went by {', '.join(sorted(algorithms))}")
        if options.hand_on and not any(match and match[2] == options.hand_on for match in matches):
            wrong.append(f"rank {rank}: no broadcast was handed on by {options.hand_on}")
        if options.lines is not None and len(lines) != options.lines:
            wrong.append(f"rank {rank}: {len(lines)} lines in the trace, not {options.lines}")
    return wrong


def rule_errors(rule: str, folder: Path) -> list[str]:
    """Whether all broadcasts on that number of machines, and there are some, took the rule."""
    machines, text = rule.split("=", 1)
    lines = [line for file in folder.glob("trace.*") for line in file.read_text(encoding="utf-8").splitlines()
             if f" machines={machines} " in line]
    wrong = [f"not by the rule {text}: {line}" for line in lines if f" rule={text}" not in line]
    return wrong[:3] if lines else [f"no broadcast on {machines} machines"]


def free_memory_GB() -> float:
    """What the machine has, or the control group that we are in if that is less."""
    meminfo = Path("/proc/meminfo").read_text(encoding="utf-8")
    free = int(re.search(r"^MemAvailable: +(\d+) kB", meminfo, re.MULTILINE)[1]) * 1024
    group = Path("/sys/fs/cgroup") / Path("/proc/self/cgroup").read_text(encoding="utf-8").split(":")[-1].strip().lstrip("/")
    for folder in (group, *group.parents):
        most, used = (number_in(folder / f"memory.{name}") for name in ("max", "current"))
        if most is not None and used is not None:
            free = min(free, most - used)
    return free / 1e9


def run_in_scratch(options: argparse.Namespace, again: bool) -> list[str]:
    """What went wrong; empty if nothing. What the program prints comes at its end, of the last run alone."""
    with tempfile.TemporaryDirectory(prefix="bcastgen-test-") as name:
        folder = Path(name)
        write_settings(options, folder)
        wrong = run(options, folder)
        wait_for_shells(folder)
        if wrong and again and launcher_came_late(options, folder):
            print("run_mpi: the launcher heard of the ranks' ends before their MPI_Finalize: once more", file=sys.stderr)
            return run_in_scratch(options, again=False)
        sys.stdout.buffer.write((folder / "stdout").read_bytes())
        if not wrong and options.trace != "off":
            wrong = trace_errors(options, folder)
        for rule in options.rule:
            wrong = wrong or rule_errors(rule, folder)
    return wrong


def main() -> int:
    options = arguments()
    free = free_memory_GB()
    if free < options.memory:
        print(f"skipped: it needs {options.memory:g} GB of memory, {free:.1f} are free")
        return 77
    if options.own_shared_memory and os.geteuid() != 0:
        print("skipped: a /dev/shm of its own needs root")
        return 77
    wrong = run_in_scratch(options, again=True)
    for line in wrong:
        print(f"run_mpi: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
