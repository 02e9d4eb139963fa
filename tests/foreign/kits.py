"""Others' test kits: how each is had and built, and how its tests' results are read."""

import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORK = ROOT / "build/foreign"
Result = str


@dataclass(frozen=True)
class Test:
    name: str
    ranks: int
    command: list[str]
    result: Callable[[subprocess.CompletedProcess, Path], Result]
    environment: list[str] = field(default_factory=list)
    inputs: dict[str, Path | str] = field(default_factory=dict)  # copied, or written, into a fresh folder
    broadcasts: bool = True  # else nothing in it calls MPI_Bcast

    def put_inputs(self, folder: Path) -> None:
        for name, source in self.inputs.items():
            if isinstance(source, Path):
                shutil.copy(source, folder / name)
            else:
                (folder / name).write_text(source, encoding="ascii")


def must_run(words: list[str], folder: Path, log: Path) -> None:
    with log.open("a", encoding="utf-8") as output:
        if subprocess.run(words, cwd=folder, stdout=output, stderr=output, check=False).returncode != 0:
            sys.exit(f"foreign: {shlex.join(words)} failed; see {log}")


def install(*packages: str) -> None:
    missing = [package for package in packages
               if subprocess.run(["dpkg", "-s", package], capture_output=True, check=False).returncode != 0]
    if missing:
        must_run(["apt-get", "install", "--yes", "--no-install-recommends", *missing], ROOT, WORK / "install.log")


def ended(done: subprocess.CompletedProcess) -> str:
    """How a run ended, in a word. run_mpi.py says on stderr what it found wrong."""
    if "not done after" in done.stderr:
        return "hangs"
    return "ends well" if done.returncode == 0 else "fails"


def hangs(result: Result) -> bool:
    return result.startswith("hangs")


def is_good(result: Result) -> bool:
    return result.startswith("ends well") and not re.search(r"\b[1-9]\d* failed", result)


def calls_broadcast(program: Path) -> bool:
    listed = subprocess.run(["nm", "--undefined-only", str(program)], capture_output=True, text=True, check=True)
    return re.search(r"\bMPI_Bcast(_c)?\b", listed.stdout) is not None


def debian_source(package: str) -> Path:
    """The folder of a Debian source package, fetched once from where this host has its packages from."""
    folder = WORK / "sources" / package
    if (folder / "unpacked").exists():
        return folder / "unpacked"
    apt = folder / "apt"
    for name in ("parts", "lists/partial", "cache/archives/partial"):
        (apt / name).mkdir(parents=True, exist_ok=True)
    for file in [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*")]:
        if file.suffix in (".sources", ".list") and file.is_file():
            text = file.read_text(encoding="utf-8")
            text = re.sub(r"^Types:.*$", "Types: deb-src", text, flags=re.MULTILINE)
            text = re.sub(r"^deb\s", "deb-src ", text, flags=re.MULTILINE)
            (apt / "parts" / file.name).write_text(text, encoding="utf-8")
    options = ["-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={apt / 'parts'}",
               "-o", f"Dir::State::lists={apt / 'lists'}", "-o", f"Dir::Cache={apt / 'cache'}"]
    # Sources that are not Debian's may have none; what is missing shows in the next step.
    subprocess.run(["apt-get", *options, "update"], capture_output=True, check=False)
    must_run(["apt-get", *options, "source", "--download-only", package], folder, folder / "fetch.log")
    archive = next(folder.glob("*.orig.tar.*"))
    (folder / "unpacking").mkdir(exist_ok=True)
    must_run(["tar", "-x", "-f", str(archive), "-C", "unpacking", "--strip-components=1"], folder, folder / "fetch.log")
    (folder / "unpacking").rename(folder / "unpacked")
    return folder / "unpacked"


MPICH_FOLDERS = ("coll", "comm", "errors/coll", "errors/comm", "threads/coll", "threads/comm")


def mpich_result(done: subprocess.CompletedProcess, _: Path) -> Result:
    """Tests say " No Errors"; those that are to end with an error, or print what they like, do not."""
    return ended(done) + (", no errors" if " No Errors" in done.stdout else "")


def mpich(mpi: str) -> list[Test]:
    source = debian_source("mpich") / "test/mpi"
    folder = WORK / f"mpich-{mpi}"
    log = WORK / f"mpich-{mpi}.log"
    if not (folder / "configured").exists():
        folder.mkdir(parents=True, exist_ok=True)
        # Its tests of derived types call what MPI 3 has removed. Open MPI's library has it, its header only if asked.
        strict = [] if mpi == "mpich" else ["--enable-strictmpi", "CPPFLAGS=-DOMPI_OMIT_MPI1_COMPAT_DECLS=0"]
        must_run([str(source / "configure"), f"CC=mpicc.{mpi}", "--disable-cxx", "--disable-fortran",
                  "--disable-dependency-tracking", *strict], folder, log)
        for needed in ("util", "dtpools/src"):
            must_run(["make", "-s", "-C", needed], folder, log)
        (folder / "configured").touch()
    tests, without_program = [], []
    for where in MPICH_FOLDERS:
        listed = next(file for file in (folder / where / "testlist", source / where / "testlist") if file.exists())
        lines = [line.split() for line in listed.read_text(encoding="utf-8").splitlines()]
        entries = [words for words in lines if len(words) > 1 and words[0][0] not in "#!"]
        programs = sorted({words[0] for words in entries})
        with log.open("a", encoding="utf-8") as output:  # what this MPI cannot compile is left out
            subprocess.run(["make", "-s", "-k", "-j2", "-C", where, *programs], cwd=folder, stdout=output, stderr=output, check=False)
        for number, words in enumerate(entries):
            program = folder / where / words[0]
            if not program.exists() or any(word.startswith("mpiexecarg=") for word in words):
                without_program.append(f"{where}/{words[0]}")
                continue
            arguments = [word.split("=", 1)[1] for word in words[2:] if word.startswith("arg=")]
            variables = [word.split("=", 1)[1] for word in words[2:] if word.startswith("env=")]
            tests.append(Test(f"{where}/{words[0]} {words[1]} {' '.join(arguments + variables)}".strip() + f" #{number}",
                              int(words[1]), [str(program), *arguments], mpich_result, variables,
                              broadcasts=calls_broadcast(program)))
    if without_program:
        print(f"mpich under {mpi}: not compiled, or with options of MPICH's launcher: {' '.join(sorted(set(without_program)))}")
    return tests


def scalapack_result(done: subprocess.CompletedProcess, _: Path) -> Result:
    counts = re.findall(r"(\d+) tests (?:completed and )?(passed|failed|skipped|completed)", done.stdout)
    return ended(done) + ", " + ", ".join(f"{number} {what}" for number, what in counts)


def scalapack(mpi: str) -> list[Test]:
    install("scalapack-mpi-test")
    testers = Path("/usr/lib") / sysconfig.get_config_var("MULTIARCH") / "scalapack" / f"{mpi}-tests"
    inputs = {file.name: file for file in Path("/usr/share/scalapack").glob("*.dat")}
    return [Test(tester.name, 4, [str(tester)], scalapack_result, inputs=inputs) for tester in sorted(testers.glob("xd*"))]


def hpcc_result(done: subprocess.CompletedProcess, folder: Path) -> Result:
    output = folder / "hpccoutf.txt"
    text = output.read_text(encoding="utf-8") if output.exists() else ""
    verdicts = re.findall(r"^(?:Success|.*_errors|.*error|PTRANS_residual|MPIRandomAccess_Errors\w*)=\S*[1-9]\S*$", text, re.MULTILINE)
    return f"{ended(done)}, {text.count('PASSED')} passed, {text.count('FAILED')} failed, {'success' if 'Success=1' in verdicts else 'no success'}"


def hpcc(mpi: str) -> list[Test]:
    if mpi != "openmpi":
        print("hpcc: Debian's is for Open MPI only")
        return []
    install("hpcc")
    example = next(Path("/usr/share/doc/hpcc").rglob("_hpccinf.txt*"), None)
    if example is None:
        sys.exit("foreign: the package hpcc has no example of hpccinf.txt")
    text = example.read_text(encoding="ascii")
    changed = re.sub(r"^\S+( +Ns)$", r"256\1", text, count=1, flags=re.MULTILINE)
    return [Test("hpcc", 4, ["/usr/bin/hpcc"], hpcc_result, inputs={"hpccinf.txt": changed})]


KITS: dict[str, Callable[[str], list[Test]]] = {"mpich": mpich, "scalapack": scalapack, "hpcc": hpcc}
