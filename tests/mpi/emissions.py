"""Runs jobs whose ranks have libraries of different emissions: they agree that they differ, the MPI broadcasts, and one
line says so. Usage: emissions.py TOOL TOPOLOGY COMPILER FIXTURE_LIBRARY -- RUN_MPI [OPTION…]

The first emission is what TOOL makes of TOPOLOGY, the second what another version of bcastgen would make of it: a header
that is not quite the same, and so another hash of the code. The third, the fixture's, has another site as well.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

tool, topology, compiler, fixture, _, *run_mpi = sys.argv[1:]


def emit(folder: Path) -> None:
    subprocess.run([tool, topology, "-o", str(folder)], check=True, capture_output=True)


def compiled(folder: Path) -> str:
    """Without optimisation: nothing here is slow."""
    library = folder / "libbcast.so"
    command = [compiler, "-std=c++17", "-O0", "-fPIC", "-shared", "-DOMPI_SKIP_MPICXX", f"-I{folder}",
               str(folder / "mpi_bcast.cpp"), "-o", str(library)]
    subprocess.run(command, check=True)
    return str(library)


def as_by_another_version(folder: Path) -> None:
    code = folder / "bcast/facts/code.hpp"
    text = code.read_text(encoding="utf-8")
    hashed = re.search(r"code_hash = 0x[0-9a-f]{15}([0-9a-f]);", text)
    if hashed is None:
        sys.exit(f"{code} has no hash")
    digit = "0" if hashed[1] != "0" else "1"
    code.write_text(text[:hashed.start(1)] + digit + text[hashed.end(1):], encoding="utf-8")


def job(library: str, differing: dict[int, str]) -> None:
    """Rank R has the library differing[R], the others have `library`."""
    at = run_mpi.index("--")
    options = ["--preload", library, "--trace", "native" if differing else "served"]
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
    this, another = Path(name) / "this", Path(name) / "another"
    emit(this)
    emit(another)
    as_by_another_version(another)
    ours, theirs = compiled(this), compiled(another)
    job(ours, {})
    job(ours, {2: theirs})
    job(ours, {0: theirs, 3: theirs})
    job(ours, {1: fixture})
    job(ours, {0: fixture, 3: theirs})
