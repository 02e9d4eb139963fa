"""Traces into what takes none or no more: the job ends as it would without, and one line says what happened.

Usage: traces.py RUN_MPI [OPTION…] -- PROGRAM [ARGUMENT…]
"""

import fcntl
import os
import stat
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

RANKS = 4
run_mpi = sys.argv[1:]


def job(trace: Path, *says: str) -> None:
    at = run_mpi.index("--")
    options = ["--env", f"BCASTGEN_TRACE={trace}"]
    for text in says:
        options += ["--says", text]
    if not says:
        options += ["--warnings", "0"]
    command = [sys.executable, *run_mpi[:at], "--ranks", str(RANKS), *options, *run_mpi[at:]]
    result = subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    if result.returncode != 0:
        sys.exit(f"{trace.parent.name}: see above")


def files(trace: Path) -> list[Path]:
    return [trace.with_suffix(f".{rank}") for rank in range(RANKS)]


@contextmanager
def case(name: str):
    with tempfile.TemporaryDirectory(prefix="bcastgen-test-") as folder:
        made = Path(folder) / name
        made.mkdir()
        yield made / "trace"


def nowhere() -> None:
    with case("no directory") as trace:
        job(trace.parent / "none" / "trace", "cannot write the trace ")


def full_disk() -> None:
    """/dev/full under another name, for one who may make such files."""
    with case("full disk") as trace:
        try:
            for file in files(trace):
                os.mknod(file, stat.S_IFCHR | 0o600, os.makedev(1, 7))
            with files(trace)[0].open("wb"):
                pass
        except PermissionError:
            print("skipped: only root can make devices")
            sys.exit(77)
        job(trace, "the trace ")


def pipe_without_reader() -> None:
    with case("pipe without reader") as trace:
        for file in files(trace):
            os.mkfifo(file)
        job(trace, "cannot write the trace ")


def readers(trace: Path, read, short: bool) -> list[threading.Thread]:
    """Opens a pipe for each rank, for reading, and starts read(descriptor) for each. A short pipe holds less than the
    whole trace."""
    started = []
    for file in files(trace):
        os.mkfifo(file)
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
        if short:
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, 4096)
        started.append(threading.Thread(target=read, args=(descriptor,)))
    for thread in started:
        thread.start()
    return started


def pipe_with_reader() -> None:
    texts: dict[int, bytes] = {}
    ended = threading.Event()

    def read_all(descriptor: int) -> None:
        texts[descriptor] = b""
        while True:
            over = ended.is_set()
            try:
                texts[descriptor] += os.read(descriptor, 65536)
            except BlockingIOError:
                pass
            if over:
                return os.close(descriptor)
            ended.wait(0.005)

    with case("pipe with reader") as trace:
        threads = readers(trace, read_all, short=False)
        job(trace)
        ended.set()
        for thread in threads:
            thread.join()
        lines = {text.count(b"\n") for text in texts.values()}
        if len(lines) != 1 or lines == {0} or not all(text.startswith(b"bytes=") for text in texts.values()):
            sys.exit(f"what was read from the pipes has {lines} lines")


def pipe_that_nobody_empties() -> None:
    held: list[int] = []

    with case("pipe that nobody empties") as trace:
        for thread in readers(trace, held.append, short=True):
            thread.join()
        job(trace, "the trace ")
        for descriptor in held:
            os.close(descriptor)


def pipe_whose_reader_leaves() -> None:
    def read_a_line(descriptor: int) -> None:
        os.set_blocking(descriptor, True)
        while not os.read(descriptor, 1):  # the end, as long as nobody has opened it for writing
            pass
        os.close(descriptor)

    with case("pipe whose reader leaves") as trace:
        threads = readers(trace, read_a_line, short=True)  # on a busy host it may leave late
        job(trace, "the trace ")
        for thread in threads:
            thread.join()


def link() -> None:
    """A link at the trace's place, such as somebody else may have put into /tmp, is not followed."""
    with case("link") as trace:
        precious = trace.parent / "precious"
        precious.write_text("precious", encoding="utf-8")
        for file in files(trace):
            file.symlink_to(precious)
        job(trace, "cannot write the trace ")
        if precious.read_text(encoding="utf-8") != "precious":
            sys.exit("the trace was written through a link")


def rights() -> None:
    """Whatever the umask, nobody else can write to a trace."""
    with case("rights") as trace:
        mask = os.umask(0)
        job(trace)
        os.umask(mask)
        for file in files(trace):
            if file.stat().st_mode & 0o022:
                sys.exit(f"others can write to {file.name}: {stat.filemode(file.stat().st_mode)}")


nowhere()
pipe_without_reader()
pipe_with_reader()
pipe_that_nobody_empties()
pipe_whose_reader_leaves()
link()
rights()
full_disk()
