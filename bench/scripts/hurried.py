#!/usr/bin/env python3
"""What tables take that were tuned in little time on simulated clusters, against native and the untuned library.

    bench/scripts/hurried.py measure cells.csv [--trials 1-20] [--speeds 0.1,10,100] [--budgets 1m,4m] [--build build]
    bench/scripts/hurried.py table cells.csv

A trial is a random topology (random-topology) of 8 to 64 machines with links of one speed, tuned with each budget and then
timed with all machines at sizes between those that tunings look at. `measure` appends a line to cells.csv for each size;
started again it goes on with what is missing. `table` prints Markdown. A *hole* is a size at which the table is native's,
and more than 5 % slower than the untuned library.
"""
import argparse
import csv
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

import price_errors
from figures import bytes_of, three_digits
from untuned import exact_size, speed_text

SIZES = "700,3000,11000,45000,180000,700000,3000000"
COLUMNS = ["trial", "machines", "per_switch", "gbit", "budget", "message_bytes", "native_us", "tuned_us", "untuned_us"]
LOST, HOLE = 1.02, 1.05


def topology(trial, gbit):
    """Machines, machines a switch, and the file's text."""
    draw = random.Random(trial)
    machines = draw.randrange(8, 65)
    per_switch = draw.choice((4, 8, 12, 16))
    script = pathlib.Path(__file__).parent / "random-topology"
    text = subprocess.run([sys.executable, script, str(machines), str(per_switch), str(trial)], check=True,
                          capture_output=True, text=True).stdout
    body = text[text.index("switches:"):]
    return machines, per_switch, price_errors.topology(f"trial-{trial}", body, gbit)


def times(tool, file, more):
    result = json.loads(subprocess.run([tool, "bench", file, "--on", "simulated", "--sizes", SIZES, "--algorithms",
                                        "native,tuned", "--format", "json", "--quiet", *more],
                                       check=True, capture_output=True, text=True).stdout)
    assert all(row["bytes_ok"] for row in result["rows"]), file
    return {(row["algorithm"], row["message_bytes"]): row["completion_us_median"] for row in result["rows"]}


def trial_rows(tool, trial, gbit, budget):
    machines, per_switch, text = topology(trial, gbit)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        file, table = folder / "topology.yaml", folder / "tuning.yaml"
        file.write_text(text, encoding="utf-8")
        subprocess.run([tool, "tune", file, "--on", "simulated", "--time-budget", budget, "--db", folder / "tuning.db",
                        "-o", table, "--quiet"], check=True, capture_output=True)
        tuned, untuned = times(tool, file, ["--tuning", table]), times(tool, file, [])
    for size in map(bytes_of, SIZES.split(",")):
        yield [trial, machines, per_switch, f"{gbit:g}", budget, size, tuned["native", size], tuned["tuned", size],
               untuned["tuned", size]]


def rows_of(cells):
    if not cells.exists():
        return []
    with cells.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def measure(options):
    done = {(int(row["trial"]), float(row["gbit"]), row["budget"]) for row in rows_of(options.cells)}
    first, last = (int(word) for word in options.trials.split("-"))
    for trial in range(first, last + 1):
        for gbit in options.speeds:
            for budget in options.budgets:
                if (trial, gbit, budget) in done:
                    continue
                rows = list(trial_rows(options.build / "bcastgen", trial, gbit, budget))
                fresh = not options.cells.exists()
                with options.cells.open("a", encoding="utf-8", newline="") as file:
                    csv.writer(file).writerows(([COLUMNS] if fresh else []) + rows)
                print(f"trial {trial}, {gbit:g} Gbit/s, {budget}", file=sys.stderr, flush=True)


def mean_and_range(ratios):
    mean = math.prod(ratios) ** (1 / len(ratios))
    return f"{mean:.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def table(options):
    rows = rows_of(options.cells)
    print("| links | budget | trials | sizes | native / tuned | slower than native | untuned / tuned | holes |")
    print("|---" * 8 + "|")
    worse = []
    for gbit in sorted({float(row["gbit"]) for row in rows}):
        for budget in sorted({row["budget"] for row in rows}):
            some = [row for row in rows if float(row["gbit"]) == gbit and row["budget"] == budget]
            if not some:
                continue
            to_native = [float(row["native_us"]) / float(row["tuned_us"]) for row in some]
            to_untuned = [float(row["untuned_us"]) / float(row["tuned_us"]) for row in some]
            lost = [row for row, ratio in zip(some, to_native) if ratio < 1 / LOST]
            holes = [row for row, ratio, other in zip(some, to_native, to_untuned)
                     if abs(ratio - 1) < 1e-3 and other < 1 / HOLE]
            worse += lost + holes
            print(f"| {speed_text(gbit)} | {budget} | {len({row['trial'] for row in some})} | {len(some)} | "
                  f"{mean_and_range(to_native)} | {len(lost)} | {mean_and_range(to_untuned)} | {len(holes)} |")
    if worse:
        print("\n| trial | machines | links | budget | bytes | native | tuned | untuned |")
        print("|---" * 8 + "|")
    for row in worse:
        us = [three_digits(float(row[column])) for column in ("native_us", "tuned_us", "untuned_us")]
        print(f"| {row['trial']} | {row['machines']} | {speed_text(float(row['gbit']))} | {row['budget']} | "
              f"{exact_size(int(row['message_bytes']))} | {' | '.join(us)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    measuring = commands.add_parser("measure", help="tune and time what is missing in CELLS")
    measuring.add_argument("cells", type=pathlib.Path)
    measuring.add_argument("--trials", default="1-20", help="seeds of the topologies [1-20]")
    measuring.add_argument("--speeds", type=lambda text: [float(word) for word in text.split(",")], default=[0.1, 10, 100],
                           help="of all links, in Gbit/s [0.1,10,100]")
    measuring.add_argument("--budgets", type=lambda text: text.split(","), default=["1m", "4m"], help="[1m,4m]")
    measuring.add_argument("--build", type=pathlib.Path, default="build", help="where bcastgen is [build]")
    measuring.set_defaults(run=measure)
    showing = commands.add_parser("table", help="how often a tuned table loses, or has holes, and where")
    showing.add_argument("cells", type=pathlib.Path)
    showing.set_defaults(run=table)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
