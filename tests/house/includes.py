"""Fails unless every #include follows the project's dependency direction. Usage: includes.py ROOT

    cli -> {tuner, codegen, audit, formats} -> planner -> templates        (templates' headers without MPI, for all but MPI programs)
"""

import re
import sys
from pathlib import Path

from sources import sources

# A folder may include itself and these. The tests of a folder may include what the folder may.
MAY_INCLUDE = {
    "templates": set(),
    "planner": {"templates"},
    "codegen": {"planner", "templates"},
    "audit": {"codegen", "planner", "templates"},
    "formats": {"planner", "templates"},
    "tuner": {"planner", "templates"},
    "cli": {"tuner", "audit", "codegen", "formats", "planner", "templates"},
    "bench": {"tuner", "codegen", "planner", "templates"},
    "examples": set(),
}
# Tests named for what they test, not for the folder it is in.
TESTS_OF = {"clusters": "tuner"}
# Where MPI may be used, directly or through a header.
MPI_PLACES = re.compile(r"templates/|tuner/measure|tests/(mpi|templates)/|examples/|bench/(broadcast_times|native_price|same_machine)")
MPI_HEADERS = {"mpi.h", "mpi-ext.h"}
# Written beside the templates when a library is emitted.
EMITTED = {"site_plan.hpp", "site_tuning.hpp"}
# The planner is a pure library: it neither prints nor touches files.
IMPURE = {"iostream", "fstream", "cstdio", "filesystem", "fmt/ostream.h", "fmt/os.h"}
STANDARD = set(
    """algorithm any array atomic bitset charconv chrono climits cmath condition_variable cstdarg cstddef cstdint cstdio
    cstdlib cstring deque exception functional initializer_list iterator limits list map memory mutex new numeric
    optional ostream queue random set shared_mutex sstream stdexcept string string_view system_error thread tuple
    type_traits typeinfo unordered_map unordered_set utility variant vector cerrno cctype cassert iosfwd""".split()
)
# glibc's: the emitted library finds MPI's symbols at run time, and has sockets for multicast.
SYSTEM = set("dlfcn.h link.h unistd.h arpa/inet.h net/if.h netinet/in.h poll.h sched.h infiniband/verbs.h rdma/rdma_cma.h".split())
SYSTEM |= {f"sys/{name}.h" for name in ("ioctl", "random", "socket")}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def includes_of(path: Path) -> list[tuple[int, str, bool]]:
    """(line, name, angled) of every include in the file."""
    text = path.read_text(encoding="utf-8")
    return [(text.count("\n", 0, at.start(1)) + 1, at[2], at[1] == "<") for at in INCLUDE.finditer(text)]


def resolve(root: Path, file: Path, name: str, angled: bool) -> list[Path]:
    """The project files that the include may mean: the neighbour if there is one, else one per folder that has it."""
    near = (file.parent / name).resolve()
    if not angled and near.is_file():
        return [near]
    places = (root / folder / name for folder in [*MAY_INCLUDE, "tests"])
    return [place.resolve() for place in places if place.is_file()]


def layer_of(root: Path, file: Path) -> tuple[str, bool]:
    """(folder whose rules hold, whether it is a test)."""
    parts = file.relative_to(root).parts
    if parts[0] != "tests":
        return parts[0], False
    return (TESTS_OF.get(parts[1], parts[1]) if len(parts) > 2 else ""), True


def check_include(root: Path, file: Path, name: str, angled: bool) -> str:
    """What is wrong with one include of the file; empty if nothing."""
    layer, is_test = layer_of(root, file)
    targets = resolve(root, file, name, angled)
    if len(targets) > 1:
        return "means " + " or ".join(str(target.relative_to(root)) for target in targets)
    if not targets:
        if name in MPI_HEADERS and not MPI_PLACES.match(file.relative_to(root).as_posix()):
            return "MPI is for templates/, the tuner's measuring program and MPI tests only"
        if not angled and name not in EMITTED:
            return "is no file of the project; libraries' headers stand in <>"
        if layer in ("planner", "formats") and not is_test and name in IMPURE:
            return "the planner neither prints nor touches files"
        if layer == "templates" and not is_test and name not in STANDARD | SYSTEM | MPI_HEADERS | EMITTED:
            return "templates/ stands on MPI, the C++17 standard library and a little glibc alone"
        return ""
    target_layer, target_is_test = layer_of(root, targets[0])
    if target_is_test:
        return "" if is_test or layer == "bench" else "only tests and benchmarks include tests"
    allowed = MAY_INCLUDE.get(layer, {"templates"}) | {layer}  # tests/mpi and such have no folder to mirror
    return "" if target_layer in allowed else f"{layer}/ must not depend on {target_layer}/"


def mpi_chain(root: Path, file: Path, seen: set[Path]) -> list[str]:
    """The includes that lead from the file to MPI through headers of the project; empty if none do."""
    seen.add(file)
    for _, name, angled in includes_of(file):
        targets = resolve(root, file, name, angled)
        if not targets and name in MPI_HEADERS:
            return [name]
        for target in targets:
            chain = mpi_chain(root, target, seen) if target not in seen else []
            if chain:
                return [target.relative_to(root).as_posix(), *chain]
    return []


def include_errors(root: Path) -> list[str]:
    """Every breach of the rules as "file:line: include: what is wrong"."""
    root = root.resolve()
    errors = []
    files = [path.resolve() for path in sources(root)]
    if not files:
        return [f"{root} has no sources: is it the project's root?"]
    for file in files:
        where = file.relative_to(root).as_posix()
        for line, name, angled in includes_of(file):
            wrong = check_include(root, file, name, angled)
            if wrong:
                errors.append(f"{where}:{line}: {name}: {wrong}")
        chain = [] if MPI_PLACES.match(where) else mpi_chain(root, file, set())
        if len(chain) > 1:
            errors.append(f"{where}: reaches MPI through {' -> '.join(chain)}")
    return errors


if __name__ == "__main__":
    found = include_errors(Path(sys.argv[1]))
    if found:
        sys.exit("\n".join(found))
