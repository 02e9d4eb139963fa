#!/usr/bin/env python3
"""Whole programs without and with the library on the emulated and the simulated cluster: the tables of
docs/what-programs-gain.md.

    bench/scripts/programs.py build                                  build/programs/: the library, the programs, their inputs
    bench/scripts/programs.py emulated [--rounds 5] >> runs.txt      16 machines of 10 Mbit/s; needs root
    bench/scripts/programs.py simulated [--rounds 5] >> runs.txt     16 machines of 100 Mbit/s, computation charged
    bench/scripts/programs.py broadcasts                             Markdown: how many broadcasts of which sizes
    bench/scripts/programs.py table runs.txt                         Markdown: medians, and the spread of all runs

--only summa,kmeans runs these programs alone, --mpi mpich this MPI (of the simulated cluster: SimGrid's copies of its
collectives), --rate 25Mbit/s sets the speed of the emulated machines' ports, --build DIR names the folder that bcastgen was
built in. --topology T.yaml and --tuning F make the library for other machines, or with another decision table; --ranks 32
takes n0 to n31 of them; --speed 1Gbit/s stands for 100Mbit/s in the topology file. A variant has a folder of its own:
--name NAME.

Runs without and with the library take turns, each round all programs. A line of runs:
CLUSTER MPI PROGRAM VARIANT SECONDS SECONDS_IN_MPI_BCAST RESULT, the second time being the mean of the ranks. Programs of
examples/ time themselves. Those of Debian are timed from launch to end, and run three times: without the library, with it
(and a trace of the broadcasts), and "native", where the library does nothing but trace the MPI's own broadcasts.
"""
import argparse
import collections
import hashlib
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from program_rows import MPIS, OWN_RESULT, PROGRAMS, ROOT

TRACED = re.compile(r"bytes=(\d+) machines=\d+ ranks=(\d+) .* took_us=(\S+)")
# As the simulated cluster of bcastgen has it (docs/clusters-simulated.md), but with computation charged: at the speed
# of this host, for hosts of the platform have that of smpi/host-speed.
SIMULATION = ["smpi/simulate-computation:yes", "smpi/host-speed:1Gf", "smpi/send-is-detached-thresh:0", "smpi/test:1e-6",
              "smpi/grow-injected-times:no"]
SELECTORS = {"mpich": "mpich", "openmpi": "ompi"}  # SimGrid's copies of what the MPIs choose
# But of MPICH's broadcasts SimGrid has not the choice. It is this one from 12 KiB and 8 ranks up, where ranks are a power
# of two and messages smaller than 512 KiB; below, it is SimGrid's.
MPICH_MEDIUM = "scatter_rdb_allgather"


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, text=True, **options)


def library(folder, mpi):
    return next((folder / "library/build" / mpi).glob("libbcast_*.so"))


def compile_for_simulation(folder, name, source):
    """All ranks are one process there, each with its own copy of the program's variables, the library's among them: it
    is compiled into the program."""
    simulated = ["smpicxx", "-O3", "-std=c++17", "-fno-gnu-unique", source]
    run(*simulated, "-o", folder / f"{name}.simulated.without")
    run(*simulated, f"-I{folder / 'library'}", folder / "library/mpi_bcast.cpp", "-o", folder / f"{name}.simulated.with")


def build(options):
    folder = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    tool = options.build / "bcastgen"
    tuning = ["--tuning", options.tuning] if options.tuning else []
    text = options.topology.read_text(encoding="utf-8")
    (folder / "topology.yaml").write_text(text.replace("100Mbit/s", options.speed), encoding="utf-8")
    run(tool, folder / "topology.yaml", *tuning, "-o", folder / "library")
    run(tool, "build", folder / "library", "--mpi", ",".join(MPIS))
    (folder / "platform.xml").write_text(run(tool, "export", "simgrid", folder / "topology.yaml", stdout=subprocess.PIPE).stdout,
                                         encoding="utf-8")
    (folder / "hosts").write_text("".join(f"n{rank}\n" for rank in range(options.ranks)), encoding="utf-8")
    for name in options.only:
        program = PROGRAMS[name]
        for file, text_of in program.inputs.items():
            (folder / file).write_text(text_of(), encoding="ascii")
        target = Path(program.source).stem
        for mpi in program.mpis if program.source else ():
            run(f"mpicxx.{mpi}", "-O3", "-std=c++17", ROOT / program.source, "-o", folder / f"{target}.{mpi}",
                *program.libraries.format(mpi=mpi).split())
        if program.source and program.prints_times:
            compile_for_simulation(folder, name, ROOT / program.source)


def settings_of(variant, trace):
    """The library's, in an environment."""
    settings = {"BCASTGEN_TRACE": trace} if trace else {}
    return settings | ({"BCASTGEN_ALGORITHM": "native"} if variant == "native" else {})


def emulated_command(options, mpi, name, variant, trace):
    """For a shell inside the lab."""
    preload = "" if variant == "without" else library(options.folder, mpi)
    settings = {"LD_PRELOAD": preload} | settings_of(variant, trace)
    if mpi == "mpich":
        words = " ".join(f'-genv {variable} "{value}"' for variable, value in settings.items())
    else:
        words = " ".join(f'-x "{variable}={value}"' for variable, value in settings.items())
    return f"timeout 200 mpiexec.{mpi} {words} -n {options.ranks} {PROGRAMS[name].command.format(mpi=mpi)}"


def traced(trace, ranks):
    """Of each rank, (bytes, seconds) of its broadcasts among several ranks."""
    for rank in range(ranks):
        file = Path(f"{trace}.{rank}")
        lines = file.read_text(encoding="ascii").splitlines() if file.exists() else []
        found = (TRACED.match(line) for line in lines)
        yield [(int(each[1]), 1e-6 * float(each[3])) for each in found if int(each[2]) > 1]


def emulated(options):
    runs = [(mpi, name, variant) for name in options.only if not PROGRAMS[name].only_counted
            for mpi in options.mpi if mpi in PROGRAMS[name].mpis for variant in PROGRAMS[name].variants]
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as traces:
            script = "date +%s.%N\n"
            for mpi, name, variant in runs:
                traces_of = "" if PROGRAMS[name].prints_times or variant == "without" else f"{traces}/{mpi}.{name}.{variant}"
                script += emulated_command(options, mpi, name, variant, traces_of) + " || echo ended with exit code $?\n"
                script += f"date +'%s.%N run {mpi} {name} {variant}'\n"
            output = run(options.build / "bcastgen", "lab", options.folder / "topology.yaml", "--rate", options.rate, "--", "sh",
                         "-c", script, cwd=options.folder, stdout=subprocess.PIPE).stdout
            begun, _, rest = output.partition("\n")
            for text, ended, mpi, name, variant in re.findall(r"(.*?)^(\S+) run (\S+) (\S+) (\S+)\n", rest, re.DOTALL | re.MULTILINE):
                ranks = list(traced(f"{traces}/{mpi}.{name}.{variant}", options.ranks))
                tell(f"emulated-{options.rate}", (mpi, name, variant), text, float(ended) - float(begun), ranks)
                begun = ended


def simulated(options):
    runs = [(mpi, name, variant) for name in options.only if PROGRAMS[name].source and PROGRAMS[name].prints_times
            for mpi in options.mpi for variant in PROGRAMS[name].variants]
    for _ in range(options.rounds):
        for mpi, name, variant in runs:
            settings = SIMULATION + [f"smpi/coll-selector:{SELECTORS[mpi]}"]
            if mpi == "mpich" and PROGRAMS[name].broadcasts_to_all:
                settings.append(f"smpi/bcast:{MPICH_MEDIUM}")
            words = PROGRAMS[name].command.format(mpi=f"simulated.{variant}").split()
            output = run("smpirun", "-np", options.ranks, "-platform", "platform.xml", "-hostfile", "hosts",
                         *[f"--cfg={each}" for each in settings], "--log=root.thres:critical", *words, cwd=options.folder,
                         stdout=subprocess.PIPE).stdout
            tell(f"simulated-{options.speed}", (mpi, name, variant), output, 0, [])


def tell(cluster, what, output, seconds, ranks):
    """One line of runs; `ranks` are the broadcasts that were traced."""
    program = PROGRAMS[what[1]]
    found = re.findall(program.result, output, re.MULTILINE)
    if not found or any("WRONG" in each for each in found) or "ended with exit code" in output:
        sys.exit(f"{cluster} {what} failed:\n{output}")
    if program.prints_times:
        seconds, in_broadcasts = re.search(r"time to solution: (\S+) s\nin MPI_Bcast: (\S+) s", output).groups()
    else:
        in_broadcasts = f"{statistics.mean(sum(took for _, took in rank) for rank in ranks):.3f}" if any(ranks) else "-"
        seconds = f"{seconds:.3f}"
    result = found[0] if program.result == OWN_RESULT else hashlib.sha256("\n".join(found).encode()).hexdigest()[:16]
    print(cluster, *what, seconds, in_broadcasts, result, flush=True)


def broadcasts(options):
    """Counted on this host, where ranks play the machines."""
    row = lambda *cells: print("| " + " | ".join(str(cell) for cell in cells) + " |")
    row("program", "broadcasts of a rank", "bytes in all", "of 8 KiB and more", "bytes of these", "largest")
    print("|---" * 6 + "|")
    for name in options.only:
        program = PROGRAMS[name]
        mpi = program.mpis[-1]
        with tempfile.TemporaryDirectory() as traces:
            preload = f"{library(options.folder, mpi)}:{options.build / 'tuner/clusters/libidle_shim.so'}"
            machines = ",".join(f"n{rank}" for rank in range(options.ranks))
            environment = {"LD_PRELOAD": preload, "BCASTGEN_MACHINES": machines} | settings_of("native", f"{traces}/trace")
            launcher = [f"mpiexec.{mpi}", *(["--oversubscribe"] if mpi == "openmpi" else []), "-n", str(options.ranks)]
            words = " ".join(launcher) + " " + program.command.format(mpi=mpi)
            run("sh", "-c", words, cwd=options.folder, env=os.environ | environment, stdout=subprocess.DEVNULL)
            ranks = [[size for size, _ in rank] for rank in traced(f"{traces}/trace", options.ranks)]
        large = [[size for size in rank if size >= 8192] for rank in ranks]
        mean = lambda values: round(statistics.mean(values))
        row(name, mean(map(len, ranks)), mean(map(sum, ranks)), mean(map(len, large)), mean(map(sum, large)),
            max((size for rank in ranks for size in rank), default="-"))


def spread(values):
    if not values:
        return "-"
    digits = 3 if max(values) < 1 else 2 if max(values) < 10 else 1
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def table(options):
    times = collections.defaultdict(lambda: ([], []))
    results = collections.defaultdict(set)
    for line in Path(options.file).read_text(encoding="utf-8").splitlines():
        cluster, mpi, program, variant, seconds, in_broadcasts, result = line.split(maxsplit=6)
        whole, part = times[cluster, program, mpi, variant]
        whole.append(float(seconds))
        part.extend([] if in_broadcasts == "-" else [float(in_broadcasts)])
        results[cluster, program, mpi].add(result)
    cluster = ""
    order = list(PROGRAMS)
    for key, values in sorted(results.items(), key=lambda item: (item[0][0], order.index(item[0][1]), item[0][2])):
        if key[0] != cluster:
            cluster = key[0]
            print(f"\n**{cluster}**, s: median (least to most)\n")
            print("| program | MPI | runs | to solution, without | with | times as fast | in MPI_Bcast, without | with | results |")
            print("|---|---|---|---|---|---|---|---|---|")
        without, having = times[(*key, "without")], times[(*key, "with")]
        traced_without = times[(*key, "native")][1] or without[1]
        gain = statistics.median(without[0]) / statistics.median(having[0])
        cells = [spread(without[0]), spread(having[0]), f"{gain:.2f}", spread(traced_without), spread(having[1])]
        print(f"| {key[1]} | {key[2]} | {len(without[0])} | {' | '.join(cells)} | "
              f"{'equal' if len(values) == 1 else 'DIFFERENT'} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = {"build": build, "emulated": emulated, "simulated": simulated, "broadcasts": broadcasts, "table": table}
    parser.add_argument("what", choices=commands)
    parser.add_argument("file", nargs="?")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default=",".join(PROGRAMS))
    parser.add_argument("--mpi", default=",".join(MPIS))
    parser.add_argument("--rate", default="10Mbit/s")
    parser.add_argument("--build", default=ROOT / "build", type=Path)
    parser.add_argument("--name", default="programs")
    parser.add_argument("--topology", default=ROOT / "bench/topologies/star-16.yaml", type=Path)
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--speed", default="100Mbit/s")
    parser.add_argument("--tuning", type=Path)
    options = parser.parse_args()
    options.only = options.only.split(",")
    options.mpi = options.mpi.split(",")
    options.build = options.build.resolve()
    options.folder = options.build / options.name
    os.environ.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1"})
    commands[options.what](options)


if __name__ == "__main__":
    main()
