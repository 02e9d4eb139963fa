"""Fails unless every relative link in the project's Markdown leads to a file. Usage: links.py ROOT"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


def link_errors(root: Path) -> list[str]:
    """Every dead link as "file:line: target"."""
    errors = []
    for page in sorted([*root.glob("*.md"), *root.glob("docs/**/*.md")]):
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            for target in LINK.findall(line):
                if not (page.parent / target).exists():
                    errors.append(f"{page.relative_to(root)}:{number}: {target} does not exist")
    return errors


if __name__ == "__main__":
    found = link_errors(Path(sys.argv[1]))
    if found:
        sys.exit("\n".join(found))
