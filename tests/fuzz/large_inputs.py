#!/usr/bin/env python3
"""Gives bcastgen files of 10 MB that are made to take long, and shows what each takes: processor time and memory.

    tests/fuzz/large_inputs.py build/bcastgen

Ends with exit code 1 if one takes more than 10 seconds or 1 GiB, or ends in anything but success or an error of the
input."""
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

MEGABYTES = 10
SECONDS, MEMORY_MIB = 10, 1024
HEAD = "name: x\nswitches:\n  s0: {machines: \"n[0-3]\"}\n"


def repeated(text: str) -> str:
    return text * (MEGABYTES * 1_000_000 // len(text))


def numbered(line) -> str:
    lines, size = [], 0
    while size < MEGABYTES * 1_000_000:
        lines.append(line(len(lines)))
        size += len(lines[-1])
    return "".join(lines)


def neighbour(i: int, ability: str) -> str:
    return (f'{"," if i else ""}{{"e{i}":{{"chassis":{{"n{i}":{{"capability":[{{"type":"{ability}","enabled":true}}]}}}}}}}}')


def ring(i: int) -> str:
    return f"  - {{between: [s{i}, s{(i + 1) % 180_000}]}}\n" if i < 180_000 else "  - {between: [s0, s7]}\n"


CASES = {
    "links that are none, one line": ("check", lambda: HEAD + "links: [" + repeated("a,") + "a]\n"),
    "links that are none, lines": ("check", lambda: HEAD + "links:\n" + repeated("- a\n")),
    "links to unknown switches": ("check", lambda: HEAD + "links:\n" + numbered(lambda i: f"- {{between: [q{i}, s0]}}\n")),
    "unknown keys": ("check", lambda: HEAD + numbered(lambda i: f"k{i}: 1\n")),
    "switches in pieces": ("check", lambda: HEAD + numbered(lambda i: f"  t{i}:\n")),
    "a star of switches": ("check", lambda: HEAD + numbered(lambda i: f"  t{i}: {{machines: m{i}}}\n")[: MEGABYTES * 450_000].rsplit("\n", 1)[0]
                           + "\nlinks:\n" + numbered(lambda i: f"- {{between: [s0, t{i}]}}\n")[: MEGABYTES * 450_000].rsplit("\n", 1)[0] + "\n"),
    "a ring of switches": ("check", lambda: "name: x\nswitches:\n  s0: {machines: n0}\n" + "".join(f"  s{i}:\n" for i in range(1, 180_000))
                           + "links:\n" + "".join(ring(i) for i in range(180_000))),
    "the same, cycles forbidden": ("check", lambda: "name: x\nspanning_tree: none\nswitches:\n  s0: {machines: n0}\n"
                                   + "".join(f"  s{i}:\n" for i in range(1, 120_000)) + "links:\n"
                                   + "".join(f"- {{between: [s{i}, s{(i + step) % 120_000}]}}\n" for step in (1, 7) for i in range(120_000))),
    "machines, one line": ("check", lambda: "name: x\nswitches:\n  s0: {machines: [" + numbered(lambda i: f"n{i},") + "m]}\n"),
    "machines, one hostlist": ("check", lambda: "name: x\nswitches:\n  s0: {machines: \"" + numbered(lambda i: f"n{i},") + "m\"}\n"),
    "machines that differ": ("check", lambda: "name: x\nswitches:\n  s0: {machines: \"n[0-399999]\"}\nmachines:\n" + numbered(lambda i: f"  n{i % 400_000}: {{cores: {1 + i % 65536}}}\n")),
    "hostlists that stand for much": ("check", lambda: "name: x\nswitches:\n" + numbered(lambda i: f"  s{i}: {{machines: \"n[0-999999]\"}}\n")),
    "hostlists that are broken": ("check", lambda: "name: x\nswitches:\n  s0: {machines: \"" + repeated("n[0-9,") + "\"}\n"),
    "opening brackets": ("check", lambda: repeated("[")),
    "nested lists": ("check", lambda: repeated("- ")),
    "commas": ("check", lambda: "x: [" + repeated(",") + "]"),
    "blanks": ("check", lambda: repeated(" ")),
    "line ends": ("check", lambda: HEAD + repeated("\n")),
    "an open quote": ("check", lambda: "name: \"" + repeated("a")),
    "quoted text": ("check", lambda: "name: \"" + repeated("a") + "\""),
    "escapes": ("check", lambda: "name: \"" + repeated("\\x1b") + "\""),
    "aliases": ("check", lambda: HEAD + "partitions:\n  a: &a [" + "n0," * 1000 + "n1]\n" + numbered(lambda i: f"  p{i}: *a\n")),
    "anchors": ("check", lambda: HEAD + "partitions:\n" + numbered(lambda i: f"  p{i}: &a{i} n0\n")),
    "comments": ("check", lambda: HEAD + repeated("# a comment, as others have them\n")),
    "partitions": ("check", lambda: HEAD + "partitions:\n" + numbered(lambda i: f"  p{i}: n0\n")),
    "bytes that are no text": ("check", lambda: repeated("\x01\x02")),
    "tags": ("check", lambda: HEAD + "links: [" + repeated("!x a,") + "]\n"),
    "keys that are lists": ("check", lambda: HEAD + repeated("? [a]\n: b\n")),
    "slurm: switches and nodes": ("slurm", lambda: numbered(lambda i: f"SwitchName=s{i} Nodes=n{i}\n")),
    "slurm: unknown switches": ("slurm", lambda: numbered(lambda i: f"SwitchName=s{i} Switches=q{i}\n")),
    "slurm: a chain of switches": ("slurm", lambda: numbered(lambda i: f"SwitchName=s{i} Switches=s{i + 1}\n") + "SwitchName=e Nodes=n0\n"),
    "slurm: hostlists that stand for much": ("slurm", lambda: repeated("SwitchName=s[0-999] Nodes=n[0-999999]\n")),
    "slurm: names that are none": ("slurm", lambda: "SwitchName=s0 Nodes=" + repeated("$,")),
    "slurm: settings": ("slurm", lambda: "SwitchName=s0 " + repeated("Nodes=n0 ")),
    "slurm: hints": ("slurm", lambda: "SwitchName=s0 Nodes=n[0-9]\n" + numbered(lambda i: f"# bcastgen ports=n{i % 10} cores={1 + i % 9}\n")),
    "ibnetdiscover: lines that are none": ("ibnetdiscover", lambda: repeated("x\n")),
    "ibnetdiscover: switches": ("ibnetdiscover", lambda: numbered(lambda i: f'Switch 36 "S-{i}" # "s"\n[1] "H-{i}"[1] # "n{i}" 4xEDR\nCa 1 "H-{i}" # "n{i}"\n[1] "S-{i}"[1]\n')),
    "ibnetdiscover: ports": ("ibnetdiscover", lambda: 'Switch 36 "S-1" # "a"\n' + numbered(lambda i: f'[{i}] "S-2"[{i}]\n')),
    "topograph: numbers": ("topograph", lambda: '{"switches": {"s0": {"nodes": [' + repeated("1,") + "1]}}}"),
    "topograph: blocks": ("topograph", lambda: '{"blocks": [{"switch":"s","nodes":["m"]}' + numbered(lambda i: f',{{"switch":"b{i}","nodes":["n{i}"]}}') + "]}"),
    "topograph: nested lists": ("topograph", lambda: repeated("[")),
    "lldp: routers": ("lldp", lambda: '{"lldp": {"interface": [' + numbered(lambda i: neighbour(i, "Router")) + "]}}"),
    "lldp: bridges": ("lldp", lambda: '{"lldp": {"interface": [' + numbered(lambda i: neighbour(i, "Bridge")) + "]}}"),
    "lldp: machines": ("lldp", lambda: '{"lldp": {"interface": [' + numbered(lambda i: neighbour(i, "Station")) + "]}}"),
}


def main() -> int:
    tool = sys.argv[1]
    wanted = sys.argv[2:]
    bad = 0
    with tempfile.TemporaryDirectory(prefix="bcastgen-test-") as folder:
        for name, (kind, text) in CASES.items():
            if wanted and not any(word in name for word in wanted):
                continue
            file = Path(folder) / ("host.json" if kind == "lldp" else "input.yaml")
            file.write_text(text(), encoding="utf-8")
            command = [tool, "check", str(file)] if kind == "check" else [tool, "import", kind, str(file)]
            with open(os.devnull, "wb") as nowhere, subprocess.Popen(
                command, stdout=nowhere, stderr=subprocess.PIPE, preexec_fn=limit
            ) as child:
                said = child.stderr.read()
                _, status, used = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
            seconds, mebibytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
            good = child.returncode in (0, 2) and seconds <= SECONDS and mebibytes <= MEMORY_MIB and len(said) < 100_000
            bad += not good
            print(f"{name:38} exit {child.returncode:3} {seconds:6.2f} s {mebibytes:6.0f} MiB"
                  f" {len(said):6} bytes of errors{'' if good else '   TOO MUCH'}", flush=True)
    return 1 if bad else 0


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


if __name__ == "__main__":
    sys.exit(main())
