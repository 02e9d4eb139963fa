"""Runs jobs whose ranks have libraries of different emissions: they agree that they differ, the MPI broadcasts, and one
line says so. Usage: emissions.py EMITTED LIBRARY COMPILER FIXTURE_LIBRARY -- RUN_MPI [OPTION…]

The first emission is LIBRARY, built from the directory EMITTED, the second what another version of bcastgen would have
made: the same but for its hash of the code. The third, the fixture's, has another site as well.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

emitted, library, compiler, fixture, _, *run_mpi = sys.argv[1:]


def by_another_version(folder: Path) -> str:
    """A library of another hash, without optimisation: nothing here is slow."""
    shutil.copytree(emitted, folder, ignore=shutil.ignore_patterns("build"))
    code = folder / "bcast/facts/code.hpp"
    text, found = re.subn(r"(?<=code_hash = 0x)[0-9a-f]{16}(?=;)", lambda hash_: hash_[0][::-1],
                          code.read_text(encoding="utf-8"))
    if found != 1:
        sys.exit(f"{code} has no hash")
    code.write_text(text, encoding="utf-8")
    made = folder / "libbcast.so"
    subprocess.run([compiler, "-std=c++17", "-O0", "-fPIC", "-shared", "-DOMPI_SKIP_MPICXX", f"-I{folder}",
                    str(folder / "mpi_bcast.cpp"), "-o", str(made)], check=True)
    return str(made)


def job(usual: str, differing: dict[int, str]) -> None:
    """Rank R has the library differing[R], the others have the usual one."""
    at = run_mpi.index("--")
    options = ["--preload", usual, "--trace", "native" if differing else "served"]
    for rank, other in differing.items():
        options += ["--rank-preload", f"{rank}:{other}"]
    if differing:
        first = min(differing) if 0 not in differing else 1
        options += ["--says", "a communicator of 4 ranks is left to the MPI's own broadcast: "
                    f"rank {first} has another library than rank 0"]
    result = subprocess.run([sys.executable, *run_mpi[:at], *options, *run_mpi[at:]], check=False)
    if result.returncode != 0:
        sys.exit(f"with {differing or 'one library'}: see above")


with tempfile.TemporaryDirectory(prefix="bcastgen-test-") as name:
    theirs = by_another_version(Path(name) / "another")
    job(library, {})
    job(library, {2: theirs})
    job(library, {0: theirs, 3: theirs})
    job(library, {1: fixture})
    job(library, {0: fixture, 3: theirs})
