#!/usr/bin/env python3
"""Gives bcastgen files of 10 MB that are made to take long, and shows what each takes: processor time and memory.

    tests/fuzz/large_inputs.py build/bcastgen [WORD…]        those whose names hold one of the words

Ends with exit code 1 if one takes more than 10 seconds or 1 GiB, or ends in anything but success or an error of the
input.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

BYTES = 10_000_000
MOST_SECONDS, MOST_MIB = 10, 1024

HEAD = 'name: x\nswitches:\n  s0: {machines: "n[0-3]"}\n'
ON_S0 = "name: x\nswitches:\n  s0: {machines: "
TABLE = "Unicast lids [0x0-0x9] of switch Lid 1 guid 0x0000000000000001 (s0):\n  Lid  Out   Destination\n"
ROUTE = "0x{:04x} 001 : (Channel Adapter portguid 0x{:016x}: 'n{}')\n"
RULES = "format: bcastgen-tuning/1\ntopology: x\nplan: 0\nrules:\n"
DEVICE = '{{"e{0}":{{"chassis":{{"n{0}":{{"capability":[{{"type":"{1}","enabled":true}}]}}}}}}}}'
ADAPTER = 'Switch 36 "S-{0}" # "s"\n[1] "H-{0}"[1] # "n{0}" 4xEDR\nCa 1 "H-{0}" # "n{0}"\n[1] "S-{0}"[1]\n'


def repeated(text: str) -> str:
    return text * (BYTES // len(text))


def numbered(form: str | Callable[[int], str], size: int = BYTES) -> str:
    """As many lines as there is room for: of a form for format(), or what a function gives for each number."""
    lines = []
    while size > 0:
        lines.append(form.format(len(lines)) if isinstance(form, str) else form(len(lines)))
        size -= len(lines[-1])
    return "".join(lines)


def switches(count: int, steps: tuple[int, ...], rule: str) -> str:
    """Switches in a ring, each joined to those so many steps on."""
    names = "".join(f"  s{i}:\n" for i in range(1, count))
    links = "".join(f"- {{between: [s{i}, s{(i + step) % count}]}}\n" for step in steps for i in range(count))
    return f"name: x\nspanning_tree: {rule}\nswitches:\n  s0: {{machines: n0}}\n{names}links:\n{links}"


def star() -> str:
    count = 160_000
    leaves = "".join(f"  t{i}: {{machines: m{i}}}\n" for i in range(count))
    return HEAD + leaves + "links:\n" + "".join(f"- {{between: [s0, t{i}]}}\n" for i in range(count))


def neighbours(ability: str) -> str:
    devices = numbered(lambda i: ("," if i else "") + DEVICE.format(i, ability))
    return '{"lldp": {"interface": [' + devices + "]}}"


CASES = {
    "check: links that are none, in a line": lambda: HEAD + "links: [" + repeated("a,") + "a]\n",
    "check: links that are none, in lines": lambda: HEAD + "links:\n" + repeated("- a\n"),
    "check: empty links": lambda: HEAD + "links:\n" + repeated("-\n"),
    "check: links to unknown switches": lambda: HEAD + "links:\n" + numbered("- {{between: [q{}, s0]}}\n"),
    "check: unknown keys": lambda: HEAD + numbered("k{}: 1\n"),
    "check: keys that are lists": lambda: HEAD + repeated("? [a]\n: b\n"),
    "check: switches in pieces": lambda: HEAD + numbered("  t{}:\n"),
    "check: a star of switches": star,
    "check: a ring of switches": lambda: switches(250_000, (1,), "auto"),
    "check: two rings of switches": lambda: switches(150_000, (1, 7), "auto"),
    "check: cycles that are forbidden": lambda: switches(150_000, (1, 7), "none"),
    "check: machines in a list": lambda: ON_S0 + "[" + numbered("n{},") + "m]}\n",
    "check: machines in a hostlist": lambda: ON_S0 + '"' + numbered("n{},", 7_500_000) + 'm"}\n',
    "check: machines, too many": lambda: ON_S0 + '"' + numbered("n{},") + 'm"}\n',
    "check: machines that differ": lambda: ON_S0
    + '"n[0-399999]"}\nmachines:\n'
    + numbered(lambda i: f"  n{i}: {{cores: {1 + i % 65536}}}\n", 9_000_000),
    "check: hostlists that stand for much": lambda: "name: x\nswitches:\n"
    + numbered('  s{}: {{machines: "n[0-999999]"}}\n'),
    "check: hostlists that are broken": lambda: ON_S0 + '"' + repeated("n[0-9,") + '"}\n',
    "check: names that are none": lambda: ON_S0 + '"' + repeated("$,") + '"}\n',
    "check: partitions": lambda: HEAD + "partitions:\n" + numbered("  p{}: n0\n"),
    "check: aliases": lambda: HEAD + "partitions:\n  a: &a [" + "n0," * 1000 + "n1]\n" + numbered("  p{}: *a\n"),
    "check: anchors": lambda: HEAD + "partitions:\n" + numbered("  p{0}: &a{0} n0\n"),
    "check: tags": lambda: HEAD + "links: [" + repeated("!x a,") + "]\n",
    "check: opening brackets": lambda: repeated("["),
    "check: nested lists": lambda: repeated("- "),
    "check: commas": lambda: "x: [" + repeated(",") + "]",
    "check: blanks": lambda: repeated(" "),
    "check: line ends": lambda: HEAD + repeated("\n"),
    "check: comments": lambda: HEAD + repeated("# as others have them\n"),
    "check: an open quote": lambda: 'name: "' + repeated("a"),
    "check: a long name": lambda: 'name: "' + repeated("a") + '"',
    "check: escapes": lambda: 'name: "' + repeated("\\x1b") + '"',
    "check: bytes that are no text": lambda: repeated("\x01\x02"),
    "routes: lines that are none": lambda: repeated("x\n"),
    "routes: of one switch": lambda: TABLE + numbered(lambda i: ROUTE.format(i % 49152, i, i % 4)),
    "routes: of many switches": lambda: repeated(TABLE + ROUTE.format(1, 1, 0)),
    "tuning: rules": lambda: RULES + repeated("  - {machines: 2-8, messages: [{up_to: max, algorithm: native}]}\n"),
    "tuning: messages": lambda: RULES
    + "  - machines: 2-\n    messages:\n"
    + numbered(lambda i: f"    - {{up_to: {i + 1}, algorithm: binary, segment: 8K}}\n"),
    "slurm: switches and nodes": lambda: numbered("SwitchName=s{0} Nodes=n{0}\n"),
    "slurm: unknown switches": lambda: numbered("SwitchName=s{0} Switches=q{0}\n"),
    "slurm: a chain of switches": lambda: "SwitchName=s0 Nodes=n0\n"
    + numbered(lambda i: f"SwitchName=s{i + 1} Switches=s{i}\n"),
    "slurm: hostlists that stand for much": lambda: repeated("SwitchName=s[0-999] Nodes=n[0-999999]\n"),
    "slurm: names that are none": lambda: "SwitchName=s0 Nodes=" + repeated("$,"),
    "slurm: settings": lambda: "SwitchName=s0 " + repeated("Nodes=n0 "),
    "slurm: hints": lambda: "SwitchName=s0 Nodes=n[0-9]\n"
    + numbered(lambda i: f"# bcastgen ports=n{i % 10} cores={1 + i % 9}\n"),
    "ibnetdiscover: lines that are none": lambda: repeated("x\n"),
    "ibnetdiscover: switches": lambda: numbered(ADAPTER),
    "ibnetdiscover: ports": lambda: 'Switch 36 "S-1" # "a"\n' + numbered('[{0}] "S-2"[{0}]\n'),
    "topograph: numbers": lambda: '{"switches": {"s0": {"nodes": [' + repeated("1,") + "1]}}}",
    "topograph: blocks": lambda: '{"blocks": [{"switch":"s","nodes":["m"]}'
    + numbered(',{{"switch":"b{0}","nodes":["n{0}"]}}')
    + "]}",
    "topograph: nested lists": lambda: repeated("["),
    "lldp: routers": lambda: neighbours("Router"),
    "lldp: bridges": lambda: neighbours("Bridge"),
    "lldp: machines": lambda: neighbours("Station"),
}


def command_for(kind: str, tool: str, file: Path, folder: Path) -> list[str]:
    topology = folder / "small.yaml"
    topology.write_text(HEAD, encoding="utf-8")
    if kind == "check":
        return [tool, "check", str(file)]
    if kind == "routes":
        return [tool, "check", str(topology), "--routes", str(file)]
    if kind == "tuning":
        return [tool, str(topology), "--tuning", str(file), "-o", str(folder / "library")]
    return [tool, "import", kind, str(file)]


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def is_good(name: str, command: list[str]) -> bool:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limit) as child:
        said = child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    seconds, mebibytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    small = seconds <= MOST_SECONDS and mebibytes <= MOST_MIB and len(said) < 100_000
    good = small and child.returncode in (0, 2)
    figures = f"exit {child.returncode:3} {seconds:6.2f} s {mebibytes:6.0f} MiB {len(said):6} bytes of messages"
    print(f"{name:38} {figures}{'' if good else '   TOO MUCH'}", flush=True)
    return good


def main() -> int:
    bad = 0
    with tempfile.TemporaryDirectory(prefix="bcastgen-test-") as folder:
        for name, text in CASES.items():
            if sys.argv[2:] and not any(word in name for word in sys.argv[2:]):
                continue
            kind = name.split(":")[0]
            file = Path(folder) / ("host.json" if kind == "lldp" else "input.yaml")
            file.write_text(text(), encoding="utf-8")
            bad += not is_good(name, command_for(kind, sys.argv[1], file, Path(folder)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
