"""Data-parallel training with NumPy and mpi4py: rank 0 keeps the network's parameters and broadcasts them before each
step; every rank works out the gradient of its samples, and rank 0 gets the sum by Reduce and goes a step downhill.

    mpiexec -n 16 /usr/bin/python3 training.py [SAMPLES [INPUTS [HIDDEN [STEPS]]]]        256 samples on each rank, 64, 64, 20

The same network, data and rules as in training.cpp; digests differ, as the two add up in different sequences.
"""

import hashlib
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one rank, one processor; and the same sums in each run

import numpy
from mpi4py import MPI

FRACTION = 1 << 18  # gradients travel as integers, so that their sums are exact: one of 1 as this
LARGEST = 8  # what is larger is cut; sums over a thousand ranks fit then
RATE = 0.05  # of learning
DECAY = 0.5  # of the moving average over gradients


def make_samples(rank, count, inputs):
    values = numpy.random.default_rng(rank).uniform(-1, 1, (count, inputs)).astype(numpy.float32)
    bent = numpy.arange(inputs) % 3 == 0
    outputs = numpy.where(bent, abs(values), -0.5 * values).sum(axis=1) / numpy.sqrt(inputs)  # what is to be learned
    return values, outputs.astype(numpy.float32)


def gradient_of(parameters, inputs, hidden, values, outputs):
    """The gradient of the mean squared error, and that error."""
    units = parameters.reshape(hidden, inputs + 2)  # weights of the inputs, bias, weight in the output
    activity = numpy.maximum(values @ units[:, :inputs].T + units[:, inputs], 0)
    errors = activity @ units[:, inputs + 1] - outputs
    slopes = 2 * errors / len(errors)
    through = slopes[:, None] * units[:, inputs + 1] * (activity > 0)
    gradient = numpy.empty_like(units)
    gradient[:, :inputs] = through.T @ values
    gradient[:, inputs] = through.sum(axis=0)
    gradient[:, inputs + 1] = slopes @ activity
    return numpy.append(gradient.ravel(), numpy.mean(errors**2))


def main():
    count, inputs, hidden, steps = (int(given) for given in sys.argv[1:] + ["256", "64", "64", "20"][len(sys.argv) - 1:])
    world = MPI.COMM_WORLD
    values, outputs = make_samples(world.rank, count, inputs)
    length = hidden * (inputs + 2)
    parameters = numpy.zeros(length, numpy.float32)
    if world.rank == 0:
        first = numpy.random.default_rng(10**6).uniform(-1, 1, length) / numpy.sqrt(inputs)
        parameters[:] = first
    average = numpy.zeros(length, numpy.float32)
    total = numpy.zeros(length + 1, numpy.int32)  # the error travels along
    errors = []

    world.Barrier()
    begun = MPI.Wtime()
    in_broadcasts = 0.0
    for _ in range(steps):
        entered = MPI.Wtime()
        world.Bcast(parameters, 0)
        in_broadcasts += MPI.Wtime() - entered
        gradient = gradient_of(parameters, inputs, hidden, values, outputs)
        world.Reduce(numpy.rint(gradient.clip(-LARGEST, LARGEST) * FRACTION).astype(numpy.int32), total, MPI.SUM, 0)
        if world.rank == 0:
            mean = (total / (FRACTION * world.size)).astype(numpy.float32)
            average = (DECAY * average + (1 - DECAY) * mean[:-1]).astype(numpy.float32)
            parameters -= (RATE * average).astype(numpy.float32)
            errors.append(mean[-1])
    took = world.reduce(MPI.Wtime() - begun, MPI.MAX, 0)
    in_all = world.reduce(in_broadcasts, MPI.SUM, 0)
    slowest = world.reduce(in_broadcasts, MPI.MAX, 0)

    if world.rank != 0:
        return 0
    right = errors[-1] < errors[0]
    print(f"training: {length} parameters, {count} samples on each of {world.size} ranks, {steps} steps")
    print(f"time to solution: {took:.3f} s")
    print(f"in MPI_Bcast: {in_all / world.size:.3f} s (mean of the ranks), {slowest:.3f} s (slowest rank)")
    digest = hashlib.sha256(parameters.tobytes()).hexdigest()[:16]
    print(f"result: {'right' if right else 'WRONG'}, error {errors[0]:.4f} to {errors[-1]:.4f}, digest {digest}", flush=True)
    return 0 if right else 1


sys.exit(main())
