"""Shows that the checks of this folder can fail. Usage: self_test.py CLANG_FORMAT"""

import sys
import tempfile
import unittest
from pathlib import Path

from format import format_errors
from includes import include_errors
from links import link_errors

CLEAN = {
    "templates/bcast/trees/order.hpp": "#include <vector>\n",
    "templates/bcast/engine.hpp": '#include <mpi.h>\n\n#include "order.hpp"\n',
    "templates/mpi_bcast.cpp": '#include "bcast/engine.hpp"\n#include "site_plan.hpp"\n',
    "planner/network/network.hpp": '#include "bcast/trees/order.hpp"\n',
    "codegen/emit.cpp": '#include "network.hpp"\n',
    "cli/main.cpp": '#include <CLI/CLI.hpp>\n#include <iostream>\n\n#include "network.hpp"\n',
    "tests/mpi/check.cpp": '#include <mpi.h>\n\n#include "bcast/engine.hpp"\n',
    "tests/planner/network_test.cpp": '#include "network.hpp"\n\n#include <fstream>\n\n#include "../rows.hpp"\n',
    "tests/rows.hpp": "#include <string>\n",
    "tuner/program/main.cpp": '#include "bcast/engine.hpp"\n',
}
# (file, its text, the error it must bring)
BREACHES = [
    ("planner/a.cpp", '#include "emit.hpp"\n', "planner/a.cpp:1: emit.hpp: planner/ must not depend on codegen/"),
    ("codegen/a.cpp", '\n#include "sample.hpp"\n', "codegen/a.cpp:2: sample.hpp: codegen/ must not depend on tuner/"),
    ("tuner/a.cpp", "#include <emit.hpp>\n", "tuner/a.cpp:1: emit.hpp: tuner/ must not depend on codegen/"),
    ("planner/a.cpp", "#include <iostream>\n", "planner/a.cpp:1: iostream: the planner neither prints nor"),
    ("planner/a.cpp", "#  include <mpi.h>\n", "planner/a.cpp:1: mpi.h: MPI is for templates/"),
    ("planner/a.cpp", '#include "bcast/engine.hpp"\n', "planner/a.cpp: reaches MPI through templates/bcast/engine.hpp"),
    ("templates/a.hpp", "#include <fmt/core.h>\n", "templates/a.hpp:1: fmt/core.h: templates/ stands on MPI"),
    ("templates/a.hpp", '#include "network.hpp"\n', "templates/a.hpp:1: network.hpp: templates/ must not depend on"),
    ("cli/a.cpp", '#include "fmt/core.h"\n', "cli/a.cpp:1: fmt/core.h: is no file of the project"),
    ("cli/a.cpp", '#include "tests/rows.hpp"\n', "cli/a.cpp:1: tests/rows.hpp: is no file of the project"),
    ("cli/a.cpp", '#include "../tests/rows.hpp"\n', "cli/a.cpp:1: ../tests/rows.hpp: only tests and"),
    ("cli/a.cpp", '#include "twice.hpp"\n', "cli/a.cpp:1: twice.hpp: means codegen/twice.hpp or tuner/twice.hpp"),
    ("tests/planner/a.cpp", '#include "emit.hpp"\n', "tests/planner/a.cpp:1: emit.hpp: planner/ must not depend on"),
]
HEADERS = ("codegen/emit.hpp", "tuner/sample.hpp", "codegen/twice.hpp", "tuner/twice.hpp")


class HouseTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8")

    def write_clean_tree(self):
        for name, text in CLEAN.items():
            self.write(name, text)
        for name in HEADERS:
            self.write(name, "")

    def test_clean_tree_has_no_include_errors(self):
        self.write_clean_tree()
        self.assertEqual(include_errors(self.root), [])

    def test_every_breach_is_found_and_located(self):
        self.write_clean_tree()
        for name, text, expected in BREACHES:
            with self.subTest(expected):
                self.write(name, text)
                errors = include_errors(self.root)
                self.assertEqual(len(errors), 1, errors)
                self.assertTrue(errors[0].startswith(expected), errors[0])
                (self.root / name).unlink()

    def test_no_sources_is_an_error(self):
        self.assertEqual(len(include_errors(self.root)), 1)
        self.assertNotEqual(format_errors(self.root, CLANG_FORMAT), "")

    def test_format(self):
        self.write("cli/main.cpp", "int main() {}\n")
        self.assertEqual(format_errors(self.root, CLANG_FORMAT), "")
        self.write("cli/other.cpp", "int  f(){return 1;}\n")
        self.assertIn("other.cpp:1", format_errors(self.root, CLANG_FORMAT))

    def test_links(self):
        self.write("docs/a.md", "see [b](adr/b.md#why), [c](https://example.org/c) and [d](../README.md)\n")
        self.write("docs/adr/b.md", "[back](../a.md)\n")
        self.assertEqual(link_errors(self.root), ["docs/a.md:1: ../README.md does not exist"])
        self.write("README.md", "")
        self.assertEqual(link_errors(self.root), [])


if __name__ == "__main__":
    CLANG_FORMAT = sys.argv.pop()
    unittest.main()
