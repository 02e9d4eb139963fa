// Data-parallel training: rank 0 keeps the network's parameters and broadcasts them before each step; every rank works
// out the gradient of its samples, and rank 0 gets the sum by MPI_Reduce and goes a step downhill.
//
//     mpiexec -n 16 ./training [SAMPLES [INPUTS [HIDDEN [STEPS]]]]        256 samples on each rank, 64, 64, 20
//
// The network has one hidden layer of rectifiers and learns a function that is known, so that its error must fall.
// Gradients travel as integers, multiples of 2^-18, as where gradients are quantized to save bandwidth: their sums are
// exact, and the result is the same to the last digit whatever the sequence of additions. training.py is the same with
// NumPy and mpi4py.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr float fraction = 1 << 18;  // a gradient of one travels as this
constexpr float largest = 8;         // what is larger is cut; sums over a thousand ranks fit then
constexpr float rate = 0.05F;        // of learning
constexpr float decay = 0.5F;        // of the moving average over gradients

/// A number that looks random, and is the same for the same argument everywhere.
std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

/// From -1 to 1.
float random_number(std::uint64_t which) {
    return static_cast<float>(static_cast<int>(mixed(which) % 2001) - 1000) / 1000.0F;
}

/// All parameters are one vector: for each hidden unit its weights of the inputs, its bias, its weight in the output.
struct Shape {
    std::size_t inputs, hidden;

    [[nodiscard]] std::size_t stride() const { return inputs + 2; }
    [[nodiscard]] std::size_t parameters() const { return hidden * stride(); }
};

struct Samples {
    std::size_t count;
    std::vector<float> inputs;
    std::vector<float> outputs;
};

Samples make_samples(const Shape& shape, int rank, std::size_t count) {
    Samples samples{count, {}, {}};
    for (std::size_t s = 0; s < count; ++s) {
        float output = 0;
        for (std::size_t i = 0; i < shape.inputs; ++i) {
            const float value = random_number((static_cast<std::uint64_t>(rank) << 40) + s * shape.inputs + i);
            samples.inputs.push_back(value);
            output += i % 3 == 0 ? std::fabs(value) : -0.5F * value;  // what is to be learned
        }
        samples.outputs.push_back(output / std::sqrt(static_cast<float>(shape.inputs)));
    }
    return samples;
}

std::vector<float> first_parameters(const Shape& shape) {
    std::vector<float> parameters(shape.parameters());
    for (std::size_t p = 0; p < parameters.size(); ++p)
        parameters[p] = random_number(p + (std::uint64_t{1} << 60)) / std::sqrt(static_cast<float>(shape.inputs));
    return parameters;
}

/// Adds the gradient of the mean squared error to `gradient`; returns that error.
float add_gradient(const Shape& shape, const Samples& samples, const std::vector<float>& parameters,
                   std::vector<float>& gradient) {
    std::vector<float> activity(shape.hidden);
    float errors = 0;
    for (std::size_t s = 0; s < samples.count; ++s) {
        const float* const input = &samples.inputs[s * shape.inputs];
        float output = 0;
        for (std::size_t h = 0; h < shape.hidden; ++h) {
            const float* const unit = &parameters[h * shape.stride()];
            float sum = unit[shape.inputs];
            for (std::size_t i = 0; i < shape.inputs; ++i) sum += unit[i] * input[i];
            activity[h] = std::max(sum, 0.0F);
            output += unit[shape.inputs + 1] * activity[h];
        }
        const float error = output - samples.outputs[s];
        const float slope = 2 * error / static_cast<float>(samples.count);
        errors += error * error / static_cast<float>(samples.count);
        for (std::size_t h = 0; h < shape.hidden; ++h) {
            if (activity[h] <= 0) continue;
            float* const into = &gradient[h * shape.stride()];
            const float through = slope * parameters[h * shape.stride() + shape.inputs + 1];
            for (std::size_t i = 0; i < shape.inputs; ++i) into[i] += through * input[i];
            into[shape.inputs] += through;
            into[shape.inputs + 1] += slope * activity[h];
        }
    }
    return errors;
}

std::int32_t as_integer(float value) {
    return static_cast<std::int32_t>(std::lround(std::min(std::max(value, -largest), largest) * fraction));
}

/// One step against the moving average of gradients; the sum times `scale` is the mean of the ranks'.
void go_downhill(const std::vector<std::int32_t>& sum, float scale, std::vector<float>& average,
                 std::vector<float>& parameters) {
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        average[p] = decay * average[p] + (1 - decay) * scale * static_cast<float>(sum[p]);
        parameters[p] -= rate * average[p];
    }
}

std::uint64_t digest_of(const std::vector<float>& values) {
    std::uint64_t digest = 0;
    for (const float value : values) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        digest = mixed(digest + bits);
    }
    return digest;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const auto argument = [&](int number, int otherwise) {
        return argc > number ? std::atoi(argv[number]) : otherwise;
    };
    const int count = argument(1, 256);
    const Shape shape{static_cast<std::size_t>(argument(2, 64)), static_cast<std::size_t>(argument(3, 64))};
    const int steps = argument(4, 20);
    int ranks = 0;
    int rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const Samples samples = make_samples(shape, rank, static_cast<std::size_t>(count));
    std::vector<float> parameters(shape.parameters());
    if (rank == 0) parameters = first_parameters(shape);
    std::vector<float> average(shape.parameters());
    const int length = static_cast<int>(shape.parameters()) + 1;  // the error travels along
    std::vector<std::int32_t> sent(static_cast<std::size_t>(length));
    std::vector<std::int32_t> sum(static_cast<std::size_t>(length));
    double first_error = 0;
    double last_error = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    double in_broadcasts = 0;
    for (int step = 0; step < steps; ++step) {
        const double entered = MPI_Wtime();
        MPI_Bcast(parameters.data(), length - 1, MPI_FLOAT, 0, MPI_COMM_WORLD);
        in_broadcasts += MPI_Wtime() - entered;
        std::vector<float> gradient(shape.parameters() + 1);
        gradient.back() = add_gradient(shape, samples, parameters, gradient);
        std::transform(gradient.begin(), gradient.end(), sent.begin(), as_integer);
        MPI_Reduce(sent.data(), sum.data(), length, MPI_INT32_T, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank != 0) continue;
        const float scale = 1 / (fraction * static_cast<float>(ranks));
        go_downhill(sum, scale, average, parameters);
        last_error = static_cast<double>(scale) * sum.back();
        if (step == 0) first_error = last_error;
    }
    const std::array<double, 2> took{MPI_Wtime() - begun, in_broadcasts};
    std::array<double, 2> most{};
    double in_all = 0;
    MPI_Reduce(took.data(), most.data(), 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&took[1], &in_all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);

    const bool right = rank != 0 || last_error < first_error;
    if (rank == 0) {
        std::printf("training: %d parameters, %d samples on each of %d ranks, %d steps\n", length - 1, count, ranks,
                    steps);
        std::printf("time to solution: %.3f s\n", most[0]);
        std::printf("in MPI_Bcast: %.3f s (mean of the ranks), %.3f s (slowest rank)\n", in_all / ranks, most[1]);
        std::printf("result: %s, error %.4f to %.4f, digest %016llx\n", right ? "right" : "WRONG", first_error,
                    last_error, static_cast<unsigned long long>(digest_of(parameters)));
    }
    MPI_Finalize();
    return right ? 0 : 1;
}
