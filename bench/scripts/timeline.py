#!/usr/bin/env python3
"""Who sends to whom when in one step of SUMMA, without the library and with it: a picture from traces of simulations.

    bench/scripts/programs.py build --only summa
    bench/scripts/timeline.py docs/what-programs-gain-step.svg [--step 1] [--size 768] [--mpi mpich] [--build build]

SimGrid traces every message of the ranks, those within its own broadcasts too; the program says when it is in MPI_Bcast. A
message belongs to the step whose broadcast its receiver is in when it comes. Messages below 1 KiB are left out. Prints when
the steps began and ended, the bytes over trunks and how often each trunk carried the same panel.
"""
import argparse
import bisect
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from program_rows import ROOT
from programs import SELECTORS, SIMULATION

RANKS = 16
SIDE = 4  # of the grid of ranks; machine i hangs on switch i mod 4, and rank i is on machine i
LEAST_BYTES = 1024
COLOURS = {True: "#0072B2", False: "#D55E00"}  # along a row, along a column
SHADES = {True: "#d6e8f4", False: "#f8e0d0"}
LEFT, WIDTH, LINE, GAP, TOP = 64, 860, 15, 9, 58  # of the picture, in pixels


@dataclass(frozen=True)
class Message:
    source: int
    target: int
    sent: float
    arrived: float
    size: int

    @property
    def along_row(self):
        return self.source // SIDE == self.target // SIDE

    @property
    def over_trunks(self):
        """The ends of the trunks it crosses, in a star whose middle is switch 0."""
        ends = (self.source % SIDE, self.target % SIDE)
        if ends[0] == ends[1]:
            return []
        return [end for end in ((ends[0], 0), (0, ends[1])) if end[0] != end[1]]


def traced(options, variant):
    """Spans of each rank's broadcasts, and all messages."""
    folder = options.build / options.name
    with tempfile.TemporaryDirectory() as scratch:
        program, trace = Path(scratch) / "summa", Path(scratch) / "trace"
        compiler = ["smpicxx", "-O3", "-std=c++17", "-fno-gnu-unique"]
        sources = {"broadcast_spans": ROOT / "bench/programs/broadcast_spans.cpp"}
        if variant == "with":
            sources["library"] = folder / "library/mpi_bcast.cpp"
        for name, source in sources.items():
            subprocess.run([*compiler, f"-I{folder / 'library'}", "-c", source, "-o", f"{scratch}/{name}.o"], check=True)
        subprocess.run([*compiler, "-DMPI_Bcast=spanned_broadcast", ROOT / "examples/summa/summa.cpp",
                        *[f"{scratch}/{name}.o" for name in sources], "-o", program], check=True)
        settings = SIMULATION + [f"smpi/coll-selector:{SELECTORS[options.mpi]}", "tracing:yes", "tracing/smpi:yes",
                                 "tracing/smpi/display-sizes:yes", f"tracing/filename:{trace}"]
        if variant == "without":  # messages within SimGrid's broadcasts; those of the library would come twice
            settings.append("tracing/smpi/internals:yes")
        output = subprocess.run(["smpirun", "-np", str(RANKS), "-platform", folder / "platform.xml", "-hostfile", folder / "hosts",
                                 *[f"--cfg={each}" for each in settings], "--log=root.thres:critical", program, str(options.size)],
                                check=True, text=True, stdout=subprocess.PIPE).stdout
        spans = [[] for _ in range(RANKS)]
        for rank, entered, left in re.findall(r"^span (\d+) (\S+) (\S+)$", output, re.MULTILINE):
            spans[int(rank)].append((float(entered), float(left)))
        return spans, messages_of(trace.read_text(encoding="ascii"))


def messages_of(text):
    """Of a trace in Paje's format: 15 begins a message and 16 ends it, under a key of source, target, tag and number. Where
    a rank waits for any of several messages the end has another tag: such messages end in the sequence they began in."""
    ranks = {alias: int(rank) for alias, rank in re.findall(r'^6 \S+ (\d+) \S+ \S+ "rank-(\d+)"$', text, re.MULTILINE)}
    begun, ended = {}, {}
    for line in text.splitlines():
        kind, *words = line.split()
        if kind == "15":
            begun[words[5]] = (float(words[0]), int(words[6]))
        elif kind == "16":
            ended[words[5]] = float(words[0])
    pairs = {}
    for key in ended.keys() - begun.keys():
        pairs.setdefault(tuple(key.split("_")[:2]), []).append(ended[key])
    for times in pairs.values():
        times.sort(reverse=True)
    messages = []
    for key, (sent, size) in begun.items():
        source, target = key.split("_")[:2]
        arrived = ended[key] if key in ended else pairs[source, target].pop()
        messages.append(Message(ranks[source], ranks[target], sent, arrived, size))
    return messages


def of_step(spans, messages, step):
    """The spans of a step, in a row and then in a column, and the messages that belong to it."""
    begins = [[entered for entered, _ in rank] for rank in spans]
    chosen = [message for message in messages if message.size >= LEAST_BYTES and
              (bisect.bisect_right(begins[message.target], message.arrived) - 1) // 2 == step]
    return [rank[2 * step:2 * step + 2] for rank in spans], chosen


def panel(spans, messages, title, top, first, scale):
    """One of the two pictures, as SVG."""
    y = lambda rank: top + rank * LINE + rank // SIDE * GAP + LINE / 2
    x = lambda time: LEFT + (time - first) * scale
    parts = [f'<text x="{LEFT}" y="{top - 10}" font-weight="bold">{title}</text>']
    for rank, both in enumerate(spans):
        parts.append(f'<text x="{LEFT - 8}" y="{y(rank) + 4:.1f}" text-anchor="end">n{rank} s{rank % SIDE}</text>')
        for (entered, left), along_row in zip(both, (True, False)):
            parts.append(f'<rect x="{x(entered):.1f}" y="{y(rank) - LINE / 2 + 1:.1f}" width="{(left - entered) * scale:.1f}" '
                         f'height="{LINE - 2}" fill="{SHADES[along_row]}"/>')
    for message in sorted(messages, key=lambda each: not each.over_trunks):
        width = 0.5 + (message.size / 8192) ** 0.5 / 2.5
        dashes = "" if message.over_trunks else ' stroke-dasharray="3 2"'
        parts.append(f'<line x1="{x(message.sent):.1f}" y1="{y(message.source):.1f}" x2="{x(message.arrived):.1f}" '
                     f'y2="{y(message.target):.1f}" stroke="{COLOURS[message.along_row]}" stroke-width="{width:.2f}"{dashes}/>')
    return "\n".join(parts)


def axis(top, longest, scale):
    parts = [f'<line x1="{LEFT}" y1="{top}" x2="{LEFT + WIDTH}" y2="{top}" stroke="black"/>']
    ticks = 0.01
    for number in range(int(longest / ticks) + 1):
        place = LEFT + number * ticks * scale
        parts.append(f'<line x1="{place:.1f}" y1="{top}" x2="{place:.1f}" y2="{top + 4}" stroke="black"/>'
                     f'<text x="{place:.1f}" y="{top + 17}" text-anchor="middle">{1000 * number * ticks:.0f}</text>')
    parts.append(f'<text x="{LEFT + WIDTH}" y="{top + 32}" text-anchor="end">ms since the first rank began the step</text>')
    return "\n".join(parts)


def key(top):
    parts, place = [], LEFT
    for text, along_row, dashes in (("along a row, over trunks", True, ""), ("along a column, within a switch", False, ' stroke-dasharray="3 2"')):
        parts.append(f'<rect x="{place}" y="{top - 9}" width="34" height="12" fill="{SHADES[along_row]}"/><line x1="{place}" y1="{top}" '
                     f'x2="{place + 34}" y2="{top - 6}" stroke="{COLOURS[along_row]}" stroke-width="1.5"{dashes}/>'
                     f'<text x="{place + 40}" y="{top}">{text}</text>')
        place += 270
    parts.append(f'<text x="{place}" y="{top}">shaded: the rank is in that MPI_Bcast</text>')
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--size", type=int, default=768)
    parser.add_argument("--mpi", default="mpich", choices=SELECTORS)
    parser.add_argument("--build", default=ROOT / "build", type=Path)
    parser.add_argument("--name", default="programs")
    options = parser.parse_args()
    options.build = options.build.resolve()
    steps = {variant: of_step(*traced(options, variant), options.step) for variant in ("without", "with")}
    first = {variant: min(rank[0][0] for rank in spans) for variant, (spans, _) in steps.items()}
    last = {variant: max(rank[1][1] for rank in spans) for variant, (spans, _) in steps.items()}
    longest = max(last[variant] - first[variant] for variant in steps)
    scale = WIDTH / longest
    height = RANKS * LINE + (SIDE - 1) * GAP
    parts = []
    for number, (variant, (spans, messages)) in enumerate(steps.items()):
        took = 1000 * (last[variant] - first[variant])
        title = f"{variant} the library: {took:.0f} ms"
        parts.append(panel(spans, messages, title, TOP + number * (height + 40), first[variant], scale))
        trunks = {}
        for message in messages:
            for trunk in message.over_trunks:
                trunks[trunk] = trunks.get(trunk, 0) + message.size
        print(f"{variant}: {took:.1f} ms, {len(messages)} messages, bytes over trunks:",
              ", ".join(f"s{one} to s{other} {size}" for (one, other), size in sorted(trunks.items())))
    bottom = TOP + 2 * height + 46
    style = 'xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="11"'
    options.picture.write_text(
        f'<svg {style} width="{LEFT + WIDTH + 20}" height="{bottom + 40}">\n<rect width="100%" height="100%" fill="white"/>\n' +
        "\n".join([key(20), *parts, axis(bottom, longest, scale)]) + "\n</svg>\n", encoding="utf-8")


if __name__ == "__main__":
    main()
