"""Traffic between machines.

    probe.py receive COUNT            takes COUNT TCP connections; prints the bytes per second that they brought in all
    probe.py send MACHINE COUNT SECONDS    COUNT connections at once, for so long
    probe.py count PORT [GROUP]       prints how many datagrams came until half a second of silence
    probe.py datagrams MACHINE PORT COUNT
"""

import socket
import struct
import sys
import threading
import time

PORT = 5001
BLOCK = bytes(1 << 14)


def receive(count: int):
    """Counts what comes while all connections are at it: at first, while queues fill, more goes in than comes out."""
    settle_s, window_s = 0.4, 0.8
    lock = threading.Lock()
    begin = None
    counted = 0

    def take(connection):
        nonlocal begin, counted
        while data := connection.recv(1 << 16):
            now = time.monotonic()
            with lock:
                begin = begin or now + settle_s
                counted += len(data) if begin <= now < begin + window_s else 0

    server = socket.create_server(("", PORT), backlog=count)
    print("ready", flush=True)
    threads = [threading.Thread(target=take, args=(server.accept()[0],)) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
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


def count(port: int, group: str):
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.bind(("", port))
    if group:
        receiver.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                            struct.pack("4s4s", socket.inet_aton(group), bytes(4)))
    print("ready", flush=True)
    receiver.settimeout(10)
    came = 0
    try:
        while receiver.recv(1 << 16):
            came += 1
            receiver.settimeout(0.5)
    except TimeoutError:
        print(came, flush=True)


def datagrams(machine: str, port: int, number: int):
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
    for _ in range(number):
        sender.sendto(bytes(100), (machine, port))


what, *rest = sys.argv[1:]
if what == "receive":
    receive(int(rest[0]))
elif what == "send":
    send(rest[0], int(rest[1]), float(rest[2]))
elif what == "count":
    count(int(rest[0]), rest[1] if len(rest) > 1 else "")
elif what == "datagrams":
    datagrams(rest[0], int(rest[1]), int(rest[2]))
