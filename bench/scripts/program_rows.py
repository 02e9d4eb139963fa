"""The whole programs that programs.py measures: a row each, and their inputs."""
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MPIS = ("mpich", "openmpi")
OWN_RESULT = r"result: (.*)"


def lattice(side: int = 40, step: float = 1.68) -> str:
    """LAMMPS' data file: side x side x side atoms, 37 bytes for each."""
    atoms = [f"{x * step:.6f} {y * step:.6f} {z * step:.6f}" for x in range(side) for y in range(side) for z in range(side)]
    box = "".join(f"0 {side * step:.6f} {axis}lo {axis}hi\n" for axis in "xyz")
    return (f"a lattice\n\n{len(atoms)} atoms\n1 atom types\n\n{box}\nMasses\n\n1 1.0\n\nAtoms # atomic\n\n" +
            "".join(f"{number} 1 {atom}\n" for number, atom in enumerate(atoms, 1)))


LIQUID = """units lj
atom_style atomic
read_data lattice.data
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0
velocity all create 1.44 87287 loop geom
fix 1 all nve
thermo 5
run 10
"""


def hpcc_input() -> str:
    """The package's, with a smaller matrix on a grid of 4 x 4 ranks."""
    text = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt").read_text(encoding="ascii")
    for what, value in (("Ns", "512"), ("Ps", "4"), ("Qs", "4")):
        text = re.sub(rf"^\S+( +{what})$", rf"{value}\1", text, flags=re.MULTILINE)
    return text


def convection() -> str:
    """MUMPS' example's input: that of tests/applications, with 100 x 100 points."""
    sys.path.insert(0, str(ROOT / "tests/applications"))
    import applications
    return applications.convection(100)


@dataclass(frozen=True)
class Program:
    """`command` stands in the folder of the build; {mpi} is the MPI. `result` is found in the output once or more."""

    command: str
    source: str = ""  # below the project's folder; what is to be compiled
    mpis: tuple[str, ...] = MPIS
    libraries: str = ""
    inputs: dict[str, Callable[[], str]] = field(default_factory=dict)
    result: str = OWN_RESULT
    prints_times: bool = True  # as the programs of examples/ do
    only_counted: bool = False  # not timed on the emulated cluster
    broadcasts_to_all: bool = False  # medium messages, among all ranks

    @property
    def variants(self) -> tuple[str, ...]:
        return ("without", "with") if self.prints_times else ("without", "native", "with")


def example(name: str, arguments: str, **more: bool) -> Program:
    return Program(f"./{name}.{{mpi}} {arguments}", f"examples/{name}/{name}.cpp", **more)


def scalapack(what: str) -> Program:
    return Program(f"./scalapack.{{mpi}} {what}", "bench/programs/scalapack.cpp", libraries="-lscalapack-{mpi}", prints_times=False)


# Debian's mpi4py, LAMMPS, MUMPS' example, Quantum ESPRESSO and HPCC are for Open MPI.
PROGRAMS = {
    "summa": example("summa", "768"),
    "kmeans": example("kmeans", "20000 256 64 5", broadcasts_to_all=True),
    "training": example("training", "32 256 256 5", broadcasts_to_all=True),
    "training.py": Program(f"/usr/bin/python3 {ROOT}/examples/training/training.py 32 256 256 5", mpis=("openmpi",)),
    "scalapack.multiply": scalapack("multiply 768 64"),
    "scalapack.lu": scalapack("lu 768 64"),
    "scalapack.lu.32": scalapack("lu 768 32"),
    "lammps": Program("lmp -in liquid.in -log none -nocite", mpis=("openmpi",), prints_times=False,
                      inputs={"lattice.data": lattice, "liquid.in": lambda: LIQUID}, result=r"^ +\d+ +[-\d.]+ .*"),
    "espresso": Program("pw.x -in si.in", mpis=("openmpi",), prints_times=False, only_counted=True,
                        inputs={"si.in": lambda: (ROOT / "tests/applications/inputs/si.in").read_text(encoding="ascii")}),
    "mumps": Program("sh -c 'exec /usr/lib/mumps/dsimpletest <convection.in'", mpis=("openmpi",), prints_times=False,
                     inputs={"convection.in": convection}, result=r"Solution is +\S+"),
    "hpcc": Program("hpcc", mpis=("openmpi",), prints_times=False, inputs={"hpccinf.txt": hpcc_input}, only_counted=True),
}
