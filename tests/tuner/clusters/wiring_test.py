"""verify and discover in a lab: what real MPIs measure over TCP, on cables with latencies."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "lab"))
import lab_case
from lab_case import MOST_WAIT_S, LabCase

# At RATE a cable is 0.6 ms long, which shows beside what a busy host takes.
TOPOLOGY = """name: pair
defaults: {{link: {{bandwidth: 100Mbit/s, latency: 120us}}}}
switches:
  s0: {{machines: "n[0,2,4]"}}
  s1: {{machines: "n[1,3,5]"}}
links:
  - {{between: [s0, s1]}}
machines:
  n3: {{link: {{bandwidth: {}}}}}
"""
RATE = "20Mbit/s"
MPI = ""


class Wiring(LabCase):
    def setUp(self):
        files = tempfile.TemporaryDirectory(prefix="bcastgen-test-")
        self.addCleanup(files.cleanup)
        self.folder = Path(files.name)
        super().setUp()

    def file(self, name, bandwidth) -> str:
        (self.folder / name).write_text(TOPOLOGY.format(bandwidth), encoding="utf-8")
        return str(self.folder / name)

    @staticmethod
    def words(*words, of) -> list[str]:
        return [*words, "--on", "emulated", "--mpi", MPI, "--rate", RATE, "--of", of]

    def test_a_file_is_discovered_and_is_true(self):
        """What else the host does may spoil round trips, which is said then; a wrong file is never written."""
        there, found = self.file("there.yaml", "50Mbit/s"), str(self.folder / "found.yaml")
        for _ in range(3):
            process = self.start(*self.words("discover", "-o", found, of=there))
            _, errors = process.communicate(timeout=4 * MOST_WAIT_S)
            if process.returncode == 0:
                break
            self.assertIn("no topology file: the measurements leave something open", errors)
            self.assertFalse(Path(found).exists())
        self.assertEqual(process.returncode, 0, errors)
        text = Path(found).read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r'machines: "(.*)"', text)), {"n[0,2,4]", "n[1,3,5]"}, text)
        platform = self.run_tool("export", "simgrid", found)
        for link, megabits in (("port:n3", 50), ("port:n0", 100), ("trunk:0", 100)):
            speed = re.search(f'id="{link}" bandwidth="([0-9]+)Bps"', platform)
            self.assertAlmostEqual(int(speed[1]) * 8e-6 / megabits, 1, delta=0.15, msg=text)

    def test_a_slow_port_is_named(self):
        described, there = self.file("described.yaml", "100Mbit/s"), self.file("there.yaml", "10Mbit/s")
        said = self.run_tool(*self.words("verify", described, of=there), code=3, timeout=4 * MOST_WAIT_S)
        self.assertRegex(said, r"\n  port of n3 on s1: \S+bit/s, not 100Mbit/s\n")


if __name__ == "__main__":
    MPI = sys.argv.pop(2)
    lab_case.main()
