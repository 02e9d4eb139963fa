// SUMMA: C = A B, with the three matrices in blocks on a grid of ranks.
//
//     mpiexec -n 16 ./summa [N [PANEL]]        N x N doubles (512), panels of PANEL columns and rows (64)
//
// One step broadcasts PANEL columns of A along every row of the grid and PANEL rows of B along every column, each from
// the ranks that hold them; then every rank adds their product to its block of C. All entries are small integers, so
// that every sum is exact and the result is the same to the last digit whatever the number of ranks and the sequence
// of additions. Freivalds' check proves it: C x = A (B x) for an x that the multiplication knows nothing of.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

/// A number that looks random, and is the same for the same argument everywhere.
std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

/// Entry (i, j) of matrix number `which`: an integer from -8 to 8.
double entry(int which, int i, int j) {
    const auto place = (static_cast<std::uint64_t>(which) << 60) + (static_cast<std::uint64_t>(i) << 30) +
                       static_cast<std::uint64_t>(j) + 1;
    return static_cast<double>(mixed(place) % 17) - 8;
}

/// Where the indices of part `part` begin when `n` are dealt out in `parts` runs of nearly the same length.
int begin_of(int n, int parts, int part) {
    return static_cast<int>(static_cast<long long>(n) * part / parts);
}

/// Which part index `i` is in.
int part_of(int n, int parts, int i) {
    int part = 0;
    while (begin_of(n, parts, part + 1) <= i) ++part;
    return part;
}

/// The rank's block of a matrix: rows [row, row + rows), columns [column, column + columns), row by row.
struct Block {
    int row, column, rows, columns;
    std::vector<double> entries;

    double& at(int i, int j) { return entries[static_cast<std::size_t>(i) * static_cast<std::size_t>(columns) + j]; }
};

/// Doubles that are broadcast, and how long this rank has been in MPI_Bcast so far.
class Broadcasts {
  public:
    void operator()(std::vector<double>& panel, int root, MPI_Comm line) {
        const double entered = MPI_Wtime();
        MPI_Bcast(panel.data(), static_cast<int>(panel.size()), MPI_DOUBLE, root, line);
        seconds_ += MPI_Wtime() - entered;
    }
    [[nodiscard]] double seconds() const { return seconds_; }

  private:
    double seconds_ = 0;
};

struct Grid {
    int rows = 0, columns = 0;  // of ranks
    int row = 0, column = 0;    // this rank's place
    MPI_Comm along_row = MPI_COMM_NULL, along_column = MPI_COMM_NULL;
};

Grid make_grid() {
    int ranks = 0;
    int rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::array<int, 2> sides{0, 0};
    MPI_Dims_create(ranks, 2, sides.data());
    Grid grid;
    grid.rows = sides[1];  // MPI gives the longer side first: the grid is wider than high
    grid.columns = sides[0];
    grid.row = rank / grid.columns;
    grid.column = rank % grid.columns;
    MPI_Comm_split(MPI_COMM_WORLD, grid.row, grid.column, &grid.along_row);
    MPI_Comm_split(MPI_COMM_WORLD, grid.column, grid.row, &grid.along_column);
    return grid;
}

Block make_block(const Grid& grid, int n) {
    Block block{begin_of(n, grid.rows, grid.row), begin_of(n, grid.columns, grid.column), 0, 0, {}};
    block.rows = begin_of(n, grid.rows, grid.row + 1) - block.row;
    block.columns = begin_of(n, grid.columns, grid.column + 1) - block.column;
    block.entries.resize(static_cast<std::size_t>(block.rows) * static_cast<std::size_t>(block.columns));
    return block;
}

Block make_filled(const Grid& grid, int n, int which) {
    Block block = make_block(grid, n);
    for (int i = 0; i < block.rows; ++i)
        for (int j = 0; j < block.columns; ++j) block.at(i, j) = entry(which, block.row + i, block.column + j);
    return block;
}

/// c += left right, where `left` has `width` columns and `right` as many rows.
void add_product(Block& c, const std::vector<double>& left, const std::vector<double>& right, int width) {
    const auto columns = static_cast<std::size_t>(c.columns);
    for (int i = 0; i < c.rows; ++i) {
        double* const sums = &c.entries[static_cast<std::size_t>(i) * columns];
        for (int k = 0; k < width; ++k) {
            const double factor = left[static_cast<std::size_t>(i) * static_cast<std::size_t>(width) + k];
            const double* const row = &right[static_cast<std::size_t>(k) * columns];
            for (std::size_t j = 0; j < columns; ++j) sums[j] += factor * row[j];
        }
    }
}

Block multiply(const Grid& grid, int n, int panel, Block& a, Block& b, Broadcasts& broadcast) {
    Block c = make_block(grid, n);
    std::vector<double> left;
    std::vector<double> right;
    for (int k = 0; k < n;) {
        const int holder_of_a = part_of(n, grid.columns, k);
        const int holder_of_b = part_of(n, grid.rows, k);
        const int end = std::min({k + panel, begin_of(n, grid.columns, holder_of_a + 1),
                                  begin_of(n, grid.rows, holder_of_b + 1)});  // of what one rank holds
        const int width = end - k;
        left.resize(static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(width));
        right.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(b.columns));
        if (grid.column == holder_of_a)
            for (int i = 0; i < a.rows; ++i)
                std::copy_n(&a.at(i, k - a.column), width, &left[static_cast<std::size_t>(i) * width]);
        if (grid.row == holder_of_b) std::copy_n(&b.at(k - b.row, 0), right.size(), right.data());
        broadcast(left, holder_of_a, grid.along_row);
        broadcast(right, holder_of_b, grid.along_column);
        add_product(c, left, right, width);
        k = end;
    }
    return c;
}

/// The whole matrix times x, on every rank.
std::vector<double> times(Block& block, const std::vector<double>& x) {
    std::vector<double> y(x.size());
    for (int i = 0; i < block.rows; ++i)
        for (int j = 0; j < block.columns; ++j) y[block.row + i] += block.at(i, j) * x[block.column + j];
    MPI_Allreduce(MPI_IN_PLACE, y.data(), static_cast<int>(y.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return y;
}

/// Of all entries of C with their places, in any sequence; on rank 0.
std::uint64_t digest(Block& c) {
    std::uint64_t sum = 0;
    for (int i = 0; i < c.rows; ++i)
        for (int j = 0; j < c.columns; ++j)
            sum += mixed(mixed(static_cast<std::uint64_t>(c.row + i) << 32 | static_cast<std::uint32_t>(c.column + j)) +
                         static_cast<std::uint64_t>(static_cast<std::int64_t>(c.at(i, j))));
    std::uint64_t total = 0;
    MPI_Reduce(&sum, &total, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    return total;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int n = argc > 1 ? std::atoi(argv[1]) : 512;
    const int panel = argc > 2 ? std::atoi(argv[2]) : 64;
    int ranks = 0;
    int rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Grid grid = make_grid();
    if (n < std::max(grid.rows, grid.columns) || panel < 1) {
        if (rank == 0) std::fprintf(stderr, "usage: summa [N [PANEL]], with N at least the side of the grid\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    Block a = make_filled(grid, n, 1);
    Block b = make_filled(grid, n, 2);

    Broadcasts broadcast;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    Block c = multiply(grid, n, panel, a, b, broadcast);
    const std::array<double, 2> took{MPI_Wtime() - begun, broadcast.seconds()};
    std::array<double, 2> most{};
    double in_all = 0;
    MPI_Reduce(took.data(), most.data(), 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&took[1], &in_all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);

    std::vector<double> x(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = entry(3, i, 0);
    const bool right = times(c, x) == times(a, times(b, x));
    const std::uint64_t of_result = digest(c);
    if (rank == 0) {
        std::printf("summa: %d x %d on %d x %d ranks, panels of %d\n", n, n, grid.rows, grid.columns, panel);
        std::printf("time to solution: %.3f s\n", most[0]);
        std::printf("in MPI_Bcast: %.3f s (mean of the ranks), %.3f s (slowest rank)\n", in_all / ranks, most[1]);
        std::printf("result: %s, digest %016llx\n", right ? "right" : "WRONG",
                    static_cast<unsigned long long>(of_result));
    }
    MPI_Comm_free(&grid.along_row);
    MPI_Comm_free(&grid.along_column);
    MPI_Finalize();
    return right ? 0 : 1;
}
