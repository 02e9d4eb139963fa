#!/usr/bin/env python3
"""What the table of a library that was not tuned takes in simulations, against the MPI's own broadcast, SimGrid's copies of
other MPIs' algorithms and the opponents of docs/algorithms.md.

    bench/scripts/untuned.py measure cells.csv [--speeds 0.1,1,10,100,400] [--only "star;row"] [--build build]
    bench/scripts/untuned.py table cells.csv                         how often it loses, and the cells that it loses
    bench/scripts/untuned.py times cells.csv "star, 32"              the times of one topology
    bench/scripts/untuned.py one mine.yaml [--tuning mine.tuning.yaml] [--build build]
                                                                     the same on a topology of your own, tuned or not

`measure` appends a line to cells.csv for each message size on each topology (those of price_errors.py); started again it
goes on with the topologies and speeds that are missing. Some sizes lie between those that the table was made for. Peers
that end a simulation or deliver wrong bytes are left out of their cells, and said so. `table`, `times` and `one` print
Markdown; `one` ends with 1 if a cell is lost.
"""
import argparse
import csv
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import price_errors
from figures import size_text, three_digits
from how_fast import PEERS

OPPONENTS = ["circulant", "circulant-queued", "two-level", "topology-kary1", "topology-kary2", "topology-kary4",
             "topology-wave"]
COLUMNS = ["topology", "gbit", "machines", "message_bytes", "one_message_us", "floor_us", "tuned_us", "native_us",
           "best_peer", "best_peer_us", "best_opponent", "best_opponent_us", "left_out"]
# Message sizes with the segment sizes that opponents try for them, and the most machines that they are simulated with.
SIZES = [("1K,3000,8K", "1K,2K,4K,max", 512), ("20000,64K", "2K,4K,8K,16K,max", 512),
         ("150000,256K,700000,1M", "8K,16K,32K,128K", 256), ("4M", "8K,32K,64K,256K", 64), ("16M", "8K,64K,512K", 16)]
OWN_SIZES = [("1,64,512,1K,3000,6000", "1K,2K,4K,max", 512), ("12000,20000,45000,64K", "2K,4K,8K,16K,max", 512),
             ("150000,300000,700000,1500000", "8K,16K,32K,128K", 256), ("4M,12M", "8K,32K,64K,256K", 64)]
SLOW_PEERS = ["arrival_pattern_aware_wait", "arrival_scatter"]  # no end within minutes among more machines than 128
LOST = 1.02  # slower than native or the best peer by so much


def bench(tool, file, sizes, segments, peers, tuning=None):
    """The result of a bench without what cannot run, and the names of that."""
    left_out = []
    table = ["--tuning", tuning] if tuning else []
    while True:
        algorithms = ["pingpong", "native", "tuned"] + ["opponent:" + name for name in OPPONENTS] + [
            "smpi:" + peer for peer in peers if "smpi:" + peer not in left_out]
        run = subprocess.run([tool, "bench", file, "--on", "simulated", "--sizes", sizes, "--segments", segments,
                              "--algorithms", ",".join(algorithms), "--format", "json", *table],
                             check=False, capture_output=True, text=True)
        if run.returncode in (0, 3):
            result = json.loads(run.stdout)
            wrong = {row["algorithm"] for row in result["rows"] if not row["bytes_ok"]}
            if any(not name.startswith("smpi:") for name in wrong):
                sys.exit(f"{file}: wrong bytes from {', '.join(sorted(wrong))}")
            return result, sorted(left_out + list(wrong))
        ended = re.search(r" in (smpi:\S+) of ", run.stderr)
        if not ended:
            sys.exit(run.stderr)
        left_out.append(ended[1])


def cells(tool, file, name, gbit, machines, all_sizes, tuning=None):
    """A row for each size."""
    peers = [peer for peer in PEERS if machines <= 128 or peer not in SLOW_PEERS]
    for sizes, segments, most in all_sizes:
        if machines > most:
            continue
        result, left_out = bench(tool, file, sizes, segments, peers, tuning)
        for reference in result["references"]:
            size = reference["message_bytes"]
            time = {}
            for row in result["rows"]:
                if row["message_bytes"] == size and row["algorithm"] not in left_out:
                    algorithm, took = row["algorithm"], row["completion_us_median"]
                    time[algorithm] = min(took, time.get(algorithm, math.inf))
            peer = min((one for one in time if one.startswith("smpi:")), key=time.get)
            opponent = min((one for one in time if one.startswith("opponent:")), key=time.get)
            yield [name, f"{gbit:g}", machines, size, time["pingpong"], reference["floor_us"], time["tuned"],
                   time["native"], peer.split(":")[1], time[peer], opponent.split(":")[1], time[opponent],
                   " ".join(left_out)]


def cells_of_grid(tool, name, machines, body, gbit):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "topology.yaml"
        file.write_text(price_errors.topology(name, body, gbit), encoding="utf-8")
        return list(cells(tool, file, name, gbit, machines, SIZES))


def one(options):
    tool = f"{options.build}/bcastgen"
    shown = subprocess.run([tool, "check", options.topology, "--format", "json"], check=True, capture_output=True,
                           text=True)
    machines = json.loads(shown.stdout)["machines"]
    called = "tuned" if options.tuning else "untuned"
    print(f"| bytes | {called} | floor | native / {called} | best peer / {called} | best opponent / {called} |")
    print("|---" * 6 + "|", flush=True)
    lost = 0
    for row in cells(tool, options.topology, "", 0, machines, OWN_SIZES, options.tuning):
        cell = dict(zip(COLUMNS, row))
        ratios = [over_tuned(cell, other) for other in ("native_us", "best_peer_us", "best_opponent_us")]
        worst = min(ratios) < 1 / LOST
        lost += worst
        print(f"| {exact_size(cell['message_bytes'])} | {three_digits(cell['tuned_us'])} us | "
              f"{three_digits(cell['floor_us'])} us | {ratios[0]:.2f} | {ratios[1]:.2f} {cell['best_peer']} | "
              f"{ratios[2]:.2f} {cell['best_opponent']} |" + (" lost" if worst else ""), flush=True)
    sys.exit(1 if lost else 0)


def measure(options):
    done = set()
    if options.cells.exists():
        done = {(row["topology"], float(row["gbit"])) for row in rows_of(options.cells)}
    for gbit in options.speeds:
        for name, (machines, body) in price_errors.networks(gbit).items():
            wanted = not options.only or any(word in name for word in options.only)
            if (name, gbit) in done or machines < 3 or not wanted:
                continue
            rows = cells_of_grid(f"{options.build}/bcastgen", name, machines, body, gbit)
            fresh = not options.cells.exists()
            with options.cells.open("a", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(([COLUMNS] if fresh else []) + rows)
            print(f"{name}, {gbit:g} Gbit/s: {len(rows)} cells", file=sys.stderr, flush=True)


def rows_of(cells_file):
    with cells_file.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def speed_text(gbit):
    return f"{gbit:g} Gbit/s" if gbit >= 1 else f"{gbit * 1000:g} Mbit/s"


def exact_size(size):
    return size_text(size) if size % 1024 == 0 else f"{size}"


def over_tuned(row, other):
    return float(row[other]) / float(row["tuned_us"])


def cell_table(title, rows, judged_by, others, most=None):
    """The cells in which untuned is slowest against the columns of `judged_by` first."""
    print(f"\n**{title}**\n\n| topology | links | bytes | untuned | native | best peer | best opponent |")
    print("|---" * 7 + "|")
    for row in sorted(rows, key=lambda row: min(over_tuned(row, other) for other in judged_by))[:most]:
        columns = [f"{three_digits(float(row['tuned_us']))} us"]
        for other in others:
            who = "" if other == "native_us" else " " + row[other.removesuffix("_us")]
            columns.append(f"{over_tuned(row, other):.2f}{who}")
        print(f"| {row['topology']} | {speed_text(float(row['gbit']))} | {exact_size(int(row['message_bytes']))} | " +
              " | ".join(columns) + " |")


def table(options):
    rows = rows_of(options.cells)
    others = ["native_us", "best_peer_us", "best_opponent_us"]
    print("| links | cells | native / untuned | lost | best peer / untuned | lost | best opponent / untuned | lost "
          "| untuned / floor |")
    print("|---" * 9 + "|")
    for gbit in sorted({float(row["gbit"]) for row in rows}):
        some = [row for row in rows if float(row["gbit"]) == gbit]
        columns = []
        for other in others:
            ratios = [over_tuned(row, other) for row in some]
            mean = math.prod(ratios) ** (1 / len(ratios))
            columns += [f"{mean:.2f} ({min(ratios):.2f} to {max(ratios):.2f})",
                        str(sum(ratio < 1 / LOST for ratio in ratios))]
        floors = [float(row["tuned_us"]) / float(row["floor_us"]) for row in some]
        columns.append(f"{math.prod(floors) ** (1 / len(floors)):.2f} ({min(floors):.2f} to {max(floors):.2f})")
        print(f"| {speed_text(gbit)} | {len(some)} | " + " | ".join(columns) + " |")
    losing = [row for row in rows if min(over_tuned(row, other) for other in others) < 1 / LOST]
    to_peers = [row for row in losing if min(over_tuned(row, other) for other in others[:2]) < 1 / LOST]
    cell_table(f"Slower than native or the best peer, {len(to_peers)} cells", to_peers, others[:2], others)
    to_opponents = [row for row in losing if row not in to_peers]
    cell_table(f"Slower than an opponent only, the worst of {len(to_opponents)} cells", to_opponents, others[2:],
               others, options.worst)
    left_out = sorted({name for row in rows for name in row["left_out"].split()})
    if left_out:
        print(f"\nLeft out somewhere, because SimGrid ends or bytes are wrong: {', '.join(left_out)}.")


def times(options):
    rows = [row for row in rows_of(options.cells) if row["topology"] == options.topology]
    sizes = sorted({int(row["message_bytes"]) for row in rows if int(row["message_bytes"]) % 1024 == 0})
    print(f"| us, {options.topology} | | " + " | ".join(exact_size(size) for size in sizes) + " |")
    print("|---" * (len(sizes) + 2) + "|")
    lines = [("T(m)", "one_message_us"), ("floor", "floor_us"), ("native", "native_us"), ("best peer", "best_peer_us"),
             ("best opponent", "best_opponent_us"), ("**untuned**", "tuned_us")]
    for gbit in sorted({float(row["gbit"]) for row in rows}):
        by_size = {int(row["message_bytes"]): row for row in rows if float(row["gbit"]) == gbit}
        for label, column in lines:
            found = []
            for size in sizes:
                row = by_size.get(size)
                who = row.get(column.removesuffix("_us"), "") if row else ""
                found.append(f"{three_digits(float(row[column]))} {who}".strip() if row else "")
            print(f"| {speed_text(gbit)} | {label} | " + " | ".join(found) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    measuring = commands.add_parser("measure", help="simulate what is missing in CELLS")
    measuring.add_argument("cells", type=pathlib.Path)
    measuring.add_argument("--speeds", type=lambda text: [float(word) for word in text.split(",")],
                           default=[0.1, 1, 10, 100, 400], help="of all links, in Gbit/s [0.1,1,10,100,400]")
    measuring.add_argument("--only", type=lambda text: text.split(";"),
                           help="topologies whose names have one of these words, separated by semicolons [all]")
    measuring.add_argument("--build", default="build", help="where bcastgen is [build]")
    measuring.set_defaults(run=measure)
    showing = commands.add_parser("table", help="how often the untuned table loses, and where")
    showing.add_argument("cells", type=pathlib.Path)
    showing.add_argument("--worst", type=int, default=10, help="cells listed in which only an opponent is quicker [10]")
    showing.set_defaults(run=table)
    timing = commands.add_parser("times", help="the times on one topology, of sizes in whole K")
    timing.add_argument("cells", type=pathlib.Path)
    timing.add_argument("topology", help='as CELLS names it: "star, 32"')
    timing.set_defaults(run=times)
    own = commands.add_parser("one", help="the table on a topology of your own, beside all others")
    own.add_argument("topology")
    own.add_argument("--tuning", help="its decision table [predicted]")
    own.add_argument("--build", default="build", help="where bcastgen is [build]")
    own.set_defaults(run=one)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
