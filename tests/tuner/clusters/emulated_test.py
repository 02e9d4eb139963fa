"""bench on an emulated cluster: what it measures, how it ends, and that nothing of it stays."""

import contextlib
import csv
import io
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "lab"))
import lab_case
from lab_case import MOST_WAIT_S, LabCase, members

TOPOLOGY = str(Path(__file__).parents[3] / "topologies/fsu-1.yaml")
RANK = "bcastgen-measur"  # as much of the measuring program's name as the kernel keeps


class BenchCase(LabCase):
    def setUp(self):
        files = tempfile.TemporaryDirectory(prefix="bcastgen-test-")  # for what a killed tool leaves
        self.addCleanup(files.cleanup)  # the first comes last: until all processes have ended they add to it
        self.environment = {**os.environ, "TMPDIR": files.name}
        super().setUp()

    def start_bench(self, *options, mpi="mpich") -> subprocess.Popen:
        return self.start("bench", TOPOLOGY, "--on", "emulated", "--mpi", mpi, *options, env=self.environment)

    def finish(self, process, code=0) -> str:
        output, self.errors = process.communicate(timeout=2 * MOST_WAIT_S)
        self.assertEqual(process.returncode, code, f"{output}\n{self.errors}")
        return output

    def rows(self, process) -> list[dict]:
        return list(csv.DictReader(io.StringIO(self.finish(process))))

    def ranks(self, process) -> list[int]:
        """The ranks of a bench that goes on for long, once they are there."""
        deadline = time.monotonic() + 2 * MOST_WAIT_S  # the first has to compile the measuring program
        while time.monotonic() < deadline:
            self.assertIsNone(process.poll(), "it ended too soon")
            self.note_namespaces()
            found = [member.split() for namespace in self.pid_namespaces for member in members(namespace)]
            pids = [int(pid) for pid, name in found if name == RANK]
            if len(pids) == 4:
                return pids
            time.sleep(0.05)
        self.fail("no ranks")

    LONG = ("--machines", "n[0-3]", "--sizes", "1M", "--algorithms", "linear", "--repetitions", "10000")


class Measuring(BenchCase):
    SHORT = ("--machines", "n[4,1,9,0]", "--root", "n9", "--ranks-per-machine", "2", "--sizes", "1000,64K", "--segments", "8K",
             "--algorithms", "pingpong,native,linear,two-tree,tuned", "--repetitions", "2", "--format", "csv")

    def check(self, mpi):
        rows = self.rows(self.start_bench(*self.SHORT, mpi=mpi))
        self.assertEqual([(row["algorithm"], row["message_bytes"]) for row in rows],
                         [(algorithm, size) for size in ("1000", "65536")
                          for algorithm in ("pingpong", "native", "linear", "two-tree", "tuned")])
        for row in rows:
            self.assertEqual((row["cluster"], row["mpi"], row["machines"], row["ranks"], row["loss"], row["bytes_ok"]),
                             ("emulated", mpi, "4", "8", "0", "1"))
            if row["message_bytes"] == "65536":  # at 100 Mbit/s, the first 6 KiB at once
                self.assertGreater(float(row["completion_us_min"]), 0.8 * 65536 * 8 / 100, row)

    def test_mpich(self):
        self.check("mpich")

    def test_openmpi(self):
        self.check("openmpi")

    def test_two_at_once(self):
        options = ("--machines", "n[0-3]", "--sizes", "1000", "--algorithms", "linear", "--repetitions", "2", "--format", "csv")
        first = self.start_bench(*options, "--rate", "50Mbit/s")
        second = self.start_bench(*options, "--rate", "20Mbit/s", "--loss", "0.25")
        self.assertEqual([row["loss"] for row in self.rows(first)], ["0"])
        self.assertEqual([row["loss"] for row in self.rows(second)], ["0.25"])


class Tuning(BenchCase):
    """A short tuning: its table, its store, and the library with that table."""

    ON = (TOPOLOGY, "--on", "emulated", "--machines", "n[0-3]")

    def ask(self, question) -> list[tuple]:
        with contextlib.closing(sqlite3.connect(self.folder / "tuning.db")) as store:
            return store.execute(question).fetchall()

    def run_in_folder(self, *words) -> str:
        return self.finish(self.start(*words, env=self.environment, cwd=self.folder))

    def test_a_tuning(self):
        self.folder = Path(self.environment["TMPDIR"])
        bench = ("bench", *self.ON, "--sizes", "64K", "--repetitions", "2", "--format", "csv")
        said = self.run_in_folder("tune", *self.ON, "--machine-counts", "4", "--sizes", "64K", "--algorithms", "binomial,linear",
                                  "--time-budget", "10m")
        self.assertEqual(self.ask("SELECT cluster, mpi, loss, machine_list, finished = '' FROM runs"),
                         [("emulated", "mpich", "0", "n[0-3]", 0)])
        self.assertIn("validated:\n  margin: 0.020\n", (self.folder / "tuning.yaml").read_text())
        self.assertEqual(self.ask("SELECT count(*) FROM samples WHERE NOT bytes_ok OR completion_us <= 0"), [(0,)])
        # All that the search says it measured, what it holds that against, and what each verdict rests on.
        tried = self.ask("""SELECT DISTINCT algorithm, segment_bytes, message_bytes FROM samples
                            WHERE role <> 'validation' AND placement = 'near' AND algorithm <> 'pingpong'""")
        self.assertIn(f" {len(tried)} candidates measured ", said.replace("\n", " "))
        self.assertLessEqual({"native", "binomial", "linear"}, {algorithm for algorithm, _, _ in tried})
        references = {row[0] for row in self.ask("SELECT algorithm FROM samples WHERE role = 'reference'")}
        self.assertEqual(references, {"native", "pingpong", "sends-at-once", "sends-in-turn", "receives-at-once"})
        # An interval takes six samples: where there are fewer, nothing may be said to win.
        for algorithm, segment, size in self.ask("""SELECT algorithm, segment_bytes, message_bytes FROM validations
                                                    WHERE speed_up_low > 1"""):
            for one, cut in (("native", 0), (algorithm, segment)):
                samples = self.ask(f"""SELECT count(*) FROM samples WHERE role = 'validation' AND algorithm = '{one}'
                                       AND segment_bytes = {cut} AND message_bytes = {size}""")
                self.assertGreaterEqual(samples[0][0], 6, (one, cut, size))
        # The library does what the table says.
        [(segment,)] = self.ask("""SELECT segment_bytes FROM rules WHERE machines_from <= 4 AND ifnull(machines_to, 4) >= 4
                                   AND ifnull(up_to, 65536) >= 65536 ORDER BY id LIMIT 1""")
        rows = csv.DictReader(io.StringIO(self.run_in_folder(*bench, "--algorithms", "native,tuned", "--tuning", "tuning.yaml")))
        self.assertEqual([(row["algorithm"], row["segment_bytes"], row["bytes_ok"]) for row in rows],
                         [("native", "0", "1"), ("tuned", str(segment), "1")])


class Ending(BenchCase):
    def test_a_rank_that_dies(self):
        for mpi in ("mpich", "openmpi"):
            process = self.start_bench(*self.LONG, mpi=mpi)
            os.kill(self.ranks(process)[2], signal.SIGKILL)
            self.finish(process, code=1)
            # Open MPI's launcher at times hangs over ending the other ranks, and is ended when it has said nothing for long.
            self.assertRegex(self.errors, r"the measuring program (failed on|said nothing for \d+ s, on) the emulated cluster")

    def test_interrupted(self):
        process = self.start_bench(*self.LONG)
        self.ranks(process)
        os.killpg(process.pid, signal.SIGINT)
        self.finish(process, code=130)
        self.assertIn("interrupted", self.errors)

    def test_killed(self):
        process = self.start_bench(*self.LONG, mpi="openmpi")
        self.ranks(process)
        process.kill()
        self.finish(process, code=-signal.SIGKILL)  # that nothing is left is checked after every test


class Refusing(BenchCase):
    def test_without_root(self):
        run = subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", lab_case.TOOL, "bench",
                              TOPOLOGY, "--on", "emulated"], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("an emulated cluster needs root", run.stderr)

    def test_options_of_the_lab_elsewhere(self):
        for option in (("--rate", "1Mbit/s"), ("--loss", "0.1")):
            self.run_tool("bench", TOPOLOGY, "--on", "simulated", *option, code=2)
            self.assertIn(f"{option[0]}: error: goes with --on emulated only", self.errors)


if __name__ == "__main__":
    lab_case.main()
