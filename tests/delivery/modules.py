"""The modulefiles of `bcastgen install` under real Environment Modules and real Lmod.

Usage: modules.py TOOL. Debian's packages of the two exclude each other: Environment Modules are installed, Lmod is unpacked
into a folder of the test's own. The libraries are empty: what is tried is which of them a module loads.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from compiler import empty_compiler

TOOL = sys.argv[1]
INSTALLED: dict = {}  # what `install` said of the site alpha
TOPOLOGY = "name: {}\nswitches: {{s0: {{machines: 'n[0-3]'}}}}\n"
WORK = Path(tempfile.mkdtemp(prefix="bcastgen-test-"))
PREFIX = WORK / "prefix[x]"  # a command to Tcl


def unpacked_lmod() -> Path | None:
    """Lmod's folder, of Debian's package; nothing if the package cannot be had."""
    here = WORK / "lmod"
    here.mkdir()
    got = subprocess.run(["apt-get", "-q", "download", "lmod"], cwd=here, capture_output=True, check=False)
    packages = list(here.glob("lmod_*.deb"))
    if got.returncode != 0 or not packages:
        return None
    subprocess.run(["dpkg", "-x", packages[0], here], check=True)
    return next(here.glob("usr/share/lmod/*/libexec/lmod")).parent.parent


def install(name: str, mpis: str) -> dict:
    """A site's library with `bcastgen install`, and what that says."""
    topology = WORK / f"{name}.yaml"
    topology.write_text(TOPOLOGY.format(name), encoding="utf-8")
    environment = {**os.environ, "CXX": empty_compiler(WORK), "XDG_CACHE_HOME": str(WORK / "cache")}
    done = subprocess.run([TOOL, "--quiet", "install", topology, "--prefix", PREFIX, "--mpi", mpis, "--format", "json"],
                          check=True, stdout=subprocess.PIPE, env=environment)
    return json.loads(done.stdout)


def lay_out() -> None:
    INSTALLED.update(install("alpha", "mpich,openmpi"))
    install("beta", "openmpi")
    for module in ("openmpi/4.1.4", "mpich/4.0.2", "OpenMPI/5"):
        file = WORK / "mpis" / module
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#%Module1.0\nsetenv SOME_MPI here\n", encoding="utf-8")
    own = WORK / "own"
    for module in ("fast", "faster"):
        (own / module).mkdir(parents=True)
    (own / "fast/linked").symlink_to(PREFIX / "modulefiles/bcast/alpha-openmpi")
    (own / "faster/copied").write_bytes((PREFIX / "modulefiles/bcast/beta-openmpi").read_bytes())


class Modules:
    """What users type, and what then is to be preloaded; the same under both systems but for `switches`."""

    START = ""       # what makes the function `module` of a shell
    switches = True  # whether a second site's module takes the first one's place, or is refused

    def after(self, commands: str) -> tuple[list[str], str]:
        """The files that LD_PRELOAD names after the commands, and what was said."""
        script = (f"{self.START}\nmodule use '{PREFIX}/modulefiles' '{WORK}/mpis' '{WORK}/own'\n{commands}\n"
                  'echo "LD_PRELOAD is ${LD_PRELOAD-}"\n')
        clean = {"PATH": os.environ["PATH"], "HOME": str(WORK), "USER": "nobody"}
        result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, env=clean)
        said, _, preloaded = result.stdout.rpartition("LD_PRELOAD is ")
        return [file for file in preloaded.strip().split(":") if file], said + result.stderr

    def loads(self, commands: str, library: str) -> str:
        """Expects that nothing but this library is preloaded; "" is none. Returns what was said."""
        files, said = self.after(commands)
        self.assertEqual(files, [f"{PREFIX}/lib/{library}"] if library else [], said)
        return said

    def quietly_loads(self, commands: str, library: str) -> None:
        self.assertEqual(self.loads(commands, library).strip(), "")

    def test_one_module_for_each_library_is_listed(self):
        said = self.loads("module --terse avail bcast 2>&1", "")
        listed = re.findall(r"^bcast/\S+", said, re.MULTILINE)
        self.assertEqual(sorted(listed), ["bcast/alpha", "bcast/alpha-mpich", "bcast/alpha-openmpi", "bcast/beta",
                                          "bcast/beta-openmpi"])
        self.assertNotIn("not built", said)

    def test_whatis_and_help_complain_of_nothing(self):
        # beta has no library for this MPI
        for module in ("alpha", "beta", "beta-openmpi"):
            said = self.loads(f"export BCASTGEN_MPI=mpich; module load mpich; module whatis bcast/{module} 2>&1", "")
            self.assertIn(f"Topology-aware MPI_Bcast for {module.partition('-')[0]}", said)
            self.assertNotIn("bcast_", said)
            said = self.loads(f"export BCASTGEN_MPI=mpich; module help bcast/{module} 2>&1", "")
            self.assertIn("Every rank of a job needs the library", said)
            self.assertNotIn("bcast_", said)

    def test_the_mpi_is_the_one_that_is_loaded(self):
        self.quietly_loads("module load mpich bcast/alpha", "mpich/libbcast_alpha.so")
        self.quietly_loads("module load openmpi bcast/alpha", "openmpi/libbcast_alpha.so")
        self.quietly_loads("module load OpenMPI; module load bcast/alpha", "openmpi/libbcast_alpha.so")
        self.quietly_loads("export BCASTGEN_MPI=mpich; module load openmpi bcast/alpha", "openmpi/libbcast_alpha.so")

    def test_without_such_a_module_it_is_the_variable_or_the_one_there_is(self):
        self.quietly_loads("module load bcast/alpha", "mpich/libbcast_alpha.so")
        self.quietly_loads("export BCASTGEN_MPI=openmpi; module load bcast/alpha", "openmpi/libbcast_alpha.so")
        self.quietly_loads("module load bcast/beta", "openmpi/libbcast_beta.so")

    def test_a_library_that_is_not_there_is_told_and_not_loaded(self):
        self.assertIn("bcast_beta: not built for mpich", self.loads("module load mpich; module load bcast/beta", ""))

    def test_a_library_for_another_mpi_is_told(self):
        said = self.loads("module load mpich; module load bcast/alpha-openmpi", "openmpi/libbcast_alpha.so")
        self.assertIn("bcast_alpha: this library is for openmpi and changes nothing under mpich", said)
        self.quietly_loads("module load openmpi; module load bcast/alpha-openmpi", "openmpi/libbcast_alpha.so")

    def test_the_program_that_stages_is_found(self):
        stage = f"{PREFIX}/lib/openmpi/bcastgen-stage"
        said = self.loads("module load openmpi bcast/alpha; type -P bcastgen-stage; man -w bcastgen-stage; "
                          "module unload bcast/alpha; type -P bcastgen-stage || echo gone", "")
        self.assertEqual(said.split(), [stage, f"{PREFIX}/lib/openmpi/man/man1/bcastgen-stage.1", "gone"])

    def test_unloading_takes_away_what_loading_put_there(self):
        for then in ("true", "export BCASTGEN_MPI=openmpi", "module load openmpi", f"mv '{PREFIX}/lib' '{PREFIX}/away'"):
            with self.subTest(then):
                self.loads(f"module load bcast/alpha; {then}; module unload bcast/alpha", "")
            if (PREFIX / "away").exists():
                (PREFIX / "away").rename(PREFIX / "lib")
        files, said = self.after("export LD_PRELOAD=/lib/x86_64-linux-gnu/libm.so.6; module load bcast/alpha; "
                                 "module unload bcast/alpha")
        self.assertEqual(files, ["/lib/x86_64-linux-gnu/libm.so.6"], said)

    def test_in_a_tree_of_the_sites_own(self):
        self.quietly_loads("module load fast/linked", "openmpi/libbcast_alpha.so")
        self.quietly_loads("module load faster/copied", "openmpi/libbcast_beta.so")
        self.quietly_loads("module load fast/linked; module unload fast", "")

    def test_two_sites_are_never_loaded_at_once(self):
        first, second = "openmpi/libbcast_alpha.so", "openmpi/libbcast_beta.so"
        for one, other in (("bcast/alpha-openmpi", "bcast/beta"), ("fast/linked", "faster/copied")):
            said = self.loads(f"module load {one}; module load {other}", second if self.switches else first)
            self.assertIn("replac" if self.switches and "fast" in one else "reload" if self.switches else "conflict", said)


class Installed(unittest.TestCase):
    def test_what_install_says(self):
        names = ("alpha", "alpha-mpich", "alpha-openmpi")
        self.assertEqual(INSTALLED, {
            "format": "bcastgen-install/1", "topology": "alpha", "prefix": str(PREFIX),
            "libraries": [{"mpi": mpi, "library": f"{PREFIX}/lib/{mpi}/libbcast_alpha.so"} for mpi in ("mpich", "openmpi")],
            "modulefiles": [f"{PREFIX}/modulefiles/bcast/{name}" for name in names]})
        for file in INSTALLED["modulefiles"] + [built["library"] for built in INSTALLED["libraries"]]:
            self.assertTrue(Path(file).is_file(), file)


class EnvironmentModules(Modules, unittest.TestCase):
    START = ". /usr/share/modules/init/bash"
    switches = False


class Lmod(Modules, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = unpacked_lmod()
        if folder is None:
            cls.skipTest(cls(), "Lmod's package cannot be had")
        settings = {"LMOD_ROOT": folder.parent, "LMOD_PKG": folder, "LMOD_DIR": folder / "libexec",
                    "LMOD_VERSION": folder.name, "LMOD_FAST_TCL_INTERP": "no", "LMOD_PAGER": "none",
                    "LMOD_IGNORE_CACHE": "yes"}
        cls.START = "".join(f"export {name}='{value}'\n" for name, value in settings.items())
        cls.START += 'module() { eval "$("$LMOD_DIR/lmod" bash "$@")"; }'


if __name__ == "__main__":
    try:
        lay_out()
        ran = unittest.main(exit=False, argv=sys.argv[:1]).result
    finally:
        subprocess.run(["rm", "-rf", WORK], check=True)
    if ran.wasSuccessful() and ran.skipped:
        print(f"skipped: {ran.skipped[0][1]} (apt-get download lmod)")
        sys.exit(77)
    sys.exit(not ran.wasSuccessful())
