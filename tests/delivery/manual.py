"""Man pages of every command, which man and mandoc have no errors for, with all that --help shows.

Usage: manual.py BUILD SOURCE
"""

import gzip
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

BUILD, SOURCE = Path(sys.argv[1]), Path(sys.argv[2])
PAGES = BUILD / "packaging/man"


def text_of(command: list) -> str:
    result = subprocess.run(command, capture_output=True, text=True, check=False,
                            env={**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""})
    if result.returncode != 0 or result.stderr:
        raise AssertionError(f"{command}: {result.stdout}{result.stderr}")
    return result.stdout


def shown(page: Path) -> str:
    """As man prints it, in one line: options never break."""
    return " ".join(text_of(["man", "--warnings", "--nh", "--nj", "-l", str(page)]).replace("‐\n", "-").split())


def words_of_help(*command: str) -> str:
    return text_of([BUILD / "bcastgen", *command, "--help"])


COMMANDS = re.findall(r"^  ([a-z]+)  +\S", words_of_help().partition("Subcommands:")[2].partition("Examples:")[0], re.MULTILINE)


class Manual(unittest.TestCase):
    def test_there_is_a_page_for_every_command(self):
        self.assertGreater(len(COMMANDS), 10)
        expected = {"bcastgen.1.gz", "bcastgen-stage.1.gz", "bcastgen-environment.7.gz"} | {f"bcastgen-{name}.1.gz" for name in COMMANDS}
        self.assertEqual({page.name for page in PAGES.glob("*.gz")}, expected)

    def test_man_and_mandoc_find_no_error(self):
        for page in sorted(PAGES.glob("*.gz")):
            with self.subTest(page.name):
                self.assertIn("SEE ALSO", shown(page))
                plain = subprocess.run(["mandoc", "-Tlint", "-W", "warning"], input=gzip.decompress(page.read_bytes()),
                                       capture_output=True, check=False)
                self.assertEqual((plain.returncode, plain.stdout), (0, b""))

    def test_they_have_every_option_and_description_of_help(self):
        for command in COMMANDS:
            page = shown(PAGES / f"bcastgen-{command}.1.gz")
            text = words_of_help(command)
            for option in re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text.partition("Examples:")[0], re.MULTILINE):
                with self.subTest(command=command, option=option):
                    self.assertRegex(page, rf"{option}\b")
            self.assertIn(" ".join(text.splitlines()[0].split()), page)

    def test_the_page_on_staging_has_what_its_help_has(self):
        page = shown(PAGES / "bcastgen-stage.1.gz")
        source = (SOURCE / "examples/stage/arguments.cpp").read_text(encoding="utf-8")
        said = re.search(r'R"\((Usage: .*?)\)"', source, re.DOTALL).group(1)
        for line in re.sub(r"^(Usage:|Exit codes:|Examples:)|  (--[a-z]+( [A-Z]+)?)? {2,}", "\n", said, flags=re.MULTILINE).splitlines():
            self.assertIn(" ".join(line.split()), page)
        for words in ("--chunk SIZE", "--quiet", "EXIT STATUS 0 done", "EXAMPLES mpiexec"):
            self.assertIn(words, page)

    def test_settings_of_a_job(self):
        page = shown(PAGES / "bcastgen-environment.7.gz")
        for name in ("BCASTGEN_TRACE=FILE", "BCASTGEN_MULTICAST_WAIT=", "BCASTGEN_MPI=", "NO_COLOR", "two-tree"):
            self.assertIn(name, page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
