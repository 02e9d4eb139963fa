"""The Debian package and the RPM that CPack makes: what lintian says of one, what is in them, what they need.

Usage: packages.py BUILD VERSION
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD, VERSION = Path(sys.argv[1]), sys.argv[2]
WORK = Path(tempfile.mkdtemp(prefix="bcastgen-test-"))
# Of a .deb alone.
DEBIAN = {"/usr/share/doc/bcastgen/copyright", "/usr/share/doc/bcastgen/changelog.gz",
          "/usr/share/doc/bcastgen/changelog.Debian.gz", "/usr/share/zsh/vendor-completions/_bcastgen"}


def output_of(*command) -> str:
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise AssertionError(f"{command}: {result.stdout}{result.stderr}")
    return result.stdout


def packaged(generator: str, suffix: str) -> Path:
    """In a copy of CPack's own settings, so that the build folder stays as it is."""
    output_of("cpack", "-G", generator, "-B", WORK / generator, "--config", BUILD / "CPackConfig.cmake")
    return next((WORK / generator).glob(f"*.{suffix}"))


def installed() -> set[str]:
    """The files that cmake --install lays out, below /usr."""
    output_of("cmake", "--install", BUILD, "--prefix", WORK / "usr")
    return {"/" + str(file.relative_to(WORK)) for file in (WORK / "usr").rglob("*") if file.is_file()}


class Deb(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.package = packaged("DEB", "deb")

    def field(self, name: str) -> list[str]:
        return re.split(r", ", output_of("dpkg-deb", "-f", self.package, name).strip())

    def test_name_and_version(self):
        architecture = output_of("dpkg", "--print-architecture").strip()
        self.assertEqual(self.package.name, f"bcastgen_{VERSION}-1_{architecture}.deb")
        self.assertEqual(self.field("Version"), [f"{VERSION}-1"])

    def test_lintian_finds_no_error(self):
        said = output_of("lintian", "--allow-root", "--fail-on", "error", self.package)
        self.assertNotRegex(said, r"(?m)^E:")

    def test_it_has_what_is_installed(self):
        listed = output_of("dpkg-deb", "-c", self.package)
        files = {line.split(None, 5)[5].removeprefix(".") for line in listed.splitlines() if line.startswith("-")}
        self.assertEqual(files, installed() | DEBIAN)
        self.assertTrue(all(line.split()[1] == "root/root" for line in listed.splitlines()))

    def test_libraries_are_found_and_mpis_recommended(self):
        needs = " ".join(self.field("Depends"))
        for library in ("libclang-cpp14", "libc6 (>=", "libyaml-cpp0", "libsqlite3-0"):
            self.assertIn(library, needs)
        for program in ("cmake", "make", "g++", "libclang-common-14-dev"):
            self.assertIn(program, self.field("Depends"))
        for recommended in ("mpich", "libmpich-dev", "openmpi-bin", "libopenmpi-dev", "libsimgrid-dev", "slurm-client"):
            self.assertIn(recommended, self.field("Recommends"))
            self.assertNotIn(recommended, needs)

    def test_the_tool_has_no_path_of_the_build(self):
        output_of("dpkg-deb", "-x", self.package, WORK / "root")
        tool = WORK / "root/usr/bin/bcastgen"
        self.assertNotIn(str(BUILD).encode(), tool.read_bytes())
        self.assertNotIn(str(Path(__file__).parents[2]).encode(), tool.read_bytes())
        self.assertEqual(output_of(tool, "--version"), f"bcastgen {VERSION}\n")


class Rpm(unittest.TestCase):
    def test_it_builds_and_has_what_is_installed(self):
        package = packaged("RPM", "rpm")
        self.assertEqual(output_of("rpm", "-qp", "--queryformat", "%{NAME} %{VERSION}", package), f"bcastgen {VERSION}")
        files = {line for line in output_of("rpm", "-qlp", package).splitlines() if "/.build-id" not in line}
        laid_out = installed()
        folders = {str(parent) for file in laid_out for parent in Path(file).parents}
        self.assertEqual(files - folders, laid_out)
        self.assertNotIn("/usr/share/man/man1", files)  # another package's
        self.assertIn("openmpi-devel", output_of("rpm", "-qp", "--recommends", package))
        self.assertIn("gcc-c++", output_of("rpm", "-qp", "--requires", package))


if __name__ == "__main__":
    for program in ("cpack", "lintian", "rpmbuild", "dpkg-deb"):
        if shutil.which(program) is None:
            print(f"skipped: there is no {program} here")
            sys.exit(77)
    try:
        unittest.main(argv=sys.argv[:1])
    finally:
        shutil.rmtree(WORK)
