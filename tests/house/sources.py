"""The project's own C and C++ files: what the checks of this folder look at."""

from pathlib import Path

FOLDERS = ("base", "planner", "codegen", "templates", "tuner", "cli", "tests", "bench", "examples")
SUFFIXES = (".cpp", ".hpp", ".c", ".h")


def sources(root: Path) -> list[Path]:
    """Every source below the project's folders, sorted. Emitted code is not among them: its golden files are compared
    whole by their own test."""
    found = (path for folder in FOLDERS for path in (root / folder).rglob("*"))
    return sorted(path for path in found if path.suffix in SUFFIXES and path.is_file())
