"""Completion in real shells: bash and zsh at a terminal, fish by its own question what may follow.

Usage: completion.py TOOL SOURCE
"""

import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL, SOURCE = Path(sys.argv[1]), Path(sys.argv[2])
SCRIPTS = SOURCE / "packaging/completion"
PATIENCE_S = 120  # ends what hangs
# What is typed, and the words that are there after the Tab key.
ROWS = [
    ("bcastgen expl", ["bcastgen", "explain"]),
    ("bcastgen lab do", ["bcastgen", "lab", "down"]),
    ("bcastgen tune --time-", ["bcastgen", "tune", "--time-budget"]),
    ("bcastgen bench --on emu", ["bcastgen", "bench", "--on", "emulated"]),
    ("bcastgen plan --format=d", ["bcastgen", "plan", "--format=dot"]),
    ("bcastgen plan --tree two", ["bcastgen", "plan", "--tree", "two-tree"]),
    ("bcastgen export simg", ["bcastgen", "export", "simgrid"]),
    ("bcastgen check site", ["bcastgen", "check", "site.yaml"]),
    ("bcastgen install site.yaml --prefix fol", ["bcastgen", "install", "site.yaml", "--prefix", "folder"]),
    ("bcastgen build folder --mpi ope", ["bcastgen", "build", "folder", "--mpi", "openmpi"]),
    ("bcastgen plan site.yaml --root west-n", ["bcastgen", "plan", "site.yaml", "--root", "west-node"]),
    ("bcastgen plan site.yaml --machines alpha,bet", ["bcastgen", "plan", "site.yaml", "--machines", "alpha,beta"]),
    ("bcastgen bench site.yaml --on simulated --algorithms native,smpi:ompi_pipe",
     ["bcastgen", "bench", "site.yaml", "--on", "simulated", "--algorithms", "native,smpi:ompi_pipeline"]),
    ("bcastgen tune site.yaml --algorithms native,scatter-ring-",
     ["bcastgen", "tune", "site.yaml", "--algorithms", "native,scatter-ring-tuned"]),
]


class Terminal:
    """A shell at a terminal of its own."""

    def __init__(self, command: list[str], directory: Path):
        self.seen = ""
        child, self.terminal = pty.fork()
        if child == 0:
            os.chdir(directory)
            os.execvpe(command[0], command, {"PATH": f"{TOOL.parent}:{os.environ['PATH']}", "HOME": str(directory),
                                             "TERM": "vt100", "LC_ALL": "C.UTF-8"})

    def enter(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def read_until(self, mark: str) -> str:
        while mark not in self.seen:
            if not select.select([self.terminal], [], [], PATIENCE_S)[0]:
                raise AssertionError(f"no {mark!r} in {self.seen!r}")
            self.seen += os.read(self.terminal, 4096).decode(errors="replace")
        text, _, self.seen = self.seen.partition(mark)
        return text

    def completed(self, typed: str) -> list[str]:
        """The words of the command line after the Tab key: they become those of another command."""
        self.enter(f"{typed}\t\x01printf 'word <%s>\\n' \x05; printf 'E''ND%s' .\r")
        return [line[6:-1] for line in self.read_until("END.").replace("\r", "\n").split("\n")
                if line.startswith("word <") and line.endswith(">")]

    def close(self) -> None:
        self.enter("exit\r")
        while select.select([self.terminal], [], [], PATIENCE_S)[0]:
            try:
                if not os.read(self.terminal, 4096):
                    break
            except OSError:  # the shell is gone
                break
        os.close(self.terminal)
        os.wait()


class Completion(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory(prefix="bcastgen-test-")
        self.addCleanup(work.cleanup)
        self.work = Path(work.name)
        (self.work / "folder").mkdir()
        (self.work / "site.yaml").write_text(
            "name: site\nswitches: {s0: {machines: [alpha, beta, west-node, east-node]}}\n", encoding="utf-8")

    def at_a_terminal(self, command: list[str], start: str) -> None:
        terminal = Terminal(command, self.work)
        self.addCleanup(terminal.close)
        terminal.enter(start + "; printf 'E''ND%s' .\r")
        terminal.read_until("END.")
        for typed, words in ROWS:
            with self.subTest(typed):
                # behind an entry of a list or a folder is what the next blank takes away again, in some shells
                self.assertEqual([word.rstrip(",/") for word in terminal.completed(typed)], words)

    def test_bash(self):
        self.at_a_terminal(["bash", "--norc", "-i"], f". {SCRIPTS}/bcastgen.bash")

    def test_zsh(self):
        self.at_a_terminal(["zsh", "-f", "-i"],
                           f"fpath=({SCRIPTS} $fpath); autoload -U compinit; compinit -u -d {self.work}/dump")

    def test_fish(self):
        for typed, words in ROWS:
            with self.subTest(typed):
                result = subprocess.run(
                    ["fish", "--no-config", "-c", f"source {SCRIPTS}/bcastgen.fish; complete -C '{typed}'"], cwd=self.work,
                    capture_output=True, text=True, check=False,
                    env={"PATH": f"{TOOL.parent}:{os.environ['PATH']}", "HOME": str(self.work), "LC_ALL": "C.UTF-8"})
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertIn(words[-1], [line.split("\t")[0].rstrip("/") for line in result.stdout.splitlines()])
                self.assertTrue(all(line.startswith(typed.split(" ")[-1]) for line in result.stdout.splitlines()))

    def test_descriptions(self):
        text = subprocess.run(["fish", "--no-config", "-c", f"source {SCRIPTS}/bcastgen.fish; complete -C 'bcastgen ch'"],
                              cwd=self.work, capture_output=True, text=True, check=True,
                              env={"PATH": f"{TOOL.parent}:{os.environ['PATH']}", "HOME": str(self.work)}).stdout
        self.assertEqual(text, "check\tRead a topology file and show what was understood\n")


if __name__ == "__main__":
    for shell in ("bash", "zsh", "fish"):
        if shutil.which(shell) is None:
            print(f"skipped: there is no {shell} here")
            sys.exit(77)
    unittest.main(argv=sys.argv[:1])
