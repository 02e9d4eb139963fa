#!/usr/bin/env python3
"""Whether n blocks can be everywhere in so many rounds if no link carries two at a time, by a SAT solver.

    bench/scripts/round_search.py --parents 0,1,2 --machines 2,1,1,3 --root 0 --blocks 4
    bench/scripts/round_search.py --parents 0,1,2,3,4,5,6 --blocks 4        eight switches in a row, a machine each

In each round a machine sends one block that it has and receives one, and each trunk carries one in each direction.
Asks for n - 1 + ceil(log2 P) rounds, the fewest for P machines, and for one more until it can be done. Needs minisat.
"""

import argparse
import itertools
import pathlib
import subprocess
import tempfile

POSSIBLE, IMPOSSIBLE = 10, 20  # exit codes of minisat


class Question:
    """Clauses over named variables."""

    def __init__(self):
        self.numbers = {}
        self.clauses = []

    def var(self, *name):
        return self.numbers.setdefault(name, len(self.numbers) + 1)

    def need(self, *literals):
        self.clauses.append(literals)

    def at_most_one(self, literals):
        """Each with all before it: one variable says whether any of those is true."""
        before = None
        for literal in literals:
            so_far = self.var("so far", len(self.numbers))
            self.need(-literal, so_far)
            if before:
                self.need(-before, so_far)
                self.need(-before, -literal)
            before = so_far

    def answer(self, seconds):
        """True, False, or None if it takes too long."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "question.cnf"
            lines = [f"p cnf {len(self.numbers)} {len(self.clauses)}"]
            lines += [" ".join(map(str, clause)) + " 0" for clause in self.clauses]
            file.write_text("\n".join(lines) + "\n", encoding="ascii")
            command = ["minisat", "-verb=0", f"-cpu-lim={seconds}", str(file)]
            code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
        return {POSSIBLE: True, IMPOSSIBLE: False}.get(code)


def trunks_between(parents, a, b):
    """The directed trunks from switch a to switch b, each known by its lower end."""
    way = {}
    for switch in (a, b):
        way[switch] = [switch]
        while parents[way[switch][-1]] is not None:
            way[switch].append(parents[way[switch][-1]])
    up = [("up", switch) for switch in way[a] if switch not in way[b]]
    return up + [("down", switch) for switch in way[b] if switch not in way[a]]


def question(parents, switch_of, root, blocks, rounds):
    machines = range(len(switch_of))
    asked = Question()
    has, comes, sends = ((lambda *name, what=what: asked.var(what, *name)) for what in ("has", "comes", "sends"))
    for machine, block in itertools.product(machines, range(blocks)):
        begins = has(machine, block, 0)
        asked.need(begins if machine == root else -begins)
        asked.need(has(machine, block, rounds))
    for time in range(rounds):
        on = {}
        for a, b in itertools.permutations(machines, 2):
            if b == root:
                continue
            for link in [("out", a), ("in", b), *trunks_between(parents, switch_of[a], switch_of[b])]:
                on.setdefault(link, []).append(sends(a, b, time))
        for literals in on.values():
            asked.at_most_one(literals)
        for block in range(blocks):
            asked.need(has(root, block, time))
        for b in machines:
            if b == root:
                continue
            asked.at_most_one([comes(b, block, time) for block in range(blocks)])
            for block in range(blocks):
                come = comes(b, block, time)
                asked.need(-come, *(sends(a, b, time) for a in machines if a != b))
                for a in machines:
                    if a != b:
                        asked.need(-come, -sends(a, b, time), has(a, block, time))
                asked.need(-has(b, block, time + 1), has(b, block, time), come)
    return asked


def numbers(text):
    return [int(number) for number in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parents", type=numbers, default=[], help="of the second, third ... switch: one before it")
    parser.add_argument("--machines", type=numbers, help="on each switch (one)")
    parser.add_argument("--root", type=int, default=0, help="machine; they are counted switch after switch")
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--seconds", type=int, default=300, help="of the processor for each question")
    options = parser.parse_args()
    parents = [None, *options.parents]
    counts = options.machines or [1] * len(parents)
    switch_of = [switch for switch, count in enumerate(counts) for _ in range(count)]
    rounds = options.blocks - 1 + (len(switch_of) - 1).bit_length()
    answer = False
    while answer is False:
        asked = question(parents, switch_of, options.root, options.blocks, rounds)
        answer = asked.answer(options.seconds)
        word = {True: "yes", False: "no", None: "not known"}[answer]
        print(f"{len(switch_of)} machines, {options.blocks} blocks in {rounds} rounds: {word}", flush=True)
        rounds += 1


if __name__ == "__main__":
    main()
