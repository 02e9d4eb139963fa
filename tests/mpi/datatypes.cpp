// Messages of every kind of datatype, the root and the receivers each with their own type and count of one signature.
// MPI_Pack and MPI_Unpack say what ought to arrive; memory between the elements must stay as it was.
#include <array>

#include "checking.hpp"

namespace {

/// Some way to describe a message: `count` elements of `type`, the first at `origin` of a buffer of `extent` bytes.
struct Layout {
    MPI_Datatype type;
    int count;
    std::size_t origin;
    std::size_t extent;
};

/// Layouts of a message of `ints` MPI_INTs (a multiple of 120).
class IntLayouts {
  public:
    explicit IntLayouts(int ints) : ints_(ints) {
        add(1, [](MPI_Datatype* t) { return MPI_Type_dup(MPI_INT, t); });
        add(2, [](MPI_Datatype* t) { return MPI_Type_dup(MPI_2INT, t); });
        add(10, [](MPI_Datatype* t) { return MPI_Type_contiguous(10, MPI_INT, t); });
        add(6, [](MPI_Datatype* t) { return MPI_Type_vector(3, 2, 5, MPI_INT, t); });
        add(6, [](MPI_Datatype* t) { return MPI_Type_vector(3, 2, 2, MPI_INT, t); });  // no gaps after all
        add(6, not_in_order);
        add(8, backwards_without_gaps);
        add(5, struct_with_gaps);
        add(8, [](MPI_Datatype* t) { return struct_in_a_row({8, 12, 0, 24}, t); });
        add(8, [](MPI_Datatype* t) { return struct_in_a_row({28, 16, 0, 0}, t); });  // in a row, but out of order
        add(1, [](MPI_Datatype* t) { return MPI_Type_create_resized(MPI_INT, 0, 12, t); });
        add(1, [](MPI_Datatype* t) { return MPI_Type_create_resized(MPI_INT, -8, 20, t); });
        add(24, inner_block);
        add(4, [](MPI_Datatype* t) { return MPI_Type_create_hvector(4, 1, -8, MPI_INT, t); });
        add(4, [](MPI_Datatype* t) { return MPI_Type_vector(2, 2, -3, MPI_INT, t); });
        add(3, [](MPI_Datatype* t) { return columns(1, t); });
        add(12, nested);
        add(ints, [=](MPI_Datatype* t) { return MPI_Type_contiguous(ints, MPI_INT, t); });
        add(ints, [=](MPI_Datatype* t) { return MPI_Type_vector(ints / 4, 4, 5, MPI_INT, t); });  // one large element
        add(ints / 2, [=](MPI_Datatype* t) { return MPI_Type_create_hvector(ints / 2, 1, -8, MPI_INT, t); });
        // In runs that are long enough to copy by themselves.
        add(ints, [=](MPI_Datatype* t) { return MPI_Type_vector(ints / 20, 20, 33, MPI_INT, t); });
        add(ints, [=](MPI_Datatype* t) { return MPI_Type_create_hvector(ints / 12, 12, 50, MPI_INT, t); });
        add(ints, [=](MPI_Datatype* t) { return part_of_matrix(ints / 30, 30, MPI_ORDER_C, t); });
        add(ints, [=](MPI_Datatype* t) { return part_of_matrix(40, ints / 40, MPI_ORDER_FORTRAN, t); });
        add(30, [](MPI_Datatype* t) { return columns(10, t); });
    }
    IntLayouts(const IntLayouts&) = delete;
    IntLayouts& operator=(const IntLayouts&) = delete;
    ~IntLayouts() {
        for (Layout& layout : all) MPI_Type_free(&layout.type);
    }

    std::vector<Layout> all;

  private:
    static constexpr std::size_t margin = 64;

    template <class Make>
    void add(int ints_each, Make make) {
        Layout layout{MPI_DATATYPE_NULL, ints_ / ints_each, 0, 0};
        make(&layout.type);
        MPI_Type_commit(&layout.type);
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        MPI_Aint true_lower = 0;
        MPI_Aint true_extent = 0;
        MPI_Type_get_extent(layout.type, &lower, &extent);
        MPI_Type_get_true_extent(layout.type, &true_lower, &true_extent);
        // From the lowest to the highest byte that any element touches.
        const MPI_Aint last = (layout.count - 1) * extent;
        const MPI_Aint lowest = true_lower + std::min<MPI_Aint>(0, last);
        const MPI_Aint highest = true_lower + true_extent + std::max<MPI_Aint>(0, last);
        layout.origin = margin + static_cast<std::size_t>(-std::min<MPI_Aint>(0, lowest));
        layout.extent = layout.origin + static_cast<std::size_t>(std::max<MPI_Aint>(0, highest)) + margin;
        all.push_back(layout);
    }

    static int not_in_order(MPI_Datatype* type) {
        const int lengths[] = {2, 3, 1};
        const int displacements[] = {9, 0, 4};
        return MPI_Type_indexed(3, lengths, displacements, MPI_INT, type);
    }
    /// Fills its extent, so that only its constructor tells that the bytes are not in order.
    static int backwards_without_gaps(MPI_Datatype* type) {
        const int displacements[] = {6, 4, 2, 0};
        return MPI_Type_create_indexed_block(4, 2, displacements, MPI_INT, type);
    }
    static int struct_with_gaps(MPI_Datatype* type) {
        const int lengths[] = {1, 3, 1};
        const MPI_Aint displacements[] = {0, 12, 40};
        const MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_INT};
        return MPI_Type_create_struct(3, lengths, displacements, types, type);
    }
    /// Members of 1, 3, none, and two pairs; they fill 32 bytes if well placed.
    static int struct_in_a_row(const std::array<MPI_Aint, 4>& displacements, MPI_Datatype* type) {
        const int lengths[] = {1, 3, 0, 2};
        const MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_CHAR, MPI_2INT};
        return MPI_Type_create_struct(4, lengths, displacements.data(), types, type);
    }
    static int inner_block(MPI_Datatype* type) {
        const int sizes[] = {4, 5, 6};
        const int inner[] = {2, 3, 4};
        const int starts[] = {1, 2, 1};
        return MPI_Type_create_subarray(3, sizes, inner, starts, MPI_ORDER_FORTRAN, MPI_INT, type);
    }
    /// The extent is shorter than the span: elements interlock, as columns of a matrix do.
    static int columns(int width, MPI_Datatype* type) {
        MPI_Datatype column = MPI_DATATYPE_NULL;
        MPI_Type_vector(3, width, 200000, MPI_INT, &column);
        const int error = MPI_Type_create_resized(column, 0, width * MPI_Aint{sizeof(int)}, type);
        MPI_Type_free(&column);
        return error;
    }
    static int part_of_matrix(int rows, int columns, int order, MPI_Datatype* type) {
        const int sizes[] = {rows + 3, columns + 5};
        const int part[] = {rows, columns};
        const int starts[] = {2, 1};
        return MPI_Type_create_subarray(2, sizes, part, starts, order, MPI_INT, type);
    }
    static int nested(MPI_Datatype* type) {
        MPI_Datatype inner = MPI_DATATYPE_NULL;
        MPI_Datatype middle = MPI_DATATYPE_NULL;
        not_in_order(&inner);
        MPI_Type_create_hvector(2, 1, 60, inner, &middle);
        const int error = MPI_Type_create_resized(middle, -4, 130, type);
        MPI_Type_free(&inner);
        MPI_Type_free(&middle);
        return error;
    }

    int ints_;
};

/// The message as this rank's layout places it in memory.
std::vector<char> placed(const Layout& layout, const std::vector<char>& packed) {
    std::vector<char> memory(layout.extent, '\x5a');
    int position = 0;
    MPI_Unpack(packed.data(), static_cast<int>(packed.size()), &position, memory.data() + layout.origin, layout.count,
               layout.type, MPI_COMM_SELF);
    return memory;
}

std::vector<char> content(std::size_t bytes, std::uint64_t seed) {
    std::vector<char> packed(bytes);
    checking::Content(seed).write(packed.data(), 0, bytes);
    return packed;
}

bool broadcast(const Layout& layout, std::size_t bytes, int root, std::uint64_t seed) {
    const std::vector<char> wanted = placed(layout, content(bytes, seed));
    std::vector<char> memory = checking::world_rank() == root ? wanted : std::vector<char>(layout.extent, '\x5a');
    const int error = MPI_Bcast(memory.data() + layout.origin, layout.count, layout.type, root, MPI_COMM_WORLD);
    return error == MPI_SUCCESS && memory == wanted;
}

void check_ints(int ints, int steps) {
    const IntLayouts layouts(ints);
    const std::size_t number = layouts.all.size();
    const std::size_t bytes = static_cast<std::size_t>(ints) * sizeof(int);
    const int ranks = checking::ranks_in(MPI_COMM_WORLD);
    std::uint64_t seed = static_cast<std::uint64_t>(ints) << 20;
    for (std::size_t first = 0; first < number; ++first) {
        for (int step = 0; step < steps; ++step) {
            const int root = static_cast<int>(seed % static_cast<std::uint64_t>(ranks));
            const auto rank = static_cast<std::size_t>(checking::world_rank());
            const std::size_t mine = (first + rank * static_cast<std::size_t>(step)) % number;
            const bool right = broadcast(layouts.all[mine], bytes, root, ++seed);
            EXPECT(right);
            if (!right) std::fprintf(stderr, "rank %zu: layout %zu, %zu bytes from %d\n", rank, mine, bytes, root);
        }
    }
}

/// A pair type against a struct of the same signature: the pair may have a gap inside or at its end.
void check_pair(MPI_Datatype pair, MPI_Datatype first, std::uint64_t seed) {
    int pair_bytes = 0;
    MPI_Type_size(pair, &pair_bytes);
    const int count = 3000;
    MPI_Datatype parts = MPI_DATATYPE_NULL;
    const int lengths[] = {1, 1};
    const MPI_Aint displacements[] = {32, 0};
    const MPI_Datatype types[] = {first, MPI_INT};
    MPI_Type_create_struct(2, lengths, displacements, types, &parts);
    MPI_Type_commit(&parts);
    const Layout layouts[] = {{pair, count, 0, count * 32}, {parts, count, 0, count * 64}};
    for (int root = 0; root < 3; ++root) {
        const bool right =
            broadcast(layouts[(checking::world_rank() + root) % 2], static_cast<std::size_t>(pair_bytes) * count, root,
                      seed * 10 + static_cast<std::uint64_t>(root));
        EXPECT(right);
    }
    MPI_Type_free(&parts);
}

/// MPI_BOTTOM and absolute addresses, in no order.
void check_bottom(int ints, std::uint64_t seed) {
    const int root = 1;
    const std::size_t piece_bytes = static_cast<std::size_t>(ints / 8) * sizeof(int);
    const checking::Content wanted(seed);
    std::vector<std::vector<char>> pieces(8, std::vector<char>(piece_bytes, '\0'));
    std::vector<MPI_Aint> addresses(8);
    for (std::size_t i = 0; i < 8; ++i) {
        char* const piece = pieces[(i * 5 + 3) % 8].data();
        if (checking::world_rank() == root) wanted.write(piece, i * piece_bytes, piece_bytes);
        MPI_Get_address(piece, &addresses[i]);
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed_block(8, ints / 8, addresses.data(), MPI_INT, &type);
    MPI_Type_commit(&type);
    EXPECT(MPI_Bcast(MPI_BOTTOM, 1, type, root, MPI_COMM_WORLD) == MPI_SUCCESS);
    for (std::size_t i = 0; i < 8; ++i) {
        EXPECT(wanted.wrong(pieces[(i * 5 + 3) % 8].data(), i * piece_bytes, piece_bytes) == 0);
    }
    MPI_Type_free(&type);
}

/// A contiguous message whose type holds the address: in place, but not at the buffer argument.
void check_contiguous_at_bottom(std::uint64_t seed) {
    const int bytes = 70000;
    const std::vector<char> wanted = content(bytes, seed);
    std::vector<char> memory = checking::world_rank() == 0 ? wanted : std::vector<char>(bytes, '\0');
    MPI_Aint address = 0;
    MPI_Get_address(memory.data(), &address);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(1, &bytes, &address, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    EXPECT(MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
    EXPECT(memory == wanted);
    MPI_Type_free(&type);
}

void check_nothing_to_send() {
    MPI_Datatype empty = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    int value = 17;
    for (int root = 0; root < checking::ranks_in(MPI_COMM_WORLD); ++root) {
        // No bytes, described by no elements or by many of no size.
        EXPECT(MPI_Bcast(&value, checking::world_rank() % 2 == 0 ? 0 : 5000,
                         checking::world_rank() % 2 == 0 ? MPI_INT : empty, root, MPI_COMM_WORLD) == MPI_SUCCESS);
    }
    EXPECT(value == 17);
    MPI_Type_free(&empty);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    for (const int ints : {120, 960, 3600, 12000}) check_ints(ints, 4);
    check_ints(60000, 2);
    check_ints(360000, 2);
    check_pair(MPI_FLOAT_INT, MPI_FLOAT, 1);
    check_pair(MPI_DOUBLE_INT, MPI_DOUBLE, 2);
    check_pair(MPI_LONG_INT, MPI_LONG, 3);
    check_pair(MPI_SHORT_INT, MPI_SHORT, 4);
    check_bottom(2400, 5);
    check_bottom(80000, 6);
    check_contiguous_at_bottom(7);
    check_nothing_to_send();
    return checking::finish();
}
