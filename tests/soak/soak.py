#!/usr/bin/env python3
"""A long run of the emitted library's code: every byte checked, memory and descriptors watched.

    tests/soak/soak.py                                          10^6 broadcasts on 8 ranks of each MPI, with a plot
    tests/soak/soak.py --mpi mpich --broadcasts 20000 --spawn 5000
    tests/soak/soak.py --mpi openmpi --threads 4                MPI_THREAD_MULTIPLE, communicators of its own for each
    tests/soak/soak.py --valgrind --ranks 3 --broadcasts 300    memory errors, and leaks, of the library's code
    tests/soak/soak.py --abort 500                              rank 1 aborts: the job ends and nothing stays behind

Exit code 1: a byte was wrong, memory or descriptors grow, or something of ours is left. It needs a build of preset
dev (cmake --preset dev && cmake --build build --target with_library.mpich with_library.openmpi idle_shim).
"""

import argparse
import subprocess
import sys
import tempfile
import typing
import xml.etree.ElementTree as XML
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MACHINES = "n0,n3,n6,n10,n1,n4,n7,n6"  # of tests/mpi/fixture_site; two ranks on one of them
MULTICAST = ("BCASTGEN_MULTICAST=try", "BCASTGEN_MULTICAST_INTERFACE=lo")
LEAST_FOR_MEMORY = 100_000  # shorter runs are still filling the MPI's own caches
FLAT_bytes = 0.5  # for each broadcast; a real leak is more, and it never pauses
MOST_GROWN_kB = 32 * 1024  # in all, by messages that came early and had to be kept


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", action="append", choices=["mpich", "openmpi"], help="both if not given")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--broadcasts", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--spawn", type=int, default=0, metavar="N", help="a process (MPICH: a session) after every N broadcasts")
    parser.add_argument("--abort", type=int, default=0, metavar="N", help="rank 1 aborts after N broadcasts")
    parser.add_argument("--native", action="store_true", help="without the library, to compare with")
    parser.add_argument("--valgrind", action="store_true")
    parser.add_argument("--timeout", type=float, default=24 * 3600, metavar="SECONDS")
    parser.add_argument("--csv", type=Path, help="samples: FILE.MPI.csv")
    parser.add_argument("--plot", type=Path, help="the samples as SVG, by gnuplot")
    options = parser.parse_args()
    options.mpi = options.mpi or ["mpich", "openmpi"]
    return options


def job(options: argparse.Namespace, mpi: str, before: list[str], mark: str) -> tuple[int, str, str]:
    """Runs the program, with `mark` in its ranks' environment. Exit code of run_mpi.py, stdout, stderr."""
    program = [program_of(options, mpi), "soak", str(options.broadcasts), str(options.seed)]
    for name in ("threads", "spawn", "abort", "native"):
        program += [name, str(int(getattr(options, name)))]
    shim = next(options.build.rglob("libidle_shim.so"))
    command = [sys.executable, str(ROOT / "tests/mpi/run_mpi.py"), "--mpi", mpi, "--launcher", f"mpiexec.{mpi}",
               "--ranks", str(options.ranks), "--machines", MACHINES, "--timeout", str(options.timeout),
               "--preload", str(shim)]
    for setting in (*MULTICAST, mark):
        command += ["--env", setting]
    done = subprocess.run([*command, "--", *before, *program], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


class Sample(typing.NamedTuple):
    """Of the rank that has most of it, while no communicator of the soak's is left."""
    broadcasts: int
    rss_kB: int
    heap_kB: int
    descriptors: int
    communicators: int


def samples_of(text: str) -> list[Sample]:
    rows = [line.split(",") for line in text.splitlines()]
    whole = [row for row in rows if len(row) == len(Sample._fields) and all(cell.isdigit() for cell in row)]
    return [Sample(*map(int, row)) for row in whole]


def growth(options: argparse.Namespace, samples: list) -> list[str]:
    """What grew from a hundredth of the run on."""
    settled = [row for row in samples if row.broadcasts >= options.broadcasts / 100] or samples
    if len(settled) < 2:
        return []
    first, last, wrong = settled[0], settled[-1], []
    # At the end all communicators are freed, and with them the sockets that some had.
    spare = 0 if options.broadcasts >= LEAST_FOR_MEMORY else 8  # connections that the MPI has yet to make
    if last.descriptors > spare + max(row.descriptors for row in settled[: (len(settled) + 1) // 2]):
        wrong.append(f"descriptors grow from {first.descriptors} to {last.descriptors}")
    if options.broadcasts >= LEAST_FOR_MEMORY:
        # MPIs keep what they once needed: memory goes up in steps. What leaks grows in every stretch of the run.
        width = max(1, len(settled) * 3 // 10)
        stretches = zip(settled, settled[width:])
        slowest = min((b.heap_kB - a.heap_kB) * 1024 / (b.broadcasts - a.broadcasts) for a, b in stretches)
        if slowest > FLAT_bytes:
            wrong.append(f"memory in use grows from {first.heap_kB} to {last.heap_kB} kB, by {slowest:.1f} bytes a broadcast or more")
        if last.rss_kB - first.rss_kB > MOST_GROWN_kB:
            wrong.append(f"memory grows from {first.rss_kB} to {last.rss_kB} kB")
    return wrong


def of_ours(error: XML.Element) -> bool:
    """True if our code made the mistake, or asked for the memory: the innermost frame that is no allocator's and no
    standard library's is the program's own."""
    for frame in error.iterfind("stack/frame"):
        name, binary = frame.findtext("fn") or "", frame.findtext("obj") or ""
        if "vgpreload" in binary or "libstdc++" in binary or name.startswith(("std::", "operator", "__gnu_cxx", "malloc")):
            continue
        return Path(binary).name.startswith("with_library.") and name not in ("main", "soak::run")
    return False


def complaints(folder: Path) -> list[str]:
    """What valgrind has to say of our code."""
    found = []
    for file in sorted(folder.glob("valgrind.*.xml")):
        try:
            errors = XML.parse(file).getroot().findall("error")
        except XML.ParseError:
            continue  # of a shell that became another program
        for error in errors:
            if of_ours(error) and error.findtext("kind") != "Leak_StillReachable":
                stack = " < ".join(frame.findtext("fn") or "?" for frame in error.iterfind("stack/frame"))
                found.append(f"{error.findtext('kind')}: {stack[:600]}")
    return found


def program_of(options: argparse.Namespace, mpi: str) -> str:
    return str(options.build.resolve() / "tests/mpi" / f"with_library.{mpi}")


def left_behind(mark: str) -> list[str]:
    """Processes of the run that are still there: `mark` is in their environment, and in no other run's."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            settings = (entry / "environ").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if mark.encode() in settings:
            found.append(f"process {entry.name} is left")
    return found


def soak(options: argparse.Namespace, mpi: str) -> tuple[list, list[str]]:
    """The samples, and what is wrong."""
    with tempfile.TemporaryDirectory(prefix="bcastgen-soak-") as name:
        before = []
        if options.valgrind:
            before = ["valgrind", "--quiet", "--leak-check=full", "--num-callers=30", "--xml=yes",
                      f"--xml-file={name}/valgrind.%p.xml", "--child-silent-after-fork=yes"]
        mark = f"SOAK_RUN={name}"
        code, text, errors = job(options, mpi, before, mark)
        samples = samples_of(text)
        if options.abort:
            wrong = [] if code != 0 and "the launcher returned 3" in errors else [errors, "the job did not end by rank 1's call"]
            wrong += left_behind(mark)
        else:
            wrong = ([errors] if code != 0 else []) + growth(options, samples)
        if options.valgrind:
            if not list(Path(name).glob("valgrind.*.xml")):
                wrong.append("valgrind has written nothing")
            wrong += complaints(Path(name))
    if options.csv:
        rows = "".join(",".join(map(str, row)) + "\n" for row in samples)
        options.csv.with_suffix(f".{mpi}.csv").write_text(",".join(Sample._fields) + "\n" + rows)
    return samples, wrong


def plot(file: Path, samples: dict[str, list], ranks: int) -> None:
    blocks = [f"${mpi} << EOD\n" + "".join(
        f"{row.broadcasts} {row.rss_kB / 1024} {row.heap_kB / 1024} {row.descriptors}\n" for row in rows) + "EOD"
              for mpi, rows in samples.items()]
    names = {"mpich": "MPICH", "openmpi": "Open MPI"}
    lines = [f'${mpi} using 1:2 with lines lw 2 title "{names[mpi]}: memory"' for mpi in samples]
    lines += [f'${mpi} using 1:3 with lines lw 2 dt 3 title "{names[mpi]}: heap in use"' for mpi in samples]
    lines += [f'${mpi} using 1:4 axes x1y2 with lines lw 2 dt 2 title "{names[mpi]}: descriptors"' for mpi in samples]
    script = "\n".join([
        *blocks,
        "set terminal svg size 720,400 font 'sans,12' background '#ffffff'",
        f"set output '{file}'",
        "set logscale x", "set format x '10^{%L}'", "set xlabel 'broadcasts'",
        "set ylabel 'memory of the largest rank (MiB)'", "set yrange [0:*]",
        "set y2label 'its descriptors'", "set y2range [0:*]", "set y2tics", "set ytics nomirror", "set grid",
        "set key bottom right", f"set title '{ranks} ranks, mixed sizes, roots, algorithms and communicators'",
        "plot " + ", ".join(lines)])
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


def main() -> int:
    options = arguments()
    failed, all_samples = False, {}
    for mpi in options.mpi:
        samples, wrong = soak(options, mpi)
        all_samples[mpi] = samples
        failed = failed or bool(wrong)
        if samples and not wrong:
            last = samples[-1]
            print(f"{mpi}: {last.broadcasts} broadcasts, {last.communicators} communicators, every byte right; "
                  f"{last.rss_kB} kB ({last.heap_kB} kB of heap in use) and {last.descriptors} descriptors in the largest rank")
        for line in wrong:
            print(f"{mpi}: {line}", file=sys.stderr)
    if options.plot and not failed:
        plot(options.plot, all_samples, options.ranks)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
