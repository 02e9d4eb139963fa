"""bcastgen run, with a program that broadcasts and checks every byte: run_command.py TOOL TOPOLOGY LAUNCHER PROGRAM."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL, TOPOLOGY, LAUNCHER, PROGRAM = sys.argv[1:5]
RANKS = 3
CROWDED = ["--oversubscribe", "--allow-run-as-root"] if "openmpi" in LAUNCHER else []


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="bcastgen-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_tool(self, *words, **variables):
        known = {name: value for name, value in os.environ.items() if not name.startswith(("BCASTGEN_", "SLURM_"))}
        return subprocess.run([TOOL, "run", TOPOLOGY, *words], cwd=self.folder, env={**known, **variables},
                              capture_output=True, text=True, check=False)

    def test_the_program_gets_the_library_and_its_broadcasts_are_counted(self):
        done = self.run_tool("-o", "figures.json", "--trace", "trace", "--compare",
                             "--", LAUNCHER, *CROWDED, "-n", str(RANKS), PROGRAM, "70000")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("every byte right"), 2, done.stdout)
        lines = [(self.folder / f"trace.{rank}").read_text(encoding="utf-8").splitlines() for rank in range(RANKS)]
        figures = json.loads((self.folder / "figures.json").read_text(encoding="utf-8"))
        broadcasts = figures["broadcasts"]
        self.assertEqual(figures["format"], "bcastgen-run/1")
        self.assertEqual(broadcasts["count"], len(lines[0]))
        self.assertEqual(broadcasts["ranks"], RANKS)
        self.assertEqual(sum(sizes["count"] for sizes in broadcasts["sizes"]), len(lines[0]))
        planned = [line for line in lines[0] if " algorithm=native " not in line]
        self.assertEqual(broadcasts["planned"], len(planned))
        self.assertGreater(len(planned), 0)
        self.assertTrue(all(f"machines={RANKS} " in line for line in planned), planned[:3])
        self.assertTrue(figures["played"])
        for words in (f"in {len(lines[0])} broadcasts: ", "Without the library it took", "All ranks were on this host"):
            self.assertIn(words, done.stderr)
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()),
                         ["figures.json", *(f"trace.{rank}" for rank in range(RANKS))])

    def test_a_program_without_broadcasts_keeps_its_exit_code(self):
        done = self.run_tool("--", LAUNCHER, *CROWDED, "-n", "2", "sh", "-c", "echo $BCASTGEN_MACHINES; exit 7",
                             BCASTGEN_MACHINES="n3,n9")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("n3,n9\n", done.stdout)
        self.assertIn("No rank traced a broadcast", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
