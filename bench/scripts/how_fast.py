#!/usr/bin/env python3
"""Simulated broadcasts against SimGrid's copies of other MPIs' algorithms: the tables and plots of docs/how-fast.md.

    bench/scripts/how_fast.py topologies/fsu-5.yaml [--plot docs/how-fast-fsu-5.svg] [--tool build/bcastgen] [--tuning tuning.yaml]
        [--sizes 1K,64K] [--ours tuned]

Prints a Markdown table; best peer is the quickest of SimGrid's algorithms for that very size, a choice no MPI makes.
"""
import argparse
import json
import math
import subprocess

from figures import size_text, three_digits

SIZES = "1K,8K,64K,256K,1M,4M"
OURS = ["binomial", "latency", "linear", "binary", "two-tree", "tuned"]
# SMP_linear and ompi_split_bintree are SimGrid's, too, and end the simulation at some of these sizes.
PEERS = ["SMP_binary", "SMP_binomial", "arrival_pattern_aware", "arrival_pattern_aware_wait", "arrival_scatter",
         "binomial_tree", "default", "flattree", "flattree_pipeline", "impi", "mpich", "mvapich2",
         "mvapich2_inter_node", "mvapich2_intra_node", "mvapich2_knomial_intra_node", "ompi", "ompi_pipeline",
         "scatter_LR_allgather", "scatter_rdb_allgather"]


def measure(tool, topology, tuning, sizes, ours):
    algorithms = ["pingpong", "native"] + ours + ["smpi:" + peer for peer in PEERS]
    command = [tool, "bench", topology, "--on", "simulated", "--sizes", sizes, "--algorithms", ",".join(algorithms),
               "--format", "json"] + (["--tuning", tuning] if tuning else [])
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def ms(microseconds):
    return three_digits(microseconds / 1000)


def table_of(result, ours):
    time = {(row["algorithm"], row["message_bytes"]): row["completion_us_median"] for row in result["rows"]}
    segment = {(row["algorithm"], row["message_bytes"]): row["segment_bytes"] for row in result["rows"]}
    sizes = sorted({row["message_bytes"] for row in result["rows"]})
    one_peer = {reference["message_bytes"]: reference["one_peer_us"] for reference in result["references"]}
    peer = {size: min(PEERS, key=lambda name: time["smpi:" + name, size]) for size in sizes}
    rows = [["ms"] + [size_text(size) for size in sizes], ["---"] * (len(sizes) + 1)]
    rows.append(["T(m)"] + [ms(time["pingpong", size]) for size in sizes])
    rows.append(["to one peer in segments"] + [ms(one_peer[size]) for size in sizes])
    rows.append(["MPICH"] + [ms(time["native", size]) for size in sizes])
    rows.append(["Open MPI"] + [ms(time["smpi:ompi", size]) for size in sizes])
    rows.append(["best peer"] + [f"{ms(time['smpi:' + peer[size], size])} {peer[size]}" for size in sizes])
    for algorithm in ours:
        cells = []
        for size in sizes:
            piece = segment[algorithm, size]
            cells.append(ms(time[algorithm, size]) + (f" ({size_text(piece)})" if 0 < piece < size else ""))
        rows.append([f"**{algorithm}**" if algorithm == "tuned" else algorithm] + cells)
    ratio = {size: time["smpi:" + peer[size], size] / time["tuned", size] for size in sizes}
    rows.append(["best peer / tuned"] + [f"{ratio[size]:.2f}" for size in sizes])
    rows.append(["tuned / T(m)"] + [f"{time['tuned', size] / time['pingpong', size]:.2f}" for size in sizes])
    large = [ratio[size] for size in sizes if size >= 65536]
    mean = math.prod(large) ** (1 / len(large))
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + f"\n\nGeometric mean from 64K up: {mean:.2f}"


def plot(result, file):
    """Time against message size, both logarithmic, as a multiple of T(m)."""
    curves = [("native", "MPICH"), ("smpi:ompi", "Open MPI"), ("binomial", "binomial over the order"),
              ("linear", "linear"), ("binary", "binary"), ("two-tree", "two-tree")]
    time = {(row["algorithm"], row["message_bytes"]): row["completion_us_median"] for row in result["rows"]}
    sizes = sorted({row["message_bytes"] for row in result["rows"]})
    lines = [f"set terminal svg size 720,420 font 'sans,13' background rgb 'white'; set output '{file}'",
             f"set title '{result['topology']}, {result['machines']} machines, simulated'; set key outside right",
             f"set xrange [{sizes[0]}:{sizes[-1]}]",
             "set logscale xy; set grid ytics; set ylabel 'time / T(m)'; set yrange [0.8:*]; set xlabel 'message'",
             "set xtics (" + ", ".join(f"'{size_text(size)}' {size}" for size in sizes) + ")",
             "plot " + ", ".join(f"'-' with linespoints linewidth 2 title '{title}'" for _, title in curves)]
    for algorithm, _ in curves:
        lines += [f"{size} {time[algorithm, size] / time['pingpong', size]:.4f}" for size in sizes] + ["e"]
    subprocess.run(["gnuplot"], input="\n".join(lines), check=True, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topology")
    parser.add_argument("--plot", metavar="SVG")
    parser.add_argument("--tool", default="build/bcastgen")
    parser.add_argument("--tuning", metavar="YAML", help="decision table of tuned; predicted from the plan if not given")
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--ours", default=",".join(OURS), help="algorithms of the library to show, tuned among them")
    arguments = parser.parse_args()
    ours = arguments.ours.split(",")
    result = measure(arguments.tool, arguments.topology, arguments.tuning, arguments.sizes, ours)
    print(table_of(result, ours))
    if arguments.plot:
        plot(result, arguments.plot)


if __name__ == "__main__":
    main()
