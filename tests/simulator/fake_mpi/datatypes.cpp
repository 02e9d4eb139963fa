// Datatypes as the runs of bytes they name, and packing by them.
#include <algorithm>
#include <cstring>

#include "job.hpp"

namespace simulator {

namespace {

std::shared_ptr<Type> named(std::size_t bytes) {
    auto type = std::make_shared<Type>();
    type->bytes = bytes;
    type->extent = static_cast<MPI_Aint>(bytes);
    type->runs = {{0, bytes}};
    type->committed = true;
    return type;
}

/// Puts `count` elements of `inner` at `at` to the runs of `type`; their bounds to its bounds.
void append(Type& type, const Type& inner, MPI_Aint at, int count, bool& first) {
    for (int i = 0; i < count; ++i) {
        const MPI_Aint begin = at + i * inner.extent;
        for (const Type::Run& run : inner.runs) {
            Type::Run* last = type.runs.empty() ? nullptr : &type.runs.back();
            if (last != nullptr && last->at + static_cast<MPI_Aint>(last->bytes) == begin + run.at) {
                last->bytes += run.bytes;
            } else if (run.bytes > 0) {
                type.runs.push_back({begin + run.at, run.bytes});
            }
        }
        type.bytes += inner.bytes;
        const MPI_Aint lower = begin + inner.lower;
        const MPI_Aint upper = lower + inner.extent;
        const MPI_Aint old_upper = type.lower + type.extent;
        type.lower = first ? lower : std::min(type.lower, lower);
        type.extent = (first ? upper : std::max(old_upper, upper)) - type.lower;
        first = false;
    }
}

struct Block {
    MPI_Aint at;
    int count;
    MPI_Datatype type;
};

int make(const char* call, int combiner, std::vector<int> integers, std::vector<MPI_Aint> addresses,
         const std::vector<MPI_Datatype>& types, const std::vector<Block>& blocks, MPI_Datatype* made) {
    if (const int error = enter({call}); error != MPI_SUCCESS) return error;
    auto type = std::make_shared<Type>();
    type->combiner = combiner;
    type->integers = std::move(integers);
    type->addresses = std::move(addresses);
    for (const MPI_Datatype handle : types) {
        std::shared_ptr<Type> inner = find_type(handle);
        if (inner == nullptr) return raise(MPI_COMM_WORLD, MPI_ERR_TYPE);
        type->types.emplace_back(handle, std::move(inner));
    }
    bool first = true;
    for (const Block& block : blocks) append(*type, *find_type(block.type), block.at, block.count, first);
    *made = self().types.add(std::move(type));
    return MPI_SUCCESS;
}

int pack_some(const void* in, std::int64_t count, MPI_Datatype type, void* out, std::int64_t room,
              std::int64_t& position, MPI_Comm comm) {
    const std::shared_ptr<Type> layout = find_type(type);
    if (layout == nullptr || !layout->committed) return raise(comm, MPI_ERR_TYPE);
    const std::int64_t bytes = count * static_cast<std::int64_t>(layout->bytes);
    if (count < 0 || position + bytes > room) return raise(comm, MPI_ERR_TRUNCATE);
    pack(*layout, static_cast<const char*>(in), count, static_cast<char*>(out) + position);
    position += bytes;
    return MPI_SUCCESS;
}

int unpack_some(const void* in, std::int64_t available, std::int64_t& position, void* out, std::int64_t count,
                MPI_Datatype type, MPI_Comm comm) {
    const std::shared_ptr<Type> layout = find_type(type);
    if (layout == nullptr || !layout->committed) return raise(comm, MPI_ERR_TYPE);
    const std::int64_t bytes = count * static_cast<std::int64_t>(layout->bytes);
    if (count < 0 || position + bytes > available) return raise(comm, MPI_ERR_TRUNCATE);
    unpack(*layout, static_cast<const char*>(in) + position, static_cast<char*>(out), count);
    position += bytes;
    return MPI_SUCCESS;
}

/// Where an element is. Adding to no address at all is what MPI_BOTTOM means.
template <class Char>
Char* element(Char* base, MPI_Aint at) {
    return reinterpret_cast<Char*>(reinterpret_cast<std::intptr_t>(base) + at);
}

}  // namespace

std::shared_ptr<Type> find_type(MPI_Datatype type) {
    static const std::shared_ptr<Type> predefined[] = {
        nullptr, named(1), named(1), named(sizeof(int)), named(sizeof(double)), named(8)};
    if (type == MPI_DATATYPE_NULL) return nullptr;
    const int number = type - MPI_DATATYPE_NULL;
    if (number > 0 && number < static_cast<int>(std::size(predefined))) return predefined[number];
    Rank& rank = self();
    std::shared_ptr<Type>* found = rank.types.find(type);
    if (found == nullptr) rank.job.fail(std::string(rank.step.call) + " with a datatype that is no more");
    return found != nullptr ? *found : nullptr;
}

void pack(const Type& type, const char* from, std::int64_t count, char* to) {
    for (std::int64_t i = 0; i < count; ++i) {
        for (const Type::Run& run : type.runs) {
            std::memcpy(to, element(from, i * type.extent + run.at), run.bytes);
            to += run.bytes;
        }
    }
}

void unpack(const Type& type, const char* from, char* to, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        for (const Type::Run& run : type.runs) {
            std::memcpy(element(to, i * type.extent + run.at), from, run.bytes);
            from += run.bytes;
        }
    }
}

void unpack_some(const Request& receive, const char* from, std::size_t bytes) {
    if (bytes == 0) return;
    if (receive.type == nullptr) {
        std::memcpy(receive.buffer, from, bytes);
    } else {
        unpack(*receive.type, from, receive.buffer, static_cast<std::int64_t>(bytes / receive.type->bytes));
    }
}

}  // namespace simulator

using namespace simulator;

extern "C" {

int PMPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* made) {
    return make("Type_contiguous", MPI_COMBINER_CONTIGUOUS, {count}, {}, {type}, {{0, count, type}}, made);
}

int PMPI_Type_vector(int count, int length, int stride, MPI_Datatype type, MPI_Datatype* made) {
    const std::shared_ptr<Type> inner = find_type(type);
    if (inner == nullptr) return raise(MPI_COMM_WORLD, MPI_ERR_TYPE);
    std::vector<Block> blocks;
    for (int i = 0; i < count; ++i) blocks.push_back({static_cast<MPI_Aint>(i) * stride * inner->extent, length, type});
    return make("Type_vector", MPI_COMBINER_VECTOR, {count, length, stride}, {}, {type}, blocks, made);
}

int PMPI_Type_create_hindexed(int count, const int* lengths, const MPI_Aint* displacements, MPI_Datatype type,
                              MPI_Datatype* made) {
    std::vector<int> integers{count};
    std::vector<Block> blocks;
    for (int i = 0; i < count; ++i) {
        integers.push_back(lengths[i]);
        blocks.push_back({displacements[i], lengths[i], type});
    }
    return make("Type_create_hindexed", MPI_COMBINER_HINDEXED, integers, {displacements, displacements + count}, {type},
                blocks, made);
}

int PMPI_Type_create_struct(int count, const int* lengths, const MPI_Aint* displacements, const MPI_Datatype* types,
                            MPI_Datatype* made) {
    std::vector<int> integers{count};
    std::vector<Block> blocks;
    for (int i = 0; i < count; ++i) {
        integers.push_back(lengths[i]);
        blocks.push_back({displacements[i], lengths[i], types[i]});
    }
    return make("Type_create_struct", MPI_COMBINER_STRUCT, integers, {displacements, displacements + count},
                {types, types + count}, blocks, made);
}

int PMPI_Type_create_resized(MPI_Datatype type, MPI_Aint lower, MPI_Aint extent, MPI_Datatype* made) {
    const int error =
        make("Type_create_resized", MPI_COMBINER_RESIZED, {}, {lower, extent}, {type}, {{0, 1, type}}, made);
    if (error != MPI_SUCCESS) return error;
    Type& resized = **self().types.find(*made);
    resized.lower = lower;
    resized.extent = extent;
    return MPI_SUCCESS;
}

int PMPI_Type_dup(MPI_Datatype type, MPI_Datatype* made) {
    const int error = make("Type_dup", MPI_COMBINER_DUP, {}, {}, {type}, {{0, 1, type}}, made);
    if (error != MPI_SUCCESS) return error;
    (*self().types.find(*made))->committed = find_type(type)->committed;
    return MPI_SUCCESS;
}

int PMPI_Type_commit(MPI_Datatype* type) {
    if (const int error = enter({"Type_commit"}); error != MPI_SUCCESS) return error;
    const std::shared_ptr<Type> layout = find_type(*type);
    if (layout == nullptr) return raise(MPI_COMM_WORLD, MPI_ERR_TYPE);
    layout->committed = true;
    return MPI_SUCCESS;
}

int PMPI_Type_free(MPI_Datatype* type) {
    if (const int error = enter({"Type_free"}); error != MPI_SUCCESS) return error;
    if (self().types.find(*type) == nullptr) {
        self().job.fail("Type_free of a datatype that is predefined or no more");
        return MPI_ERR_TYPE;
    }
    self().types.remove(*type);
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

int PMPI_Type_size(MPI_Datatype type, int* size) {
    if (const int error = enter({"Type_size"}); error != MPI_SUCCESS) return error;
    const std::shared_ptr<Type> layout = find_type(type);
    if (layout == nullptr) return raise(MPI_COMM_WORLD, MPI_ERR_TYPE);
    *size = layout->bytes <= 0x7fffffff ? static_cast<int>(layout->bytes) : static_cast<int>(MPI_UNDEFINED);
    return MPI_SUCCESS;
}

int PMPI_Type_size_x(MPI_Datatype type, MPI_Count* size) {
    if (const int error = enter({"Type_size_x"}); error != MPI_SUCCESS) return error;
    const std::shared_ptr<Type> layout = find_type(type);
    if (layout == nullptr) return raise(MPI_COMM_WORLD, MPI_ERR_TYPE);
    *size = static_cast<MPI_Count>(layout->bytes);
    return MPI_SUCCESS;
}

int PMPI_Type_get_extent(MPI_Datatype type, MPI_Aint* lower, MPI_Aint* extent) {
    if (const int error = enter({"Type_get_extent"}); error != MPI_SUCCESS) return error;
    const std::shared_ptr<Type> layout = find_type(type);
    if (layout == nullptr) return raise(MPI_COMM_WORLD, MPI_ERR_TYPE);
    *lower = layout->lower;
    *extent = layout->extent;
    return MPI_SUCCESS;
}

int PMPI_Type_get_envelope(MPI_Datatype type, int* integers, int* addresses, int* types, int* combiner) {
    if (const int error = enter({"Type_get_envelope"}); error != MPI_SUCCESS) return error;
    const std::shared_ptr<Type> layout = find_type(type);
    if (layout == nullptr) return raise(MPI_COMM_WORLD, MPI_ERR_TYPE);
    *integers = static_cast<int>(layout->integers.size());
    *addresses = static_cast<int>(layout->addresses.size());
    *types = static_cast<int>(layout->types.size());
    *combiner = layout->combiner;
    return MPI_SUCCESS;
}

int PMPI_Type_get_contents(MPI_Datatype type, int most_integers, int most_addresses, int most_types, int* integers,
                           MPI_Aint* addresses, MPI_Datatype* types) {
    if (const int error = enter({"Type_get_contents"}); error != MPI_SUCCESS) return error;
    const std::shared_ptr<Type> layout = find_type(type);
    if (layout == nullptr || layout->combiner == MPI_COMBINER_NAMED) return raise(MPI_COMM_WORLD, MPI_ERR_TYPE);
    if (static_cast<std::size_t>(most_integers) < layout->integers.size() ||
        static_cast<std::size_t>(most_addresses) < layout->addresses.size() ||
        static_cast<std::size_t>(most_types) < layout->types.size()) {
        return raise(MPI_COMM_WORLD, MPI_ERR_ARG);
    }
    std::copy(layout->integers.begin(), layout->integers.end(), integers);
    std::copy(layout->addresses.begin(), layout->addresses.end(), addresses);
    for (const auto& [handle, inner] : layout->types) {
        *types++ = inner->combiner == MPI_COMBINER_NAMED ? handle : self().types.add(inner);
    }
    return MPI_SUCCESS;
}

int PMPI_Pack(const void* in, int count, MPI_Datatype type, void* out, int room, int* position, MPI_Comm comm) {
    if (const int error = enter({"Pack"}, comm); error != MPI_SUCCESS) return error;
    std::int64_t at = *position;
    const int error = pack_some(in, count, type, out, room, at, comm);
    *position = static_cast<int>(at);
    return error;
}

int PMPI_Unpack(const void* in, int available, int* position, void* out, int count, MPI_Datatype type, MPI_Comm comm) {
    if (const int error = enter({"Unpack"}, comm); error != MPI_SUCCESS) return error;
    std::int64_t at = *position;
    const int error = unpack_some(in, available, at, out, count, type, comm);
    *position = static_cast<int>(at);
    return error;
}

#if MPI_VERSION >= 4
int PMPI_Pack_c(const void* in, MPI_Count count, MPI_Datatype type, void* out, MPI_Count room, MPI_Count* position,
                MPI_Comm comm) {
    if (const int error = enter({"Pack"}, comm); error != MPI_SUCCESS) return error;
    return pack_some(in, count, type, out, room, *position, comm);
}

int PMPI_Unpack_c(const void* in, MPI_Count available, MPI_Count* position, void* out, MPI_Count count,
                  MPI_Datatype type, MPI_Comm comm) {
    if (const int error = enter({"Unpack"}, comm); error != MPI_SUCCESS) return error;
    return unpack_some(in, available, *position, out, count, type, comm);
}
#endif

}  // extern "C"
