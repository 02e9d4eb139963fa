"""A real Slurm on the machines of a lab; run as the lab's command, on its first machine.

    bcastgen lab T.yaml -- python3 slurm_lab.py TOPOLOGY.conf COMMAND...

Starts munged, slurmctld and a slurmd on every machine, with TOPOLOGY.conf for topology/tree; runs COMMAND with
SLURM_CONF set; ends the daemons again. Returns COMMAND's result. $SLURM_LAB/steps tells of every srun (JOB.STEP),
$SLURM_LAB/tasks of every task that srun started (JOB.STEP RANK MACHINE).
"""

import contextlib
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LAB = Path(os.environ["BCASTGEN_LAB"])
MOST_START_S = 250  # a busy host is slow
MOST_END_S = 100

CONFIGURATION = """
ClusterName=lab
SlurmctldHost={first}
SlurmctldPort={port}
SlurmdPort={node_port}
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n/pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n/log
TmpFS={folder}/%n/tmp
TopologyPlugin=topology/tree
SelectType=select/cons_tres
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=1
ReturnToService=2
KillWait=2
MessageTimeout=100
BatchStartTimeout=100
SrunProlog={folder}/tell_step
TaskProlog={folder}/tell_task
NodeName={nodes} CPUs=4 State=UNKNOWN
PartitionName=all Nodes={nodes} Default=YES State=UP MaxTime=INFINITE
"""


class Daemons:
    def __init__(self, folder: Path, machines: list[str], topology: str):
        self.folder, self.machines, self.topology = folder, machines, topology
        self.running: list[subprocess.Popen] = []

    def start(self, *words, **options):
        # Ours to end: Ctrl-C in a terminal must not reach them before the jobs are cancelled.
        self.running.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, start_new_session=True, **options))

    def write_files(self):
        for machine in self.machines:
            (self.folder / machine / "tmp").mkdir(parents=True)
            (self.folder / machine / "spool").mkdir()
        for name in ("munge", "state"):
            (self.folder / name).mkdir(mode=0o755)
        (self.folder / "munge/key").write_bytes(secrets.token_bytes(128))
        (self.folder / "munge/key").chmod(0o400)
        values = {"first": self.machines[0], "folder": self.folder, "nodes": ",".join(self.machines),
                  "port": 6817, "node_port": 6818}
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(**values), encoding="utf-8")
        (self.folder / "topology.conf").write_text(self.topology, encoding="utf-8")
        for name, line in (("step", "$SLURM_JOB_ID.$SLURM_STEP_ID"), ("task", "$SLURM_JOB_ID.$SLURM_STEP_ID $SLURM_PROCID $(hostname)")):
            script = self.folder / f"tell_{name}"
            script.write_text(f'#!/bin/sh\necho "{line}" >>{self.folder}/{name}s\n', encoding="utf-8")
            script.chmod(0o755)
        # Entering a machine mounts its own /sys, where version 2's control groups are not.
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n", encoding="utf-8")

    def up(self):
        self.write_files()
        munge = self.folder / "munge"
        self.start("munged", "--foreground", "--force", f"--socket={munge}/socket", f"--key-file={munge}/key",
                   f"--log-file={munge}/log", f"--pid-file={munge}/pid", f"--seed-file={munge}/seed",
                   stderr=subprocess.DEVNULL)
        self.wait_for("munged", lambda: (munge / "socket").exists())
        self.start("slurmctld", "-D", "-c", stderr=subprocess.DEVNULL)
        for machine in self.machines:
            self.start(LAB / "enter", "/", machine, "slurmd", "-D", "-N", machine, stderr=subprocess.DEVNULL)
        self.wait_for("Slurm", lambda: self.idle_machines() == len(self.machines))

    def idle_machines(self) -> int:
        shown = subprocess.run(["sinfo", "--noheader", "--Node", "--format=%N %t"], capture_output=True, text=True,
                               check=False)
        return shown.stdout.count(" idle\n")

    def wait_for(self, what, ready):
        deadline = time.monotonic() + MOST_START_S
        while not ready():
            for daemon in self.running:
                if daemon.poll() is not None:
                    raise SystemExit(f"{daemon.args} ended with {daemon.returncode}; logs in {self.folder}")
            if time.monotonic() > deadline:
                raise SystemExit(f"{what} does not come up; logs in {self.folder}")
            time.sleep(0.05)

    def down(self):
        for daemon in reversed(self.running):
            with contextlib.suppress(ProcessLookupError):
                daemon.terminate()
        deadline = time.monotonic() + MOST_END_S
        for daemon in self.running:
            try:
                daemon.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(daemon.pid, signal.SIGKILL)
                daemon.wait()


def main() -> int:
    topology = Path(sys.argv[1]).read_text(encoding="utf-8")
    machines = [line.split()[0] for line in (LAB / "hosts.openmpi").read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory(prefix="bcastgen-slurm-") as folder:
        os.environ.update(SLURM_CONF=f"{folder}/slurm.conf", SLURM_LAB=folder)
        daemons = Daemons(Path(folder), machines, topology)
        try:
            daemons.up()
            return subprocess.run(sys.argv[2:], check=False).returncode
        finally:
            daemons.down()


if __name__ == "__main__":
    sys.exit(main())
