"""tune on the simulated cluster: what it writes, and that a killed one loses nothing and does nothing twice."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TOOL = str(Path(sys.argv.pop(1)).resolve())
TOPOLOGIES = Path(__file__).parents[3] / "topologies"
SMALL = ("--on", "simulated", "--machines", "n[0-3]", "--machine-counts", "2,4", "--sizes", "1K,64K",
         "--algorithms", "binomial,linear,two-tree", "--time-budget", "none", "--margin", "0.02")

MOST_WAIT_S = 900  # a busy host is slow, and only what hangs is wrong


class TuneCase(unittest.TestCase):
    def setUp(self):
        files = tempfile.TemporaryDirectory(prefix="bcastgen-test-")
        self.addCleanup(files.cleanup)
        self.folder = Path(files.name)

    def start(self, *options, topology="fsu-1", **environment):
        return subprocess.Popen([TOOL, "tune", str(TOPOLOGIES / f"{topology}.yaml"), *options], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, "TMPDIR": str(self.folder), **environment})

    def tune(self, *options, code=0, **more):
        process = self.start(*options, **more)
        output, errors = process.communicate(timeout=MOST_WAIT_S)
        self.assertEqual(process.returncode, code, output + errors)
        return output, errors

    def rows(self, database, question):
        connection = sqlite3.connect(self.folder / database)
        try:
            return connection.execute(question).fetchall()
        finally:
            connection.close()

    KEY = "machines, ranks_per_machine, placement, arrival, algorithm, segment_bytes, message_bytes, repetition"

    def measured(self, database):
        """What the first run measured, each as often as it did."""
        return sorted(self.rows(database, f"SELECT {self.KEY}, completion_us FROM samples WHERE run_id = 1"))


class Tuning(TuneCase):
    def test_killed_at_any_moment_and_resumed(self):
        """The table is that of an unbroken run, byte for byte, and nothing was measured twice."""
        self.tune(*SMALL, "--db", "whole.db", "-o", "whole.yaml")
        moments = random.Random(5)
        killed = 0
        while True:
            process = self.start(*SMALL, "--db", "broken.db", "-o", "broken.yaml", "--resume")
            try:
                process.communicate(timeout=moments.uniform(0.3, 2.0) if killed < 5 else MOST_WAIT_S)
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                killed += 1
        self.assertEqual(process.returncode, 0)
        self.assertGreater(killed, 0, "it ended before it was killed once")
        self.assertEqual((self.folder / "broken.yaml").read_text(), (self.folder / "whole.yaml").read_text())
        self.assertEqual(self.measured("broken.db"), self.measured("whole.db"))
        keys = [row[:-1] for row in self.measured("broken.db")]
        self.assertEqual(len(keys), len(set(keys)))

        before = self.measured("whole.db")
        self.tune(*SMALL, "--db", "whole.db", "-o", "again.yaml", "--resume")
        self.assertEqual(self.measured("whole.db"), before)
        self.assertEqual((self.folder / "again.yaml").read_text(), (self.folder / "whole.yaml").read_text())
        self.refuses_other_stores()
        self.serves_the_library()
        self.resumes_with_other_settings()

    def refuses_other_stores(self):
        """Of another plan or MPI with --resume; without, it begins beside them."""
        one = ("--on", "simulated", "--machines", "n[0-3]", "--machine-counts", "2", "--sizes", "1K", "--algorithms", "flat")
        _, errors = self.tune(*one, "--db", "whole.db", "--resume", "--mpi", "openmpi", code=2)
        self.assertIn("whole.db: error: MPI is openmpi now, was mpich", errors)
        # Before anything is compiled, for which there is no time here.
        _, errors = self.tune(*one, "--db", "whole.db", "--resume", "--network", "ideal", "--time-budget", "1s", code=2,
                              XDG_CACHE_HOME=str(self.folder / "empty"))
        self.assertIn("whole.db: error: network is ideal now, was default", errors)
        samples = self.measured("whole.db")
        self.tune(*one, "--db", "whole.db", "--mpi", "openmpi", "-o", "other.yaml")
        self.assertEqual([row[0] for row in self.rows("whole.db", "SELECT mpi FROM runs ORDER BY id")], ["mpich", "openmpi"])
        self.assertEqual(self.measured("whole.db"), samples)
        self.assertTrue(self.rows("whole.db", "SELECT 1 FROM samples WHERE run_id = 2"))

    def resumes_with_other_settings(self):
        """The run is that of the new settings, and has no table until it ends; nobody else adds to it meanwhile."""
        first = ("--db", "settings.db", "-o", "settings.yaml", "--resume", "--on", "simulated", "--machines", "n[0-3]",
                 "--machine-counts", "4", "--algorithms", "linear")
        self.tune(*first, "--sizes", "1K", "--margin", "0.03")
        row = "SELECT json_extract(settings, '$.sizes'), json_extract(settings, '$.margin'), finished = '' FROM runs"
        self.assertEqual(self.rows("settings.db", row), [("[1024]", 0.03, 0)])
        samples = len(self.rows("settings.db", "SELECT 1 FROM samples"))
        long = (*first, "--sizes", "2K-16M")
        process = self.start(*long)
        deadline = time.monotonic() + MOST_WAIT_S
        while len(self.rows("settings.db", "SELECT 1 FROM samples")) == samples:
            self.assertIsNone(process.poll(), "it ended too soon")
            self.assertLess(time.monotonic(), deadline)
        _, errors = self.tune(*long, code=1)
        self.assertIn(f"settings.db: another bcastgen tune (process {process.pid}) is at work on run 1; wait for its end", errors)
        process.kill()
        process.communicate()
        self.assertEqual(self.rows("settings.db", row), [("[2048,8192,32768,131072,524288,2097152,8388608,16777216]", 0.02, 1)])
        page = self.folder / "page.html"
        subprocess.run([TOOL, "report", "settings.db", "-o", page], cwd=self.folder, capture_output=True, check=True, timeout=MOST_WAIT_S)
        self.assertIn("<dt>finished</dt><dd>not yet</dd>", page.read_text())
        self.assertIn("There is no table yet", page.read_text())
        self.tune(*first, "--sizes", "1K")  # at once: nothing of the killed one holds the store
        self.assertEqual(self.rows("settings.db", row), [("[1024]", 0.02, 0)])

    def serves_the_library(self):
        """The table holds for the counts in between, is baked in, and where it is not native it was quicker."""
        text = (self.folder / "whole.yaml").read_text()
        self.assertIn("  - machines: 2\n", text)
        self.assertIn("  - machines: 3-\n", text)
        tool = (TOOL, str(TOPOLOGIES / "fsu-1.yaml"))
        emitted = subprocess.run([*tool, "--tuning", "whole.yaml", "-o", "library"], cwd=self.folder, capture_output=True,
                                 text=True, check=True, timeout=MOST_WAIT_S).stdout
        self.assertIn("measured on the simulated cluster (network default), 4 machines, mpich as in SimGrid", emitted)
        rules = self.rows("whole.db", "SELECT machines_from, up_to, algorithm FROM rules WHERE run_id = 1 ORDER BY id")
        self.assertTrue(any(algorithm != "native" for _, _, algorithm in rules), rules)
        for kept, speed_up in self.rows("whole.db", "SELECT kept, speed_up FROM validations WHERE run_id = 1"):
            if kept:
                self.assertGreaterEqual(speed_up, 1.02)


class Refusing(TuneCase):
    def test_tells_everything_that_is_wrong(self):
        _, errors = self.tune("--on", "simulated", "--sizes", "1Q", "--time-budget", "soon", "--rate", "1Gbit/s", code=2)
        for option in ("--sizes", "--time-budget", "--rate"):
            self.assertIn(option, errors)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_cannot_write_what_comes_of_it(self):
        _, errors = self.tune("--on", "simulated", "--db", "none/tuning.db", "-o", ".", code=2)
        self.assertIn("--db: error: none/tuning.db cannot be written: No such file or directory", errors)
        self.assertIn("--output: error: . cannot be written: Is a directory", errors)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_takes_no_other_file_for_a_store(self):
        (self.folder / "notes.db").write_text("not a database at all, but long enough to be taken for one\n" * 40)
        _, errors = self.tune("--on", "simulated", "--db", "notes.db", code=2)
        self.assertIn("notes.db: error: is not a store of bcastgen's; choose another file", errors)


if __name__ == "__main__":
    unittest.main()
