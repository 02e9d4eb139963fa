"""Multicast broadcasts across a lab, with losses and strangers' datagrams. After the tool: MPI, launcher, program, library."""

import os
import re
import sys
import tempfile
from pathlib import Path

import lab_case
from lab_case import LabCase

MPI = LAUNCHER = PROGRAM = LIBRARY = ""
FORGER = Path(__file__).with_name("forger.py")
FLOOD_RATE = "10Mbit/s"  # two cores can send, copy to three machines and look at so much
MOST_MORE_KB = 20000
NUMBER = int(os.environ.get("BCASTGEN_TEST_BROADCASTS", "120"))
TIMEOUT = lab_case.MOST_WAIT_S + NUMBER
FORGING = TIMEOUT  # seconds at most


class Multicast(LabCase):
    def launch(self, hosts, *words, loss="0", settings=(), forger="", forging=(), lab=()):
        """The program on these hosts: its output, and each rank's trace as a list of {name: value}."""
        with tempfile.TemporaryDirectory(prefix="bcastgen-test-") as folder:
            variables = {"BCASTGEN_ALGORITHM": "multicast", "BCASTGEN_MULTICAST": "try", "BCASTGEN_TRACE": f"{folder}/trace",
                         **dict(settings)}
            exports = "".join(f"export {name}={value}; " for name, value in variables.items())
            if MPI == "mpich":
                start = f'{LAUNCHER} -genv LD_PRELOAD "{LIBRARY}" -hosts {hosts}'
            else:
                start = f'{LAUNCHER} -x "LD_PRELOAD={LIBRARY}" {" ".join("-x " + name for name in variables)} --host {hosts}'
            # The forger ends when the ranks do.
            begin = end = ""
            if forger:
                begin = f"""ssh {forger} python3 {FORGER} eth0 {FORGING} $TMPDIR/forging {" ".join(forging)} & forger=$!
                            until [ -e $TMPDIR/forging ]; do sleep 0.05; done; """
                end = "; result=$?; rm $TMPDIR/forging; wait $forger; exit $result"
            output = self.in_lab("fixture", f"{exports}{begin}{start} {' '.join(words)}{end}", "--loss", loss, *lab, timeout=TIMEOUT)
            traces = [[dict(word.split("=", 1) for word in line.split()) for line in file.read_text(encoding="utf-8").splitlines()]
                      for file in sorted(Path(folder).iterdir())]
        return output, traces

    @staticmethod
    def sums(traces):
        total = {}
        for line in (line for trace in traces for line in trace):
            for name in ("fragments", "received", "duplicate", "stale", "damaged", "foreign", "penalty_rounds"):
                total[name] = total.get(name, 0) + int(line.get(name, 0))
        return total

    def test_every_byte_comes_through_losses_and_forged_datagrams(self):
        output, traces = self.launch("n0:1,n3:1,n6:2,n7:1,n10:1", "-n", "6", PROGRAM, "broadcasts", str(NUMBER), loss="0.1",
                                     forger="n4")
        forged = int(re.search(r"forged (\d+)", output)[1])
        total = self.sums(traces)
        print(f"{MPI}: {NUMBER} broadcasts, {forged} forged datagrams, {total}", file=sys.stderr)
        self.assertEqual([len(trace) for trace in traces], [NUMBER] * 6)
        self.assertGreater(forged, NUMBER)
        for name in ("received", "duplicate", "stale", "damaged", "foreign", "penalty_rounds"):
            self.assertGreater(total[name], 0, name)
        self.assertTrue(all(line["algorithm"] == "multicast" for trace in traces for line in trace))

    def test_floods_make_it_slower_and_nothing_else(self):
        """From a stranger who knows the group, at the speed of a port: with what a former job sent, and as large as can be."""
        number = NUMBER // 4
        hosts = ("n0:1,n3:1,n7:1", "-n", "3", PROGRAM, "broadcasts", str(number))
        with tempfile.TemporaryDirectory(prefix="bcastgen-test-") as folder:
            peaks = []
            for forging in ([f"{folder}/record"], [f"{folder}/record", "flood"]):
                output, traces = self.launch(*hosts, forger="n4", forging=forging, lab=("--rate", FLOOD_RATE))
                forged = int(re.search(r"forged (\d+)", output)[1])
                print(f"{MPI}: {number} broadcasts, {forged} forged datagrams, {self.sums(traces)}", file=sys.stderr)
                self.assertGreater(forged, number)
                self.assertEqual([len(trace) for trace in traces], [number] * 3)
                peaks.append(max(map(int, re.findall(r"peak (\d+)", output))))
        print(f"{MPI}: at most {peaks[0]} kB in memory, {peaks[1]} kB under the flood", file=sys.stderr)
        self.assertLess(peaks[1], peaks[0] + MOST_MORE_KB)

    def test_without_multicast_trees_take_over(self):
        _, traces = self.launch("n0:1,n3:1,n6:1", "-n", "3", PROGRAM, "broadcasts", "20", loss="1")
        for trace in traces:
            self.assertEqual(len(trace), 20)
            self.assertTrue(all(line["algorithm"] in ("latency", "two-tree") for line in trace), trace)
            self.assertIn("multicast:given-up", trace[-1]["rule"])

    def test_over_ipv6(self):
        settings = {"BCASTGEN_MULTICAST_GROUPS": "ff15:7::/32", "BCASTGEN_MULTICAST_INTERFACE": "eth0",
                    "BCASTGEN_MULTICAST_WAIT": "one"}.items()
        for _ in range(5):  # ranks that a crowded host keeps waiting are helped by others
            _, traces = self.launch("n0:1,n3:1,n6:1", "-n", "3", PROGRAM, "broadcasts", "30", settings=settings)
            total = self.sums(traces)
            if total["received"] > 0.9 * total["fragments"]:
                return
        self.fail(f"{total['received']} of {total['fragments']} fragments came by multicast")

    def test_where_no_rank_can_join(self):
        settings = {"BCASTGEN_MULTICAST_INTERFACE": "eth7"}.items()
        _, traces = self.launch("n0:1,n3:1", "-n", "2", PROGRAM, "broadcasts", "5", settings=settings)
        self.assertEqual({line["algorithm"] for trace in traces for line in trace}, {"latency", "two-tree"})


if __name__ == "__main__":
    MPI, LAUNCHER, PROGRAM, LIBRARY = sys.argv[2:6]
    del sys.argv[2:6]
    lab_case.main()
