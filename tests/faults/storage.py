"""File systems that are full, or that nobody can write to: a message that says which, and nothing half-written is left.

Usage: storage.py TOOL [MPI LIBRARY PROGRAM SHIM]…; root only, in mounts of its own.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = sys.argv[1]
JOBS = [sys.argv[at:at + 4] for at in range(2, len(sys.argv), 4)]
TOPOLOGY = Path(__file__).resolve().parents[2] / "topologies/fsu-1.yaml"
LAUNCHERS = {"mpich": ["mpiexec.mpich"], "openmpi": ["mpiexec.openmpi", "--oversubscribe", "--bind-to", "none"]}
SETTINGS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
CLONE_NEWNS = 0x00020000


class Storage(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory(prefix="bcastgen-test-")
        self.addCleanup(work.cleanup)
        self.work = Path(work.name)

    def mounted(self, options: str, place: Path | None = None) -> Path:
        place = place or self.work / "disk"
        place.mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], check=True)
        self.addCleanup(subprocess.run, ["umount", place], check=True)
        return place

    def fill(self, place: Path) -> None:
        with open(place / "filler", "wb", buffering=0) as file:
            try:
                while file.write(b"\0" * 4096) > 0:
                    pass
            except OSError:
                pass

    def refused(self, *words: str, why: str, code: int = 1) -> None:
        result = subprocess.run([TOOL, *words], cwd=self.work, capture_output=True, text=True, check=False,
                                env={**os.environ, "TMPDIR": str(self.work)})
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(why, result.stderr)
        self.assertIn("disk", result.stderr)  # where

    def test_emission(self):
        for options, why in (("size=64k", "No space left on device"), ("ro", "Read-only file system")):
            disk = self.mounted(options, self.work / f"disk.{options[:2]}")
            self.refused(str(TOPOLOGY), "-o", str(disk / "library"), why=why)
            self.assertEqual([file for file in disk.rglob("*") if file.is_file()], [])

    def test_installation(self):
        disk = self.mounted("ro")
        self.refused("install", str(TOPOLOGY), "--prefix", str(disk / "prefix"), "--mpi", "mpich",
                     why="Read-only file system")

    def test_tuning(self):
        for options, why, code in (("size=64k", "full", 1), ("ro", "Read-only file system", 2)):
            disk = self.mounted(options, self.work / f"disk.{options[:2]}")
            if options != "ro":
                self.fill(disk)
            self.refused("tune", str(TOPOLOGY), "--on", "simulated", "--machines", "n[0-3]", "--sizes", "1K",
                         "--algorithms", "linear", "--db", str(disk / "tuning.db"), "-o", "tuning.yaml", why=why, code=code)
            self.assertFalse((self.work / "tuning.yaml").exists())

    def test_shared_memory(self):
        """What the MPI does without room in /dev/shm, it does with the library."""
        self.fill(self.mounted("size=16k", Path("/dev/shm")))
        for mpi, library, program, shim in JOBS:
            codes = []
            for preload in (shim, f"{library}:{shim}"):
                result = subprocess.run(
                    [*LAUNCHERS[mpi], "-n", "4", "env", f"LD_PRELOAD={preload}", program, "70000", "100000"],
                    capture_output=True, text=True, check=False, timeout=300,
                    env={**os.environ, **SETTINGS, "BCASTGEN_MACHINES": "n0,n3,n6,n10"})
                codes.append(result.returncode)
            self.assertEqual(codes[0] == 0, codes[1] == 0, f"{mpi}: {codes}")


if __name__ == "__main__":
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() != 0 or libc.unshare(CLONE_NEWNS) != 0:
        print("skipped: only root can mount file systems")
        sys.exit(77)
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    unittest.main(argv=sys.argv[:1], verbosity=2)
