"""Checks that a page of bcastgen report stands on its own. Usage: report_page.py PAGE [SECTION...]

Well-formed; every identifier once; links lead to something in the page; nothing is fetched; no script but our own; the
sections are there, in that sequence.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def problems(text: str, sections: list[str]) -> list[str]:
    if not text.startswith("<!DOCTYPE html>\n"):
        return ["does not begin with its document type"]
    try:
        root = ElementTree.fromstring(text.split("\n", 1)[1])
    except ElementTree.ParseError as error:
        return [f"is not well-formed: {error}"]
    found = []
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    found += [f"has the identifier {one} twice" for one in sorted({one for one in ids if ids.count(one) > 1})]
    for element in root.iter():
        for name in ("href", "src", "srcset", "data", "action"):
            target = element.get(name)
            if target is None:
                continue
            if not target.startswith("#"):
                found.append(f"fetches {target}")
            elif target[1:] not in ids:
                found.append(f"links to {target}, which is not there")
        found += [f"runs {name} of {element.tag}" for name in element.keys() if name.startswith("on")]
        if element.tag in ("iframe", "object", "embed", "link", "base"):
            found.append(f"has a {element.tag}")
    scripts = list(root.iter("script"))
    if len(scripts) != 1 or "beforeprint" not in (scripts[0].text or ""):
        found.append(f"has {len(scripts)} scripts")
    if re.search(r"https?:|@import|url\((?!#)", text):
        found.append("names something outside the page")
    there = [element.get("id") for element in root.iter("section")]
    if there != sections:
        found.append(f"has the sections {there}")
    return found


def main() -> int:
    found = problems(Path(sys.argv[1]).read_text(encoding="utf-8"), sys.argv[2:])
    for problem in found:
        print(f"{sys.argv[1]} {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
