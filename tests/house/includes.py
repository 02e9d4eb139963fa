"""Fails unless every #include follows who may include whom. Usage: includes.py ROOT

The table ROOMS is the only place that says so. Also an error: files that include each other in a circle, a folder with
sources that is not a room, a room with too many files side by side, and a header that nothing reaches or only tests reach.
"""

import re
import sys
from pathlib import Path

from sources import sources

# Each room and the rooms that it may include besides itself. Folders below a room belong to it.
ROOMS: dict[str, set[str]] = {}


def room(name: str, *may_include: str) -> None:
    """`may_include` brings along what those rooms may include."""
    ROOMS[name] = set(may_include).union(*(ROOMS[other] for other in may_include))


# The emitted library. trees and facts stand without MPI, so that the planner builds with them too.
room("templates/bcast/trees")
room("templates/bcast/facts", "templates/bcast/trees")
room("templates/bcast/roles", "templates/bcast/facts")
room("templates/bcast/mpi", "templates/bcast/roles")
room("templates/bcast/pipeline", "templates/bcast/mpi")
room("templates/bcast/hand_on", "templates/bcast/pipeline")
room("templates/bcast/arrival", "templates/bcast/pipeline")
room("templates/bcast/multicast", "templates/bcast/pipeline")
room("templates/bcast/library", "templates/bcast/hand_on", "templates/bcast/arrival", "templates/bcast/multicast")
room("templates", "templates/bcast/library")  # the text around it that is filled in for a site

room("base")
room("planner/mpis")  # what MPIs broadcast by themselves: rows alone, which travel with the program that measures
room("planner/network", "base", "templates/bcast/facts")
room("planner/topology", "planner/network")
room("planner/formats", "planner/topology")
room("planner/trees", "planner/network")
room("planner/plan", "planner/trees")
room("planner/grid", "planner/plan")
room("planner/price", "planner/plan", "templates/bcast/roles")  # the windows that engines send by
room("planner/decision", "planner/price", "planner/mpis")
room("planner/exports", "planner/decision")  # decision tables as other MPIs' own rules
room("planner/picture", "planner/plan")
room("planner/print", "planner/decision", "planner/grid", "planner/picture")

room("codegen/emit", "planner/formats", "planner/print")
room("codegen/audit", "codegen/emit")
room("codegen/build", "codegen/emit")

room("bench/programs/opponents", "templates/bcast/trees")  # other people's broadcasts; they travel with what measures them
room("tuner/program", "templates/bcast/library", "bench/programs/opponents", "planner/mpis")  # the MPI program that measures; its plan.hpp is the tool's side too
room("tuner/simulation")  # preloaded into simulations, and compiled where they run
room("tuner/clusters", "planner/formats", "planner/decision")
room("tuner/wiring", "planner/formats", "planner/print")  # measurements in, network out: no cluster, no file
room("tuner/lateness", "tuner/wiring")  # likewise, from traces
room("tuner/measure", "tuner/clusters", "tuner/lateness")
ROOMS["tuner/measure"] |= {"tuner/program", "bench/programs/opponents"}
room("tuner/store", "tuner/measure")
room("tuner/bench", "tuner/measure")
room("tuner/search", "tuner/store")
room("tuner/report", "tuner/store", "planner/print")

room("cli", "planner/exports", "codegen/audit", "codegen/build", "tuner/bench", "tuner/search", "tuner/report")
room("bench", "cli", "templates/bcast/library")
room("tests", "bench", "tuner/simulation")
room("examples")  # programs of users: they know nothing of the project
room("examples/stage")  # likewise: compiled by itself where it is used

# Where MPI may be used, directly or through a header of the project.
MPI_PLACES = re.compile(
    r"templates/(bcast/(mpi|pipeline|hand_on/(?!ring|domains)|arrival|multicast|library)|mpi_bcast)|tuner/program/(?!plan\.|random\.|content\.)|tuner/simulation/"
    r"|examples/|tests/(stage|mpi|soak|faults|templates/multicast|simulator)/|bench/programs/"
)
MPI_HEADERS = {"mpi.h", "mpi-ext.h"}
# Written beside the templates when a library is emitted.
EMITTED = {"site_plan.hpp", "site_tuning.hpp"}
# The planner is a pure library: it neither prints nor touches files.
IMPURE = {"iostream", "fstream", "cstdio", "filesystem", "fmt/ostream.h", "fmt/os.h"}
STANDARD = set(
    """algorithm any array atomic bitset charconv chrono climits cmath condition_variable cstdarg cstddef cstdint cstdio
    cstdlib cstring deque exception functional initializer_list iterator limits list map memory mutex new numeric
    optional ostream queue random set shared_mutex sstream stdexcept string string_view system_error thread tuple
    type_traits typeinfo unordered_map unordered_set utility variant vector cerrno cctype cassert ctime iosfwd""".split()
)
# glibc's: the emitted library finds MPI's symbols at run time, and has sockets for multicast.
SYSTEM = set("dlfcn.h fcntl.h link.h pthread.h signal.h unistd.h arpa/inet.h net/if.h netinet/in.h poll.h sched.h infiniband/verbs.h rdma/rdma_cma.h".split())
SYSTEM |= {f"sys/{name}.h" for name in ("ioctl", "random", "socket", "stat", "statvfs", "un")}
MOST_SIDE_BY_SIDE = 30  # files in one folder: some 25 are a room, more are a hall
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def includes_of(path: Path) -> list[tuple[int, str, bool]]:
    """(line, name, angled) of every include in the file."""
    text = path.read_text(encoding="utf-8")
    return [(text.count("\n", 0, at.start(1)) + 1, at[2], at[1] == "<") for at in INCLUDE.finditer(text)]


def target_of(root: Path, file: Path, name: str) -> Path | None:
    """The project's file that an include means: named from the project's folder, in the emitted library from
    templates/, among tests and examples also from their own folder."""
    places = [root / name, root / "templates" / name]
    if file.relative_to(root).parts[0] in ("tests", "examples"):
        places.append(file.parent / name)
    return next((place.resolve() for place in places if place.is_file()), None)


def room_of(root: Path, file: Path) -> str:
    """The room that a file is in; "" for none."""
    folder = file.relative_to(root).parent.as_posix()
    return max((room for room in ROOMS if folder == room or folder.startswith(room + "/")), key=len, default="")


def check_include(root: Path, file: Path, name: str, angled: bool) -> str:
    """What is wrong with one include of the file; empty if nothing."""
    own = room_of(root, file)
    where = file.relative_to(root).as_posix()
    target = None if angled and name in STANDARD else target_of(root, file, name)
    if target is None:
        if name in MPI_HEADERS and not MPI_PLACES.match(where):
            return "MPI is for templates/, the tuner's measuring program and MPI tests only"
        if not angled and name not in EMITTED:
            return "is not a file of the project; libraries' headers stand in <>"
        if own.startswith("planner/") and name in IMPURE:
            return "the planner neither prints nor touches files"
        if own.startswith("templates") and name not in STANDARD | SYSTEM | MPI_HEADERS | EMITTED:
            return "templates/ stands on MPI, the C++17 standard library and a little glibc alone"
        return ""
    theirs = room_of(root, target)
    if theirs == "tests" and own == "bench":
        return ""  # benchmarks use the tests' random networks
    return "" if theirs == own or theirs in ROOMS[own] else f"{own}/ must not depend on {theirs}/"


def mpi_chain(root: Path, file: Path, seen: set[Path]) -> list[str]:
    """The includes that lead from the file to MPI through headers of the project; empty if none do."""
    seen.add(file)
    for _, name, _ in includes_of(file):
        target = target_of(root, file, name)
        if target is None and name in MPI_HEADERS:
            return [name]
        chain = mpi_chain(root, target, seen) if target is not None and target not in seen else []
        if chain:
            return [target.relative_to(root).as_posix(), *chain]
    return []


def circles(graph: dict[str, list[str]]) -> list[str]:
    """Every circle that a depth-first walk meets, as "a -> b -> a"."""
    found, done = [], set()

    def walk(file: str, path: list[str]) -> None:
        if file in path:
            found.append(" -> ".join([*path[path.index(file) :], file]))
        elif file not in done:
            for other in graph[file]:
                walk(other, [*path, file])
            done.add(file)

    for file in graph:
        walk(file, [])
    return found


def unreached(graph: dict[str, list[str]], starts: list[str]) -> set[str]:
    """Headers outside tests/ that no start reaches."""
    reached, waiting = set(), list(starts)
    while waiting:
        file = waiting.pop()
        if file not in reached:
            reached.add(file)
            waiting.extend(graph[file])
    return {file for file in graph if file.endswith((".hpp", ".h")) and not file.startswith("tests/")} - reached


def emitted_starts(root: Path) -> list[str]:
    """What the text around the emitted library includes."""
    found = []
    for template in sorted((root / "templates").glob("*.mustache")):
        for _, name, _ in includes_of(template):
            if (root / "templates" / name).is_file():
                found.append(f"templates/{name}")
    return found


def layout_errors(root: Path, files: list[Path]) -> list[str]:
    """Folders that are no room, and rooms that are too full."""
    errors = []
    side_by_side: dict[str, int] = {}
    for file in files:
        folder = file.relative_to(root).parent.as_posix()
        if not room_of(root, file):
            errors.append(f"{file.relative_to(root).as_posix()}: {folder}/ is not a room (tests/house/includes.py names them)")
        side_by_side[folder] = side_by_side.get(folder, 0) + 1
    for folder, count in sorted(side_by_side.items()):
        if count > MOST_SIDE_BY_SIDE:
            errors.append(f"{folder}/: {count} files side by side; more than {MOST_SIDE_BY_SIDE} are two rooms")
    return errors


def include_errors(root: Path) -> list[str]:
    """Every breach of the rules as "file:line: include: what is wrong"."""
    root = root.resolve()
    files = [path.resolve() for path in sources(root)]
    if not files:
        return [f"{root} has no sources: is it the project's root?"]
    errors = layout_errors(root, files)
    if errors:
        return errors
    graph: dict[str, list[str]] = {}
    for file in files:
        where = file.relative_to(root).as_posix()
        graph[where] = []
        for line, name, angled in includes_of(file):
            wrong = check_include(root, file, name, angled)
            if wrong:
                errors.append(f"{where}:{line}: {name}: {wrong}")
            target = target_of(root, file, name)
            if target is not None and not (angled and name in STANDARD):
                graph[where].append(target.relative_to(root).as_posix())
        chain = [] if MPI_PLACES.match(where) else mpi_chain(root, file, set())
        if len(chain) > 1:
            errors.append(f"{where}: reaches MPI through {' -> '.join(chain)}")
    errors += [f"includes go in a circle: {circle}" for circle in circles(graph)]
    starts = [file for file in graph if file.endswith((".cpp", ".c"))]
    ours = [file for file in starts if not file.startswith("tests/")] + emitted_starts(root)
    nobody = unreached(graph, ours + starts)
    errors += [f"{file}: nothing includes it" for file in sorted(nobody)]
    errors += [f"{file}: only tests include it" for file in sorted(unreached(graph, ours) - nobody)]
    return errors


if __name__ == "__main__":
    found = include_errors(Path(sys.argv[1]))
    if found:
        sys.exit("\n".join(found))
