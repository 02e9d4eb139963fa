#!/usr/bin/env python3
"""How far predicted times are from simulated ones, on a grid of topologies, link speeds, algorithms, segments and sizes.

    bench/scripts/price_errors.py measure cells.csv [--speeds 0.1,1,10,100,400] [--only star]
                                           [--algorithms scatter-ring] [--build build]
    bench/scripts/price_errors.py price cells.csv
    bench/scripts/price_errors.py table cells.csv

`measure` appends a line to cells.csv for each cell; started again it goes on with the topologies that are missing.
`price` finds the prices of all cells anew, and leaves what was simulated as it is.
`table` prints Markdown: the error by kind of network and by speed, and what the predicted choice loses against the best
one of ours.
"""
import argparse
import csv
import pathlib
import statistics
import subprocess
import sys
import tempfile

ALGORITHMS = "flat,binomial,linear,binary,kary3,kary4,kary5,two-tree,latency"
SEGMENTS = "2K,8K,64K,max"
COLUMNS = ["topology", "gbit", "machines", "algorithm", "segment_bytes", "message_bytes", "price_us", "simulated_us",
           "native_us", "simulated_native_us"]
# Up to so many machines these sizes are simulated.
SIZES = [(16, "1,1K,16K,256K,1M,16M"), (32, "1,1K,16K,256K,1M"), (64, "1,1K,16K,256K"), (512, "1K,64K")]


def switches(rows):
    """Machines n0, n1 ... on switches with so many each."""
    first, lines = 0, []
    for name, count in rows:
        lines.append(f"  {name}: {{machines: \"n[{first}-{first + count - 1}]\"}}" if count else f"  {name}: {{}}")
        first += count
    return lines


def network(rows, links, more=()):
    text = ["switches:"] + switches(rows)
    if links:
        text += ["links:"] + [f"  - {{between: [{a}, {b}]}}" for a, b in links]
    return "\n".join(text + list(more)) + "\n"


def grid():
    """Name -> (machines, what follows the defaults of a topology file)."""
    found = {}
    for count in (2, 4, 16, 64):
        found[f"one switch, {count}"] = (count, network([("s0", count)], []))
    star = [("s1", "s0"), ("s2", "s0"), ("s3", "s0")]
    found["star, 32"] = (32, network([(f"s{i}", 8) for i in range(4)], star))
    found["row, 32"] = (32, network([(f"s{i}", 8) for i in range(4)], [("s0", "s1"), ("s1", "s2"), ("s2", "s3")]))
    racks = [("core", 0)] + [(f"r{i}", 16) for i in range(8)]
    found["racks, 128"] = (128, network(racks, [("core", name) for name, _ in racks[1:]]))
    racks = [("core", 0)] + [(f"r{i}", 16) for i in range(32)]
    found["racks, 512"] = (512, network(racks, [("core", name) for name, _ in racks[1:]]))
    levels = [("top", 0), ("m0", 0), ("m1", 0)] + [(f"e{i}", 8) for i in range(6)]
    found["three levels, 48"] = (48, network(levels, [("top", "m0"), ("top", "m1")] +
                                             [(f"m{i // 3}", f"e{i}") for i in range(6)]))
    found["folded Clos, 32"] = (32, folded_clos(4, 8, 4))
    found["folded Clos, 256"] = (256, folded_clos(16, 16, 16))
    return found


def folded_clos(leaves, machines, spines):
    """Machines on each leaf, and a trunk from each leaf to each spine."""
    rows = [(f"l{i}", machines) for i in range(leaves)] + [(f"c{i}", 0) for i in range(spines)]
    return network(rows, [(f"l{i}", f"c{j}") for i in range(leaves) for j in range(spines)])


def wide_racks(gbit):
    """Trunks four times as fast as ports."""
    trunks = [f"  - {{between: [core, r{i}], bandwidth: {gbit * 4:g}Gbit/s}}" for i in range(8)]
    return network([("core", 0)] + [(f"r{i}", 16) for i in range(8)], [], ["links:"] + trunks)


def unequal(gbit):
    slow = f"{{link: {{bandwidth: {gbit * 500:g}Mbit/s}}}}"
    return network([(f"s{i}", 8) for i in range(3)], [("s0", "s1"), ("s0", "s2")],
                   ["machines:"] + [f"  n{i}: {slow}" for i in (3, 9, 10, 20)])


def networks(gbit):
    return {**grid(), "unequal ports, 24": (24, unequal(gbit)), "racks, wide trunks, 128": (128, wide_racks(gbit))}


def topology(name, body, gbit):
    latency = "20us" if gbit <= 1 else "1us"
    return (f"name: grid\ndefaults:\n  link: {{bandwidth: {gbit * 1000:g}Mbit/s, latency: {latency}}}\n" + body)


def rows_of(command):
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def key_of(row):
    return row["algorithm"], row["segment_bytes"], row["message_bytes"]


def priced(build, file, machines, algorithms):
    """Sizes, algorithms, and prices by algorithm, segment and message size."""
    sizes = next(sizes for most, sizes in SIZES if machines <= most)
    if algorithms == ALGORITHMS and machines > 64:
        algorithms = "binomial,binary,two-tree,latency"
    rows = rows_of([f"{build}/prices", file, sizes, algorithms, SEGMENTS])
    return sizes, algorithms, {key_of(row): row for row in rows}


def cells(build, name, machines, body, gbit, asked):
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory) / "grid.yaml"
        file.write_text(topology(name, body, gbit))
        sizes, algorithms, by_key = priced(build, file, machines, asked)
        simulated = rows_of([f"{build}/bcastgen", "bench", file, "--on", "simulated", "--sizes", sizes, "--algorithms",
                             "native," + algorithms, "--segments", SEGMENTS, "--format", "csv", "--quiet"])
    native = {row["message_bytes"]: row["completion_us_median"] for row in simulated if row["algorithm"] == "native"}
    for row in simulated:
        price = by_key.get(key_of(row))
        if price:
            yield {"topology": name, "gbit": f"{gbit:g}", "machines": machines, "algorithm": row["algorithm"],
                   "segment_bytes": row["segment_bytes"], "message_bytes": row["message_bytes"],
                   "price_us": price["price_us"], "simulated_us": row["completion_us_median"],
                   "native_us": price["native_us"], "simulated_native_us": native[row["message_bytes"]]}


def measure(arguments):
    path = pathlib.Path(arguments.cells)
    done = set()
    if path.exists():
        done = {(row["topology"], float(row["gbit"])) for row in csv.DictReader(path.open(newline=""))}
    for gbit in map(float, arguments.speeds.split(",")):
        for name, (machines, body) in networks(gbit).items():
            if arguments.only not in name or (name, gbit) in done:
                continue
            fresh = not path.exists()
            rows = list(cells(arguments.build, name, machines, body, gbit, arguments.algorithms))
            with path.open("a", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS)
                if fresh:
                    writer.writeheader()
                writer.writerows(rows)
            print(f"{name}, {gbit:g} Gbit/s: {len(rows)} cells", file=sys.stderr)


def price(arguments):
    path = pathlib.Path(arguments.cells)
    rows = list(csv.DictReader(path.open(newline="")))
    for name, gbit in dict.fromkeys((row["topology"], row["gbit"]) for row in rows):
        machines, body = networks(float(gbit))[name]
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "grid.yaml"
            file.write_text(topology(name, body, float(gbit)))
            algorithms = ",".join(dict.fromkeys(row["algorithm"] for row in rows))
            by_key = priced(arguments.build, file, machines, algorithms)[2]
        for row in rows:
            if (row["topology"], row["gbit"]) == (name, gbit):
                row.update({column: by_key[key_of(row)][column] for column in ("price_us", "native_us")})
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


def error_of(row):
    return float(row["price_us"]) / float(row["simulated_us"]) - 1


def summary(label, rows):
    errors = sorted(abs(error_of(row)) for row in rows)
    within = sum(error <= 0.10 for error in errors) / len(errors)
    middle = statistics.median(error_of(row) for row in rows)
    print(f"| {label} | {len(rows)} | {100 * within:.1f} % | {round(100 * middle, 1) + 0.0} % | {100 * errors[-1]:.0f} % |")


def table(arguments):
    rows = list(csv.DictReader(pathlib.Path(arguments.cells).open(newline="")))
    for column in ("gbit", "topology", "algorithm"):
        print(f"\n| {column} | cells | within 10 % | median error | largest |\n|---|---|---|---|---|")
        for value in dict.fromkeys(row[column] for row in rows):
            summary(value, [row for row in rows if row[column] == value])
    summary("**all**", rows)
    broadcasts = {}
    for row in rows:
        broadcasts.setdefault((row["topology"], row["gbit"], row["message_bytes"]), []).append(row)
    losses, wins = [], []
    for key, choices in broadcasts.items():
        chosen = min(choices, key=lambda row: float(row["price_us"]))
        best = min(float(row["simulated_us"]) for row in choices)
        losses.append((float(chosen["simulated_us"]) / best, key, chosen["algorithm"], chosen["segment_bytes"]))
        wins.append(float(chosen["simulated_native_us"]) / float(chosen["simulated_us"]))
    within = sum(loss <= 1.05 for loss, *_ in losses) / len(losses)
    print(f"\nThe choice of least price is within 5 % of the simulator's best in {100 * within:.0f} % of "
          f"{len(losses)} broadcasts. Where it loses most:")
    for loss, key, algorithm, segment in sorted(losses, reverse=True)[:8]:
        print(f"- {loss:.2f}: {', '.join(key)} bytes: {algorithm} {segment}")
    native = [row for row in rows if row["algorithm"] == rows[0]["algorithm"]]
    errors = [abs(float(row["native_us"]) / float(row["simulated_native_us"]) - 1) for row in native]
    print(f"\nNative: within 10 % in {100 * sum(e <= 0.1 for e in errors) / len(errors):.0f} % of {len(errors)}, "
          f"largest error {100 * max(errors):.0f} %.")
    for row in sorted(rows, key=lambda row: -abs(error_of(row)))[:arguments.worst]:
        print(f"worst: {100 * error_of(row):+.0f} %", {name: row[name] for name in COLUMNS})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "price", "table"])
    parser.add_argument("cells")
    parser.add_argument("--speeds", default="0.1,1,10,100,400")
    parser.add_argument("--only", default="", help="topologies whose names hold this")
    parser.add_argument("--algorithms", default=ALGORITHMS, help="priced and simulated (default: %(default)s)")
    parser.add_argument("--build", default="build")
    parser.add_argument("--worst", type=int, default=0, help="list so many cells with the largest errors")
    arguments = parser.parse_args()
    {"measure": measure, "price": price, "table": table}[arguments.what](arguments)


if __name__ == "__main__":
    main()
