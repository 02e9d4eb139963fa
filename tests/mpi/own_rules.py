"""What `bcastgen export` writes, read by the MPIs themselves.

    own_rules.py --mpi openmpi|mpich --launcher LAUNCHER --tool BCASTGEN PROGRAM

PROGRAM is collectives.cpp: all collectives must work under the exported rules, and broadcasts of all sizes. That the rules
are followed shows in what Open MPI's monitoring counts, and in MPICH by what happens where one of them is taken away.
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

    def works(self, what: str, arguments: list, environment: dict) -> None:
        outcome = self.run(arguments, environment)
        if outcome.returncode != 0:
            sys.exit(f"{what}: result {outcome.returncode}\n{outcome.stdout}{outcome.stderr}")

    def fails(self, what: str, arguments: list, environment: dict) -> None:
        if self.run(arguments, environment).returncode == 0:
            sys.exit(f"{what}: it works, so that what was taken away was not used")


def export(tool: str, folder: Path, form: str, algorithms: tuple[str, str, str], name: str) -> Path:
    table = folder / "tuning.yaml"
    table.write_text(TABLE.format(small=algorithms[0], middle=algorithms[1], large=algorithms[2]))
    subprocess.run([tool, "--quiet", "export", form, table, "-o", folder / name], check=True, timeout=120)
    return folder / name


def sent_by_root(folder: Path) -> dict[int, int]:
    """Messages of rank 0 to each other rank, that collectives sent, as the monitoring component of Open MPI has them."""
    counts = {}
    for line in (folder / "sent.0.prof").read_text().splitlines():
        kind, sender, receiver, *rest = line.split()
        if kind == "I" and sender == "0":
            counts[int(receiver)] = int(rest[rest.index("msgs") - 1])
    return counts


def open_mpi(job: Job, tool: str, folder: Path) -> None:
    rules = export(tool, folder, "ompi-rules", ("ompi:binomial", "native", "ompi:pipeline"), "rules.conf")
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
        counts.append(sent_by_root(folder))
    segments = LARGE // SEGMENT
    # Down a chain from each root all messages to the next rank are segments; what Open MPI does by itself sends fewer.
    if not counts[1].get(1, 0) >= segments * (RANKS - 1) > counts[0].get(1, 0):
        sys.exit(f"rank 0 should have sent rank 1 segments of a pipeline: {counts}")


def mpich(job: Job, tool: str, folder: Path) -> None:
    file = export(
        tool, folder, "mpich-json", ("mpich:scatter_ring_allgather", "native", "mpich:kary1"), "selection.json"
    )
    variable = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"
    by_file = {variable: str(file)}
    job.works("all collectives", [], by_file)
    job.works("broadcasts", [1, 1024, 1025, 65536, 65537, 300001], by_file)
    selection = json.loads(file.read_text())
    sizes = selection["collective=bcast"]["comm_type=intra"]["comm_size=any"]
    if list(sizes) != ["avg_msg_size<=1024", "avg_msg_size<=65536", "avg_msg_size=any"]:
        sys.exit(f"not the table's sizes: {list(sizes)}")
    del sizes["avg_msg_size=any"]
    without = folder / "without.json"
    without.write_text(json.dumps(selection))
    job.works("broadcasts that have a rule", [1, 65536], {variable: str(without)})
    job.fails("a broadcast without its rule", [65537], {variable: str(without)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", choices=OPTIONS, required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    job = Job(options.mpi, options.launcher, options.program)
    with tempfile.TemporaryDirectory() as folder:
        {"openmpi": open_mpi, "mpich": mpich}[options.mpi](job, options.tool, Path(folder))


if __name__ == "__main__":
    main()
