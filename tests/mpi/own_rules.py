"""What `bcastgen export` writes, read by the MPIs themselves.

    own_rules.py --mpi openmpi|mpich --launcher LAUNCHER --tool BCASTGEN [--counter LIBRARY] PROGRAM

PROGRAM is collectives.cpp: all collectives must work under the exported rules, and broadcasts of all sizes. That the rules
are followed shows in how many messages rank 0 sends: by Open MPI's monitoring, and in MPICH by count_sends.cpp, preloaded.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

RANKS = 5
SEGMENT = 8192
LARGE = 40 * SEGMENT
TABLE = """format: bcastgen-tuning/1
topology: site
plan: 00
measured: {{cluster: emulated, mpi: some, machines: 8}}
rules:
  - {{machines: 2-, ranks_per_machine: 1-, arrival: balanced, messages:
      [{{up_to: 1K, algorithm: {small}}}, {{up_to: 64K, algorithm: {middle}}}, {{up_to: max, algorithm: {large}, segment: 8K}}]}}
"""
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
OPTIONS = {"openmpi": ["--oversubscribe", "--bind-to", "none"], "mpich": []}


class Job:
    """One MPI on this host."""

    def __init__(self, mpi: str, launcher: str, program: str) -> None:
        self.words = [launcher, *OPTIONS[mpi], "-n", str(RANKS), program]

    def run(self, arguments: list, environment: dict) -> subprocess.CompletedProcess:
        return subprocess.run(
            [*self.words, *map(str, arguments)],
            env={**os.environ, **ROOT, **environment},
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    def works(self, what: str, arguments: list, environment: dict) -> str:
        """Its stderr."""
        outcome = self.run(arguments, environment)
        if outcome.returncode != 0:
            sys.exit(f"{what}: result {outcome.returncode}\n{outcome.stdout}{outcome.stderr}")
        return outcome.stderr


def export(tool: str, folder: Path, form: str, algorithms: tuple[str, str, str], name: str) -> Path:
    table = folder / "tuning.yaml"
    table.write_text(TABLE.format(small=algorithms[0], middle=algorithms[1], large=algorithms[2]))
    subprocess.run([tool, "--quiet", "export", form, table, "-o", folder / name], check=True, timeout=120)
    return folder / name


def expect_pipeline(counts: list[int]) -> None:
    """How many messages rank 0 sent to one other at most, by default and by the rules.

    Down a chain from each root all that rank 0 sends to the next rank are segments; what the MPIs do by themselves sends
    fewer."""
    by_default, by_rules = counts
    if not by_rules >= LARGE // SEGMENT * (RANKS - 1) > by_default:
        sys.exit(f"rank 0 should have sent segments down a chain; most messages to one rank by default and by rules: {counts}")


def monitored_sends(folder: Path) -> int:
    """As the monitoring component of Open MPI has counted them."""
    lines = [line.split() for line in (folder / "sent.0.prof").read_text().splitlines()]
    return max(int(words[words.index("msgs") - 1]) for words in lines if words[0] == "I")


def open_mpi(job: Job, options: argparse.Namespace, folder: Path) -> None:
    rules = export(options.tool, folder, "ompi-rules", ("ompi:binomial", "native", "ompi:pipeline"), "rules.conf")
    by_rules = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_dynamic_rules_filename": str(rules)}
    job.works("all collectives", [], by_rules)
    job.works("broadcasts", [1, 1024, 1025, 65536, 65537, 300001], by_rules)
    monitored = {
        "OMPI_MCA_pml_monitoring_enable": "2",
        "OMPI_MCA_pml_monitoring_enable_output": "3",
        "OMPI_MCA_pml_monitoring_filename": str(folder / "sent"),
    }
    counts = []
    for environment in ({}, by_rules):
        job.works("a monitored broadcast", [LARGE], {**monitored, **environment})
        counts.append(monitored_sends(folder))
    expect_pipeline(counts)


def mpich(job: Job, options: argparse.Namespace, folder: Path) -> None:
    algorithms = ("mpich:scatter_ring_allgather", "native", "mpich:kary1")
    file = export(options.tool, folder, "mpich-json", algorithms, "selection.json")
    by_file = {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": str(file)}
    job.works("all collectives", [], by_file)
    job.works("broadcasts", [1, 1024, 1025, 65536, 65537, 300001], by_file)
    sizes = json.loads(file.read_text())["collective=bcast"]["comm_type=intra"]["comm_size=any"]
    if list(sizes) != ["avg_msg_size<=1024", "avg_msg_size<=65536", "avg_msg_size=any"]:
        sys.exit(f"not the table's sizes: {list(sizes)}")
    counted = {"LD_PRELOAD": options.counter, "MPIR_CVAR_NOLOCAL": "1"}
    counts = []
    for environment in ({}, by_file):
        said = job.works("a counted broadcast", [LARGE], {**counted, **environment})
        counts.append(int(said.partition("most sends to one rank: ")[2].split()[0]))
    expect_pipeline(counts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", choices=OPTIONS, required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--counter", help="count_sends.cpp, compiled; for MPICH")
    parser.add_argument("program")
    options = parser.parse_args()
    job = Job(options.mpi, options.launcher, options.program)
    with tempfile.TemporaryDirectory() as folder:
        {"openmpi": open_mpi, "mpich": mpich}[options.mpi](job, options, Path(folder))


if __name__ == "__main__":
    main()
