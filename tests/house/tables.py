"""Fails if a source tells algorithms or clusters apart by name. Usage: tables.py ROOT

The rows of templates/bcast/facts/algorithm.hpp and tuner/clusters/kinds.cpp are where they differ. Whatever names one
of them elsewhere would have to be found again with the next algorithm or cluster; it asks the row instead. Tests and
benchmarks are free: they choose what to look at. So are examples, which know nothing of the tables.

The settings have a table, too, which bcastgen-environment(7) is made of: the tables of the docs must have the same.
"""

import re
import sys
from pathlib import Path

from sources import sources

ALGORITHMS = "templates/bcast/facts/algorithm.hpp"
CLUSTERS = "tuner/clusters/kinds.cpp"
SETTINGS = "templates/bcast/facts/setting_names.hpp"
DOCS_OF_SETTINGS = ("docs/guide.md", "docs/multicast.md", "README.md")
FREE = ("tests/", "bench/", "examples/")
# Files that may name algorithms: the table, its second half, and the one that implements a whole family.
NAMING_ALGORITHMS = {ALGORITHMS, "templates/bcast/facts/tree_builders.hpp", "templates/bcast/arrival/engine.hpp"}
# Names that mean something else where they stand.
OTHER_MEANINGS = {
    "base/units.cpp": {"latency"},
    "planner/decision/measured_sends.cpp": {"latency"},
    "planner/decision/tuning_yaml.cpp": {"latency"},
    "planner/formats/recognised.cpp": {"slurm"},  # Slurm's own files
    "planner/mpis/broadcasts.hpp": {"binomial"},  # as MPIs call their own
    "planner/formats/slurm/slurm_hints.cpp": {"latency", "multicast"},
    "planner/formats/slurm/slurm_yaml.cpp": {"flat"},
    "planner/print/check_json.cpp": {"multicast"},
    "planner/print/explanation_text.cpp": {"latency"},  # a part of a price
    "planner/topology/topology_links.cpp": {"latency"},
    "planner/topology/topology_machines.cpp": {"latency"},
    "planner/topology/topology_reader.hpp": {"latency"},
    "planner/topology/topology_values.cpp": {"latency", "multicast"},
    "planner/topology/topology_yaml.cpp": {"multicast"},
    "templates/bcast/facts/site.hpp": {"native"},  # a way to hand on within machines
    "tuner/program/plan.hpp": {"native"},  # the line of a plan that says whose broadcast it is
    "tuner/report/report_summary.cpp": {"native"},  # what a cell of the page is marked with
    "tuner/report/report_tables.cpp": {"native"},
    "cli/commands/export.cpp": {"slurm"},  # Slurm's own files
    "cli/commands/import.cpp": {"slurm"},
    "tuner/clusters/mpi_launcher.cpp": {"mpiexec"},  # the program
}
ROW = re.compile(r'\{Algorithm::(\w+), "([^"]+)"')
KIND = re.compile(r'\.name = "([^"]+)"')
COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*')
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
SETTING = re.compile(r'\{"(BCASTGEN_\w+)"')
DOCUMENTED = re.compile(r"^\| `(BCASTGEN_\w+)", re.MULTILINE)
ENUMERATOR = re.compile(r"\bAlgorithm::(\w+)")


def code_of(path: Path) -> str:
    """The text without comments, line for line."""
    return COMMENT.sub(lambda at: at[1] or "", path.read_text(encoding="utf-8"))


def names_one(literal: str, names: set[str]) -> bool:
    """Whether a literal is a name, or the first word of names: "arrival-"."""
    return literal in names or (literal.endswith("-") and any(name.startswith(literal) for name in names))


def errors_in(where: str, code: str, enumerators: set[str], algorithms: set[str], clusters: set[str]) -> list[str]:
    """Every breach in one file as "file:line: what: what is wrong"."""
    errors = []
    other = OTHER_MEANINGS.get(where, set())

    def found(at: re.Match, what: str, table: str) -> None:
        errors.append(f"{where}:{code.count(chr(10), 0, at.start()) + 1}: {what}: ask its row in {table}")

    if where not in NAMING_ALGORITHMS:
        for at in ENUMERATOR.finditer(code):
            if at[1] in enumerators:
                found(at, at[0], ALGORITHMS)
        for at in LITERAL.finditer(code):
            if names_one(at[1], algorithms - other):
                found(at, at[0], ALGORITHMS)
    own = re.fullmatch(r"tuner/clusters/(\w+)\.[ch]pp", where)
    for at in LITERAL.finditer(code) if where != CLUSTERS else ():
        if names_one(at[1], clusters - other - ({own[1]} if own else set())):
            found(at, at[0], CLUSTERS)
    return errors


def table_errors(root: Path) -> list[str]:
    """Every breach of the rule."""
    rows = ROW.findall((root / ALGORITHMS).read_text(encoding="utf-8"))
    clusters = set(KIND.findall((root / CLUSTERS).read_text(encoding="utf-8")))
    if not rows or not clusters:
        return [f"no rows found in {ALGORITHMS if not rows else CLUSTERS}"]
    enumerators = {enumerator for enumerator, _ in rows}
    algorithms = {name for _, name in rows}
    errors = []
    for path in sources(root):
        where = path.relative_to(root).as_posix()
        if not where.startswith(FREE):
            errors += errors_in(where, code_of(path), enumerators, algorithms, clusters)
    return errors


def setting_errors(root: Path) -> list[str]:
    """Settings that no page of the docs has in a table, and documented ones that there are not."""
    code = (root / SETTINGS).read_text(encoding="utf-8")
    own, _, foreign = code.partition("foreign_setting_rows")
    settings = set(SETTING.findall(own))
    known = settings | set(SETTING.findall(foreign))
    if not settings or known == settings:
        return [f"no rows found in {SETTINGS}"]
    errors = []
    documented = set()
    for page in DOCS_OF_SETTINGS:
        names = set(DOCUMENTED.findall((root / page).read_text(encoding="utf-8")))
        documented |= names
        errors += [f"{page}: {name}: not in {SETTINGS}" for name in sorted(names - known)]
    return errors + [f"{SETTINGS}: {name}: in no table of {' or '.join(DOCS_OF_SETTINGS)}"
                     for name in sorted(settings - documented)]


if __name__ == "__main__":
    found_errors = table_errors(Path(sys.argv[1])) + setting_errors(Path(sys.argv[1]))
    if found_errors:
        sys.exit("\n".join(found_errors))
