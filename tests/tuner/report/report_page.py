"""Checks that a page of bcastgen report stands on its own. Usage: report_page.py PAGE [SECTION...]

Well-formed; every identifier once; links lead to something in the page; nothing is fetched; no script but our own; the
sections are there, in that sequence. That it fits a phone, paper and the dark, as far as that shows without a browser: nothing
is wider than a phone unless it is scrolled, wide tables have names for their values, and there are styles for print and dark.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


PHONE_REM = (375 - 2 * 15) / 16
FIXED_WIDTH = re.compile(r"(?<![-\w])(?:min-)?width:\s*([\d.]+)(rem|px|pt|cm)")
UNITS_PER_REM = {"rem": 1, "px": 16, "pt": 12, "cm": 2.54 / 6}


def problems_of_widths(root: ElementTree.Element) -> list[str]:
    style = root.find(".//style").text
    found = [f"has no styles for {medium}" for medium in ("print", "(prefers-color-scheme: dark)") if f"@media {medium}" not in style]
    if "max-width: 44rem" not in style or "break-after: avoid" not in style:
        found.append("has no styles for narrow screens, or leaves headings alone at a page's end")
    styles = re.sub(r"@media print \{.*", "", style, flags=re.DOTALL) + "".join(one.get("style", "") for one in root.iter())
    for number, unit in FIXED_WIDTH.findall(styles):
        if float(number) / UNITS_PER_REM[unit] > PHONE_REM:
            found.append(f"has something {number}{unit} wide")
    parents = {child: parent for parent in root.iter() for child in parent}
    for svg in root.iter("svg"):
        if svg.get("width") or not svg.get("viewBox"):
            found.append("has a picture that cannot shrink")
    for table in root.iter("table"):
        classes = parents[table].get("class", "").split()
        columns = max(len(row) for row in table.iter("tr"))
        if "wide" not in classes or (columns > 5 and "stack" not in classes):
            found.append(f"has a table of {columns} columns that a phone cuts off")
        if "stack" in classes and any(not cell.get("data-label") for cell in table.iter("td")):
            found.append("has a value whose column a phone does not name")
    return found


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
    found += problems_of_widths(root)
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
