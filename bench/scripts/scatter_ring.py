#!/usr/bin/env python3
"""Times scatter and ring against MPICH's and the trees, on simulated clusters of a given shape (docs/scatter-ring.md).

    bench/scripts/scatter_ring.py SHAPE RANKS SIZES [ALGORITHMS [NETWORK]]

SHAPE is how RANKS ranks are placed: "racks", one on each machine, 16 machines to a rack, racks on one core switch;
"slow-racks", the same with trunks of a fifth of a port's speed; "packed-24", 24 on each machine of one switch (or any
other number). Links are of 100 Mbit/s and 20 us. Prints a row of a table for each size; times are milliseconds. SimGrid's
smpi:mpich deadlocks with several ranks on a machine and is left out there. NETWORK is bcastgen bench's.
"""
import csv
import io
import pathlib
import subprocess
import sys
import tempfile

PEERS = ["smpi:scatter_LR_allgather", "smpi:scatter_rdb_allgather", "smpi:mpich"]
OURS = ["scatter-ring", "scatter-ring-tuned", "two-tree"]
RACK_MACHINES = 16


def topology(name, machines, trunk):
    """The text of a topology file of so many machines in racks."""
    lines = [f"name: {name}", "defaults: {link: {bandwidth: 100Mbit/s, latency: 20us}}", "switches:"]
    starts = range(0, machines, RACK_MACHINES)
    if trunk is None or len(starts) == 1:
        return "\n".join(lines + [f'  s0: {{machines: "n[0-{machines - 1}]"}}', ""])
    lines.append("  core:")
    lines += [f'  r{i}: {{machines: "n[{s}-{min(s + RACK_MACHINES, machines) - 1}]"}}' for i, s in enumerate(starts)]
    lines.append("links:")
    lines += [f"  - {{between: [core, r{i}], bandwidth: {trunk}}}" for i in range(len(starts))]
    return "\n".join(lines + [""])


def shape_of(name, ranks):
    """Topology text, and ranks on each machine."""
    if name.startswith("packed-"):
        per_machine = int(name.removeprefix("packed-"))
        if ranks % per_machine:
            sys.exit(f"{ranks} ranks do not fill machines of {per_machine}")
        return topology(name, ranks // per_machine, None), per_machine
    return topology(name, ranks, "20Mbit/s" if name == "slow-racks" else "100Mbit/s"), 1


def times(tool, text, per_machine, size, algorithms, network):
    """(algorithm, segment bytes) -> milliseconds."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        command = [tool, "bench", file.name, "--on", "simulated", "--sizes", size, "--segments", "8K,max", "--quiet",
                   "--ranks-per-machine", str(per_machine), "--algorithms", ",".join(algorithms), "--network", network,
                   "--format", "csv"]
        rows = csv.DictReader(io.StringIO(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout))
        found = {}
        for row in rows:
            if row["bytes_ok"] != "1":
                sys.exit(f"wrong bytes: {row}")
            found[row["algorithm"], int(row["segment_bytes"])] = float(row["completion_us_median"]) / 1000
        return found


def cell(found, algorithm, segment):
    time = found.get((algorithm, segment))
    return "" if time is None else f"{time:.4g}"


def gain(found, segment):
    """How much faster the tuned ring is than the plain one."""
    plain, tuned = found.get((OURS[0], segment)), found.get((OURS[1], segment))
    return f"{100 * (plain / tuned - 1):.1f} %" if plain and tuned else ""


def main():
    shape, ranks, sizes = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(",")
    algorithms = sys.argv[4].split(",") if len(sys.argv) > 4 else PEERS + OURS
    network = sys.argv[5] if len(sys.argv) > 5 else "default"
    if shape.startswith("packed-"):
        algorithms = [a for a in algorithms if a != "smpi:mpich"]
    tool = str(pathlib.Path(__file__).resolve().parents[2] / "build" / "bcastgen")
    text, per_machine = shape_of(shape, ranks)
    columns = [(a, 0) for a in PEERS + OURS[:2]] + [(a, 8192) for a in OURS]
    for size in sizes:
        found = times(tool, text, per_machine, size, algorithms, network)
        gains = [gain(found, 0), gain(found, 8192)]
        print("| " + " | ".join([str(ranks), size] + [cell(found, *c) for c in columns] + gains) + " |", flush=True)


if __name__ == "__main__":
    main()
