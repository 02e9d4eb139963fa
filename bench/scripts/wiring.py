#!/usr/bin/env python3
"""The wiring of emulated and simulated networks, measured: the tables of docs/wiring.md.

    bench/scripts/wiring.py verify --mpi mpich --runs 20        faults of all kinds, and as many clean runs; needs root
    bench/scripts/wiring.py discover --on emulated              fsu-1, -2, -4, -5 with latencies, both MPIs; needs root
    bench/scripts/wiring.py discover --on simulated             those, fsu-3, three levels, a row of 16 switches, 1,000 machines, campus
    bench/scripts/wiring.py plans --keep found --runs 3         broadcasts planned from what was discovered (discover … --keep found)
                                                                against those planned from the true file; needs root
    bench/scripts/wiring.py slow-link --mpi openmpi --runs 4    a port halved in the middle of a job; needs root
    bench/scripts/wiring.py trace-price --runs 3                broadcasts with BCASTGEN_TRACE against those without; needs root
    bench/scripts/wiring.py noise > tests/tuner/wiring/recorded_noise.txt      how far measurements are off; needs root

--only fsu-4,row-16 takes these networks alone, --first N begins with the N-th run, --build DIR names the folder that bcastgen
was built in. One line a run, as it ends, then a sum. Faults and their places follow from the number of the run.
"""

import argparse
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RATE = "8Mbit/s"
FAULTS = ("slow port", "slow trunk", "machine moved", "machines swapped")
LATENCY = "100us"  # of the networks to discover: 1.25 ms at RATE, which a lab plays
# On one switch 256K go around a circulant graph, which has no trees: there a size that goes down trees.
BYTES = {"fsu-1": 524288}
PROGRAM = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
    static unsigned char bytes[1 << 20];
    int rank, wrong = 0, size = atoi(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int turn = 0; turn < 40; ++turn) {
        for (int i = 0; rank == 0 && i < size; ++i) bytes[i] = i * 31 + turn;
        double begin = MPI_Wtime();
        MPI_Bcast(bytes, size, MPI_BYTE, 0, MPI_COMM_WORLD);
        for (int i = 0; i < size; ++i) wrong += bytes[i] != (unsigned char)(i * 31 + turn);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) printf("%d %.6f\\n", turn, MPI_Wtime() - begin), fflush(stdout);
    }
    if (wrong) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
}
"""


def run(*words, **options):
    return subprocess.run([str(word) for word in words], text=True, capture_output=True, check=False, **options)


class Site:
    """A network of switches and the trunks between them, with what may be wrong."""

    def __init__(self, name, machines_of, trunks, latency="20us"):
        self.name, self.machines_of, self.trunks, self.latency = name, [list(m) for m in machines_of], trunks, latency
        self.ports, self.speeds = {}, {}

    def text(self):
        lines = [f"name: {self.name}", f"defaults: {{link: {{bandwidth: 100Mbit/s, latency: {self.latency}}}}}", "switches:"]
        for number, machines in enumerate(self.machines_of):
            names = ",".join(str(machine) for machine in machines)
            lines.append(f"  s{number}: {{machines: \"n[{names}]\"}}" if machines else f"  s{number}: {{}}")
        lines += ["links:"] if self.trunks else []
        for number, (a, b) in enumerate(self.trunks):
            speed = f", bandwidth: {self.speeds[number]}Mbit/s" if number in self.speeds else ""
            lines.append(f"  - {{between: [s{a}, s{b}]{speed}}}")
        lines += ["machines:"] if self.ports else []
        lines += [f"  n{machine}: {{link: {{bandwidth: {speed}Mbit/s}}}}" for machine, speed in self.ports.items()]
        return "\n".join(lines) + "\n"

    def broken(self, fault, chance):
        """The same with a fault, and what a verification must say of it."""
        other = Site(self.name, self.machines_of, self.trunks, self.latency)
        machines = [machine for switch in self.machines_of for machine in switch]
        if fault == "slow port" or not self.trunks:
            machine = chance.choice(machines)
            other.ports[machine] = chance.choice((50, 10))
            return other, [f"port of n{machine} on "]
        if fault == "slow trunk":
            trunk = chance.randrange(len(self.trunks))
            other.speeds[trunk] = 50
            return other, ["trunk s{} - s{}: ".format(*self.trunks[trunk])]
        here, there = chance.sample([s for s, on in enumerate(self.machines_of) if on], 2)
        moved = [(chance.choice(self.machines_of[here]), here, there)]
        if fault == "machines swapped":
            moved.append((chance.choice(self.machines_of[there]), there, here))
        for machine, old, new in moved:
            other.machines_of[old].remove(machine)
            other.machines_of[new].append(machine)
        return other, [f"n{machine} hangs on s{new}, not on s{old}" for machine, old, new in moved]


def spread(machines, switches, cyclic=False):
    rows = [[] for _ in range(switches)]
    for machine in range(machines):
        rows[machine % switches if cyclic else machine * switches // machines].append(machine)
    return rows


STAR = [(0, 1), (0, 2), (0, 3)]
SITES = {
    "fsu-1": (spread(16, 1), []), "fsu-2": (spread(32, 2), [(0, 1)]), "fsu-3": (spread(32, 4), [(0, 1), (1, 2), (2, 3)]),
    "fsu-4": (spread(32, 4), STAR), "fsu-5": (spread(32, 4, True), STAR),
    "star-16": (spread(16, 4), STAR),
    "levels-72": ([[]] * 4 + spread(72, 9), [(0, 1), (0, 2), (0, 3)] + [(1 + rack // 3, 4 + rack) for rack in range(9)]),
    "row-16": (spread(64, 16), [(switch, switch + 1) for switch in range(15)]),
}
RACKS = [(0, 1 + pod) for pod in range(5)] + [(1 + rack // 10, 6 + rack) for rack in range(50)]
SITES["levels-1000"] = ([[]] * 6 + spread(1000, 50), RACKS)


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.tool = Path(options.build).resolve() / "bcastgen"

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return self.folder / name

    def sites(self, names):
        only = self.options.only.split(",") if self.options.only else names
        return [name for name in names if name in only]

    def verify(self):
        """Each run: a network of 16 or 32 machines with a fault, and the same without."""
        located = alarms = runs = 0
        names = self.sites(["star-16", "fsu-5", "fsu-2", "fsu-1", "fsu-4"])
        for number in range(self.options.first, self.options.first + self.options.runs):
            name, fault, chance = names[number % len(names)], FAULTS[number % len(FAULTS)], random.Random(number)
            site = Site(name, *SITES[name])
            there, expected = site.broken(fault, chance)
            described = self.write("described.yaml", site.text())
            for truth, wanted in ((there, expected), (site, [])):
                began = time.monotonic()
                verdict = run(self.tool, "verify", described, "--on", "emulated", "--mpi", self.options.mpi, "--rate", RATE, "--of",
                              self.write("there.yaml", truth.text()))
                said = re.findall(r"^  ([^\s└├│].*)\n      ", verdict.stdout, re.MULTILINE)  # no lines of the picture
                right = (verdict.returncode == (3 if wanted else 0) and len(said) == len(wanted)
                         and all(any(line.startswith(one) for line in said) for one in wanted))
                runs += 1
                located += bool(wanted) and right
                alarms += not wanted and not right
                print(f"{number} {name} {self.options.mpi}: {', '.join(wanted) or 'as described'}: "
                      f"{'right' if right else f'WRONG {verdict.returncode} {said} {verdict.stderr[-300:]}'}, "
                      f"{time.monotonic() - began:.0f} s", flush=True)
        print(f"{self.options.mpi}: located {located} of {runs // 2}, {alarms} alarms in {runs // 2} clean runs")

    def discover(self):
        emulated = self.options.on == "emulated"
        names = self.sites(["fsu-1", "fsu-2", "fsu-4", "fsu-5"] if emulated else [*SITES, "campus"])
        exact = runs = 0
        for mpi in self.options.mpi.split(",") if emulated else [""]:
            for name in names:
                true = ROOT / "topologies/campus.yaml" if name == "campus" else self.write(
                    "there.yaml", Site(name, *SITES[name], LATENCY if emulated else "20us").text())
                on = ("--on", self.options.on, "--of", true, *(("--mpi", mpi, "--rate", RATE) if emulated else ()))
                found, began = Path(self.options.keep or self.folder) / f"{name}{'.' * bool(mpi)}{mpi}.yaml", time.monotonic()
                found.parent.mkdir(exist_ok=True)
                found.unlink(missing_ok=True)
                said = run(self.tool, "discover", *on, "-o", found)
                took = time.monotonic() - began
                # The same switches, and every speed within 5 %.
                verdict = run(self.tool.parent / "discover_networks", "compare", found, true) if said.returncode == 0 else said
                exact, runs = exact + (verdict.returncode == 0), runs + 1
                measured = re.search(r"measured for (.*)", said.stderr)
                print(f"{name} {mpi}: {(verdict.stdout or 'NOT: ' + verdict.stderr[-400:]).strip()}, {took:.0f} s"
                      f"{', of the cluster ' + measured[1] if measured else ''}", flush=True)
        print(f"{self.options.on}: {exact} of {runs}")

    def program(self):
        program = self.folder / f"program.{self.options.mpi}"
        subprocess.run([f"mpicc.{self.options.mpi}", "-O2", "-x", "c", "-", "-o", program], input=PROGRAM, text=True, check=True)
        return program

    def library(self, topology, name):
        """The library for a topology file, built once."""
        folder = self.folder / name
        if not folder.exists():
            run(self.tool, topology, "-o", folder).check_returncode()
            run(self.tool, "build", folder, "--mpi", self.options.mpi).check_returncode()
        return next(folder.glob(f"build/{self.options.mpi}/libbcast_*.so"))

    def job(self, lab, machines, library, program, size, trace=None):
        """The program on all machines of a lab, started from its first."""
        option, equals = ("-genv", " ") if self.options.mpi == "mpich" else ("-x", "=")
        words = f'{option} LD_PRELOAD{equals}"$LD_PRELOAD:{library}"'
        if trace:
            words += f" {option} BCASTGEN_TRACE{equals}{trace}"
        return subprocess.Popen([self.tool, "lab", "exec", machines[0], "--lab", lab, "--", "sh", "-c",
                                 f"exec mpiexec.{self.options.mpi} -n {len(machines)} {words} {program} {size}"],
                                stdout=subprocess.PIPE, text=True)

    def times(self, described, name, ways):
        """Broadcasts of one network by several ways (library, trace) in turn, one job after the other: by way, the seconds."""
        program, seconds = self.program(), [[] for _ in ways]
        machines = [f"n{machine}" for switch in SITES[name][0] for machine in switch]
        lab = run(self.tool, "lab", "up", described, "--rate", RATE).stdout.strip()
        try:
            for _ in range(self.options.runs):
                for way, (library, trace) in enumerate(ways):
                    job = self.job(lab, machines, library, program, BYTES.get(name, 262144), trace)
                    lines = job.communicate()[0].splitlines()
                    if job.returncode != 0:
                        raise SystemExit("the program failed")
                    seconds[way] += [float(line.split()[1]) for line in lines[1:]]  # the first makes connections
        finally:
            run(self.tool, "lab", "down", lab)
        return seconds

    def compared(self, title, first, second):
        print(f"{title}: {1000 * statistics.median(first):.1f} and {1000 * statistics.median(second):.1f} ms, "
              f"{statistics.median(second) / statistics.median(first):.3f} times (medians of {len(first)}; quarters "
              f"{', '.join(f'{1000 * q:.1f}' for side in (first, second) for q in statistics.quantiles(side)[::2])})", flush=True)

    def plans(self):
        """Broadcasts as they are planned from the true file, and from the one that was discovered."""
        for name in self.sites(["fsu-1", "fsu-2", "fsu-4", "fsu-5"]):
            true = self.write(f"{name}.yaml", Site(name, *SITES[name], LATENCY).text())
            found = Path(self.options.keep) / f"{name}.{self.options.mpi}.yaml"
            ways = [(self.library(file, f"{name}-{label}"), None) for label, file in (("true", true), ("found", found))]
            self.compared(f"{name} {self.options.mpi}, true and discovered", *self.times(true, name, ways))

    def trace_price(self):
        """Broadcasts without a trace, and with one."""
        for name in self.sites(["fsu-1", "fsu-4"]):
            true = self.write(f"{name}.yaml", Site(name, *SITES[name]).text())
            library = self.library(true, name)
            self.compared(f"{name} {self.options.mpi}, without and with a trace",
                          *self.times(true, name, [(library, None), (library, self.folder / "trace")]))

    def noise(self):
        """What the wiring program measures on fsu-4 over what it should: round trips over the least of as many cables, rates
        of pairs on one switch over their median."""
        rows, switches = SITES["fsu-4"][0], {machine: s for s, on in enumerate(SITES["fsu-4"][0]) for machine in on}
        machines = sorted(switches)
        pairs = [[(machines[-1], r), *(((r + i) % 31, (r - i) % 31) for i in range(1, 16))] for r in range(31)]
        on_one_switch = [pair for row in rows for pair in zip(row[::2], row[1::2])]
        rates = [on_one_switch, [pair[::-1] for pair in on_one_switch]] * 5
        questions = "seconds 1.3\nchunk_bytes 32768\ntrips 30\n" + "".join(
            f"{word} {' '.join(f'{a} {b}' for a, b in pair)}\n"
            for word, rounds in (("round_trips", pairs), ("rates", rates)) for pair in rounds)
        program = self.folder / "wiring"
        subprocess.run([f"mpicxx.{self.options.mpi}", "-std=c++17", "-O2", "-I", ROOT,
                        ROOT / "tuner/program/wiring/main.cpp", "-o", program], check=True)
        lab = run(self.tool, "lab", "up", self.write("there.yaml", Site("fsu-4", *SITES["fsu-4"], LATENCY).text()),
                  "--rate", RATE).stdout.strip()
        try:
            said = run(self.tool, "lab", "exec", "n0", "--lab", lab, "--", f"mpiexec.{self.options.mpi}", "-n", "32", program,
                       self.write("questions", questions)).stdout
        finally:
            run(self.tool, "lab", "down", lab)
        answers = [[float(word) for word in line.split()[2:]] for line in said.splitlines() if line.startswith("answer")]
        cables = lambda a, b: 0 if switches[a] == switches[b] else 1 if 0 in (switches[a], switches[b]) else 2
        trips = [(cables(a, b), trip) for row, times in zip(pairs, answers) for (a, b), trip in zip(row, times)]
        least = {far: min(trip for other, trip in trips if other == far) for far in range(3)}
        usual = statistics.median(rate for row in answers[len(pairs):] for rate in row)
        print(f"# By bench/scripts/wiring.py noise --mpi {self.options.mpi}: 32 emulated machines, {RATE}, on a busy host.")
        print("\n".join(f"round_trip {trip / least[far]:.4f}" for far, trip in trips))
        print("\n".join(f"rate {rate / usual:.4f}" for row in answers[len(pairs):] for rate in row))

    def slow_link(self):
        """How many broadcasts after a port was halved name it."""
        mpi, worst = self.options.mpi, 0
        names = self.sites(["fsu-1", "fsu-4", "fsu-2", "fsu-5"])
        for number in range(self.options.first, self.options.first + self.options.runs):
            name, chance = names[number % len(names)], random.Random(number)
            described = self.write(f"{name}.yaml", Site(name, *SITES[name]).text())
            machines = [machine for switch in SITES[name][0] for machine in switch]
            machine = chance.choice(machines[1:])
            switch = next(s for s, on in enumerate(SITES[name][0]) if machine in on)
            trace = self.halved(described, self.library(described, name), BYTES.get(name, 262144), machines, machine, switch)
            named, clean, said = self.first_named(described, trace, f"port of n{machine} on ")
            worst = max(worst, named or 99)
            print(f"{number} {name} {mpi}, n{machine}: named after {named or 'NEVER'} broadcasts, "
                  f"{'no alarm' if clean else 'AN ALARM'} before; {said}", flush=True)
        print(f"{mpi}: after {worst} broadcasts at most")

    def halved(self, described, library, size, machines, machine, switch):
        lab = run(self.tool, "lab", "up", described, "--rate", RATE).stdout.strip()
        trace = self.folder / f"trace-{time.monotonic_ns()}" / "trace"
        trace.parent.mkdir()
        try:
            job = self.job(lab, [f"n{one}" for one in machines], library, self.program(), size, trace)
            for line in job.stdout:
                if line.startswith("19 "):
                    break
            slow = ("root", "tbf", "rate", "4mbit", "burst", "6k", "limit", "3m")
            for place, device in ((f"n{machine}", "eth0"), (f"s{switch}", f"p{machines.index(machine)}")):
                run(self.tool, "lab", "exec", place, "--lab", lab, "--", "tc", "qdisc", "replace", "dev", device, *slow).check_returncode()
            self.changed_at = len(Path(f"{trace}.0").read_text(encoding="utf-8").splitlines())
            job.communicate()
            if job.returncode != 0:
                raise SystemExit("the program failed")
        finally:
            run(self.tool, "lab", "down", lab)
        return trace

    def first_named(self, described, trace, wanted):
        """After how many broadcasts at half speed a report names the port, whether it was silent before, and what it says
        in the end."""
        def report(broadcasts):
            part = trace.parent / "part"
            for file in trace.parent.glob("trace.*"):
                lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
                part.with_suffix(file.suffix).write_text("".join(lines[:broadcasts]), encoding="utf-8")
            return run(self.tool, "report", "--trace", part, "--topology", described, "-o", "/dev/null").stderr.strip()

        named = next((more for more in range(1, 21) if report(self.changed_at + more).startswith(wanted)), None)
        return named, report(self.changed_at).startswith("no cable"), report(40)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("verify", "discover", "plans", "slow-link", "trace-price", "noise"))
    parser.add_argument("--on", choices=("simulated", "emulated"), default="simulated")
    parser.add_argument("--mpi", default="mpich")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", metavar="DIR", help="where discovered files are")
    parser.add_argument("--build", default=ROOT / "build")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bcastgen-bench-") as folder:
        getattr(Bench(options, Path(folder)), options.what.replace("-", "_"))()


if __name__ == "__main__":
    sys.exit(main())
