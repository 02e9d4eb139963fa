#!/usr/bin/env python3
r"""Broadcasts that ranks enter at different times: the tables and plots of docs/arrival.md.

    bench/scripts/arrival.py topologies/fsu-1.yaml --size 256K --arrival random --factors 0,4,16,64 \
        --on simulated [--plot FILE.svg] [other options of bench]
    bench/scripts/arrival.py topologies/fsu-1.yaml --sizes 64K,256K,1M --arrival late:0.2 --factors 16 --on simulated

Prints average per node times in milliseconds as a Markdown table, against the largest imbalance factor or against the
message size. Optimum: Lemma 2's lower bound of what any broadcast takes, in the mean over patterns of that kind.
"""
import argparse
import json
import subprocess

from figures import size_text, three_digits as ms

ALGORITHMS = ["native", "flat", "binomial", "linear", "two-tree", "arrival-b", "arrival-nb", "arrival-live"]
BALANCED = ["native", "flat", "binomial", "linear", "two-tree"]


def measure(options, factor, sizes):
    """(algorithm, size) -> average per node time, and size -> T(m), in milliseconds; the number of ranks."""
    arrival = f"{options.pattern}:{factor}" if factor > 0 else "balanced"
    command = [options.tool, "bench", options.topology, "--sizes", sizes, "--arrival", arrival, "--format", "json",
               "--algorithms", options.algorithms, "--segments", options.segment] + options.bench
    result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert all(row["bytes_ok"] for row in result["rows"])
    times = {(row["algorithm"], row["message_bytes"]): row["per_node_us_mean"] / 1000 for row in result["rows"]}
    message = {reference["message_bytes"]: reference["one_message_us"] / 1000 for reference in result["references"]}
    return times, message, result["ranks"]


def optimum(pattern, factor, ranks, message):
    """Lemma 2: (delta + (n - 1) T) / n, delta in the mean over patterns of this kind."""
    others = ranks - 1
    if pattern == "random":
        spread = factor * others / (others + 1)
    else:
        spread = factor * (1 - (1 - float(pattern.split(":")[1])) ** others)
    return message * (spread + others) / ranks


def table(options, columns, head):
    """columns: (title, times of one column, T, optimum)."""
    algorithms = options.algorithms.split(",")
    rows = [[head] + [title for title, *_ in columns], ["---"] * (len(columns) + 1)]
    rows.append(["T(m)"] + [ms(message) for _, _, message, _ in columns])
    rows.append(["optimum, at least"] + [ms(bound) for _, _, _, bound in columns])
    rows += [[name] + [ms(times[name]) for _, times, _, _ in columns] for name in algorithms]
    for name in [name for name in algorithms if name.startswith("arrival")]:
        rows.append([f"native / {name}"] + [f"{times['native'] / times[name]:.2f}" for _, times, _, _ in columns])
    for name in [name for name in algorithms if name.startswith("arrival")]:
        best = [min(times[other] for other in BALANCED if other in times) for _, times, _, _ in columns]
        rows.append([f"best of the others / {name}"] +
                    [f"{b / times[name]:.2f}" for b, (_, times, _, _) in zip(best, columns)])
    for name in [name for name in algorithms if name.startswith("arrival")]:
        rows.append([f"{name} / optimum"] + [f"{times[name] / bound:.2f}" for _, times, _, bound in columns])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def plot(options, columns, xlabel, file):
    algorithms = options.algorithms.split(",")
    lines = [f"set terminal svg size 720,420 font 'sans,13' background rgb 'white'; set output '{file}'",
             f"set title '{options.title}'; set key outside right; set grid ytics; set logscale y",
             f"set ylabel 'average per node time / T(m)'; set xlabel '{xlabel}'",
             "set xtics (" + ", ".join(f"'{title}' {i}" for i, (title, *_) in enumerate(columns)) + ")",
             "plot " + ", ".join(f"'-' with linespoints linewidth 2 title '{name}'" for name in algorithms) +
             ", '-' with lines dashtype 2 linecolor rgb 'black' title 'optimum, at least'"]
    for name in algorithms:
        lines += [f"{i} {times[name] / message:.4f}" for i, (_, times, message, _) in enumerate(columns)] + ["e"]
    lines += [f"{i} {bound / message:.4f}" for i, (_, _, message, bound) in enumerate(columns)] + ["e"]
    subprocess.run(["gnuplot"], input="\n".join(lines), check=True, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topology")
    parser.add_argument("--sizes", "--size", default="256K", help="one, or several for one factor")
    parser.add_argument("--arrival", dest="pattern", default="random", help="random or late:FRACTION")
    parser.add_argument("--factors", default="0,1,4,16,64", help="largest imbalance factors; 0: balanced")
    parser.add_argument("--algorithms", default=",".join(ALGORITHMS))
    parser.add_argument("--segment", default="8K")
    parser.add_argument("--plot", metavar="FILE")
    parser.add_argument("--title", default="")
    parser.add_argument("--tool", default="build/bcastgen")
    options, options.bench = parser.parse_known_args()
    columns = []
    for factor in [float(text) for text in options.factors.split(",")]:
        times, message, ranks = measure(options, factor, options.sizes)
        for size in sorted(message):
            column = {name: time for (name, of), time in times.items() if of == size}
            title = size_text(size) if "," in options.sizes else f"{factor:g}"
            columns.append((title, column, message[size], optimum(options.pattern, factor, ranks, message[size])))
    by_size = "," in options.sizes
    print(table(options, columns, "ms" if by_size else "ms, MAX_IF"))
    if options.plot:
        plot(options, columns, "message" if by_size else "largest imbalance factor", options.plot)


if __name__ == "__main__":
    main()
