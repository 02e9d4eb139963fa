"""Runs an example by the commands of its README, word for word, in a copy of examples/: without the library, and with it.
Both results must be the same and right, and the traces must show planned algorithms at work.

    readme_commands.py NAME --mpi mpich --examples DIR --library libbcast_SITE.so --machines n0,n1,n2,n3 --idle-shim FILE

A README's commands are its indented lines. Those that name the MPI's compiler or launcher are run.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

RESULT = re.compile(r"^result: right, .*digest [0-9a-f]{16}$", re.MULTILINE)
TIMES = re.compile(r"^time to solution: \d+\.\d+ s\nin MPI_Bcast: \d+\.\d+ s .*$", re.MULTILINE)


def commands(readme: Path, mpi: str) -> list[str]:
    lines = readme.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if re.match(rf" {{4}}mpi(cxx|exec)\.{mpi} ", line)]


def output(command: str, folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(command, shell=True, cwd=folder, env=os.environ | environment, capture_output=True, text=True,
                          timeout=200, check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: returned {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def result(command: str, folder: Path, environment: dict[str, str]) -> str:
    text = output(command, folder, environment)
    found = RESULT.search(text)
    if not found or not TIMES.search(text):
        sys.exit(f"{command}: no right result, or no times:\n{text}")
    return found[0]


def served(folder: Path, ranks: int, algorithm: str) -> int:
    """How many broadcasts the ranks' traces have, all of which must have gone the planned way."""
    traces = [(folder / f"trace.{rank}").read_text(encoding="ascii") for rank in range(ranks)]
    lines = "".join(traces).splitlines()
    others = [line for line in lines if f" algorithm={algorithm} " not in line]
    if not all(traces) or others:
        sys.exit(f"not by {algorithm}, or no broadcast at all on a rank: {others[:3]}")
    return len(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    for option in ("mpi", "examples", "library", "machines", "idle-shim"):
        parser.add_argument(f"--{option}", required=True)
    options = parser.parse_args()
    everywhere = {"LD_PRELOAD": options.idle_shim, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                  "OMPI_MCA_mpi_yield_when_idle": "1"}
    with tempfile.TemporaryDirectory(prefix="bcastgen-test-") as scratch:
        folder = Path(scratch)
        shutil.copytree(options.examples, folder / "examples")
        # Two machines in a communicator are enough for a tree that is asked for, and panels for several segments.
        planned = everywhere | {
            "LD_PRELOAD": f"{options.library}:{options.idle_shim}", "BCASTGEN_MACHINES": options.machines,
            "BCASTGEN_TRACE": str(folder / "trace"), "BCASTGEN_ALGORITHM": "linear", "BCASTGEN_SEGMENT": "8K"}
        runs = 0
        for command in commands(folder / "examples" / options.name / "README.md", options.mpi):
            if command.startswith("mpicxx"):
                output(command, folder, {})
                continue
            runs += 1
            without, having = result(command, folder, everywhere), result(command, folder, planned)
            if without != having:
                sys.exit(f"{command}:\n{without}, with the library\n{having}")
            broadcasts = served(folder, len(options.machines.split(",")), "linear")
            print(f"{command}\n{without}, and the same with the library, whose traces have {broadcasts} broadcasts")
        if runs == 0:
            sys.exit("the README has no command that runs it")


main()
