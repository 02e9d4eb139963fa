#!/usr/bin/env python3
"""What the library of this tree costs against an older one's, on one host: docs/performance.md's table of promises.

    bench/scripts/paired.py 39aa3dd                                  both MPIs, a Markdown table
    bench/scripts/paired.py 39aa3dd --runs 5                         the same, medians of five: processes differ
    bench/scripts/paired.py HEAD --algorithms two-tree,linear        what was not committed yet

The emitted fsu-1 of COMMIT and of this tree are compiled alike and loaded into one process of two ranks in shared memory,
where software is all that a broadcast costs; blocks of either take turns (bench/programs/paired_prices.cpp).
"""

import argparse
import csv
import io
import os
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SIZES = {"64": 64, "1K": 1 << 10, "8K": 8 << 10, "64K": 64 << 10, "1M": 1 << 20}
ALGORITHMS = "native,linear,latency,scatter-ring-tuned,arrival-b,two-tree"
FLAGS = ["-std=c++17", "-O3", "-DNDEBUG", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, text=True, **options)


def compile_library(mpi: str, sources: Path, library: Path):
    # Unique symbols are one for both libraries, whatever they are loaded with.
    run(f"mpicxx.{mpi}", *FLAGS, "-fno-gnu-unique", "-fvisibility=hidden", "-fPIC", "-shared", "-pthread",
        "-I", sources / "generated/fsu-1", "-I", sources / "templates", sources / "generated/fsu-1/mpi_bcast.cpp",
        "-o", library)


def ratios(mpi: str, scratch: Path, algorithm: str) -> dict[int, float]:
    settings = {"BCASTGEN_MACHINES": "n0,n1", "BCASTGEN_ALGORITHM": algorithm}
    root = ["--allow-run-as-root"] if mpi == "openmpi" and os.geteuid() == 0 else []
    out = run(f"mpiexec.{mpi}", *root, "-n", "2", scratch / f"paired.{mpi}", scratch / f"older.{mpi}.so",
              scratch / f"newer.{mpi}.so", ",".join(map(str, SIZES.values())), env=os.environ | settings,
              stdout=subprocess.PIPE).stdout
    return {int(row["message_bytes"]): float(row["ratio"]) for row in csv.DictReader(io.StringIO(out))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", help="of the older library")
    parser.add_argument("--algorithms", default=ALGORITHMS)
    parser.add_argument("--mpis", default="mpich,openmpi")
    parser.add_argument("--runs", type=int, default=1, metavar="N", help="of each; the median counts")
    options = parser.parse_args()

    names = {"mpich": "MPICH", "openmpi": "Open MPI"}
    print("| MPI | algorithm | " + " | ".join(SIZES) + " |\n|---|---|" + "---|" * len(SIZES))
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        older = scratch / "older"
        older.mkdir()
        archive = subprocess.run(["git", "-C", ROOT, "archive", options.commit, "generated/fsu-1", "templates"],
                                 check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["tar", "-x", "-C", older], input=archive, check=True)
        for mpi in options.mpis.split(","):
            if shutil.which(f"mpicxx.{mpi}") is None:
                parser.error(f"there is no mpicxx.{mpi}")
            compile_library(mpi, older, scratch / f"older.{mpi}.so")
            compile_library(mpi, ROOT, scratch / f"newer.{mpi}.so")
            run(f"mpicxx.{mpi}", *FLAGS, "-I", ROOT, ROOT / "bench/programs/paired_prices.cpp", "-ldl",
                "-o", scratch / f"paired.{mpi}")
            for algorithm in options.algorithms.split(","):
                found = [ratios(mpi, scratch, algorithm) for _ in range(options.runs)]
                cells = [f"{statistics.median(one[size] for one in found):.2f}" for size in SIZES.values()]
                print(f"| {names[mpi]} | {algorithm} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
