"""Fails unless clang-format would leave every source as it is. Usage: format.py ROOT CLANG_FORMAT"""

import subprocess
import sys
from pathlib import Path

from sources import sources


def format_errors(root: Path, clang_format: str) -> str:
    """What clang-format has to say; empty when all is well."""
    files = [str(path) for path in sources(root)]
    if not files:
        return f"{root} has no sources: is it the project's root?"
    # the style is the project's, wherever the files are
    command = [clang_format, f"--style=file:{Path(__file__).parents[2] / '.clang-format'}", "--dry-run", "-Werror"]
    run = subprocess.run(command + files, capture_output=True, text=True, check=False)
    return run.stderr if run.returncode != 0 else ""


if __name__ == "__main__":
    errors = format_errors(Path(sys.argv[1]), sys.argv[2])
    if errors:
        sys.exit(f"{errors}\nrun {sys.argv[2]} -i on these files")
