#!/usr/bin/env python3
"""Whole programs without and with the library on the emulated and the simulated cluster: the tables of
docs/what-programs-gain.md.

    bench/scripts/programs.py build                                       build/programs/: the library, the programs of examples/
    bench/scripts/programs.py emulated [--rounds 5] >> runs.txt           16 machines of 10 Mbit/s; needs root
    bench/scripts/programs.py simulated [--rounds 5] >> runs.txt          16 machines of 100 Mbit/s, computation charged
    bench/scripts/programs.py table runs.txt                              Markdown: medians, and the spread of all runs

--only summa,kmeans runs these programs alone, --mpi mpich this MPI (of the simulated cluster: SimGrid's copies of its
collectives), --rate 25Mbit/s sets the speed of the emulated machines' ports, --build DIR names the folder that bcastgen was
built in. --topology T.yaml and --tuning F make the library for other machines, or with another decision table.
Runs without and with the library take turns, each round all programs. A line of runs:
CLUSTER MPI PROGRAM without|with SECONDS SECONDS_IN_MPI_BCAST RESULT, the second time being the mean of the ranks.
"""
import argparse
import collections
import os
import re
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MPIS = ("mpich", "openmpi")
RANKS = 16
OUTPUT = re.compile(r"time to solution: (\S+) s\nin MPI_Bcast: (\S+) s .*\nresult: (.*)")
# As the simulated cluster of bcastgen has it (docs/clusters-simulated.md), but with computation charged: at the speed
# of this host, for hosts of the platform have that of smpi/host-speed.
SIMULATION = ["smpi/simulate-computation:yes", "smpi/host-speed:1Gf", "smpi/send-is-detached-thresh:0", "smpi/test:1e-6",
              "smpi/grow-injected-times:no"]
SELECTORS = {"mpich": "mpich", "openmpi": "ompi"}  # SimGrid's copies of what the MPIs choose


@dataclass(frozen=True)
class Program:
    source: str
    arguments: str
    mpis: tuple[str, ...] = MPIS
    is_script: bool = False  # for Python: Debian's mpi4py is for Open MPI


PROGRAMS = {
    "summa": Program("summa/summa.cpp", "768"),
    "kmeans": Program("kmeans/kmeans.cpp", "20000 256 64 5"),
    "training": Program("training/training.cpp", "32 256 256 5"),
    "training.py": Program("training/training.py", "32 256 256 5", ("openmpi",), is_script=True),
}


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, text=True, **options)


def library(folder, mpi):
    return next((folder / "library/build" / mpi).glob("libbcast_*.so"))


def build(options):
    folder = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    tool = options.build / "bcastgen"
    tuning = ["--tuning", options.tuning] if options.tuning else []
    run(tool, options.topology, *tuning, "-o", folder / "library")
    run(tool, "build", folder / "library", "--mpi", ",".join(MPIS))
    (folder / "platform.xml").write_text(run(tool, "export", "simgrid", options.topology, stdout=subprocess.PIPE).stdout,
                                         encoding="utf-8")
    (folder / "hosts").write_text("".join(f"n{rank}\n" for rank in range(RANKS)), encoding="utf-8")
    for name, program in PROGRAMS.items():
        source = ROOT / "examples" / program.source
        if program.is_script:
            continue
        for mpi in MPIS:
            run(f"mpicxx.{mpi}", "-O3", "-std=c++17", source, "-o", folder / f"{name}.{mpi}")
        # In a simulation all ranks are one process, each with its own copy of the program's variables, the library's
        # among them: it is compiled into the program.
        simulated = ["smpicxx", "-O3", "-std=c++17", "-fno-gnu-unique", source]
        run(*simulated, "-o", folder / f"{name}.simulated.without")
        run(*simulated, f"-I{folder / 'library'}", folder / "library/mpi_bcast.cpp", "-o",
            folder / f"{name}.simulated.with")


def emulated_command(folder, mpi, name, variant):
    """For a shell inside the lab, whose own library is to stay preloaded."""
    preload = "$LD_PRELOAD" if variant == "without" else f"{library(folder, mpi)}:$LD_PRELOAD"
    program = PROGRAMS[name]
    words = f"/usr/bin/python3 {ROOT / 'examples' / program.source}" if program.is_script else f"{folder / name}.{mpi}"
    preloading = f'-genv LD_PRELOAD "{preload}"' if mpi == "mpich" else f'-x "LD_PRELOAD={preload}"'
    return f"timeout 200 mpiexec.{mpi} {preloading} -n {RANKS} {words} {program.arguments}"


def emulated(options):
    runs = [(mpi, name, variant) for name in options.only for mpi in options.mpi if mpi in PROGRAMS[name].mpis
            for variant in ("without", "with")]
    script = "".join(f"echo run {' '.join(one)}; {emulated_command(options.folder, *one)}\n" for one in runs)
    for _ in range(options.rounds):
        output = run(options.build / "bcastgen", "lab", options.topology, "--rate", options.rate, "--", "sh", "-c", script,
                     stdout=subprocess.PIPE).stdout
        for part in output.split("run ")[1:]:
            head, _, text = part.partition("\n")
            tell(f"emulated-{options.rate}", head, text)


def simulated(options):
    for _ in range(options.rounds):
        for name in options.only:
            for mpi in options.mpi:
                if PROGRAMS[name].is_script or mpi not in PROGRAMS[name].mpis:
                    continue
                for variant in ("without", "with"):
                    settings = SIMULATION + [f"smpi/coll-selector:{SELECTORS[mpi]}"]
                    output = run("smpirun", "-np", RANKS, "-platform", options.folder / "platform.xml", "-hostfile",
                                 options.folder / "hosts", *[f"--cfg={each}" for each in settings],
                                 "--log=root.thres:critical", options.folder / f"{name}.simulated.{variant}",
                                 *PROGRAMS[name].arguments.split(), stdout=subprocess.PIPE).stdout
                    tell("simulated", f"{mpi} {name} {variant}", output)


def tell(cluster, what, output):
    found = OUTPUT.search(output)
    if not found or not found[3].startswith("right"):
        sys.exit(f"{cluster} {what} failed:\n{output}")
    print(cluster, what, *found.groups(), flush=True)


def spread(values):
    digits = 2 if max(values) < 10 else 1
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def table(file):
    times = collections.defaultdict(list)
    results = collections.defaultdict(set)
    for line in Path(file).read_text(encoding="utf-8").splitlines():
        cluster, mpi, program, variant, seconds, in_broadcasts, result = line.split(maxsplit=6)
        times[cluster, program, mpi, variant].append((float(seconds), float(in_broadcasts)))
        results[cluster, program, mpi].add(result)
    cluster = ""
    for key, values in sorted(results.items()):
        if key[0] != cluster:
            cluster = key[0]
            print(f"\n**{cluster}**, s: median (least to most)\n")
            print("| program | MPI | runs | to solution, without | with | as fast | in MPI_Bcast, without | with | results |")
            print("|---|---|---|---|---|---|---|---|---|")
        without, having = times[*key, "without"], times[*key, "with"]
        middle = [statistics.median(each[0] for each in runs) for runs in (without, having)]
        cells = [spread([each[which] for each in runs]) for which in (0, 1) for runs in (without, having)]
        print(f"| {key[1]} | {key[2]} | {len(without)} | {cells[0]} | {cells[1]} | {middle[0] / middle[1]:.2f} | {cells[2]} | "
              f"{cells[3]} | {'equal' if len(values) == 1 else 'DIFFERENT'} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("build", "emulated", "simulated", "table"))
    parser.add_argument("file", nargs="?")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default=",".join(PROGRAMS))
    parser.add_argument("--mpi", default=",".join(MPIS))
    parser.add_argument("--rate", default="10Mbit/s")
    parser.add_argument("--build", default=ROOT / "build", type=Path)
    parser.add_argument("--topology", default=ROOT / "bench/topologies/star-16.yaml", type=Path)
    parser.add_argument("--tuning", type=Path)
    options = parser.parse_args()
    options.only = options.only.split(",")
    options.mpi = options.mpi.split(",")
    options.build = options.build.resolve()
    options.folder = options.build / "programs"
    os.environ.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    if options.what == "table":
        table(options.file)
    else:
        {"build": build, "emulated": emulated, "simulated": simulated}[options.what](options)


if __name__ == "__main__":
    main()
