"""Traffic between machines.

    probe.py receive COUNT            takes COUNT TCP connections; prints the bytes per second that they brought in all
    probe.py send MACHINE COUNT SECONDS    COUNT connections at once, for so long
    probe.py count PORT MOST [GROUP]  prints how many datagrams came, until MOST have or three seconds of silence
    probe.py datagrams MACHINE PORT COUNT
receive and count print "ready" first. What else runs on this host is to disturb as little as possible: all of them come
before others.
"""

import os
import select
import socket
import struct
import sys
import time

PORT = 5001
BLOCK = bytes(1 << 14)
SO_RCVBUFFORCE = 33  # not among Python's names


def receive(count: int):
    """Counts what comes while all connections are at it: at first, while queues fill, more goes in than comes out.

    It begins when nothing waits to be read, so that the bytes counted came within the time they are divided by, however
    late this process is."""
    settle_s, window_s = 0.4, 0.8
    server = socket.create_server(("", PORT), backlog=count)
    print("ready", flush=True)
    connections = [server.accept()[0] for _ in range(count)]
    settled = begin = None
    counted = 0
    while connections:
        waiting = settled is not None and time.monotonic() >= settled and begin is None
        ready = select.select(connections, [], [], 0 if waiting else None)[0]
        if waiting and not ready:
            begin = time.monotonic()
        for connection in ready:
            data = connection.recv(1 << 16)
            now = time.monotonic()
            settled = settled or now + settle_s
            if not data:
                connections.remove(connection)
            elif begin is not None and now < begin + window_s:
                counted += len(data)
    print(f"{counted / window_s:.0f}", flush=True)


def send(machine: str, count: int, seconds: float):
    connections = []
    for _ in range(count):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)  # what is queued must not take long to end
        connection.connect((machine, PORT))
        connection.setblocking(False)
        connections.append(connection)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for connection in connections:
            try:
                connection.send(BLOCK)
            except BlockingIOError:
                pass
        time.sleep(0.002)


def count(port: int, most: int, group: str):
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 22)  # none is dropped while others have the processor
    receiver.bind(("", port))
    if group:
        receiver.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                            struct.pack("4s4s", socket.inet_aton(group), bytes(4)))
    print("ready", flush=True)
    receiver.settimeout(100)
    came = 0
    try:
        while came < most and receiver.recv(1 << 16):
            came += 1
            receiver.settimeout(3)
    except TimeoutError:
        pass
    print(came, flush=True)


def datagrams(machine: str, port: int, number: int):
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
    for _ in range(number):
        sender.sendto(bytes(100), (machine, port))


os.setpriority(os.PRIO_PROCESS, 0, -20)
what, *rest = sys.argv[1:]
if what == "receive":
    receive(int(rest[0]))
elif what == "send":
    send(rest[0], int(rest[1]), float(rest[2]))
elif what == "count":
    count(int(rest[0]), int(rest[1]), rest[2] if len(rest) > 2 else "")
elif what == "datagrams":
    datagrams(rest[0], int(rest[1]), int(rest[2]))
