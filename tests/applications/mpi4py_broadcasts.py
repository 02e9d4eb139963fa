"""mpi4py's broadcasts: buffers of all types, derived types, pickled objects, requests, many communicators, threads.

Every rank checks what it gets; rank 0 prints a digest of every case as all ranks have received it, so that two runs can
be compared.
"""

import array
import hashlib
import pickle
import random
import sys
import threading

from mpi4py import MPI
from mpi4py.util import pkl5

WORLD = MPI.COMM_WORLD
SIZES = (0, 1, 7, 64, 1000, 4097, 30000)  # elements


def content(seed: str, size: int) -> bytes:
    return random.Random(seed).randbytes(size)


def expect(what: str, right: bool) -> None:
    if not right:
        print(f"rank {WORLD.rank}: {what}: wrong", file=sys.stderr, flush=True)
        WORLD.Abort(1)


def report(what: str, received: bytes) -> None:
    """Rank 0 prints the digest of what all ranks of the world have received."""
    digests = WORLD.gather(hashlib.sha256(received).digest())
    if WORLD.rank == 0:
        print(what, hashlib.sha256(b"".join(digests)).hexdigest()[:16], flush=True)


def communicators() -> dict[str, MPI.Intracomm]:
    group = WORLD.group
    backwards = group.Incl(range(WORLD.size - 1, -1, -1))
    made = {
        "world": WORLD,
        "self": MPI.COMM_SELF,
        "copy": WORLD.Dup(),
        "parity": WORLD.Split(WORLD.rank % 2, WORLD.rank),
        "backwards": WORLD.Create(backwards),
        "thirds": WORLD.Split(WORLD.rank // 3, -WORLD.rank),
        "row": WORLD.Create_cart([2, WORLD.size // 2], periods=[True, False]).Sub([False, True]),
        "node": WORLD.Split_type(MPI.COMM_TYPE_SHARED),
    }
    backwards.Free()
    group.Free()
    return made


def predefined_types(comm: MPI.Intracomm, name: str) -> None:
    for code in "bBhHiIlLqQfd":
        received = b""
        for size in SIZES:
            root = size % comm.size
            seed = f"{name} {code} {size}"
            width = array.array(code).itemsize
            right = content(seed, size * width)
            buffer = array.array(code, right if comm.rank == root else bytes(size * width))
            comm.Bcast(buffer, root)
            expect(seed, buffer.tobytes() == right)
            received += buffer.tobytes()
        if code in "bid":
            report(f"{name}, type {code}:", received)


def derived_types(comm: MPI.Intracomm, name: str) -> None:
    """The same layout on all ranks, the gaps untouched."""
    kinds = {
        "contiguous": MPI.INT.Create_contiguous(5),
        "vector": MPI.DOUBLE.Create_vector(6, 2, 5),
        "backward vector": MPI.SHORT.Create_resized(0, 2).Create_vector(4, 1, 3),
        "indexed": MPI.INT.Create_indexed([1, 3, 2], [9, 2, 14]),
        "struct": MPI.Datatype.Create_struct([1, 2, 3], [0, 8, 24], [MPI.INT, MPI.DOUBLE, MPI.CHAR]),
        "subarray": MPI.FLOAT.Create_subarray([7, 9], [3, 4], [2, 5]),
        "resized": MPI.DOUBLE.Create_vector(3, 1, 4).Create_resized(0, 8 * 13),
    }
    for kind, datatype in kinds.items():
        datatype.Commit()
        root = len(kind) % comm.size
        for count in (1, 3, 600):
            _, extent = datatype.Get_extent()
            span = extent * count + 200
            source = content(f"{name} {kind} {count}", span)
            right = bytearray(span)
            MPI.COMM_SELF.Sendrecv([source, count, datatype], 0, recvbuf=[right, count, datatype])
            buffer = bytearray(source if comm.rank == root else span)
            comm.Bcast([buffer, count, datatype], root)
            expect(f"{name} {kind} {count}", buffer == (source if comm.rank == root else right))
        report(f"{name}, {kind}:", bytes(buffer))
        datatype.Free()


def objects(comm: MPI.Intracomm, name: str) -> None:
    things = [None, 42, "text" * 3000, {"a": [1.5, (2, 3)], "b": set(range(500))}, list(range(9999))]
    for number, thing in enumerate(things):
        root = number % comm.size
        got = comm.bcast(thing if comm.rank == root else None, root)
        expect(f"{name} object {number}", got == thing)
    # protocol 5 sends the buffers inside an object by themselves
    arrays = [bytearray(content("pkl5", 70000)), bytearray(10)]
    wrapped = [pickle.PickleBuffer(each) for each in arrays]
    with_buffers = pkl5.Intracomm(comm)
    got = with_buffers.bcast(wrapped if comm.rank == 0 else None, 0)
    expect(f"{name} pickled buffers", [bytes(each) for each in got] == [bytes(each) for each in arrays])
    report(f"{name}, objects:", b"".join(bytes(each) for each in got))


def requests(comm: MPI.Intracomm, name: str) -> None:
    """Blocking broadcasts while others are under way on the same communicator."""
    pending = []
    for number in range(6):
        root = number % comm.size
        right = content(f"{name} request {number}", 3000 * number + 1)
        begun = bytearray(right if comm.rank == root else len(right))
        pending.append((comm.Ibcast(begun, root), begun, right))
        blocking = bytearray(right if comm.rank == root else len(right))
        comm.Bcast(blocking, root)
        expect(f"{name} blocking broadcast {number}", blocking == right)
    MPI.Request.Waitall([request for request, _, _ in pending])
    for number, (_, begun, right) in enumerate(pending):
        expect(f"{name} request {number}", begun == right)
    report(f"{name}, requests:", b"".join(bytes(begun) for _, begun, _ in pending))


def between_groups() -> None:
    half = WORLD.Split(WORLD.rank % 2, WORLD.rank)
    bridge = half.Create_intercomm(0, WORLD, 1 - WORLD.rank % 2)
    buffer = array.array("d", [2.5] * 5000 if WORLD.rank == 0 else [0.0] * 5000)
    if WORLD.rank % 2 == 0:
        bridge.Bcast(buffer, MPI.ROOT if WORLD.rank == 0 else MPI.PROC_NULL)
    else:
        bridge.Bcast(buffer, 0)
        expect("broadcast between groups", buffer == array.array("d", [2.5] * 5000))
    report("between groups:", buffer.tobytes() if WORLD.rank % 2 else b"")
    bridge.Free()
    half.Free()


def wrong_calls() -> None:
    """MPI refuses them with exceptions, at once, and the communicator goes on working."""
    comm = WORLD.Dup()
    for root in (comm.size, -7):
        try:
            comm.Bcast(bytearray(8), root)
            expect("a wrong root is refused", False)
        except MPI.Exception as refused:
            expect("a wrong root is called that", refused.Get_error_class() == MPI.ERR_ROOT)
    buffer = bytearray(b"12345678" if comm.rank == 0 else 8)
    comm.Bcast(buffer, 0)
    expect("a broadcast after wrong ones", buffer == b"12345678")
    report("after wrong calls:", bytes(buffer))
    comm.Free()


def threads() -> None:
    """Two threads, each with a communicator of its own."""
    comms = [WORLD.Dup(), WORLD.Dup()]
    received = [b"", b""]

    def work(which: int) -> None:
        comm = comms[which]
        for number in range(200):
            right = content(f"thread {which} {number}", 1500 * (number % 20) + which)
            buffer = bytearray(right if comm.rank == number % comm.size else len(right))
            comm.Bcast(buffer, number % comm.size)
            expect(f"thread {which}, broadcast {number}", buffer == right)
            received[which] += buffer

    workers = [threading.Thread(target=work, args=(which,)) for which in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    report("threads:", b"".join(received))
    for comm in comms:
        comm.Free()


def main() -> None:
    expect("the level of thread support", MPI.Query_thread() == MPI.THREAD_MULTIPLE)
    for name, comm in communicators().items():
        predefined_types(comm, name)
        derived_types(comm, name)
        objects(comm, name)
        requests(comm, name)
        if name not in ("world", "self"):
            comm.Free()
    between_groups()
    wrong_calls()
    threads()
    if WORLD.rank == 0:
        print("all broadcasts arrived")


main()
