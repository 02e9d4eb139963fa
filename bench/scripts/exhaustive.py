#!/usr/bin/env python3
"""How close a tuning comes to the best of all candidates, simulated: every algorithm with every segment size of the ladder.

    bench/scripts/exhaustive.py topologies/fsu-1.yaml tuning.yaml --machines "n[0-7]" --sizes 8K,64K,256K [--tool build/bcastgen]

Prints a Markdown table: the best candidate of each size, and how much slower what the decision table chose is.
"""
import argparse
import json
import subprocess

from figures import bytes_of

ALGORITHMS = ["flat", "binomial", "linear", "binary", "kary3", "two-tree", "latency", "scatter-ring", "scatter-ring-tuned"]
SMALLEST, STEPS, MOST_SEGMENTS = 512, 8, 4096


def ladder(message):
    """Segment sizes that a tuning may end at, in eighths of each doubling, and the small frames of small messages."""
    sizes = [240] if 240 < message <= 32768 else []
    octave = SMALLEST
    while octave < message:
        sizes += [octave + octave // STEPS * step for step in range(STEPS)]
        octave *= 2
    return [size for size in sizes if size < message and message // size <= MOST_SEGMENTS]


def measure(arguments, size):
    segments = [str(segment) for segment in ladder(bytes_of(size))] + ["max"]
    command = [arguments.tool, "bench", arguments.topology, "--on", "simulated", "--sizes", size, "--segments", ",".join(segments),
               "--algorithms", ",".join(["native", "tuned"] + ALGORITHMS), "--tuning", arguments.tuning, "--format", "json"]
    if arguments.machines:
        command += ["--machines", arguments.machines]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["rows"]


def named(row):
    return row["algorithm"] + (f" ({row['segment_bytes']})" if row["segment_bytes"] else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("topology")
    parser.add_argument("tuning")
    parser.add_argument("--sizes", required=True)
    parser.add_argument("--machines")
    parser.add_argument("--tool", default="build/bcastgen")
    arguments = parser.parse_args()
    print("| message | candidates | best of all | ms | tuned | ms | slower by |\n|---|---|---|---|---|---|---|")
    for size in arguments.sizes.split(","):
        rows = measure(arguments, size)
        tuned = next(row for row in rows if row["algorithm"] == "tuned")
        candidates = [row for row in rows if row["algorithm"] != "tuned"]
        best = min(candidates, key=lambda row: row["completion_us_median"])
        least, own = best["completion_us_median"], tuned["completion_us_median"]
        # tuned says which segment size it took, and the same candidate took the same time
        alike = [row for row in candidates if row["segment_bytes"] == tuned["segment_bytes"]]
        choice = min(alike, key=lambda row: abs(row["completion_us_median"] - own))
        print(f"| {size} | {len(candidates)} | {named(best)} | {least / 1000:.3f} | {named(choice)} | "
              f"{own / 1000:.3f} | {100 * (own / least - 1):.1f} % |", flush=True)


if __name__ == "__main__":
    main()
