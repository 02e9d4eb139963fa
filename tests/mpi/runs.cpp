// Random datatypes as the library's messages see them, against MPI_Pack and MPI_Unpack: what lies in runs is read and
// written in any order, everything else from first to last, and memory in between stays as it was. One rank.
#include <array>
#include <vector>

#include "bcast/mpi/message.hpp"
#include "checking.hpp"

namespace {

using Random = std::mt19937_64;

int between(int least, int most, Random& random) {
    return std::uniform_int_distribution<int>(least, most)(random);
}

/// A part of an array of two or three dimensions, of elements of `inner`.
MPI_Datatype subarray(MPI_Datatype inner, Random& random) {
    std::array<int, 3> sizes{};
    std::array<int, 3> parts{};
    std::array<int, 3> starts{};
    const int dimensions = between(1, 3, random);
    for (std::size_t i = 0; i < static_cast<std::size_t>(dimensions); ++i) {
        sizes[i] = between(1, 6, random);
        parts[i] = between(1, sizes[i], random);
        starts[i] = between(0, sizes[i] - parts[i], random);
    }
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(dimensions, sizes.data(), parts.data(), starts.data(),
                             random() % 2 == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN, inner, &made);
    return made;
}

/// One constructor more around `inner`.
MPI_Datatype around(MPI_Datatype inner, Random& random) {
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    MPI_Type_get_extent(inner, &lower, &extent);
    MPI_Datatype made = MPI_DATATYPE_NULL;
    const int blocks = between(1, 5, random);
    const int length = between(1, 5, random);
    switch (between(0, 6, random)) {
        case 0:
            MPI_Type_dup(inner, &made);
            break;
        case 1:
            MPI_Type_contiguous(length, inner, &made);
            break;
        case 2:
            MPI_Type_vector(blocks, length, length + between(0, 3, random), inner, &made);
            break;
        case 3:
            MPI_Type_create_hvector(blocks, length,
                                    (random() % 2 == 0 ? 1 : -1) * (length * extent + between(0, 20, random)), inner,
                                    &made);
            break;
        case 4:
            MPI_Type_create_resized(inner, lower - between(0, 9, random), extent + between(0, 30, random), &made);
            break;
        case 5: {
            const int displacements[] = {length + between(0, 3, random), 0};
            MPI_Type_create_indexed_block(2, length, displacements, inner, &made);
            break;
        }
        default:
            made = subarray(inner, random);
    }
    return made;
}

MPI_Datatype random_type(Random& random) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(between(1, 60, random), random() % 2 == 0 ? MPI_INT : MPI_BYTE, &type);
    for (int depth = between(1, 3, random); depth > 0; --depth) {
        MPI_Datatype outer = around(type, random);
        MPI_Type_free(&type);
        type = outer;
    }
    MPI_Type_commit(&type);
    return type;
}

/// Cuts 0 to `bytes` in random places, in random order if `any_order`: where each piece begins and ends.
std::vector<std::pair<std::size_t, std::size_t>> pieces(std::size_t bytes, bool any_order, Random& random) {
    std::vector<std::pair<std::size_t, std::size_t>> all;
    const std::size_t longest = 1 + random() % bytes;
    for (std::size_t begin = 0; begin < bytes;) {
        const std::size_t end = std::min(bytes, begin + 1 + random() % longest);
        all.emplace_back(begin, end);
        begin = end;
    }
    if (any_order) std::shuffle(all.begin(), all.end(), random);
    return all;
}

struct Tally {
    int in_place = 0;
    int in_runs = 0;
    int otherwise = 0;
};

void check(MPI_Datatype type, Random& random, Tally& tally) {
    int size = 0;
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    MPI_Aint true_lower = 0;
    MPI_Aint true_extent = 0;
    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    const int count = between(1, 4, random);
    const auto bytes = static_cast<std::size_t>(size) * static_cast<std::size_t>(count);
    constexpr std::size_t margin = 64;
    const std::size_t room = 2 * margin + static_cast<std::size_t>((count - 1) * extent + true_extent);
    std::vector<char> memory(room, '\0');
    checking::Content(random()).write(memory.data(), 0, room);
    char* const base = memory.data() + margin - true_lower;

    std::vector<char> packed(bytes);
    int position = 0;
    MPI_Pack(base, count, type, packed.data(), static_cast<int>(bytes), &position, MPI_COMM_SELF);

    bcast::Message message;
    EXPECT(message.describe(base, count, type, static_cast<std::size_t>(size), MPI_COMM_SELF));
    const bool any_order = message.any_order();
    (message.in_place() ? tally.in_place : any_order ? tally.in_runs : tally.otherwise) += 1;
    std::vector<char> read(bytes);
    for (const auto& [begin, end] : pieces(bytes, any_order, random)) {
        EXPECT(message.read(begin, read.data() + begin, end - begin) == MPI_SUCCESS);
    }
    EXPECT(read == packed);

    std::vector<char> wanted(room, '\x5a');
    position = 0;
    MPI_Unpack(packed.data(), static_cast<int>(bytes), &position, wanted.data() + margin - true_lower, count, type,
               MPI_COMM_SELF);
    std::fill(memory.begin(), memory.end(), '\x5a');
    EXPECT(message.describe(base, count, type, static_cast<std::size_t>(size), MPI_COMM_SELF));
    for (const auto& [begin, end] : pieces(bytes, any_order, random)) {
        EXPECT(message.write(begin, packed.data() + begin, end - begin) == MPI_SUCCESS);
    }
    EXPECT(memory == wanted);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    EXPECT(bcast::bind_mpi());
    bcast::take_handles();
    Random random(1);
    Tally tally;
    constexpr int types = 20000;
    for (int i = 0; i < types; ++i) {
        MPI_Datatype type = random_type(random);
        check(type, random, tally);
        MPI_Type_free(&type);
    }
    std::printf("in place %d, in runs %d, otherwise %d\n", tally.in_place, tally.in_runs, tally.otherwise);
    EXPECT(tally.in_place > types / 20);
    EXPECT(tally.in_runs > types / 5);
    EXPECT(tally.otherwise > types / 20);
    return checking::finish();
}
