"""A compiler that takes an emitted library's source for an empty one, and bcastgen-stage's for a program that does nothing:
where only the place of what is built matters."""

from pathlib import Path

SCRIPT = """#!/bin/sh
for word; do
    shift
    case $word in */mpi_bcast.cpp) word=$(dirname "$0")/nothing.cpp ;;
                  */unity_0_cxx.cxx) word=$(dirname "$0")/no_stage.cpp ;; esac
    set -- "$@" "$word"
done
exec c++ "$@"
"""


def empty_compiler(folder: Path) -> str:
    """The path of such a compiler, for CXX; it and what it needs are put into the folder."""
    compiler = folder / "nothing-c++"
    compiler.write_text(SCRIPT, encoding="utf-8")
    compiler.chmod(0o755)
    (folder / "nothing.cpp").write_text("", encoding="utf-8")
    (folder / "no_stage.cpp").write_text("int main() {}\n", encoding="utf-8")
    return str(compiler)
