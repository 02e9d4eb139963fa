"""A port that becomes slow while a program broadcasts across a lab is named from the trace.

After the tool: MPI, launcher, program, library.
"""

import sys
import tempfile
import time
from pathlib import Path

import lab_case
from lab_case import MOST_WAIT_S, LabCase

MPI = LAUNCHER = PROGRAM = LIBRARY = ""
RANKS = 12  # as the fixture has machines
RATE = "10Mbit/s"
SLOW = "tc qdisc replace dev {} root tbf rate 3mbit burst 6k limit 3m"


class SlowLink(LabCase):
    def test_a_port_that_becomes_slow(self):
        """What else the host does may hide the port in one job, which then names nothing; another cable is never named."""
        for last in (False, False, True):
            self.broadcast_while_a_port_becomes_slow()
            if last or not self.errors.startswith("no cable explains what is late"):
                break
        self.assertRegex(self.errors, r"^port of n4 on s1: about \S+bit/s, not 100Mbit/s, as \d+ of \d+ broadcasts show")
        self.assertIn("<h3>Slow link</h3>\n<p>port of n4 on s1: ", self.page)

    def broadcast_while_a_port_becomes_slow(self):
        settings = {"BCASTGEN_ALGORITHM": "two-tree", "BCASTGEN_SEGMENT": "8K"}
        with tempfile.TemporaryDirectory(prefix="bcastgen-test-") as folder:
            trace = Path(folder) / "trace"
            exports = "; ".join(f"export {name}={value}" for name, value in {**settings, "BCASTGEN_TRACE": trace}.items())
            names = " ".join(f"-x {name}" for name in [*settings, "BCASTGEN_TRACE"])
            pass_on = [f'-x "LD_PRELOAD={LIBRARY}" {names}', f'-genv LD_PRELOAD "{LIBRARY}"'][MPI == "mpich"]
            script = f"{exports}; echo up; exec {LAUNCHER} {pass_on} -n {RANKS} {PROGRAM} 300000 3200000"
            job = self.start_lab("fixture", script, "--rate", RATE)
            long_ones = lambda: (trace.with_suffix(".0").read_text(encoding="utf-8").count("bytes=2621")
                                 if trace.with_suffix(".0").exists() else 0)
            deadline = time.monotonic() + 4 * MOST_WAIT_S
            while long_ones() < RANKS and job.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
            before = long_ones()
            lab = next(lab_case.STATE.glob("*/lab.json")).parent.name
            for place, device in (("n4", "eth0"), ("s1", "p4")):
                self.run_tool("lab", "exec", place, "--lab", lab, "--", *SLOW.format(device).split())
            output, errors = job.communicate(timeout=4 * MOST_WAIT_S)
            self.assertEqual(job.returncode, 0, errors)
            self.assertIn("every byte right on every rank", output)
            self.assertLess(before, 2 * RANKS, "the job was over too soon")
            self.run_tool("report", "--trace", str(trace), "--topology", self.topology("fixture"), "-o", f"{folder}/page.html")
            self.page = Path(folder, "page.html").read_text(encoding="utf-8")


if __name__ == "__main__":
    MPI, LAUNCHER, PROGRAM, LIBRARY = sys.argv[2:6]
    del sys.argv[2:6]
    lab_case.main()
