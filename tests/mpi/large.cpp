// Messages of more than 2^31 bytes: many elements, elements with gaps, one such element, and under MPI 4 a count that
// no int holds.
//
// Each rank holds one such buffer, checked word by word.
#include "checking.hpp"

namespace {

constexpr std::size_t large_bytes = (std::size_t{1} << 31) + 120'000'008;
constexpr std::size_t words = large_bytes / sizeof(std::uint64_t);

std::uint64_t word(std::size_t i, std::uint64_t seed) {
    return (i + seed) * 0x9e3779b97f4a7c15U;
}

/// Broadcasts a buffer of rows of `row` words, of which the last `gap` are not sent.
template <class Broadcast>
void check(std::vector<std::uint64_t>& buffer, std::uint64_t seed, std::size_t row, std::size_t gap,
           Broadcast broadcast) {
    const bool root = checking::world_rank() == 1;
    for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = root ? word(i, seed) : 7;
    EXPECT(broadcast(buffer.data()) == MPI_SUCCESS);
    std::size_t wrong = 0;
    for (std::size_t first = 0; first < buffer.size(); first += row) {
        const std::size_t sent = root ? row : row - gap;
        for (std::size_t i = first; i < first + sent; ++i) wrong += buffer[i] != word(i, seed) ? 1 : 0;
        for (std::size_t i = first + sent; i < first + row; ++i) wrong += buffer[i] != 7 ? 1 : 0;
    }
    EXPECT(wrong == 0);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    std::vector<std::uint64_t> buffer(words);
    constexpr int root = 1;
#if MPI_VERSION >= 4
    check(buffer, 1, words, 0, [](void* data) {
        return MPI_Bcast_c(data, static_cast<MPI_Count>(words * sizeof(std::uint64_t)), MPI_BYTE, root, MPI_COMM_WORLD);
    });
#else
    check(buffer, 1, words, 0,
          [](void* data) { return MPI_Bcast(data, static_cast<int>(words), MPI_UINT64_T, root, MPI_COMM_WORLD); });
#endif
    // Rows of 1001 words, the last of each not sent; the message itself is above 2^31 bytes too.
    constexpr int row = 1001;
    MPI_Datatype gapped = MPI_DATATYPE_NULL;
    MPI_Datatype row_type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(row - 1, MPI_UINT64_T, &gapped);
    MPI_Type_create_resized(gapped, 0, row * sizeof(std::uint64_t), &row_type);
    MPI_Type_commit(&row_type);
    constexpr std::size_t rows = words / row;
    static_assert(rows * (row - 1) * sizeof(std::uint64_t) > std::size_t{1} << 31);
    buffer.resize(rows * row);
    check(buffer, 2, row, 1,
          [&](void* data) { return MPI_Bcast(data, static_cast<int>(rows), row_type, root, MPI_COMM_WORLD); });
    // All rows as a single element.
    MPI_Datatype whole_type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(rows), row_type, &whole_type);
    MPI_Type_commit(&whole_type);
    check(buffer, 3, row, 1, [&](void* data) { return MPI_Bcast(data, 1, whole_type, root, MPI_COMM_WORLD); });
    MPI_Type_free(&whole_type);
    MPI_Type_free(&gapped);
    MPI_Type_free(&row_type);
    EXPECT(checking::served_since(0) == 3);
    return checking::finish();
}
