"""What the tests of the lab share: starting the tool, and making sure that nothing of a lab is left behind.

Test programs take the tool as their first argument. They end with 77, which CTest calls skipped, where labs cannot be.
"""

import contextlib
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TOPOLOGIES = Path(__file__).parent
STATE = Path("/run/bcastgen")
CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWNET = 0x00020000, 0x04000000, 0x40000000
# What labs are made of; none of it is ours.
NEEDS = """ip link add name bridge0 type bridge && ip link add name port0 type veth peer name port1 &&
           ip link set port0 master bridge0 && tc qdisc add dev port1 root tbf rate 1mbit burst 6k limit 60k &&
           nft add table netdev t"""
MOST_WAIT_S = 250  # for anything: a busy host is slow, and only what hangs is wrong
SKIPPED = 77
TOOL = ""


def host_facts() -> dict:
    """What a lab must leave as it found it."""
    show = lambda *words: subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return {
        "namespaces": show("ip", "netns", "list"),
        "devices": show("ip", "-brief", "link"),
        "hosts": Path("/etc/hosts").read_text(encoding="utf-8"),
        "preloaded": Path("/etc/ld.so.preload").exists(),
        "mounts": [line.split()[1] for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()],
        "name": os.uname().nodename,
    }


def members(pid_namespace: str) -> list[str]:
    """The processes of a pid namespace, as "number name"."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and os.readlink(process / "ns/pid") == pid_namespace:
                found.append(f"{process.name} {(process / 'comm').read_text(encoding='utf-8').strip()}")
        except OSError:
            continue  # it has just ended, or is none of ours
    return found


class LabCase(unittest.TestCase):
    def setUp(self):
        self.before = host_facts()
        self.pid_namespaces = set()
        self.processes = []
        self.addCleanup(self.kill_what_is_left)
        self.addCleanup(self.check_nothing_left)

    def kill_what_is_left(self):
        """Of a test that failed."""
        for record in self.records():
            with contextlib.suppress(ProcessLookupError):
                os.kill(record["keeper"], signal.SIGKILL)
        shutil.rmtree(STATE, ignore_errors=True)

    def check_nothing_left(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.communicate()
        # The kernel, too, takes what is left of a namespace away in its own time.
        deadline = time.monotonic() + MOST_WAIT_S
        while (STATE.exists() or any(map(members, self.pid_namespaces)) or host_facts() != self.before) \
                and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual([members(namespace) for namespace in self.pid_namespaces if members(namespace)], [])
        self.assertFalse(STATE.exists(), f"{STATE} is still there")
        self.assertEqual(host_facts(), self.before)

    def start(self, *words, **options) -> subprocess.Popen:
        """The tool with these words, in a process group of its own, as a terminal's job would be."""
        # A test runner may have been started with SIGINT ignored, which children inherit.
        default = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
        process = subprocess.Popen([TOOL, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True, preexec_fn=default, **options)
        self.processes.append(process)
        return process

    def run_tool(self, *words, code=0, timeout=MOST_WAIT_S) -> str:
        """The tool's stdout."""
        process = self.start(*words)
        output, errors = process.communicate(timeout=timeout)
        self.assertEqual(process.returncode, code, f"{words}\n{output}\n{errors}")
        self.errors = errors
        return output

    def in_lab(self, topology, script, *options, **more) -> str:
        """What a shell script prints on the first machine."""
        return self.run_tool("lab", self.topology(topology), *options, "--", "sh", "-c", script, **more)

    @staticmethod
    def topology(name) -> str:
        return str(TOPOLOGIES / f"{name}.yaml")

    def records(self) -> list[dict]:
        """What the labs that are up tell of themselves."""
        return [json.loads(file.read_text(encoding="utf-8")) for file in sorted(STATE.glob("*/lab.json"))]

    def start_lab(self, topology, script, *options, up="up") -> subprocess.Popen:
        """A lab whose first machine runs a script; returns when that has printed a line `up`."""
        process = self.start("lab", self.topology(topology), *options, "--", "sh", "-c", script)
        self.assertEqual(process.stdout.readline(), up + "\n", "no lab")
        self.note_namespaces()
        return process

    def note_namespaces(self):
        for record in self.records():
            self.pid_namespaces.add(os.readlink(f"/proc/{record['keeper']}/ns/pid"))


def skip(why: str):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def own_host():
    """A network, a host name, mounts and a /run of our own: labs of other programs on this host are none of the tests'
    business, nor the other way round."""
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() != 0:
        skip("labs need root")
    if libc.unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWNET) != 0:
        skip("this system lets us make no namespaces")
    for words in (["mount", "--make-rprivate", "/"], ["mount", "-t", "tmpfs", "tmpfs", "/run"],
                  ["mount", "-t", "tmpfs", "tmpfs", "/dev/shm"], ["ip", "link", "set", "lo", "up"]):
        subprocess.run(words, check=True)
    tried = subprocess.run(["unshare", "--net", "sh", "-c", NEEDS], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        skip(f"this kernel has not all that labs are made of: {' '.join(tried.stderr.split())}")


def main():
    global TOOL
    TOOL = sys.argv.pop(1)
    own_host()
    # Nobody else's files, and gone in the end with what killed programs leave.
    with tempfile.TemporaryDirectory(prefix="bcastgen-test-") as own:
        os.chmod(own, 0o1777)  # some tests are nobody
        os.environ["TMPDIR"] = tempfile.tempdir = own
        ran = unittest.main(verbosity=2, exit=False)
    sys.exit(not ran.result.wasSuccessful())
