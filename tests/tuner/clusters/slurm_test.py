"""bench, tune and verify on a slurm cluster: a real Slurm, whose nodes are the machines of a lab."""

import contextlib
import csv
import io
import json
import re
import sqlite3
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "lab"))
import lab_case
from lab_case import LabCase

HERE = Path(__file__).parent
TOPOLOGY = HERE / "dealt.yaml"
SWITCHES = HERE / "dealt.topology.conf"
SHORT = "--sizes 1000,64K --algorithms native,linear --segments 8K --repetitions 2 --format csv"
AWAIT_JOB = "while kill -0 $! && ! squeue --noheader | grep -q ' R '; do sleep 0.1; done"
LONG = "--machines n[0-3] --sizes 1M --algorithms linear --repetitions 10000"


class SlurmCase(LabCase):
    def on_slurm(self, script: str, *lab_options: str) -> str:
        """What a shell script prints on the first node. `bench` there is the tool's, in a directory of its own."""
        bench = f'bench() {{ {lab_case.TOOL} bench {TOPOLOGY} --on slurm "$@"; }}'
        words = (sys.executable, str(HERE / "slurm_lab.py"), str(SWITCHES), "sh", "-c")
        with tempfile.TemporaryDirectory(prefix="bcastgen-test-") as folder:
            output = self.run_tool("lab", str(TOPOLOGY), *lab_options, "--", *words, f"cd {folder}; {bench}\n{script}", timeout=3 * lab_case.MOST_WAIT_S)
            self.left = sorted(file.name for file in Path(folder).iterdir())
        return output


class Benches(SlurmCase):
    def check_rows(self, text: str, mpi: str, machines: int, ranks: int):
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([(row["algorithm"], row["message_bytes"]) for row in rows],
                         [(algorithm, size) for size in ("1000", "65536") for algorithm in ("native", "linear")])
        for row in rows:
            self.assertEqual((row["cluster"], row["mpi"], row["machines"], row["ranks"], row["bytes_ok"]),
                             ("slurm", mpi, str(machines), str(ranks), "1"))

    def test_a_job_that_it_submits(self):
        for mpi in ("mpich", "openmpi"):
            output = self.on_slurm(f"""bench --mpi {mpi} --machines n9,n1,n4 --ranks-per-machine 2 {SHORT} || exit
                                       echo ===; scontrol --oneliner show jobs; echo ===; cat $SLURM_LAB/steps
                                       echo ===; grep "^1\.0 " $SLURM_LAB/tasks | cut -d" " -f2- | sort -n""")
            rows, jobs, steps, tasks = output.split("===\n")
            self.check_rows(rows, mpi, 3, 6)
            self.assertEqual(re.findall(r"JobName=(\S+) .* JobState=(\S+) .* NodeList=(\S+)", jobs),
                             [("bcastgen", "COMPLETED", "n[1,4,9]")])
            self.assertEqual(steps, "1.0\n")
            if mpi == "mpich":  # srun starts the ranks themselves
                self.assertEqual(tasks, "0 n9\n1 n9\n2 n1\n3 n1\n4 n4\n5 n4\n")
            self.assertEqual(self.left, [])

    def test_ranks_that_go_round_the_machines(self):
        output = self.on_slurm(f"""bench --machines n9,n1,n4 --ranks-per-machine 2 --distribution cyclic {SHORT} || exit
                                   echo ===; grep "^1\.0 " $SLURM_LAB/tasks | cut -d" " -f2- | sort -n""")
        rows, tasks = output.split("===\n")
        self.check_rows(rows, "mpich", 3, 6)
        self.assertEqual(tasks, "0 n9\n1 n1\n2 n4\n3 n9\n4 n1\n5 n4\n")

    def test_inside_an_allocation(self):
        for mpi in ("mpich", "openmpi"):
            output = self.on_slurm(f"""export SHELL=/bin/sh
                cat >job <<END
#!/bin/sh
{lab_case.TOOL} bench {TOPOLOGY} --on slurm --mpi {mpi} {SHORT}
touch done
END
                sbatch --quiet --nodes 3 --nodelist n1,n6,n11 --output out job
                while ! [ -e done ]; do sleep 0.1; done; cat out; rm out done job
                echo ===; scontrol --oneliner show jobs; echo ===; cat $SLURM_LAB/steps""")
            rows, jobs, steps = output.split("===\n")
            self.check_rows(rows, mpi, 3, 3)
            self.assertEqual(re.findall(r"JobName=(\S+)", jobs), ["job"])
            self.assertEqual(steps, "1.0\n")
            self.assertEqual(self.left, [])

    def test_doctor_asks_slurm(self):
        output = self.on_slurm(f"{lab_case.TOOL} doctor {TOPOLOGY} | grep -E 'sinfo|scontrol'")
        self.assertRegex(output, r"^well  sinfo +names 12 machines, all of the file and no other\n"
                                 r"well  scontrol +names 12 machines, all of the file and no other\n$")

    def test_a_job_that_is_cancelled(self):
        self.on_slurm(f"""bench {LONG} 2>errors & {AWAIT_JOB}
                          scancel --name bcastgen; wait $!; [ $? = 1 ] || exit
                          grep -q 'job 1 submitted' errors && grep -q 'Slurm ended job 1 without a result: state CANCELLED' errors
                          result=$?; cat errors >&2; rm errors; exit $result""")
        self.assertEqual(self.left, [])

    def test_a_job_whose_script_outlives_its_end(self):
        """What srun said of it is then a result, but not the program's."""
        self.on_slurm(f"""mkdir bin; printf '#!/bin/sh\\nscancel $SLURM_JOB_ID; echo 1 >slurm.result; sleep 9\\n' >bin/srun
                          chmod +x bin/srun
                          PATH="$PWD/bin:$PATH"
                          bench {LONG} 2>errors; [ $? = 1 ] || exit
                          grep -q 'Slurm ended job 1 without a result: state CANCELLED' errors
                          result=$?; cat errors >&2; rm -r errors bin; exit $result""")
        self.assertEqual(self.left, [])

    def test_interrupted_and_killed(self):
        """The tool takes its job with it."""
        for signal in ("TERM", "KILL"):
            self.on_slurm(f"""{lab_case.TOOL} bench {TOPOLOGY} --on slurm {LONG} &
                              {AWAIT_JOB}
                              kill -{signal} $!; wait
                              while squeue --noheader | grep -q .; do sleep 0.1; done""")

    def test_a_job_that_slurm_does_not_take(self):
        self.on_slurm(f"""SBATCH_PARTITION=none bench {LONG} 2>errors; [ $? = 1 ] || exit 1
                          grep -q 'Slurm did not take the job: sbatch: .*partition' errors; result=$?; rm errors; exit $result""")
        self.assertEqual(self.left, [])


class Tuning(SlurmCase):
    """A job that is submitted from outside an allocation, and a batch job that goes on with what it measured."""

    def ask(self, store, question) -> list[tuple]:
        with contextlib.closing(sqlite3.connect(self.folder / store)) as connection:
            return connection.execute(question).fetchall()

    def test_two_jobs(self):
        files = tempfile.TemporaryDirectory(prefix="bcastgen-test-")
        self.addCleanup(files.cleanup)
        self.folder = Path(files.name)
        tune = f"{lab_case.TOOL} tune {TOPOLOGY} --on slurm --machine-counts 4 --algorithms linear --time-budget 10m"
        (self.folder / "job").write_text(f"#!/bin/sh\n{tune} --sizes 64K,256K --resume\necho $? >result\n", encoding="utf-8")
        output = self.on_slurm(f"""cd {self.folder}; export SHELL=/bin/sh
            {tune} --machines n[0-3] --sizes 64K 2>errors || {{ cat errors >&2; exit 1; }}
            cp tuning.db first.db; cp tuning.yaml first.yaml
            sbatch --quiet --nodes 4 --nodelist n[0-3] --output out job
            while ! [ -e result ]; do sleep 0.1; done; cat result out
            echo ===; scontrol --oneliner show jobs; echo ===; cat $SLURM_LAB/steps""")
        said, jobs, steps = output.split("===\n")
        self.assertRegex(said, r"(?s)^0\n.*\nresuming: \d+ samples are there\n.* candidates measured ")
        self.assertEqual(re.findall(r"JobId=(\d+) JobName=(\S+) .* NodeList=(\S+)", jobs),
                         [("1", "bcastgen", "n[0-3]"), ("2", "job", "n[0-3]")])
        for job in (1, 2):
            self.assertGreater(len(re.findall(rf"(?m)^{job}\.", steps)), 3)
        self.check_stores()
        for table in ("first.yaml", "tuning.yaml"):
            self.run_tool(str(TOPOLOGY), "--tuning", str(self.folder / table), "-o", str(self.folder / f"{table}.library"))

    def check_stores(self):
        everything = "SELECT * FROM samples ORDER BY id"
        before, after = self.ask("first.db", everything), self.ask("tuning.db", everything)
        self.assertEqual(after[:len(before)], before)
        self.assertGreater(len(after), len(before))
        self.assertEqual(self.ask("tuning.db", "SELECT cluster, mpi, machine_list, finished = '' FROM runs"),
                         [("slurm", "mpich", "n[0-3]", 0)])
        self.assertEqual(self.ask("tuning.db", "SELECT count(*) FROM samples WHERE NOT bytes_ok"), [(0,)])
        # What is measured but once: the second job took it from the first.
        once = """SELECT algorithm, count(*) FROM samples WHERE placement = 'switch'
                  OR algorithm = 'pingpong' AND message_bytes = 65536 GROUP BY algorithm ORDER BY algorithm"""
        self.assertEqual(self.ask("tuning.db", once), self.ask("first.db", once))
        for store, sizes in (("first.db", {65536}), ("tuning.db", {65536, 262144})):
            searched = self.ask(store, "SELECT DISTINCT message_bytes FROM samples WHERE algorithm = 'pingpong' AND placement = 'near'")
            self.assertEqual({size for size, in searched}, sizes)


class Verifying(SlurmCase):
    def test_ports_slower_than_the_file_says(self):
        said = self.on_slurm(f"""{lab_case.TOOL} verify {TOPOLOGY} --on slurm --machines n[0-3] --format json
                                 [ $? = 3 ]""", "--rate", "10Mbit/s")  # a tenth
        found = json.loads(said)
        self.assertFalse(found["true"])
        slow = {one["machine"] for one in found["differences"] if one["differs"] == "port" and one["bandwidth_Bps"] < 2e6}
        self.assertEqual(slow, {"n0", "n1", "n2", "n3"}, said)
        self.assertEqual(self.left, [])


class Refusing(LabCase):
    def test_without_slurm(self):
        process = self.start("bench", str(TOPOLOGY), "--on", "slurm", env={"PATH": "/nonexistent", "HOME": "/nonexistent"})
        errors = process.communicate(timeout=lab_case.MOST_WAIT_S)[1]
        self.assertEqual(process.returncode, 1, errors)

    def test_machines_that_are_not_allocated(self):
        process = self.start("bench", str(TOPOLOGY), "--on", "slurm", "--machines", "n[0-3]",
                             env={"SLURM_JOB_NODELIST": "n[0-1]"})
        errors = process.communicate(timeout=lab_case.MOST_WAIT_S)[1]
        self.assertEqual(process.returncode, 2, errors)
        self.assertIn("--machines: error: n2 is not among the hosts n[0-1]\n--machines: error: n3 is not", errors)


if __name__ == "__main__":
    lab_case.main()
