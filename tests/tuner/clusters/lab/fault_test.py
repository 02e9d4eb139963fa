"""Networks that fail while MPI programs broadcast across a lab: every byte arrives all the same.

After the tool: MPI, launcher, program, library. With FAULT_TIMES=FILE in the environment, how long each job takes with the
library and without is added to FILE.
"""

import os
import sys
import tempfile
import time

import lab_case
from lab_case import LabCase

MPI = LAUNCHER = PROGRAM = LIBRARY = ""
RANKS = 12  # as the fixture has machines
PORT = "$HYDRA_IFACE"  # of a machine


class Faults(LabCase):
    def job(self, sizes, before="", meanwhile=""):
        """The program, across a lab; `meanwhile` is done once it has broadcast something."""
        for library in [LIBRARY] + ([""] if "FAULT_TIMES" in os.environ else []):
            pass_on = [f'-x "LD_PRELOAD={library}"', f'-genv LD_PRELOAD "{library}"'][MPI == "mpich"]
            with tempfile.TemporaryDirectory(prefix="bcastgen-test-") as folder:
                script = f"""{before}
                    {LAUNCHER} {pass_on} -n {RANKS} {PROGRAM} {sizes} >{folder}/out 2>&1 & job=$!
                    until grep -q bytes {folder}/out || ! kill -0 $job 2>/dev/null; do sleep 0.02; done
                    {meanwhile}
                    wait $job; echo code $?; tail -n 3 {folder}/out"""
                began = time.monotonic()
                output = self.in_lab("fixture", script)
                took = time.monotonic() - began
            self.assertIn("code 0\n", output)
            self.assertTrue(output.endswith("every byte right on every rank\n"), output)
            if "FAULT_TIMES" in os.environ:
                with open(os.environ["FAULT_TIMES"], "a", encoding="utf-8") as file:
                    file.write(f"{MPI} {self.id()} {'with' if library else 'without'} {took:.1f} s\n")

    def test_link_down_for_two_seconds(self):
        self.job("600000 4000000", meanwhile=f"ssh n6 'ip link set {PORT} down; sleep 2; ip link set {PORT} up'")

    def test_one_percent_of_tcp_lost(self):
        self.job("600000 2000000", before="""ssh n6 'nft add table inet loss
            nft add chain inet loss in "{ type filter hook input priority 0; }"
            nft add rule inet loss in ip protocol tcp numgen random mod 100 == 0 drop'""")

    def test_port_at_100_kbit_per_second(self):
        self.job("5000 5000", before=f"ssh n6 tc qdisc replace dev {PORT} root tbf rate 100kbit burst 6k limit 3m")


if __name__ == "__main__":
    MPI, LAUNCHER, PROGRAM, LIBRARY = sys.argv[2:6]
    del sys.argv[2:6]
    lab_case.main()
