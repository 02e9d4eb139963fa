"""bcastgen-stage on machines of a lab, each with a file system of its own: what arrives, and what does not.

Usage: stage_test.py TOOL MPI TOPOLOGY LIBRARY PROGRAM IMPATIENT FALSIFIER; root only. It starts the lab and, in it, itself
again (with --inside); IMPATIENT is the program with little patience, FALSIFIER a library that changes what is broadcast.
"""

import contextlib
import hashlib
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

MACHINES = ["n0", "n1", "n2"]
SHELL = "set -e; "
LOCAL = Path("/dev/shm/local")  # each machine of a lab has its own
MOST_WAIT_S = 120
CHUNK = 65536
LONG = 600  # chunks; longer than it takes to find a rank, however busy the host is


def fingerprint(top: Path) -> str:
    """Everything that is kept of a tree, so that two are the same when it is."""
    lines, seen = [], {}
    for path in sorted([top, *top.rglob("*")]) if top.is_dir() else [top]:
        found = path.lstat()
        name = str(path.relative_to(top.parent))
        linked = seen.setdefault((found.st_dev, found.st_ino), name)
        kept = [name, linked, oct(found.st_mode), found.st_uid, found.st_gid, found.st_mtime_ns]
        if stat.S_ISLNK(found.st_mode):
            kept.append(os.readlink(path))
        elif stat.S_ISREG(found.st_mode):
            sparse = found.st_blocks * 512 < found.st_size / 2
            kept += [found.st_size, sparse, hashlib.sha256(path.read_bytes()).hexdigest()]
        lines.append(repr(kept))
    return "\n".join(lines)


class Staging(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory(prefix="bcastgen-test-")
        self.addCleanup(work.cleanup)
        self.work = Path(work.name)
        self.everywhere(f"rm -rf {LOCAL}; mkdir {LOCAL}")

    def on(self, machine: str, script: str, code: int = 0) -> str:
        result = subprocess.run(["ssh", machine, script], capture_output=True, text=True, check=False, timeout=MOST_WAIT_S)
        self.assertEqual(result.returncode, code, f"{machine}: {script}\n{result.stderr}")
        return result.stdout

    def everywhere(self, script: str) -> list[str]:
        return [self.on(machine, script) for machine in MACHINES]

    def start(self, *words, program="", preload="") -> subprocess.Popen:
        hosts = ",".join(f"{machine}:1" for machine in MACHINES)
        launch = {"mpich": ["mpiexec.mpich", "-genv", "LD_PRELOAD", preload, "-hosts", hosts],
                  "openmpi": ["mpiexec.openmpi", "-x", f"LD_PRELOAD={preload}", "--host", hosts]}[MPI]
        return subprocess.Popen([*launch, "-n", "3", program or PROGRAM, *map(str, words)], text=True, cwd=self.work,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def finish(self, job: subprocess.Popen, code: int | None = 0) -> str:
        """What it says on stderr, without the launcher's words."""
        self.output, errors = job.communicate(timeout=MOST_WAIT_S)
        if code is None:
            self.assertNotEqual(job.returncode, 0, errors)
        else:
            self.assertEqual(job.returncode, code, errors)
        self.all_errors = errors
        return "".join(line + "\n" for line in errors.splitlines() if line.startswith("bcastgen-stage: "))

    def stage(self, *words, code=0, **options) -> str:
        return self.finish(self.start(*words, **options), code)

    def file(self, name="image", count=10 * CHUNK + 77) -> Path:
        path = self.work / name
        path.write_bytes(os.urandom(count))
        return path

    def check_arrived(self, source: Path):
        expected = fingerprint(source)
        for found in self.everywhere(f"{sys.executable} {__file__} --fingerprint {LOCAL / source.name}"):
            self.assertEqual(found.rstrip("\n"), expected)
        self.assertEqual(self.everywhere(f"ls -A {LOCAL}"), [source.name + "\n"] * 3)

    def check_nothing(self, name: str):
        for names in self.everywhere(f"ls -A {LOCAL} 2>/dev/null || true"):
            self.assertNotIn(name, names.split())

    def refused(self, *words, why: str, code=1, **options):
        """One line, which says this."""
        self.assertEqual(self.stage(*words, "--chunk", "64K", code=code, **options), f"bcastgen-stage: {why}\n", self.all_errors)

    def in_the_middle(self, chunks, **options) -> subprocess.Popen:
        """A staging at a slow network's pace of which every machine has three chunks or more."""
        job = self.start(self.file(count=chunks * CHUNK), LOCAL, "--chunk", "64K", "--quiet", **options)
        deadline = time.monotonic() + MOST_WAIT_S
        sizes = f"stat -c %s {LOCAL}/.image.bcastgen-journal 2>/dev/null || echo 0"
        while min(int(size) for size in self.everywhere(sizes)) < 32 + 3 * 8:
            self.assertIsNone(job.poll(), "it ended too soon")
            self.assertLess(time.monotonic(), deadline)
        return job

    def signal_rank(self, machine: str, what: signal.Signals):
        """To the rank on that machine: the process that has its journal open."""
        pids = self.on(machine, f"for p in /proc/[0-9]*; do ls -l $p/fd $p/ns/net 2>/dev/null | grep -q {LOCAL}/.image.bcastgen-journal "
                       "&& [ $(readlink $p/ns/net) = $(readlink /proc/self/ns/net) ] && echo ${p#/proc/}; done; true").split()
        self.assertEqual(len(pids), 1)
        os.kill(int(pids[0]), what)

    # What arrives.

    def tree(self) -> Path:
        top = self.work / "data set"
        (top / "deep/er").mkdir(parents=True)
        for number in range(40):
            (top / f"deep/small.{number}").write_bytes(os.urandom(number * 997))
        with (top / "sparse").open("wb") as file:
            file.seek(3_000_001)
            file.write(b"in the middle")
            file.truncate(9_000_000)
        with (top / "hollow").open("wb") as file:
            file.truncate(1_000_000)
        (top / "deep/a\nline").write_bytes(b"")
        (top / "link").symlink_to("deep/nowhere")
        os.link(top / "deep/small.7", top / "deep/er/again")
        os.mkfifo(top / "fifo")
        for name, mode in (("deep/small.1", 0o4755), ("deep/small.2", 0o400), ("deep/er", 0o2751), ("deep", 0o500)):
            os.chown(top / name, 1234, 2345)
            (top / name).chmod(mode)
        for path in sorted(top.rglob("*"), reverse=True):
            os.utime(path, ns=(0, 1_500_000_000_123_456_789), follow_symlinks=False)
        return top

    def test_tree(self):
        top = self.tree()
        for _ in range(2):  # the second takes the place of the first
            self.stage(top, f"{LOCAL}/", "--chunk", "64K", preload=LIBRARY)
            self.check_arrived(top)
        self.assertRegex(self.output, r"^data set: \d+ kB to 3 machines in [\d.]+ s, .*/s\n$")

    def test_file(self):
        self.stage(self.file(), LOCAL, preload=LIBRARY)
        self.check_arrived(self.work / "image")
        self.file("image", 0)
        self.stage("image", LOCAL, "--quiet")
        self.check_arrived(self.work / "image")
        self.assertEqual(self.output, "")

    # What does not.

    def test_words(self):
        self.refused(why="name a source and a directory; see --help", code=2)
        self.refused("a", "b", "--chunk=4", why="--chunk 4: a size from 64K to 1G, as 4M", code=2)
        self.refused("a", "b", "--fast", why="--fast: no such option, or its value is missing; see --help", code=2)
        self.refused("none", LOCAL, why="n0: none: No such file or directory", code=2)
        self.stage("--help")
        self.assertIn("Examples:", self.output)

    def test_no_directory(self):
        self.on("n2", f"rmdir {LOCAL}")
        self.refused(self.file(), LOCAL, why=f"n2: {LOCAL}: No such file or directory")
        self.check_nothing("image")

    def test_no_room(self):
        self.on("n1", f"mount -t tmpfs -o size=256k,nr_inodes=20 tmpfs {LOCAL}")
        try:
            self.assertRegex(self.stage(self.file(), LOCAL, code=1),
                             rf"^bcastgen-stage: n1: {LOCAL}: 2\d\d kB are free, 655 kB are needed\n$")
            self.check_nothing("image")
            files = self.work / "files"
            files.mkdir()
            for number in range(30):
                (files / str(number + 10)).write_bytes(b"x" * 7000)
            said = self.stage(files, LOCAL, "--chunk", "64K", code=1)  # for all its bytes there is room
            self.assertRegex(said, rf"^bcastgen-stage: n1: {LOCAL}/\.files\.bcastgen-part/\d+: No space left on device\n$")
            self.check_nothing("files")
        finally:
            self.on("n1", f"umount {LOCAL}")

    def test_source_changes(self):
        job = self.in_the_middle(LONG)
        os.truncate(self.work / "image", 100)
        self.assertEqual(self.finish(job, 1),
                         f"bcastgen-stage: n0: {self.work}/image: became shorter while it was read\n")
        self.check_nothing("image")

    def test_wrong_bytes(self):
        part = f"{LOCAL}/.image.bcastgen-part"
        self.refused(self.file(), LOCAL, preload=FALSIFIER, why=f"n1: {part}: has other bytes than the source (chunk 0)")
        self.check_nothing("image")

    def test_cut(self):
        self.cut_with(lambda: None, r"^bcastgen-stage: image: going on after \d+ kB\n")

    def test_cut_and_damaged(self):
        """A machine whose first chunk is not what its journal says makes all begin anew."""
        damage = f"printf damaged. | dd of={LOCAL}/.image.bcastgen-part conv=notrunc bs=8 seek=99 status=none"
        self.cut_with(lambda: self.on("n2", damage), "^(?!.*going on)")

    def cut_with(self, meanwhile, says):
        job = self.in_the_middle(LONG // 5)
        os.killpg(job.pid, signal.SIGINT)
        job.communicate(timeout=MOST_WAIT_S)  # MPICH's mpiexec returns 0 then, now and then
        self.check_nothing("image")
        meanwhile()
        self.assertRegex(self.stage("image", LOCAL, "--chunk", "64K"), says)
        self.check_arrived(self.work / "image")

    def test_killed_rank(self):
        job = self.in_the_middle(LONG)
        self.signal_rank("n1", signal.SIGKILL)
        self.finish(job, None)
        if MPI == "openmpi":  # MPICH 4.0's launcher does not always say which
            self.assertIn("n1", self.all_errors)
        self.check_nothing("image")

    def test_silent_machine(self):
        job = self.in_the_middle(LONG, program=IMPATIENT)
        self.signal_rank("n1", signal.SIGSTOP)
        try:
            said = self.finish(job, None)
        finally:
            with contextlib.suppress(AssertionError):
                self.signal_rank("n1", signal.SIGKILL)
        self.assertRegex(said, rf"^bcastgen-stage: {self.work}/image: nothing has moved for 4 s, after \d+ of {LONG} chunks; no answer from n1\n$", self.all_errors)
        self.check_nothing("image")


def main() -> int:
    if os.geteuid() != 0:
        print("skipped: labs need root")
        return 77
    tool, topology = sys.argv[1], sys.argv[3]
    inside = [sys.executable, "-B", __file__, "--inside", *sys.argv[2:]]
    return subprocess.run([tool, "lab", topology, "--rate", "8Mbit/s", "--", *inside], check=False).returncode


if __name__ == "__main__":
    if sys.argv[1] == "--fingerprint":
        print(fingerprint(Path(" ".join(sys.argv[2:]))))
    elif sys.argv[1] == "--inside":
        MPI, _, LIBRARY, PROGRAM, IMPATIENT, FALSIFIER = sys.argv[2:8]
        unittest.main(argv=[sys.argv[0], *sys.argv[8:]])
    else:
        sys.exit(main())
