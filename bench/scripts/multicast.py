#!/usr/bin/env python3
"""Broadcasts by multicast against others on an emulated cluster: docs/multicast.md's latencies, skew and penalty rounds.

    bench/scripts/multicast.py build                                      build/multicast/: the library for both MPIs, the program
    bench/scripts/multicast.py latency mpich 2,4,8,16 >> times.txt        one line for each variant, machines and size
    bench/scripts/multicast.py slowed mpich 16,116 >> slowed.txt          the same with the whole network 250 times slower
    bench/scripts/multicast.py losses mpich 32 >> losses.txt              penalty rounds against loss
    bench/scripts/multicast.py tables times.txt                           Markdown; with "slowed" behind that, for slowed.txt
    bench/scripts/multicast.py plot times.txt docs/multicast-latency.svg
    bench/scripts/multicast.py plot-losses losses.txt docs/multicast-losses.svg

After the machines: only these variants (native,multicast,latency,two-tree), only these sizes (2,1024), and links of another
latency than 20us. Needs root and build/bcastgen. A line of times:
MPI MACHINES VARIANT floor|broadcast BYTES COMPLETION RANK0 RANK1 ... in us.
"""
import collections
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/multicast"
TOPOLOGY = ROOT / "bench/topologies/multicast-116.yaml"
TOOL = ROOT / "build/bcastgen"
SIZES = [2, 1024, 8192, 65536]
VARIANTS = {"native": {}, "multicast": {"BCASTGEN_ALGORITHM": "multicast"},
            "latency": {"BCASTGEN_ALGORITHM": "latency", "BCASTGEN_SEGMENT": "max"}, "two-tree": {"BCASTGEN_ALGORITHM": "two-tree"}}
LABELS = {"native": "the MPI's own", "latency": "latency tree", "floor": "floor: bare datagrams"}
PROCESSORS = os.cpu_count()
RATE = "10Mbit/s"  # what two processors carry for 116 machines
IDLE_MS = 8  # between two looks of a rank that nothing wakes: see tuner/clusters/lab/idle_shim.c
LATENCY = "20us"
SLOWED_RATE = "400kbit/s"  # of 100Mbit/s: links of 20us become ones of 5ms, which the lab adds


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, text=True, **options)


def build():
    run(TOOL, TOPOLOGY, "-o", BUILD / "library")
    run(TOOL, "build", BUILD / "library", "--mpi", "mpich,openmpi")
    for mpi in ("mpich", "openmpi"):
        run(f"mpicxx.{mpi}", "-O2", "-std=c++17", ROOT / "bench/programs/broadcast_times.cpp", "-o", BUILD / f"broadcast_times.{mpi}")


def library(mpi):
    return next((BUILD / "library").glob(f"**/{mpi}/**/libbcast_*.so"))


def command(mpi, machines, settings, *words):
    """A shell command for inside the lab."""
    preload = library(mpi) if "BCASTGEN_ALGORITHM" in settings else ""
    settings = {"BCASTGEN_IDLE_MS": str(IDLE_MS), **settings}
    exports = "env " + "".join(f"{name}={value} " for name, value in settings.items())
    hosts = ",".join(f"n{machine}:1" for machine in range(machines))
    program = " ".join(str(word) for word in (BUILD / f"broadcast_times.{mpi}", *words))
    if mpi == "mpich":
        return f'{exports}mpiexec.mpich -genv LD_PRELOAD "{preload}" -hosts {hosts} -n {machines} {program}'
    passed = " ".join(f"-x {name}" for name in settings)
    return f'{exports}mpiexec.openmpi -x "LD_PRELOAD={preload}" {passed} --host {hosts} -n {machines} {program}'


def in_lab(machines, script, *options):
    """What the script prints in a lab of the topology's first machines: a bridge floods datagrams to all there are."""
    topology = BUILD / f"{machines}.yaml"
    text = TOPOLOGY.read_text(encoding="utf-8").replace("n[0-115]", f"n[0-{machines - 1}]").replace("20us", LATENCY)
    topology.write_text(text, encoding="utf-8")
    return subprocess.run([str(TOOL), "lab", str(topology), *options, "--", "sh", "-c", script], text=True, stdout=subprocess.PIPE,
                          check=False, timeout=800).stdout


def measure(mpi, counts, variants, rate, sizes_of, settings):
    for machines in counts:
        script = ""
        for variant in variants:
            words = command(mpi, machines, {**VARIANTS[variant], **settings}, "eth0", 25, sizes_of(variant))
            script += f"echo variant {variant}; timeout 200 {words}; "
        variant = ""
        for line in in_lab(machines, script, "--rate", rate).splitlines():
            if line.startswith("variant "):
                variant = line.split()[1]
            elif line.startswith(("floor ", "broadcast ")):
                print(mpi, machines, variant, line, flush=True)


def latency(mpi, counts, variants, sizes):
    words = " ".join(f"{size}:{25 if size < 8192 else 15 if size < 65536 else 9}" for size in sizes)
    measure(mpi, counts, variants, RATE, lambda variant: words, {})


def slowed(mpi, counts, variants, sizes):
    """Fewer repetitions: these times hardly vary. Large messages take many seconds by the latency tree."""
    words = lambda most: " ".join(f"{size}:{9 if size < 8192 else 3 if size < 65536 else 2}" for size in sizes if size <= most)
    measure(mpi, counts, variants, SLOWED_RATE, lambda variant: words(1024 if variant == "latency" else SIZES[-1]),
            {"BROADCAST_TIMES_SETTLE_MS": "30"})


def losses(mpi, machines):
    """MPI MACHINES LOSS BYTES COMPLETION, then the mean of all receivers' penalty rounds, and of what they received."""
    for loss in (0, 0.001, 0.01, 0.1, 0.5):
        for size in (2, 65536):
            with tempfile.TemporaryDirectory() as folder:
                settings = {"BCASTGEN_ALGORITHM": "multicast", "BCASTGEN_TRACE": f"{folder}/trace", "BROADCAST_TIMES_LOSSY": "1"}
                repetitions = 100 if size == 2 else 40
                output = in_lab(machines, "timeout 200 " + command(mpi, machines, settings, "eth0", repetitions, size),
                                "--loss", str(loss), "--rate", RATE)
                found = re.search(r"broadcast \d+ (\S+)", output)
                lines = [line for file in Path(folder).iterdir() for line in file.read_text(encoding="utf-8").splitlines()]
                by_multicast = [line for line in lines if "fragments=" in line and " fragments=0 " not in line]
                number = lambda name: [int(re.search(rf" {name}=(\d+)", line)[1]) for line in by_multicast]
                rounds = statistics.mean(number("penalty_rounds")) if by_multicast else float("nan")
                received = sum(number("received")) / max(1, sum(number("fragments")))
                given_up = sum("given-up" in line for line in lines)
                print(mpi, machines, loss, size, found[1] if found else "-", f"{rounds:.3f}", f"{received:.4f}", given_up, flush=True)


def read_times(file):
    """{(mpi, variant, what, bytes): {machines: [completion, rank 0, rank 1, ...]}}; of lines for the same, the last."""
    times = collections.defaultdict(dict)
    for line in Path(file).read_text(encoding="utf-8").splitlines():
        mpi, machines, variant, what, size, *numbers = line.split()
        times[mpi, variant, what, int(size)][int(machines)] = [float(number) for number in numbers]
    return times


def floors(times, mpi, size):
    """By number of machines, the quietest of those that were measured between the variants."""
    least = {}
    for variant in VARIANTS:
        for machines, numbers in times[mpi, variant, "floor", size].items():
            least[machines] = min(least.get(machines, numbers[0]), numbers[0])
    return least


def milliseconds(us):
    return f"{us / 1000:.2f}" if us < 10000 else f"{us / 1000:.1f}" if us < 100000 else f"{us / 1000:.0f}"


def table_of_sizes(times, mpi, counts, processors_matter):
    row = lambda size, name, cells: print(f"| {size} | {name} | " + " | ".join(cells) + " |")
    print(f"\n**{mpi}**, completion in ms\n")
    row("bytes", "", [str(machines) for machines in counts])
    print("|---" * (len(counts) + 2) + "|")
    for size in SIZES:
        rows = {variant: times[mpi, variant, "broadcast", size] for variant in VARIANTS}
        floor = floors(times, mpi, size)
        if not rows["multicast"]:
            continue
        row(size, LABELS["floor"], [milliseconds(floor[m]) if m in floor else "" for m in counts])
        for variant, by_count in rows.items():
            if by_count:
                row(size, LABELS.get(variant, variant), [milliseconds(by_count[m][0]) if m in by_count else "" for m in counts])
        above = {m: numbers[0] - floor[m] for m, numbers in rows["multicast"].items() if m in floor}
        if processors_matter:
            row(size, "multicast above the floor", [milliseconds(above[m]) if m in above else "" for m in counts])
        if processors_matter and size <= 2048:
            row(size, "the same by machine and processor, us", [f"{PROCESSORS * above[m] / m:.0f}" if m in above else "" for m in counts])
        saved = lambda m, others: f"{1 - rows['multicast'][m][0] / min(others):.0%}" if others and m in rows["multicast"] else ""
        row(size, "multicast saves, of the MPI's own",
            [saved(m, [rows["native"][m][0]] if m in rows["native"] else []) for m in counts])
        row(size, "of the better tree",
            [saved(m, [rows[v][m][0] for v in ("latency", "two-tree") if m in rows[v]]) for m in counts])


def table_of_skew(times, mpi, counts):
    most = counts[-1]
    print(f"\n{mpi}, {most} machines: when receivers leave, ms\n")
    print("| bytes | | first | median | last | largest deviation from the median | first before last |\n|---|---|---|---|---|---|---|")
    for size in (2, 1024):
        for variant, what in [("native", "floor")] + [(variant, "broadcast") for variant in VARIANTS]:
            rows = times[mpi, variant, what, size]
            if most not in rows:
                continue
            ranks = rows[most][2:]
            middle = statistics.median(ranks)
            deviation = max(abs(time - middle) for time in ranks) / middle
            label = LABELS["floor"] if what == "floor" else LABELS.get(variant, variant)
            print(f"| {size} | {label} | {milliseconds(min(ranks))} | {milliseconds(middle)} | {milliseconds(max(ranks))} | "
                  f"{deviation:.0%} | {1 - min(ranks) / max(ranks):.0%} |")


def tables(file, processors_matter):
    times = read_times(file)
    for mpi in sorted({key[0] for key in times}):
        counts = sorted({machines for key, rows in times.items() if key[0] == mpi for machines in rows})
        table_of_sizes(times, mpi, counts, processors_matter)
        table_of_skew(times, mpi, counts)


# Okabe and Ito's colours, told apart by most eyes, and points of different shapes.
STYLES = {"native": "lc rgb '#D55E00' pt 5", "multicast": "lc rgb '#0072B2' pt 7 lw 2.5", "latency": "lc rgb '#009E73' pt 9",
          "two-tree": "lc rgb '#CC79A7' pt 11", "floor": "lc rgb '#000000' pt 1 dt 2"}


def plot(file, picture):
    times = read_times(file)
    mpis = sorted({key[0] for key in times})
    script = f"set terminal svg size {470 * len(mpis)},1180 font 'sans-serif,12' background rgb 'white'; set output '{picture}'\n"
    script += f"set multiplot layout 4,{len(mpis)}; set key outside bottom center horizontal samplen 2 font ',10'\n"
    script += "set logscale xy; unset mytics; set xtics (2,4,8,16,32,64,116); set xrange [1.8:130]; set grid lc rgb '#dddddd'\n"
    script += "set xlabel 'machines' offset 0,0.5; set ylabel 'completion, ms'; set format y '%g'\n"
    for size in SIZES:
        for mpi in mpis:
            series = {variant: {m: numbers[0] for m, numbers in times[mpi, variant, "broadcast", size].items()} for variant in VARIANTS}
            series["floor"] = floors(times, mpi, size)
            series = {name: rows for name, rows in series.items() if rows}
            if not series:
                script += "set multiplot next\n"
                continue
            title = f"{size} bytes" if size < 1024 else f"{size // 1024} KiB"
            script += f"set title '{mpi}, {title}'\nplot " + ", ".join(
                f"'-' with linespoints {STYLES[name]} title \"{LABELS.get(name, name)}\"" for name in series) + "\n"
            for rows in series.values():
                script += "".join(f"{machines} {us / 1000}\n" for machines, us in sorted(rows.items())) + "e\n"
        script += "unset key\n"  # the first row's is for all
    run("gnuplot", input=script)


def plot_losses(file, picture):
    rounds = collections.defaultdict(list)
    for line in Path(file).read_text(encoding="utf-8").splitlines():
        mpi, _, loss, size, _, mean, *_ = line.split()
        if float(loss) > 0 and float(mean) > 0:
            rounds[mpi, int(size)].append((float(loss), float(mean)))
    script = f"set terminal svg size 620,420 font 'sans-serif,12' background rgb 'white'; set output '{picture}'\n"
    script += "set logscale xy; set format x '%g'; set format y '%g'; set grid lc rgb '#dddddd'; set key left top\n"
    script += "set xlabel 'part of the datagrams that each machine loses'; set ylabel 'penalty rounds, mean'\n"
    styles = {2: "pt 7 lc rgb '#0072B2'", 65536: "pt 9 lc rgb '#D55E00'"}
    names = {2: "2 bytes, 1 datagram", 65536: "64 KiB, 47 datagrams"}
    script += "plot [0.0007:0.7] x/(1-x) lc rgb 'black' dt 2 title 'e/(1-e)', " + ", ".join(
        f"'-' with linespoints {styles[size]} {'dt 3' if mpi == 'openmpi' else ''} title '{mpi}, {names[size]}'" for mpi, size in sorted(rounds)) + "\n"
    for key in sorted(rounds):
        script += "".join(f"{loss} {mean}\n" for loss, mean in rounds[key]) + "e\n"
    run("gnuplot", input=script)


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or [""]
    os.environ.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    if what == "build":
        build()
    elif what in ("latency", "slowed"):
        variants = rest[2].split(",") if len(rest) > 2 else list(VARIANTS)
        sizes = [int(size) for size in rest[3].split(",")] if len(rest) > 3 else SIZES
        LATENCY = rest[4] if len(rest) > 4 else LATENCY
        {"latency": latency, "slowed": slowed}[what](rest[0], [int(count) for count in rest[1].split(",")], variants, sizes)
    elif what == "losses":
        losses(rest[0], int(rest[1]))
    elif what == "tables":
        tables(rest[0], rest[1:] != ["slowed"])
    elif what == "plot":
        plot(*rest)
    elif what == "plot-losses":
        plot_losses(*rest)
    else:
        sys.exit(__doc__)
