"""The MPI programs of Debian that are run under the emitted library: one row each, and how their results are read."""

import sysconfig
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
LIBRARIES = Path("/usr/lib") / sysconfig.get_config_var("MULTIARCH")
SCALAPACK_TESTERS = {mpi: LIBRARIES / "scalapack" / f"{mpi}-tests" for mpi in ("mpich", "openmpi")}
SCALAPACK_DATA = Path("/usr/share/scalapack")
DEBIANS_PYTHON = "/usr/bin/python3"  # the one that finds Debian's modules, whichever python3 comes first

# Which of the library's algorithms must have served a run's broadcasts: every one that has somebody to reach and bytes
# to carry; some; none (one rank only).
ALL, SOME, NONE = "all", "some", "none"


@dataclass(frozen=True)
class Setting:
    """A way to run an application under the library."""

    served: str
    algorithm: str = "tuned"
    segment: str | None = None

    def environment(self) -> dict[str, str]:
        chosen = {"BCASTGEN_ALGORITHM": self.algorithm}
        return chosen if self.segment is None else chosen | {"BCASTGEN_SEGMENT": self.segment}

    def __str__(self) -> str:
        return self.algorithm + (f" {self.segment}" if self.segment else "")


TUNED = Setting(SOME)
LINEAR = Setting(ALL, "linear", "256")
BINARY = Setting(ALL, "binary", "1K")
KARY3 = Setting(ALL, "kary3", "4K")
BINOMIAL = Setting(ALL, "binomial", "max")


@dataclass(frozen=True)
class Application:
    """One program on one input.

    Ranks play the machines of the sample topology fsu-4. `inputs` are copied (or written, when a function makes their
    text) into the fresh folder that each run starts in. Output that matches `varying` differs between any two runs
    (times, dates) and is not compared; `proof` must be found in it `proofs` times, or there was nothing to compare.
    Numbers may differ by `tolerance` of their size where the program adds in the order in which messages come.
    """

    machines: str
    command: Callable[[str], list[str | Path]]
    settings: tuple[Setting, ...]
    proof: str
    proofs: int = 1
    varying: str = r"(?!)"
    tolerance: float = 0.0
    inputs: dict[str, Path | Callable[[], str]] = field(default_factory=dict)
    crowded: bool = True  # ranks share processors: they need the idle shim

    @property
    def ranks(self) -> int:
        return self.machines.count(",") + 1


def convection(side: int = 40) -> str:
    """MUMPS' example's input format: a wind over a plate, central differences on side x side points.

    Its vectors are longer than what a predicted decision table leaves to the MPI."""
    entries, right_hand_side = [], []
    for point in range(side * side):
        row, column = divmod(point, side)
        entries.append((point, point, 4.0))
        for step, inside, value in ((-1, column > 0, -1.25), (1, column < side - 1, -0.75),
                                    (-side, row > 0, -1.5), (side, row < side - 1, -0.5)):
            if inside:
                entries.append((point, point + step, value))
        right_hand_side.append(1.0 + point % 7)
    lines = [str(side * side), str(len(entries))]
    lines += [f"{row + 1} {column + 1} {value}" for row, column, value in entries]
    return "\n".join(lines + [str(value) for value in right_hand_side]) + "\n"


LU = Application(
    machines="n0,n9,n17,n25",
    command=lambda mpi: [SCALAPACK_TESTERS[mpi] / "xdlu"],
    inputs={"LU.dat": SCALAPACK_DATA / "LU.dat"},
    settings=(LINEAR,),
    # two times and the rate
    varying=r"(?<=\d)(\s+\d+\.\d+){3}(?= (PASSED|FAILED))",
    proof=r"^\s*240 tests completed and passed residual checks",
)

APPLICATIONS = {
    "scalapack.lu": LU,
    # The same with panels that the decision table takes notice of.
    "scalapack.lu_large": Application(
        **vars(LU) | {
            "inputs": {"LU.dat": HERE / "inputs" / "LU.dat"},
            "settings": (TUNED, LINEAR),
            "proof": r"^\s*6 tests completed and passed residual checks",
        }),
    # Broadcasts of whole, upper and lower trapezoidal matrices in five types, compared element by element.
    "scalapack.blacs": Application(
        machines="n0,n9,n17,n25",
        command=lambda mpi: [SCALAPACK_TESTERS[mpi] / "xCbtest"],
        inputs={
            "bt.dat": HERE / "inputs" / "bt.dat",
            "bsbr.dat": HERE / "inputs" / "bsbr.dat",
        },
        settings=(TUNED, LINEAR, BINARY),
        proof=r"BSBR TESTS:.* 675 TESTS;.* 0 FAILED",
        proofs=5,
    ),
    "mumps.simple": Application(
        machines="n0,n9,n17,n25",
        command=lambda mpi: ["sh", "-c", "exec /usr/lib/mumps/dsimpletest <input"],
        inputs={"input": Path("/usr/lib/mumps/input_simpletest_real")},
        settings=(LINEAR, BINARY),
        varying=r"(?i)^.*\btime\b.*$",
        proof=r"Solution is",
    ),
    "mumps.convection": Application(
        machines="n0,n9,n17,n25,n9,n0",
        command=lambda mpi: ["sh", "-c", "exec /usr/lib/mumps/dsimpletest <input"],
        inputs={"input": convection},
        settings=(TUNED, LINEAR, BINOMIAL),
        # Without the library, too, messages come in any order; with it vary its solution's last digits and how often it
        # packs its memory together.
        varying=r"(?i)^.*\b(time|number of memory compress)\b.*$",
        tolerance=1e-12,
        proof=r"Solution is",
    ),
    "espresso.pw": Application(
        machines="n0,n9,n17,n25",
        command=lambda mpi: ["pw.x", "-in", "si.in"],
        inputs={"si.in": HERE / "inputs" / "si.in"},
        settings=(TUNED, LINEAR, KARY3),
        varying=r"starts on .*|terminated on.*|(?<=spent up to now is)\s*[\d.]+ secs|:.*CPU.*WALL",
        proof=r"JOB DONE",
    ),
    "nwchem": Application(
        machines="n3",
        command=lambda mpi: ["nwchem.mpich", "water.nw"],
        inputs={"water.nw": HERE / "inputs" / "water.nw"},
        settings=(Setting(NONE), Setting(NONE, "linear", "256")),
        varying=r"date +=.*|\d+\.\d+s|(?<=D-\d\d)\s+\d+\.\d$|Max\. records in file.*|\|\s+(CPU|WALL)\s+\|.*",
        proof=r"Total SCF energy",
        crowded=False,
    ),
    "mpi4py": Application(
        machines="n0,n9,n17,n9,n25,n0",
        command=lambda mpi: [DEBIANS_PYTHON, HERE / "mpi4py_broadcasts.py"],
        settings=(TUNED, LINEAR, BINARY, KARY3),
        proof=r"^all broadcasts arrived$",
    ),
}
