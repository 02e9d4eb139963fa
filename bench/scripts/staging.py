#!/usr/bin/env python3
"""Files staged to every machine of an emulated cluster: docs/staging.md's tables.

    bench/scripts/staging.py                                        the cyclic star of 32 machines: every way, a Markdown table
    bench/scripts/staging.py --topology topologies/fsu-1.yaml --machines 16 --rate 10Mbit/s     16 machines on one switch
    bench/scripts/staging.py --ways library.mpich,native.mpich --runs 3

Ways: library.MPI and native.MPI (bcastgen-stage with the library preloaded and without), sbcast and sbcast.FANOUT (of a real
Slurm), copies (each machine that has the whole file sends it to others that have not, as scp in a tree). --mebibytes: of the
file; --slow-mebibytes: for sbcast, copies and native, whose time grows with the file and which would take long. Every byte on
every machine is compared. Needs root, build/bcastgen and both MPIs; for sbcast, Slurm and munge.
"""

import argparse
import collections
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCAL = "/dev/shm/local"  # of each machine its own
PORT = 7117
ACK = b"+"


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, text=True, **options)


# Copies in a tree: the whole file, then on.

def copy_on(image: Path, targets: list[str]):
    """To all of them: to the first of the far half, which serves that half, and so on with the rest."""
    waiting = []
    while targets:
        half = len(targets) // 2
        connection = socket.create_connection((targets[half], PORT))
        text = " ".join(targets[half + 1:]).encode()
        connection.sendall(f"{len(text)} {image.stat().st_size}\n".encode() + text)
        with image.open("rb") as file:
            connection.sendfile(file)
        waiting.append(connection)
        targets = targets[:half]
    for connection in waiting:
        if connection.recv(1) != ACK:
            raise SystemExit("a copy has failed")


def receive_copy(image: Path):
    with socket.create_server(("", PORT)) as server:
        Path(f"{LOCAL}/.ready").touch()
        connection, _ = server.accept()
    with connection, connection.makefile("rb") as stream:
        names, size = map(int, stream.readline().split())
        targets = stream.read(names).decode().split()
        with image.open("wb") as file:
            while size > 0:
                size -= file.write(stream.read(min(size, 1 << 16)))
        copy_on(image, targets)
        connection.sendall(ACK)


class Inside:
    """On the lab's first machine."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.machines = [f"n{number}" for number in range(options.machines)]
        self.everywhere(f"mkdir -p {LOCAL}")
        if options.congestion_control:
            self.everywhere(f"echo {options.congestion_control} >/proc/sys/net/ipv4/tcp_congestion_control")

    def everywhere(self, script: str):
        jobs = [(machine, subprocess.Popen(["ssh", machine, script])) for machine in self.machines]
        for machine, job in jobs:
            if job.wait() != 0:
                raise SystemExit(f"{machine}: {script} failed")

    def measure(self, way: str, image: Path) -> float:
        self.everywhere(f"rm -rf {LOCAL}/* {LOCAL}/.[a-z]*")
        kind, _, detail = way.partition(".")
        seconds = {"library": self.stage, "native": self.stage, "sbcast": self.sbcast, "copies": self.copies}[kind](kind, detail, image)
        self.everywhere(f"cmp {image} {LOCAL}/{image.name}")
        return seconds

    def stage(self, kind: str, mpi: str, image: Path) -> float:
        """As the program itself says: from the first byte to the file under its name on all machines, without the launch."""
        work = Path(self.options.work)
        preload = next((work / "library").glob(f"build/{mpi}/libbcast_*.so")) if kind == "library" else ""
        hosts = ",".join(f"{machine}:1" for machine in self.machines)
        launch = {"mpich": ["mpiexec.mpich", "-genv", "LD_PRELOAD", preload, "-hosts", hosts],
                  "openmpi": ["mpiexec.openmpi", "-x", f"LD_PRELOAD={preload}", "--host", hosts]}[mpi]
        said = run(*launch, "-n", len(self.machines), work / f"bcastgen-stage.{mpi}", image, LOCAL, *self.options.stage_options,
                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        return float(re.search(r"machines in ([\d.]+) s", said)[1])

    def sbcast(self, _, fanout: str, image: Path) -> float:
        options = ["--force", "--size=1M"] + ([f"--fanout={fanout}"] if fanout else [])
        script = f"import subprocess,time; t = time.monotonic(); subprocess.run({['sbcast', *options, str(image), f'{LOCAL}/{image.name}']}, check=True); print(time.monotonic() - t)"
        said = run("salloc", "--quiet", f"--nodes={len(self.machines)}", "--exclusive", sys.executable, "-c", script,
                   stdout=subprocess.PIPE).stdout
        return float(said.split()[-1])

    def copies(self, *_) -> float:
        image = _[-1]
        receivers = [subprocess.Popen(["ssh", machine, f"{sys.executable} {__file__} --receive {LOCAL}/{image.name}"])
                     for machine in self.machines[1:]]
        for machine in self.machines[1:]:
            run("ssh", machine, f"until [ -e {LOCAL}/.ready ]; do sleep 0.1; done; rm {LOCAL}/.ready")
        started = time.monotonic()
        copy_on(image, self.machines[1:])
        seconds = time.monotonic() - started
        for receiver in receivers:
            receiver.wait()
        run("cp", image, LOCAL)
        return seconds

    def measure_all(self):
        for _ in range(self.options.runs):
            for way in self.options.ways:
                slow = not way.startswith("library")
                size = self.options.slow_mebibytes if slow else self.options.mebibytes
                image = Path(self.options.work) / f"image.{size}"
                print(way, image.stat().st_size, self.measure(way, image), flush=True)


def prepare(options: argparse.Namespace, work: Path):
    tool, sources = options.tool, ROOT / "examples/stage"
    for size in {options.mebibytes, options.slow_mebibytes}:
        (work / f"image.{size}").write_bytes(os.urandom(int(size * 2**20)))
    run(tool, "--quiet", options.topology, "-o", work / "library", stdout=subprocess.DEVNULL)
    mpis = sorted({way.partition(".")[2] for way in options.ways if way.startswith(("library", "native"))})
    if mpis:
        run(tool, "--quiet", "build", work / "library", "--mpi", ",".join(mpis), stdout=subprocess.DEVNULL)
    for mpi in mpis:
        run(f"mpicxx.{mpi}", "-std=c++17", "-O2", "-pthread", "-DOMPI_SKIP_MPICXX", *sources.glob("*.cpp"), "-o", work / f"bcastgen-stage.{mpi}")
    configuration = run(tool, "export", "slurm", options.topology, stdout=subprocess.PIPE).stdout
    (work / "topology.conf").write_text(configuration, encoding="utf-8")


def print_table(options: argparse.Namespace, lines: list[str]):
    bits, unit = re.fullmatch(r"([\d.]+)([kMG])bit/s", options.rate).groups()
    port_Bps = float(bits) * {"k": 1e3, "M": 1e6, "G": 1e9}[unit] / 8
    found = collections.defaultdict(list)
    for way, size, seconds in (line.split() for line in lines):
        found[way, int(size)].append(float(seconds))
    print("| way | file | seconds: median (least to most) | runs | rate | times the wire |\n|---|---|---|---|---|---|")
    for (way, size), seconds in found.items():
        middle = statistics.median(seconds)
        print(f"| {way} | {size / 2**20:g} MiB | {middle:.1f} ({min(seconds):.1f} to {max(seconds):.1f}) | {len(seconds)} "
              f"| {size / middle / 1e3:.0f} kB/s | {middle * port_Bps / size:.2f} |")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topology", default=str(ROOT / "topologies/fsu-5.yaml"))
    parser.add_argument("--machines", type=int, default=32)
    parser.add_argument("--rate", default="8Mbit/s")
    parser.add_argument("--mebibytes", type=float, default=16)
    parser.add_argument("--slow-mebibytes", type=float, default=4)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--ways", default="library.mpich,library.openmpi,native.mpich,native.openmpi,sbcast,sbcast.2,sbcast.4,copies")
    parser.add_argument("--stage-options", default="")
    parser.add_argument("--congestion-control", help="of TCP on the machines; the host's if not given")
    parser.add_argument("--tool", default=str(ROOT / "build/bcastgen"))
    parser.add_argument("--work", help=argparse.SUPPRESS)  # inside the lab
    parser.add_argument("--receive", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.ways = options.ways.split(",")
    options.stage_options = options.stage_options.split()
    return options


def main():
    options = arguments()
    if options.receive:
        receive_copy(Path(options.receive))
        return
    if options.work:
        Inside(options).measure_all()
        return
    with tempfile.TemporaryDirectory(prefix="bcastgen-staging-") as folder:
        work = Path(folder)
        prepare(options, work)
        inside = [sys.executable, "-B", __file__, *sys.argv[1:], "--work", folder]
        if any(way.startswith("sbcast") for way in options.ways):
            inside = [sys.executable, "-B", str(ROOT / "tests/tuner/clusters/slurm_lab.py"), str(work / "topology.conf"), *inside]
        lab = subprocess.Popen([options.tool, "lab", options.topology, "--rate", options.rate, "--", *inside],
                               stdout=subprocess.PIPE, text=True)
        signal.signal(signal.SIGTERM, lambda *_: lab.terminate())  # what was measured until then is shown
        lines = []
        for line in lab.stdout:
            print(line, end="", file=sys.stderr, flush=True)
            if line.startswith(tuple(options.ways)):
                lines.append(line)
        lab.wait()
        print_table(options, lines)
    sys.exit(lab.returncode)


if __name__ == "__main__":
    main()
