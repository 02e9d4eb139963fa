#!/usr/bin/env python3
"""Real jobs to which something happens: they end as they would without the library, or go on, and nothing stays behind.

    tests/faults/faults.py                          every fault in every phase of every algorithm, under both MPIs
    tests/faults/faults.py --small                  the part that continuous integration runs
    tests/faults/faults.py --faults kill --algorithms linear,multicast --mpi mpich
    tests/faults/faults.py --markdown FILE          writes the matrix of docs/reliability.md

A fault is what happens to one of four ranks: kill (SIGKILL), stop (SIGSTOP, and SIGCONT later), abort (MPI_Abort), exit
(without MPI_Finalize), descriptors (no more files or sockets), memory (no more of it). A phase is when: meeting (as the ranks
agree), connecting (as the private communicator is made), first, middle, last (before that send or receive of a broadcast),
between (two broadcasts). Each job must have ended within --limit seconds; after kill and abort with an error, after
stop and descriptors with every byte right; after memory either. No process may be left. Exit code 1: some job did not.
It needs a build (cmake --build build --target with_library.mpich with_library.openmpi idle_shim).
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = ROOT / "templates/bcast/facts/algorithm.hpp"
PHASES = ["meeting", "connecting", "first", "middle", "last", "between"]
FAULTS = ["kill", "stop", "abort", "exit", "descriptors", "memory"]
LAUNCHERS = {"mpich": ["mpiexec.mpich"], "openmpi": ["mpiexec.openmpi", "--oversubscribe", "--bind-to", "none"]}
RANKS = 4
SETTINGS = {
    "BCASTGEN_MACHINES": "n0,n3,n6,n10",
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
}


def algorithms() -> list[str]:
    """Every row of the library's table but native."""
    return [name for name in re.findall(r'^    \{Algorithm::\w+, "([\w-]+)"', ROWS.read_text(encoding="utf-8"), re.M)
            if name != "native"]


def arguments() -> argparse.Namespace:
    def words(text: str) -> list[str]:
        return text.split(",")

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", type=words, default=list(LAUNCHERS))
    parser.add_argument("--faults", type=words, default=FAULTS)
    parser.add_argument("--phases", type=words, default=PHASES)
    parser.add_argument("--algorithms", type=words, default=algorithms())
    parser.add_argument("--victims", type=words, default=["0", "2"], help="ranks; 0 is the root")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--bytes", type=int, default=300000)
    parser.add_argument("--stopped", type=int, default=5, metavar="SECONDS")
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    options.build = options.build.resolve()
    return options


def cases(options: argparse.Namespace) -> list[tuple[str, str, str, str]]:
    """(fault, phase, algorithm, victim)."""
    if options.small:
        options.stopped = 1
        some = [("linear", "0"), ("two-tree", "2"), ("scatter-ring-tuned", "2"), ("arrival-live", "0"), ("multicast", "2")]
        return ([("kill", "middle", *who) for who in some] +
                [("stop", "middle", "arrival-nb", "2"), ("abort", "last", "binary", "2"), ("exit", "first", "kary3", "2"),
                 ("kill", "meeting", "linear", "2"), ("kill", "connecting", "linear", "2"),
                 ("descriptors", "meeting", "multicast", "2"), ("memory", "middle", "linear", "2")])
    return [(fault, phase, algorithm, victim) for fault in options.faults for phase in options.phases
            for algorithm in options.algorithms for victim in options.victims]


def processes_of(program: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cmdline").read_bytes().split(b"\0")[:2] == [program.encode(), b"faults"] \
                    and "State:\tZ" not in (entry / "status").read_text():
                found.append(int(entry.name))
        except OSError:
            continue  # it has just ended
    return found


def left_after(program: str, seconds: float) -> list[int]:
    """What is still there when the launcher has returned: it has been told to end, and may take a moment."""
    until = time.monotonic() + seconds
    while processes_of(program) and time.monotonic() < until:
        time.sleep(0.02)
    return processes_of(program)


def run(options: argparse.Namespace, mpi: str, case: tuple[str, str, str, str]) -> tuple[str, float]:
    """What is wrong, or nothing; and how long it took."""
    fault, phase, algorithm, victim = case
    program = str(options.build / "tests/mpi" / f"with_library.{mpi}")
    shim = next(options.build.rglob("libidle_shim.so"))
    command = [*LAUNCHERS[mpi], "-n", str(RANKS), "env", f"LD_PRELOAD={shim}", program, "faults", algorithm, phase, fault, victim,
               str(options.bytes)]
    datagrams = {"BCASTGEN_MULTICAST": "try", "BCASTGEN_MULTICAST_INTERFACE": "lo"} if algorithm == "multicast" else {}
    environment = {**os.environ, **SETTINGS, **datagrams,
                   "STOPPED_S": str(options.stopped)}
    began = time.monotonic()
    job = subprocess.Popen(command, env=environment, text=True, errors="replace", stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output = job.communicate(timeout=options.limit)[0]
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        for process in processes_of(program):
            os.kill(process, signal.SIGKILL)
        return f"has not ended: {job.communicate()[0][-1000:]}", time.monotonic() - began
    took = time.monotonic() - began
    left = left_after(program, 5 + options.stopped)
    for process in left:
        os.kill(process, signal.SIGKILL)
    if left:
        return f"left processes {left}", took
    right = job.returncode == 0 and output.count("right") == RANKS  # lines of several ranks may run together
    ended = output.count("right") < RANKS and (job.returncode != 0 or fault == "exit")  # hydra then returns 0 at times
    expected = {"stop": right, "descriptors": right, "memory": right or ended}.get(fault, ended)
    return ("" if expected else f"returned {job.returncode}: {output[-1500:]}"), took


def matrix(options: argparse.Namespace, passed: Counter, all_cells: Counter) -> str:
    lines = []
    for fault in options.faults:
        lines += [f"| {fault} | " + " | ".join(options.phases) + " |", "|---" * (len(options.phases) + 1) + "|"]
        for algorithm in options.algorithms:
            cells = [f"{passed[fault, phase, algorithm]}/{all_cells[fault, phase, algorithm]}" for phase in options.phases]
            lines.append(f"| {algorithm} | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)


def main() -> int:
    options = arguments()
    passed, all_cells, slowest = Counter(), Counter(), {}
    failed = 0
    for mpi in options.mpi:
        for case in cases(options):
            wrong, took = run(options, mpi, case)
            fault, phase, algorithm, victim = case
            all_cells[fault, phase, algorithm] += 1
            passed[fault, phase, algorithm] += not wrong
            slowest[mpi, fault] = max(slowest.get((mpi, fault), 0), took)
            if wrong:
                failed += 1
                print(f"{mpi}: {fault} of rank {victim}, {phase}, {algorithm}: {wrong}", flush=True)
    for (mpi, fault), took in slowest.items():
        print(f"{mpi}, {fault}: the longest took {took:.1f} s")
    print(f"{sum(all_cells.values())} jobs, {failed} wrong")
    if options.markdown:
        options.markdown.write_text(matrix(options, passed, all_cells), encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
