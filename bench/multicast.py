#!/usr/bin/env python3
"""Broadcasts by multicast against others on an emulated cluster: docs/multicast.md's latencies, skew and penalty rounds.

    bench/multicast.py build                                      build/multicast/: the library for both MPIs, the program
    bench/multicast.py latency mpich 2,4,8,16 >> times.txt        one line for each variant, machines and size
    bench/multicast.py losses mpich 32 >> losses.txt              penalty rounds against loss
    bench/multicast.py tables times.txt                           Markdown
    bench/multicast.py plot times.txt docs/multicast-latency.svg

Needs root and build/bcastgen. A line of times: MPI MACHINES VARIANT floor|broadcast BYTES COMPLETION RANK0 RANK1 ... in us.
"""
import collections
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/multicast"
TOPOLOGY = ROOT / "bench/multicast-116.yaml"
TOOL = ROOT / "build/bcastgen"
SIZES = [2, 1024, 8192, 65536]
VARIANTS = {"native": {}, "multicast": {"BCASTGEN_ALGORITHM": "multicast"}, "latency": {"BCASTGEN_ALGORITHM": "latency", "BCASTGEN_SEGMENT": "max"},
           
            "two-tree": {"BCASTGEN_ALGORITHM": "two-tree"}}
REPETITIONS = 25
PROCESSORS = os.cpu_count()
RATE = "10Mbit/s"  # what two processors carry for 116 machines
IDLE_MS = 8  # between two looks of a rank that nothing wakes: see tuner/idle_shim.c


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, text=True, **options)


def build():
    run(TOOL, TOPOLOGY, "-o", BUILD / "library")
    run(TOOL, "build", BUILD / "library", "--mpi", "mpich,openmpi")
    for mpi in ("mpich", "openmpi"):
        run(f"mpicxx.{mpi}", "-O2", "-std=c++17", ROOT / "bench/broadcast_times.cpp", "-o", BUILD / f"broadcast_times.{mpi}")


def library(mpi):
    return next((BUILD / "library").glob(f"**/{mpi}/**/libbcast_*.so"))


def command(mpi, machines, settings, *words):
    """A shell command for inside the lab."""
    preload = f"{library(mpi)}:$LD_PRELOAD" if settings else "$LD_PRELOAD"
    exports = f"env BCASTGEN_IDLE_MS={IDLE_MS} " + "".join(f"{name}={value} " for name, value in settings.items())
    hosts = ",".join(f"n{machine}:1" for machine in range(machines))
    program = " ".join(str(word) for word in (BUILD / f"broadcast_times.{mpi}", *words))
    if mpi == "mpich":
        return f'{exports}mpiexec.mpich -genv LD_PRELOAD "{preload}" -hosts {hosts} -n {machines} {program}'
    passed = " ".join(f"-x {name}" for name in ("BCASTGEN_IDLE_MS", *settings))
    return f'{exports}mpiexec.openmpi -x "LD_PRELOAD={preload}" {passed} --host {hosts} -n {machines} {program}'


def in_lab(machines, script, *options):
    """What the script prints in a lab of the topology's first machines: a bridge floods datagrams to all there are."""
    topology = BUILD / f"{machines}.yaml"
    topology.write_text(TOPOLOGY.read_text(encoding="utf-8").replace("n[0-115]", f"n[0-{machines - 1}]"), encoding="utf-8")
    return subprocess.run([str(TOOL), "lab", str(topology), *options, "--", "sh", "-c", script], text=True, stdout=subprocess.PIPE,
                          check=False, timeout=400).stdout


def latency(mpi, counts):
    for machines in counts:
        sizes = " ".join(map(str, SIZES))
        script = ""
        for variant, settings in VARIANTS.items():
            script += f"echo variant {variant}; timeout 100 {command(mpi, machines, settings, 'eth0', REPETITIONS, sizes)}; "
        variant = ""
        for line in in_lab(machines, script, "--rate", RATE).splitlines():
            if line.startswith("variant "):
                variant = line.split()[1]
            elif line.startswith(("floor ", "broadcast ")):
                print(mpi, machines, variant, line, flush=True)


def losses(mpi, machines):
    """MPI MACHINES LOSS BYTES COMPLETION, then the mean of all receivers' penalty rounds, and of what they received."""
    for loss in (0, 0.001, 0.01, 0.1, 0.5):
        for size in (2, 65536):
            with tempfile.TemporaryDirectory() as folder:
                settings = {"BCASTGEN_ALGORITHM": "multicast", "BCASTGEN_TRACE": f"{folder}/trace", "BROADCAST_TIMES_LOSSY": "1"}
                output = in_lab(machines, "timeout 100 " + command(mpi, machines, settings, "eth0", 100, size), "--loss", str(loss), "--rate", RATE)
                found = re.search(r"broadcast \d+ (\S+)", output)
                lines = [line for file in Path(folder).iterdir() for line in file.read_text(encoding="utf-8").splitlines()]
                by_multicast = [line for line in lines if "fragments=" in line and " fragments=0 " not in line]
                number = lambda name: [int(re.search(rf" {name}=(\d+)", line)[1]) for line in by_multicast]
                rounds = statistics.mean(number("penalty_rounds")) if by_multicast else float("nan")
                received = sum(number("received")) / max(1, sum(number("fragments")))
                given_up = sum("given-up" in line for line in lines)
                print(mpi, machines, loss, size, found[1] if found else "-", f"{rounds:.2f}", f"{received:.3f}", given_up, flush=True)


def read_times(file):
    """{(mpi, variant, what, bytes): {machines: [completion, rank 0, rank 1, ...]}}"""
    times = collections.defaultdict(dict)
    for line in Path(file).read_text(encoding="utf-8").splitlines():
        mpi, machines, variant, what, size, *numbers = line.split()
        times[mpi, variant, what, int(size)][int(machines)] = [float(number) for number in numbers]
    return times


def floor_of(times, mpi, machines, size):
    """The quietest of those that were measured between the variants."""
    return min(times[mpi, variant, "floor", size][machines][0] for variant in VARIANTS
               if machines in times[mpi, variant, "floor", size])


def tables(file):
    times = read_times(file)
    counts = sorted({machines for rows in times.values() for machines in rows})
    for mpi in sorted({key[0] for key in times}):
        print(f"\n**{mpi}**, completion in us\n")
        print("| bytes | | " + " | ".join(f"{machines}" for machines in counts) + " |\n|---|---|" + "---|" * len(counts))
        cell = lambda rows, machines: f"{rows[machines][0]:.0f}" if machines in rows else ""
        for size in SIZES:
            print(f"| {size} | floor: bare datagrams | " + " | ".join(f"{floor_of(times, mpi, m, size):.0f}" for m in counts) + " |")
            for variant in VARIANTS:
                rows = times[mpi, variant, "broadcast", size]
                print(f"| {size} | {variant} | " + " | ".join(cell(rows, machines) for machines in counts) + " |")
            rows = times[mpi, "multicast", "broadcast", size]
            above = [f"{rows[m][0] - floor_of(times, mpi, m, size):.0f}" if m in rows else "" for m in counts]
            print(f"| {size} | multicast above the floor | " + " | ".join(above) + " |")
            each = [f"{PROCESSORS * (rows[m][0] - floor_of(times, mpi, m, size)) / m:.0f}" if m in rows else "" for m in counts]
            if size <= 2048:
                print(f"| {size} | the same by machine and processor | " + " | ".join(each) + " |")
        print(f"\n{mpi}, 2 bytes on {counts[-1]} machines: a receiver's time\n")
        print("| | first | median | last | largest deviation from the median | first before last |\n|---|---|---|---|---|---|")
        for variant, what, size in [("native", "floor", 2)] + [(variant, "broadcast", 2) for variant in VARIANTS]:
            rows = times[mpi, variant, what, size]
            if counts[-1] not in rows:
                continue
            ranks = rows[counts[-1]][2:]
            middle = statistics.median(ranks)
            deviation = max(abs(time - middle) for time in ranks) / middle
            label = "floor" if what == "floor" else variant
            print(f"| {label} | {min(ranks):.0f} | {middle:.0f} | {max(ranks):.0f} | {deviation:.0%} | {1 - min(ranks) / max(ranks):.0%} |")


def plot(file, picture):
    times = read_times(file)
    mpis = sorted({key[0] for key in times})
    script = f"set terminal svg size {450 * len(mpis)},700; set output '{picture}'; set multiplot layout 2,{len(mpis)}\n"
    script += "set key left top; set logscale xy; set xlabel 'machines'; set ylabel 'completion, us'; set grid\n"
    for size in (2, 65536):
        for mpi in mpis:
            script += f"set title '{mpi}, {size} bytes'\nplot " + ", ".join(
                f"'-' with linespoints title '{variant}'" for variant in [*VARIANTS, "floor"]) + "\n"
            for variant in [*VARIANTS, "floor"]:
                rows = times[mpi, variant, "broadcast", size] if variant != "floor" else times[mpi, "multicast", "floor", size]
                script += "".join(f"{machines} {numbers[0]}\n" for machines, numbers in sorted(rows.items())) + "e\n"
    run("gnuplot", input=script)


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    os.environ.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    if what == "build":
        build()
    elif what == "latency":
        latency(rest[0], [int(count) for count in rest[1].split(",")])
    elif what == "losses":
        losses(rest[0], int(rest[1]))
    elif what == "tables":
        tables(rest[0])
    elif what == "plot":
        plot(*rest)
    else:
        sys.exit(__doc__)
