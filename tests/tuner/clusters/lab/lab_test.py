"""The lab: what is built, how it ends, and that nothing of it stays."""

import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import lab_case
from lab_case import MOST_WAIT_S, STATE, LabCase, members

PROBE = f"{sys.executable} -S {Path(__file__).with_name('probe.py')}"
FRAME_PAYLOAD = 1448 / 1514  # what TCP's timestamps and all headers leave of a frame, as tbf counts it
MBIT = 1e6 / 8
ATTEMPTS = 20  # a crowded host may be late, never too fast


def await_ready(file: str) -> str:
    """Shell words that wait until a probe that writes to this file can take what comes."""
    return f"until grep -q ready $TMPDIR/{file}; do sleep 0.05; done;"


class Building(LabCase):
    def test_machines_have_names_and_reach_each_other(self):
        script = """hostname; getent hosts n3 | tr -s ' '
                    for m in n1 slow n2 n3; do ssh $m hostname; ssh $m ping -q -c 1 -W 2 n0 >/dev/null || echo lost $m; done"""
        self.assertEqual(self.in_lab("row", script).split("\n"), ["n0", "10.0.0.5 n3", "n1", "slow", "n2", "n3", ""])

    def test_a_cycle_of_switches_loses_a_trunk(self):
        script = "for m in n1 n2; do ping -q -c 1 -W 2 $m >/dev/null || echo lost; done; ssh s0 ip -brief link show type bridge_slave"
        ports = self.in_lab("ring", script)
        self.assertNotIn("lost", ports)
        self.assertEqual(sum(line.startswith("t") for line in ports.splitlines()), 4, ports)

    def test_ssh_takes_options_users_and_quotes_and_passes_the_result_on(self):
        script = """ssh -x -o BatchMode=yes root@n2 'echo "$(hostname) $BCASTGEN_X" *.none; exit 3'; echo $?
                    ssh nobody 2>&1; echo $?"""
        output = self.run_tool("lab", self.topology("row"), "--", "env", "BCASTGEN_X=a  b", "sh", "-c", script)
        self.assertEqual(output, "n2 a  b *.none\n3\nnobody is not a machine of this lab\n255\n")

    def test_the_idle_shim_stays_whatever_is_preloaded(self):
        loaded = "grep -c r-xp.*libidle_shim /proc/self/maps"
        said = self.in_lab("row", f"unset LD_PRELOAD; {loaded}; ssh n2 env -i LD_PRELOAD=libm.so.6 {loaded}")
        self.assertEqual(said.split(), ["1", "1"])

    def test_the_command_s_exit_code_directory_and_words_are_kept(self):
        self.assertEqual(self.in_lab("row", 'pwd; exit 9', code=9), os.getcwd() + "\n")
        words = self.run_tool("lab", self.topology("row"), "--", "printf", "<%s>", "a b", "--", "$HOME", "-q")
        self.assertEqual(words, "<a b><--><$HOME><-q>")
        self.run_tool("lab", self.topology("row"), "--", "no-such-program", code=127)

    def test_several_labs_of_one_topology_are_apart(self):
        first = self.start_lab("row", "echo up; sleep 1000", "--rate", "100Mbit/s")
        listen = "ssh n2 'touch $BCASTGEN_LAB/mine'; ping -q -c 1 -W 2 n3 >/dev/null || echo lost; echo up; sleep 1000"
        second = self.start_lab("row", listen, "--rate", "50Mbit/s")
        status = self.run_tool("lab", "status")
        self.assertEqual(status, f"row: 5 machines, fastest port 100Mbit/s, of process {first.pid}\n"
                                 f"row.2: 5 machines, fastest port 50Mbit/s, of process {second.pid}\n")
        self.assertEqual(self.run_tool("lab", "exec", "--lab", "row.2", "n0", "--", "ls", "/run/bcastgen/row/inside"), "")
        self.run_tool("lab", "exec", "n0", "--", "true", code=2)  # which of the two?
        first.send_signal(signal.SIGTERM)
        first.wait(MOST_WAIT_S)
        reach = self.run_tool("lab", "exec", "--lab", "row.2", "n3", "--", "ping", "-q", "-c", "1", "-W", "2", "slow")
        self.assertIn(" 0% packet loss", reach)


class Speed(LabCase):
    def speed(self, sender, receiver, connections=1, options=(), expected_mbit=0.0, topology="row"):
        """Within 10 %, from below and from above."""
        script = f"""ssh {receiver} {PROBE} receive {connections} >$TMPDIR/speed & {await_ready("speed")}
                     ssh {sender} {PROBE} send {receiver} {connections} 1.5; wait; tail -1 $TMPDIR/speed; rm $TMPDIR/speed"""
        for _ in range(ATTEMPTS):
            ratio = float(self.in_lab(topology, script, *options)) / (expected_mbit * MBIT * FRAME_PAYLOAD)
            if 0.9 < ratio < 1.1:
                return
            self.assertLess(ratio, 1.1)
        self.fail(f"{sender} to {receiver}: {ratio:.2f} of {expected_mbit} Mbit/s")


class Shaping(Speed):
    def test_a_port(self):
        self.speed("n0", "n1", expected_mbit=10)

    def test_a_slow_port_both_ways(self):
        self.speed("slow", "n1", expected_mbit=2)
        self.speed("n1", "slow", expected_mbit=2)

    def test_one_connection_uses_one_cable_of_a_trunk(self):
        self.speed("n0", "n2", expected_mbit=4)

    def test_many_connections_use_both_cables(self):
        self.speed("n0", "n2", connections=12, expected_mbit=8)

    def test_rate_scales_every_link(self):
        self.speed("slow", "n1", options=("--rate", "40Mbit/s"), expected_mbit=8)


class Latency(Speed):
    """A frame is never early. Of many one is in time, unless it were made to wait twice."""

    def round_trip(self, receiver, expected_ms, options=()):
        script = f"ping -q -c 30 -i 0.01 {receiver} | grep -o '= [0-9.]*'; ssh s0 ps -o cls= -p 1"
        for _ in range(ATTEMPTS):
            shortest, keeper = self.in_lab("far", script, *options).split()[1:]
            self.assertGreaterEqual(float(shortest), expected_ms)
            if float(shortest) < 1.5 * expected_ms + 1:
                return keeper
        self.fail(f"n0 to {receiver}: {shortest} ms")

    def test_of_two_ports(self):
        self.round_trip("n1", 8)

    def test_of_one_port(self):
        self.round_trip("near", 4)

    def test_of_trunks_too(self):
        self.round_trip("n2", 18)

    def test_is_scaled_as_bandwidth_is(self):
        self.round_trip("n1", 16, ("--rate", "4Mbit/s"))

    def test_is_left_out_where_it_is_short(self):
        self.assertEqual(self.round_trip("n1", 0, ("--rate", "100Mbit/s")), "TS")  # the keeper is not busy with frames

    def test_bandwidth_is_shaped_all_the_same(self):
        self.speed("n0", "n1", expected_mbit=8, topology="far")
        self.speed("n0", "n2", expected_mbit=4, topology="far")

    def test_datagrams_come(self):
        script = f"""ssh n2 {PROBE} count 6000 1000 239.192.1.2 >$TMPDIR/count & {await_ready("count")}
                     {PROBE} datagrams 239.192.1.2 6000 1000; wait; tail -1 $TMPDIR/count; rm $TMPDIR/count"""
        self.assertEqual(self.in_lab("far", script), "1000\n")

    def test_nothing_stays_when_it_is_killed_with_frames_under_way(self):
        for end in (lambda process: process.kill(), lambda process: os.kill(self.records()[0]["keeper"], signal.SIGKILL)):
            process = self.start_lab("far", "ping -f n2 >/dev/null & echo up; sleep 1000")
            time.sleep(0.2)
            end(process)
            process.wait(MOST_WAIT_S)
            self.run_tool("lab", "status")  # removes what is left of a lab whose keeper was killed


class Datagrams(LabCase):
    def received(self, target, receivers, options=()):
        group = target if target.startswith("2") else ""
        count = " ".join(f"ssh {m} {PROBE} count 6000 1000 {group} >$TMPDIR/count.{m} &" for m in receivers)
        ready = " ".join(await_ready(f"count.{m}") for m in receivers)
        script = f"""{count} {ready} {PROBE} datagrams {target} 6000 1000; wait
                     for m in {' '.join(receivers)}; do tail -1 $TMPDIR/count.$m; rm $TMPDIR/count.$m; done"""
        return [int(line) for line in self.in_lab("row", script, *options).split()]

    def test_multicast_reaches_everyone(self):
        self.assertEqual(self.received("239.192.1.2", ["n1", "slow", "n2", "n3"]), [1000] * 4)

    def test_loss_takes_its_part_of_datagrams_and_nothing_else(self):
        for came in self.received("239.192.1.2", ["n1", "n2"], ("--loss", "0.4")):
            self.assertTrue(500 < came < 700, came)  # six standard deviations
        self.assertEqual(self.in_lab("row", "ping -q -c 20 -i 0.01 n3 | grep -o '20 received'", "--loss", "1"), "20 received\n")


class Ending(LabCase):
    SCRIPT = "ssh n3 'setsid sleep 1000 & setsid sleep 1000' & echo up; sleep 1000"

    def end_by(self, end):
        process = self.start_lab("row", self.SCRIPT)
        deadline = time.monotonic() + MOST_WAIT_S
        while len(members(next(iter(self.pid_namespaces)))) <= 8 and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertGreater(len(members(next(iter(self.pid_namespaces)))), 8)  # keeper, machines, sleepers
        end(process)
        process.wait(MOST_WAIT_S)  # what else must be gone is checked after every test

    def test_killed(self):
        self.end_by(lambda process: process.kill())

    def test_terminated(self):
        self.end_by(lambda process: process.terminate())

    def test_interrupted_alone(self):
        self.end_by(lambda process: process.send_signal(signal.SIGINT))

    def test_interrupted_in_a_terminal(self):
        self.end_by(lambda process: os.killpg(process.pid, signal.SIGINT))

    def test_hung_up(self):
        self.end_by(lambda process: os.killpg(process.pid, signal.SIGHUP))

    def test_killed_while_it_is_set_up(self):
        for delay_s in (0.01, 0.03, 0.05, 0.1, 0.2):
            process = self.start("lab", self.topology("row"), "--", "sleep", "1000")
            time.sleep(delay_s)
            process.kill()

    def test_keeper_killed(self):
        process = self.start_lab("row", self.SCRIPT)
        os.kill(self.records()[0]["keeper"], signal.SIGKILL)
        self.assertEqual(process.wait(MOST_WAIT_S), 128 + signal.SIGKILL)

    def test_leftovers_of_a_killed_keeper_go_with_the_next_lab(self):
        self.run_tool("lab", "up", self.topology("row"))
        self.note_namespaces()
        os.kill(self.records()[0]["keeper"], signal.SIGKILL)
        while any(map(members, self.pid_namespaces)):
            time.sleep(0.01)
        self.assertTrue((STATE / "row").exists())
        self.assertEqual(self.run_tool("lab", "up", self.topology("row")), "row\n")  # its name is free again
        self.assertEqual(self.run_tool("lab", "down"), "row\n")


class Standing(LabCase):
    def test_up_exec_down(self):
        self.assertEqual(self.run_tool("lab", "up", self.topology("row"), "--rate", "20Mbit/s"), "row\n")
        self.note_namespaces()
        self.assertEqual(self.run_tool("lab", "status"), "row: 5 machines, fastest port 20Mbit/s, standing\n")
        self.assertEqual(self.run_tool("lab", "exec", "n2", "--", "sh", "-c", "hostname; ssh n3 hostname"), "n2\nn3\n")
        self.assertEqual(self.run_tool("lab", "exec", "n2", "--", "sh", "-c", "setsid sleep 1000 >&- 2>&- & exit 4", code=4), "")
        self.run_tool("lab", "exec", "n9", "--", "true", code=2)
        self.assertIn("n9 is not a machine of any lab", self.errors)
        self.assertEqual(self.run_tool("lab", "up", self.topology("ring")), "ring\n")
        self.note_namespaces()
        self.assertEqual(self.run_tool("lab", "down", "ring"), "ring\n")
        self.run_tool("lab", "down", "ring", code=2)
        self.assertIn("ring is not a lab", self.errors)
        self.assertEqual(self.run_tool("lab", "down"), "row\n")
        self.assertEqual(self.run_tool("lab", "down"), "")

    def test_down_leaves_the_labs_of_running_programs(self):
        process = self.start_lab("row", "echo up; sleep 1000")
        self.assertEqual(self.run_tool("lab", "down"), "")
        self.assertEqual(self.run_tool("lab", "down", "row"), "row\n")  # unless told by name
        self.assertEqual(process.wait(MOST_WAIT_S), 128 + signal.SIGKILL)


class Refusing(LabCase):
    def run_as(self, prefix, environment=None):
        run = subprocess.run([*prefix, lab_case.TOOL, "lab", self.topology("row"), "--", "true"], capture_output=True,
                             text=True, env=environment, check=False)
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        return run.stderr

    def test_without_root(self):
        prefix = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        self.assertIn("needs root", self.run_as(prefix))

    def test_without_the_right_to_make_namespaces(self):
        prefix = ["setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin"]
        self.assertIn("lets us make no namespaces", self.run_as(prefix))

    def test_a_host_that_cannot_build_it_says_why(self):
        hide = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /etc && exec "$@"', "sh"]  # no /etc/hosts
        # The machines want that file, and so does who delays frames between them: whoever comes first says so.
        self.assertRegex(self.run_as(hide), "the lab could not be built: (links' latencies: )?"
                                            "mount a hosts file over /etc/hosts: No such file")

    def test_bad_input(self):
        self.run_tool("lab", self.topology("row"), "--rate", "fast", "--", "true", code=2)
        self.run_tool("lab", self.topology("row"), "--loss", "1.5", "--", "true", code=2)
        self.run_tool("lab", self.topology("none"), "--", "true", code=2)
        self.run_tool("lab", code=2)


if __name__ == "__main__":
    lab_case.main()
