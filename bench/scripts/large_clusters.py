#!/usr/bin/env python3
"""Simulated broadcasts on clusters so large that each takes minutes to simulate: one process for each message size and
set of algorithms, which are joined by + (a crash ends them all).

    bench/scripts/large_clusters.py measure cells.csv bench/topologies/racks-512.yaml [--sizes 64K,1M] [--algorithms linear+two-tree,smpi:impi]
        [--segments 8K,16K] [--under "nice -n 15"] [--tool build/bcastgen] [--at-most 600]
    bench/scripts/large_clusters.py table cells.csv racks-512

`measure` appends a line to cells.csv for each time, and for each broadcast that failed or took longer than so many
seconds, one with the reason. Started again it goes on with what is missing. `table` prints Markdown.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys

from figures import bytes_of, size_text, three_digits

SIZES = "64K,256K,1M,4M,16M"
OURS = ["linear", "binary", "two-tree"]
# Those that are the best of SimGrid's for some size on smaller clusters, and the MPIs' rules.
PEERS = ["scatter_LR_allgather", "scatter_rdb_allgather", "arrival_pattern_aware", "SMP_binary", "SMP_binomial",
         "SMP_linear", "impi", "mvapich2", "mpich", "ompi"]
COLUMNS = ["topology", "machines", "message", "algorithm", "segment", "us", "one_message_us", "native_us", "why_not"]


def known(path):
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def append(path, rows):
    fresh = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        if fresh:
            writer.writeheader()
        writer.writerows(rows)


def reason_of(error, at_most):
    if isinstance(error, subprocess.TimeoutExpired):
        return f"longer than {at_most} s"
    lines = [line for line in error.stderr.splitlines() if line.strip()]
    return lines[0][:160] if lines else f"exit code {error.returncode}"


def run(arguments, algorithms, segments, size):
    command = arguments.under.split() + [
        arguments.tool, "bench", arguments.topology, "--on", "simulated", "--sizes", size, "--algorithms",
        algorithms.replace("+", ","), "--segments", segments or "8K", "--format", "json", "--quiet"]
    topology = pathlib.Path(arguments.topology).stem
    try:
        result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True,
                                           timeout=arguments.at_most).stdout)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        return [{"topology": topology, "message": bytes_of(size), "algorithm": algorithm, "segment": bytes_of(segment),
                 "why_not": reason_of(error, arguments.at_most)}
                for algorithm in algorithms.split("+") for segment in (segments or "0").split(",")]
    reference = result["references"][0]
    wrong = [row for row in result["rows"] if not row["bytes_ok"]]
    if wrong:
        sys.exit(f"wrong bytes: {wrong}")
    return [{"topology": topology, "machines": result["machines"], "message": row["message_bytes"],
             "algorithm": row["algorithm"], "segment": row["segment_bytes"], "us": row["completion_us_median"],
             "one_message_us": reference["one_message_us"], "native_us": reference["native_us"]}
            for row in result["rows"]]


def measure(arguments):
    path = pathlib.Path(arguments.cells)
    topology = pathlib.Path(arguments.topology).stem
    for size in arguments.sizes.split(","):
        for algorithms in arguments.algorithms.split(","):
            have = {(row["algorithm"], int(row["segment"])) for row in known(path)
                    if row["topology"] == topology and int(row["message"]) == bytes_of(size)}
            names = algorithms.split("+")
            wanted = ["0"] if names[0].startswith("smpi:") else arguments.segments.split(",")
            missing = [segment for segment in wanted
                       if any((name, bytes_of(segment)) not in have for name in names)]
            if missing:
                append(path, run(arguments, algorithms, "" if missing == ["0"] else ",".join(missing), size))


def ms(microseconds):
    return three_digits(float(microseconds) / 1000)


def table(arguments):
    rows = [row for row in known(pathlib.Path(arguments.cells)) if row["topology"] == arguments.topology]
    timed = [row for row in rows if row["us"]]
    sizes = sorted({int(row["message"]) for row in timed})
    at = {size: [row for row in timed if int(row["message"]) == size] for size in sizes}
    one_message = {size: float(at[size][0]["one_message_us"]) for size in sizes}

    def best(size, wanted):
        found = [row for row in at[size] if wanted(row["algorithm"])]
        return min(found, key=lambda row: float(row["us"])) if found else None

    print("| ms | " + " | ".join(size_text(size) for size in sizes) + " |")
    print("| --- |" + " --- |" * len(sizes))
    print("| T(m) | " + " | ".join(ms(one_message[size]) for size in sizes) + " |")
    print("| MPICH | " + " | ".join(ms(at[size][0]["native_us"]) for size in sizes) + " |")
    cells = []
    for size in sizes:
        row = best(size, lambda name: name.startswith("smpi:"))
        cells.append(f"{ms(row['us'])} {row['algorithm'][5:]}" if row else "")
    print("| best peer | " + " | ".join(cells) + " |")
    ours = [best(size, lambda name: name == "two-tree") for size in sizes]
    for algorithm in OURS:
        cells = []
        for size in sizes:
            row = best(size, lambda name: name == algorithm)
            cells.append(f"{ms(row['us'])} ({size_text(int(row['segment']))})" if row else "")
        print(f"| {algorithm} | " + " | ".join(cells) + " |")
    for title, other in (("best peer / two-tree", lambda name: name.startswith("smpi:")),
                         ("linear / two-tree", lambda name: name == "linear")):
        cells = []
        for size, two_tree in zip(sizes, ours):
            row = best(size, other)
            cells.append(f"{float(row['us']) / float(two_tree['us']):.2f}" if row and two_tree else "")
        print(f"| {title} | " + " | ".join(cells) + " |")
    print("| two-tree / T(m) | " + " | ".join(
        f"{float(row['us']) / one_message[size]:.2f}" if row else "" for size, row in zip(sizes, ours)) + " |")
    for row in rows:
        if row["why_not"]:
            print(f"\nNot measured: {row['algorithm']}, {size_text(int(row['message']))}: {row['why_not']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("measure")
    one.add_argument("cells", metavar="CSV")
    one.add_argument("topology", metavar="YAML")
    one.add_argument("--sizes", default=SIZES)
    one.add_argument("--algorithms", default="+".join(OURS) + "".join(",smpi:" + peer for peer in PEERS))
    one.add_argument("--segments", default="8K", help="of the algorithms that are not SimGrid's")
    one.add_argument("--under", default="", metavar="COMMAND", help="what to run each simulation under")
    one.add_argument("--tool", default="build/bcastgen")
    one.add_argument("--at-most", type=float, default=600, metavar="SECONDS")
    one.set_defaults(run=measure)
    two = commands.add_parser("table")
    two.add_argument("cells", metavar="CSV")
    two.add_argument("topology", metavar="NAME")
    two.set_defaults(run=table)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
