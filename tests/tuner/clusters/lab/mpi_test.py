"""MPI programs across a lab, with a library of ours preloaded. After the tool: MPI, launcher, program, library."""

import re
import sys
import tempfile
from pathlib import Path

import lab_case
from lab_case import LabCase

MPI = LAUNCHER = PROGRAM = LIBRARY = ""
RANKS = 12  # as the fixture has machines


class Broadcasts(LabCase):
    def launch(self, *words, options=()):
        pass_on = [f'-x "LD_PRELOAD={LIBRARY}" -x BCASTGEN_TRACE', f'-genv LD_PRELOAD "{LIBRARY}"'][MPI == "mpich"]
        with tempfile.TemporaryDirectory(prefix="bcastgen-test-") as folder:
            script = f"BCASTGEN_TRACE={folder}/trace; export BCASTGEN_TRACE; exec {LAUNCHER} {pass_on} {' '.join(words)}"
            output = self.in_lab("fixture", script, *options)
            traces = {file.name: file.read_text(encoding="utf-8") for file in Path(folder).iterdir()}
        return output, traces

    def test_every_machine_has_its_rank_and_serves_it_by_its_place(self):
        _, traces = self.launch("-n", str(RANKS), PROGRAM, "70000", "100000")
        self.assertEqual(sorted(traces), sorted(f"trace.{rank}" for rank in range(RANKS)))
        for trace in traces.values():
            machines = set(re.findall(r"machines=(\d+)", trace))
            self.assertEqual(machines, {str(RANKS)})
            self.assertTrue({"binary", "kary3", "linear"} <= set(re.findall(r"algorithm=(\S+)", trace)), trace)

    def test_several_ranks_of_a_machine(self):
        hosts = {"mpich": "-hosts n5:2,n9:2", "openmpi": "--host n5:2,n9:2"}[MPI]
        _, traces = self.launch("-n", "4", hosts, PROGRAM, "70000", "100000")
        for trace in traces.values():
            self.assertEqual(set(re.findall(r"machines=(\d+) ranks=(\d+)", trace)), {("2", "4")})


if __name__ == "__main__":
    MPI, LAUNCHER, PROGRAM, LIBRARY = sys.argv[2:6]
    del sys.argv[2:6]
    lab_case.main()
