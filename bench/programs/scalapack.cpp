// ScaLAPACK's matrix multiplication, Cholesky and LU factorization, for bench/scripts/programs.py:
//
//     mpiexec -n 16 ./scalapack multiply|cholesky|lu [N [BLOCK]]
//
// Prints the time to solution, whether the result is right, and a digest of all bits of it. Link with
// libscalapack-mpich or libscalapack-openmpi.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* part, const int* first, const int* parts);
void descinit_(int* descriptor, const int* m, const int* n, const int* mb, const int* nb, const int* row,
               const int* column, const int* context, const int* leading, int* info);
void pdgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
             const double* a, const int* ia, const int* ja, const int* desca, const double* b, const int* ib,
             const int* jb, const int* descb, const double* beta, double* c, const int* ic, const int* jc,
             const int* descc);
void pdpotrf_(const char* half, const int* n, double* a, const int* ia, const int* ja, const int* desca, int* info);
void pdpotrs_(const char* half, const int* n, const int* count, const double* a, const int* ia, const int* ja,
              const int* desca, double* b, const int* ib, const int* jb, const int* descb, int* info);
void pdgetrf_(const int* m, const int* n, double* a, const int* ia, const int* ja, const int* desca, int* pivots,
              int* info);
void pdgetrs_(const char* trans, const int* n, const int* count, const double* a, const int* ia, const int* ja,
              const int* desca, const int* pivots, double* b, const int* ib, const int* jb, const int* descb,
              int* info);
}

namespace {

constexpr int first = 1;  // row and column, as Fortran counts

std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

/// A symmetric matrix of integers; `diagonal` is added where it is to be positive definite.
double entry(int i, int j, double diagonal) {
    const auto place = static_cast<std::uint64_t>(std::max(i, j)) << 32 | static_cast<std::uint32_t>(std::min(i, j));
    return static_cast<double>(mixed(place + 1) % 17) - 8 + (i == j ? diagonal : 0);
}

struct Grid {
    int context = 0, rows = 0, columns = 0, row = 0, column = 0;
};

/// A matrix in ScaLAPACK's block-cyclic distribution.
struct Matrix {
    Matrix(const Grid& on, int rows, int columns, int block) : grid(on), block_size(block) {
        const int zero = 0;
        local_rows = numroc_(&rows, &block, &grid.row, &zero, &grid.rows);
        local_columns = numroc_(&columns, &block, &grid.column, &zero, &grid.columns);
        const int leading = std::max(1, local_rows);
        int info = 0;
        descinit_(descriptor.data(), &rows, &columns, &block, &block, &zero, &zero, &grid.context, &leading, &info);
        entries.resize(static_cast<std::size_t>(leading) * static_cast<std::size_t>(std::max(1, local_columns)));
    }
    [[nodiscard]] int row_of(int i) const { return whole_index(i, grid.row, grid.rows); }
    [[nodiscard]] int column_of(int j) const { return whole_index(j, grid.column, grid.columns); }
    double& at(int i, int j) {
        return entries[static_cast<std::size_t>(j) * static_cast<std::size_t>(std::max(1, local_rows)) +
                       static_cast<std::size_t>(i)];
    }
    template <class Value>
    void fill(Value value) {
        for (int j = 0; j < local_columns; ++j)
            for (int i = 0; i < local_rows; ++i) at(i, j) = value(row_of(i), column_of(j));
    }

    Grid grid;
    int block_size, local_rows = 0, local_columns = 0;
    std::array<int, 9> descriptor{};
    std::vector<double> entries;

  private:
    [[nodiscard]] int whole_index(int local, int part, int parts) const {
        return (local / block_size * parts + part) * block_size + local % block_size;
    }
};

/// y = A x for the matrix of `entry`, by plain loops; each rank works out all of it.
std::vector<double> times(int n, double diagonal, const std::vector<double>& x) {
    std::vector<double> y(x.size());
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            y[static_cast<std::size_t>(i)] += entry(i, j, diagonal) * x[static_cast<std::size_t>(j)];
    return y;
}

std::vector<double> known_solution(int n) {
    std::vector<double> x(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = static_cast<double>(mixed(1000000 + i) % 9) - 4;
    return x;
}

/// Over all ranks: the digest of the matrix's bits and places, and the largest of their errors.
void gather(Matrix& matrix, double error, std::uint64_t& digest, double& largest) {
    std::uint64_t sum = 0;
    for (int j = 0; j < matrix.local_columns; ++j)
        for (int i = 0; i < matrix.local_rows; ++i) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, &matrix.at(i, j), sizeof bits);
            sum += mixed(bits + mixed(static_cast<std::uint64_t>(matrix.row_of(i)) << 32 | matrix.column_of(j)));
        }
    MPI_Allreduce(&sum, &digest, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

/// C = A A.
void multiply(int n, Matrix& a, Matrix& c) {
    const double one = 1;
    const double zero = 0;
    pdgemm_("N", "N", &n, &n, &n, &one, a.entries.data(), &first, &first, a.descriptor.data(), a.entries.data(), &first,
            &first, a.descriptor.data(), &zero, c.entries.data(), &first, &first, c.descriptor.data());
}

/// C x must be A (A x), exactly: all entries are integers.
double error_of_product(int n, Matrix& c) {
    const std::vector<double> x = known_solution(n);
    const std::vector<double> right = times(n, 0, times(n, 0, x));
    std::vector<double> y(x.size());
    for (int j = 0; j < c.local_columns; ++j)
        for (int i = 0; i < c.local_rows; ++i)
            y[static_cast<std::size_t>(c.row_of(i))] += c.at(i, j) * x[static_cast<std::size_t>(c.column_of(j))];
    MPI_Allreduce(MPI_IN_PLACE, y.data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return y == right ? 0 : 1;
}

void solve(bool by_cholesky, int n, Matrix& a, Matrix& b) {
    const int count = 1;
    int info = 0;
    if (by_cholesky) {
        pdpotrf_("L", &n, a.entries.data(), &first, &first, a.descriptor.data(), &info);
        pdpotrs_("L", &n, &count, a.entries.data(), &first, &first, a.descriptor.data(), b.entries.data(), &first,
                 &first, b.descriptor.data(), &info);
        return;
    }
    std::vector<int> pivots(static_cast<std::size_t>(a.local_rows + a.block_size));
    pdgetrf_(&n, &n, a.entries.data(), &first, &first, a.descriptor.data(), pivots.data(), &info);
    pdgetrs_("N", &n, &count, a.entries.data(), &first, &first, a.descriptor.data(), pivots.data(), b.entries.data(),
             &first, &first, b.descriptor.data(), &info);
}

double error_of_solution(int n, Matrix& b) {
    const std::vector<double> x = known_solution(n);
    double error = 0;
    for (int j = 0; j < b.local_columns; ++j)
        for (int i = 0; i < b.local_rows; ++i)
            error = std::max(error, std::fabs(b.at(i, j) - x[static_cast<std::size_t>(b.row_of(i))]));
    return error;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const std::string what = argc > 1 ? argv[1] : "multiply";
    const int n = argc > 2 ? std::atoi(argv[2]) : 512;
    const int block = argc > 3 ? std::atoi(argv[3]) : 64;
    int ranks = 0;
    int rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::array<int, 2> sides{0, 0};
    MPI_Dims_create(ranks, 2, sides.data());
    Grid grid;
    Cblacs_get(0, 0, &grid.context);
    Cblacs_gridinit(&grid.context, "Row", sides[1], sides[0]);
    Cblacs_gridinfo(grid.context, &grid.rows, &grid.columns, &grid.row, &grid.column);
    const double diagonal = what == "cholesky" ? 20.0 * n : 0;
    Matrix a(grid, n, n, block);
    a.fill([&](int i, int j) { return entry(i, j, diagonal); });
    Matrix result(grid, n, what == "multiply" ? n : 1, block);
    const std::vector<double> product = times(n, diagonal, known_solution(n));
    if (what != "multiply") result.fill([&](int i, int) { return product[static_cast<std::size_t>(i)]; });

    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    if (what == "multiply") {
        multiply(n, a, result);
    } else {
        solve(what == "cholesky", n, a, result);
    }
    const double took = MPI_Wtime() - begun;
    double longest = 0;
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    std::uint64_t digest = 0;
    double error = 0;
    gather(result, what == "multiply" ? error_of_product(n, result) : error_of_solution(n, result), digest, error);
    if (rank == 0) {
        std::printf("scalapack %s: %d x %d on %d x %d ranks, blocks of %d\n", what.c_str(), n, n, grid.rows,
                    grid.columns, block);
        std::printf("time to solution: %.3f s\n", longest);
        std::printf("result: %s, digest %016llx\n", error < 1e-6 ? "right" : "WRONG",
                    static_cast<unsigned long long>(digest));
    }
    Cblacs_gridexit(grid.context);
    MPI_Finalize();
    return error < 1e-6 ? 0 : 1;
}
