"""An installed tool works where it was moved to, without the tree that it was built from.

Usage: installed.py BUILD SOURCE VERSION; root only, since it takes both folders away in mounts of its own.
"""

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from compiler import empty_compiler

BUILD, SOURCE, VERSION = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
CLONE_NEWNS = 0x00020000


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = Path(tempfile.mkdtemp(prefix="bcastgen-test-"))
        cls.addClassCleanup(subprocess.run, ["rm", "-rf", cls.work], check=True)
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.work / "first"], check=True, capture_output=True)
        (cls.work / "first").rename(cls.work / "moved")
        compiler = empty_compiler(cls.work)  # the audit reads all of the code
        for gone in (BUILD, SOURCE):
            subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", gone], check=True)
        cls.topology = cls.work / "moved/share/bcastgen/topologies/fsu-1.yaml"
        cls.environment = {**os.environ, "PATH": f"{cls.work / 'moved/bin'}:{os.environ['PATH']}", "CXX": compiler,
                           "XDG_CACHE_HOME": str(cls.work / "cache")}

    def run_tool(self, *words: str) -> str:
        result = subprocess.run(["bcastgen", *map(str, words)], cwd=self.work, env=self.environment, text=True,
                                capture_output=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def test_the_tree_is_gone(self):
        self.assertEqual(list(SOURCE.iterdir()), [])

    def test_version(self):
        self.assertEqual(self.run_tool("--version"), f"bcastgen {VERSION}\n")
        changes = (self.work / "moved/share/doc/bcastgen/CHANGES.md").read_text(encoding="utf-8")
        newest = next(line for line in changes.splitlines() if line.startswith("## "))
        self.assertRegex(newest, rf"^## {VERSION} \(\d{{4}}-\d\d-\d\d\)$")

    def test_documentation(self):
        docs = self.work / "moved/share/doc/bcastgen"
        for page in ("README.md", "SECURITY.md", "docs/guide.md", "docs/architecture.svg", "docs/adr/README.md"):
            self.assertTrue((docs / page).is_file(), page)

    def test_sources_of_examples(self):
        self.assertTrue((self.work / "moved/share/bcastgen/examples/stage/stage.cpp").is_file())

    def test_every_sample_is_understood(self):
        samples = sorted(self.topology.parent.glob("*.yaml"))
        self.assertGreater(len(samples), 5)
        for sample in samples:
            self.run_tool("check", sample)

    def test_emission_audit_and_build(self):
        self.run_tool(self.topology, "-o", "library")
        self.assertIn("code are as emitted", self.run_tool("audit", "library", self.topology))
        self.assertEqual(json.loads(self.run_tool("build", "library", "--mpi", "mpich", "--format", "json")), {
            "format": "bcastgen-build/1",
            "libraries": [{"mpi": "mpich", "library": "library/build/mpich/libbcast_fsu-1.so"}]})
        self.assertIn("code are as emitted", self.run_tool("audit", "library", self.topology))

    def test_tuning_in_a_simulation(self):
        tuned = json.loads(self.run_tool(
            "tune", self.topology, "--on", "simulated", "--machines", "n[0-3]", "--machine-counts", "4", "--sizes", "64K",
            "--algorithms", "linear", "--time-budget", "none", "--format", "json"))
        self.assertEqual((tuned["format"], tuned["table"]), ("bcastgen-tune/1", "tuning.yaml"))
        self.assertIn("linear", [row["algorithm"] for row in tuned["rows"]])
        self.run_tool("report", "tuning.db", "-o", "report.html")
        self.run_tool(self.topology, "--tuning", "tuning.yaml", "-o", "tuned")


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: only root can take the source tree away in mounts of its own")
        sys.exit(77)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0 or subprocess.run(["mount", "--make-rprivate", "/"], check=False).returncode != 0:
        print("skipped: no mount namespace can be made here")
        sys.exit(77)
    os.chdir("/")
    unittest.main(argv=sys.argv[:1])
