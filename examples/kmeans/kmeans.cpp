// k-means: points are dealt out to the ranks once; each step broadcasts the centroids and gathers the new sums.
//
//     mpiexec -n 16 ./kmeans [POINTS [CLUSTERS [DIMENSIONS [STEPS]]]]        20000, 64, 16, 10
//
// Every rank assigns its points to the nearest centroid and adds them up by cluster; rank 0 gets the sums by MPI_Reduce
// and divides. Coordinates are integers, and so are the sums: they are exact, and the result is the same to the last
// digit whatever the number of ranks and the sequence of additions.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

namespace {

using Count = std::int64_t;

/// A number that looks random, and is the same for the same argument everywhere.
std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

struct Problem {
    int points, clusters, dimensions, steps;
};

/// The rank's share of the points, one after the other.
struct Points {
    std::size_t first = 0;  // its number among all points
    std::size_t count = 0;
    std::vector<double> coordinates;
};

/// A coordinate of a point: an integer about one of the places where clusters are.
double coordinate(const Problem& problem, std::size_t point, int dimension) {
    const std::uint64_t place = mixed(point + 1) % static_cast<std::uint64_t>(problem.clusters);
    const auto of = static_cast<std::uint64_t>(dimension);
    const std::uint64_t middle = mixed(place << 20 | of) % 4096;
    return static_cast<double>(middle + mixed(mixed(point) + of) % 1024);
}

Points share_of(const Problem& problem, int ranks, int rank) {
    const auto all = static_cast<std::size_t>(problem.points);
    Points points;
    points.first = all * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks);
    points.count = all * static_cast<std::size_t>(rank + 1) / static_cast<std::size_t>(ranks) - points.first;
    for (std::size_t i = 0; i < points.count; ++i)
        for (int d = 0; d < problem.dimensions; ++d)
            points.coordinates.push_back(coordinate(problem, points.first + i, d));
    return points;
}

/// The cluster whose centroid is nearest; of equally near ones the first.
int nearest(const Problem& problem, const double* point, const std::vector<double>& centroids) {
    int best = 0;
    double least = std::numeric_limits<double>::max();
    for (int cluster = 0; cluster < problem.clusters; ++cluster) {
        const double* const centroid =
            &centroids[static_cast<std::size_t>(cluster) * static_cast<std::size_t>(problem.dimensions)];
        double distance = 0;
        for (int d = 0; d < problem.dimensions; ++d) distance += (point[d] - centroid[d]) * (point[d] - centroid[d]);
        if (distance < least) {
            least = distance;
            best = cluster;
        }
    }
    return best;
}

/// For each cluster the number of points and the sums of their coordinates; and a digest of who is where.
std::vector<Count> sums_of(const Problem& problem, const Points& points, const std::vector<double>& centroids,
                           std::uint64_t& digest) {
    const auto width = static_cast<std::size_t>(problem.dimensions) + 1;
    std::vector<Count> sums(static_cast<std::size_t>(problem.clusters) * width);
    digest = 0;
    for (std::size_t i = 0; i < points.count; ++i) {
        const double* const point = &points.coordinates[i * (width - 1)];
        const int cluster = nearest(problem, point, centroids);
        Count* const sum = &sums[static_cast<std::size_t>(cluster) * width];
        ++sum[0];
        for (std::size_t d = 1; d < width; ++d) sum[d] += static_cast<Count>(point[d - 1]);
        digest += mixed(mixed(points.first + i) + static_cast<std::uint64_t>(cluster));
    }
    return sums;
}

/// A cluster that lost all its points stays where it was.
void move_centroids(const Problem& problem, const std::vector<Count>& sums, std::vector<double>& centroids) {
    const auto dimensions = static_cast<std::size_t>(problem.dimensions);
    for (std::size_t cluster = 0; cluster < static_cast<std::size_t>(problem.clusters); ++cluster) {
        const Count* const sum = &sums[cluster * (dimensions + 1)];
        if (sum[0] == 0) continue;
        for (std::size_t d = 0; d < dimensions; ++d)
            centroids[cluster * dimensions + d] = static_cast<double>(sum[d + 1]) / static_cast<double>(sum[0]);
    }
}

std::uint64_t digest_of(const std::vector<double>& values) {
    std::uint64_t digest = 0;
    for (const double value : values) {
        std::uint64_t bits = 0;
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
    const Problem problem{argument(1, 20000), argument(2, 64), argument(3, 16), argument(4, 10)};
    int ranks = 0;
    int rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (std::min({problem.points, problem.clusters, problem.dimensions, problem.steps}) < 1) {
        if (rank == 0) std::fprintf(stderr, "usage: kmeans [POINTS [CLUSTERS [DIMENSIONS [STEPS]]]]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const Points points = share_of(problem, ranks, rank);
    std::vector<double> centroids(static_cast<std::size_t>(problem.clusters) *
                                  static_cast<std::size_t>(problem.dimensions));
    for (std::size_t i = 0; rank == 0 && i < centroids.size(); ++i)  // any points do for a start
        centroids[i] = coordinate(problem, mixed(i / static_cast<std::size_t>(problem.dimensions)) % problem.points,
                                  static_cast<int>(i) % problem.dimensions);

    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    double in_broadcasts = 0;
    std::uint64_t places = 0;  // digest of which point is in which cluster
    std::vector<Count> all_sums(static_cast<std::size_t>(problem.clusters) *
                                (static_cast<std::size_t>(problem.dimensions) + 1));
    for (int step = 0; step < problem.steps; ++step) {
        const double entered = MPI_Wtime();
        MPI_Bcast(centroids.data(), static_cast<int>(centroids.size()), MPI_DOUBLE, 0, MPI_COMM_WORLD);
        in_broadcasts += MPI_Wtime() - entered;
        const std::vector<Count> sums = sums_of(problem, points, centroids, places);
        MPI_Reduce(sums.data(), all_sums.data(), static_cast<int>(sums.size()), MPI_INT64_T, MPI_SUM, 0,
                   MPI_COMM_WORLD);
        if (rank == 0) move_centroids(problem, all_sums, centroids);
    }
    const std::array<double, 2> took{MPI_Wtime() - begun, in_broadcasts};
    std::array<double, 2> most{};
    double in_all = 0;
    MPI_Reduce(took.data(), most.data(), 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&took[1], &in_all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);

    Count counted = 0;
    for (std::size_t i = 0; i < all_sums.size(); i += static_cast<std::size_t>(problem.dimensions) + 1)
        counted += all_sums[i];
    std::uint64_t all_places = 0;
    MPI_Reduce(&places, &all_places, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    const bool right = rank != 0 || counted == problem.points;
    if (rank == 0) {
        std::printf("kmeans: %d points, %d clusters, %d dimensions, %d steps, %d ranks\n", problem.points,
                    problem.clusters, problem.dimensions, problem.steps, ranks);
        std::printf("time to solution: %.3f s\n", most[0]);
        std::printf("in MPI_Bcast: %.3f s (mean of the ranks), %.3f s (slowest rank)\n", in_all / ranks, most[1]);
        std::printf("result: %s, digest %016llx\n", right ? "right" : "WRONG",
                    static_cast<unsigned long long>(mixed(all_places + digest_of(centroids))));
    }
    MPI_Finalize();
    return right ? 0 : 1;
}
