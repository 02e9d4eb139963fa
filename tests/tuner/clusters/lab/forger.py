"""Listens to a machine's multicast datagrams and sends them again to their group: as they were, later, cut off, damaged,
and made up. Makes the file RUNNING when it begins, and ends when that is removed. Needs root; prints how many it has sent.
With RECORD it keeps the datagrams that it has heard in that file, or, if the file is there, sends those of a former job
too. With "flood" it does not answer: from the first datagram on it sends as fast as its port allows.
Usage: forger.py INTERFACE SECONDS-AT-MOST RUNNING [RECORD [flood]]"""

import collections
import pickle
import random
import socket
import struct
import sys
import time
from pathlib import Path

ALL_FRAMES = 0x0003
LARGEST = 65507  # bytes of a UDP datagram
interface, seconds, running = sys.argv[1], float(sys.argv[2]), Path(sys.argv[3])
record = Path(sys.argv[4]) if len(sys.argv) > 4 else None
flooding = sys.argv[5:] == ["flood"]
former = pickle.loads(record.read_bytes()) if record and record.exists() else []
listener = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ALL_FRAMES))
listener.bind((interface, 0))
listener.settimeout(0.2)
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF,
                  struct.pack("4s4si", bytes(4), bytes(4), socket.if_nametoindex(interface)))
old = collections.deque(maxlen=100)
sent = 0
end = time.monotonic() + seconds


def variants(data: bytes) -> list[bytes]:
    flipped = bytearray(data)
    flipped[random.randrange(len(data))] ^= 1 << random.randrange(8)
    stranger = data[:-8] + random.randbytes(8)  # whole, but for the tag
    made_up = data[:40] + random.randbytes(len(data) - 40)
    return [data, random.choice(old), data[: random.randrange(len(data))], bytes(flipped), stranger, made_up, b"", random.randbytes(60)]


def heard() -> tuple[bytes, tuple[str, int]] | None:
    """The next datagram of somebody's broadcast, and its group; nothing if none comes soon."""
    try:
        packet, address = listener.recvfrom(1 << 16)
    except (TimeoutError, BlockingIOError):
        return None
    if address[2] == socket.PACKET_OUTGOING:
        return None  # our own
    if len(packet) < 28 or packet[0] != 0x45 or packet[9] != socket.IPPROTO_UDP or not 224 <= packet[16] <= 239:
        return None
    data = packet[28:]
    if len(data) < 48 or data[:4] != b"bcg1":
        return None
    return data, (socket.inet_ntoa(packet[16:20]), struct.unpack("!H", packet[22:24])[0])


def send(data: bytes, group: tuple[str, int]) -> int:
    try:
        sender.sendto(data, group)
    except OSError:
        return 0  # it could not be sent, and so does no harm
    return 1


running.touch()
last = None
while running.exists() and time.monotonic() < end:
    one = heard()
    if one is not None:
        old.append(one[0])
        last = one
    if flooding and last is not None:
        listener.setblocking(False)
        worst = [*variants(last[0]), random.choice(former or old), random.randbytes(LARGEST), last[0][:40] + bytes(LARGEST - 40)]
        for variant in random.sample(worst, 4):
            sent += send(variant, last[1])
    elif one is not None:
        for variant in [*random.sample(variants(one[0]), 3), *random.sample(former, min(1, len(former)))]:
            sent += send(variant, one[1])
if record and not record.exists():
    record.write_bytes(pickle.dumps(list(old)))
print(f"forged {sent}", flush=True)
