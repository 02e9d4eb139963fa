"""Listens to a machine's multicast datagrams and sends them again to their group: as they were, later, cut off, damaged,
and made up. Makes the file RUNNING when it begins, and ends when that is removed. Needs root; prints how many it has sent.
Usage: forger.py INTERFACE SECONDS-AT-MOST RUNNING"""

import collections
import random
import socket
import struct
import sys
import time
from pathlib import Path

ALL_FRAMES = 0x0003
interface, seconds, running = sys.argv[1], float(sys.argv[2]), Path(sys.argv[3])
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


running.touch()
while running.exists() and time.monotonic() < end:
    try:
        packet, address = listener.recvfrom(1 << 16)
    except TimeoutError:
        continue
    if address[2] == socket.PACKET_OUTGOING:
        continue  # our own
    if len(packet) < 28 or packet[0] != 0x45 or packet[9] != socket.IPPROTO_UDP or not 224 <= packet[16] <= 239:
        continue
    data, group = packet[28:], (socket.inet_ntoa(packet[16:20]), struct.unpack("!H", packet[22:24])[0])
    if len(data) < 48 or data[:4] != b"bcg1":
        continue
    old.append(data)
    for variant in random.sample(variants(data), 3):
        try:
            sender.sendto(variant, group)
            sent += 1
        except OSError:
            pass  # it could not be sent, and so does no harm
print(f"forged {sent}", flush=True)
