#include "area.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

namespace simulator {

namespace {

constexpr std::size_t guard_bytes = 24;

bool is_named(MPI_Datatype type) {
    return (type & 0xffff) < 16;
}

int some_divisor(int number, Random& random) {
    for (int i = 0; i < 8; ++i) {
        const int candidate = random.between(1, std::min(number, 16));
        if (number % candidate == 0) return candidate;
    }
    return 1;
}

}  // namespace

void Area::add_run(std::size_t bytes, std::size_t gap_after) {
    runs_.push_back({end_, bytes});
    end_ += bytes + gap_after;
}

void Area::lay_out(const Signature& signature, Form form, Random& random) {
    runs_.clear();
    end_ = guard_bytes + random.below(16);
    type_ = signature.base;
    count_ = signature.count;
    const std::size_t begin = end_;
    if (signature.count == 0) form = random.chance(0.5) ? Form::plain : Form::contiguous;
    switch (form) {
        case Form::plain:
            lay_out_plain(signature);
            break;
        case Form::contiguous:
            lay_out_plain(signature);
            PMPI_Type_contiguous(signature.count, signature.base, &type_);
            count_ = 1;
            break;
        case Form::elements: {
            lay_out_plain(signature);
            const int length = some_divisor(signature.count, random);
            PMPI_Type_contiguous(length, signature.base, &type_);
            count_ = signature.count / length;
            break;
        }
        case Form::vector:
            lay_out_vector(signature, some_divisor(signature.count, random), random);
            break;
        case Form::sparse:
            lay_out_sparse(signature, random);
            break;
        case Form::pairs:
            if (signature.count % 2 == 0) {
                lay_out_pairs(signature, random);
            } else {
                lay_out_vector(signature, 1, random);
            }
            break;
        case Form::scattered:
        case Form::members:
        case Form::copied:
        case Form::from_bottom:
            lay_out_pieces(signature, form, random);
            break;
    }
    if (!is_named(type_)) PMPI_Type_commit(&type_);
    memory_.resize(end_ + guard_bytes);
    buffer_ = memory_.data() + begin;
    if (form == Form::from_bottom) {  // the type holds addresses, which are known only now
        const auto base = reinterpret_cast<MPI_Aint>(buffer_);
        const int one = 1;
        MPI_Datatype at_address = MPI_DATATYPE_NULL;
        PMPI_Type_create_hindexed(1, &one, &base, type_, &at_address);
        PMPI_Type_commit(&at_address);
        PMPI_Type_free(&type_);
        type_ = at_address;
        buffer_ = MPI_BOTTOM;
    }
}

void Area::lay_out_plain(const Signature& signature) {
    add_run(signature.bytes(), 0);
}

void Area::lay_out_vector(const Signature& signature, int length, Random& random) {
    const std::size_t size = signature.base_bytes();
    const int gap = random.between(0, 3);
    const int blocks = signature.count / length;
    for (int i = 0; i < blocks; ++i) {
        add_run(static_cast<std::size_t>(length) * size, i + 1 < blocks ? static_cast<std::size_t>(gap) * size : 0);
    }
    PMPI_Type_vector(blocks, length, length + gap, signature.base, &type_);
    count_ = 1;
}

void Area::lay_out_sparse(const Signature& signature, Random& random) {
    const std::size_t gap = 1 + random.below(5);
    for (int i = 0; i < signature.count; ++i) add_run(signature.base_bytes(), gap);
    PMPI_Type_create_resized(signature.base, 0, static_cast<MPI_Aint>(signature.base_bytes() + gap), &type_);
}

void Area::lay_out_pairs(const Signature& signature, Random& random) {
    const std::size_t size = signature.base_bytes();
    const auto distance = static_cast<std::size_t>(random.between(1, 3));
    for (int i = 0; i < signature.count / 2; ++i) {
        add_run(size, (distance - 1) * size);
        add_run(size, 0);
    }
    PMPI_Type_vector(2, 1, static_cast<int>(distance), signature.base, &type_);
    count_ = signature.count / 2;
}

void Area::lay_out_pieces(const Signature& signature, Form form, Random& random) {
    const std::size_t size = signature.base_bytes();
    const std::size_t begin = end_;
    std::vector<int> lengths;
    int left = signature.count;
    while (left > 0) {
        lengths.push_back(lengths.size() == 7 ? left : random.between(1, left));
        left -= lengths.back();
    }
    const std::size_t pieces = lengths.size();
    std::vector<std::size_t> places(pieces);  // in memory, the pieces stand in any order
    std::iota(places.begin(), places.end(), std::size_t{0});
    if (form != Form::members) {
        for (std::size_t i = pieces; i > 1; --i) std::swap(places[i - 1], places[random.below(i)]);
    }
    const bool gaps = random.chance(0.7);
    std::vector<Run> by_piece(pieces);
    std::vector<MPI_Aint> displacements(pieces);
    for (const std::size_t piece : places) {
        by_piece[piece] = {end_, static_cast<std::size_t>(lengths[piece]) * size};
        displacements[piece] = static_cast<MPI_Aint>(end_ - begin);
        end_ += by_piece[piece].bytes + (gaps ? random.below(9) : 0);
    }
    runs_ = by_piece;
    count_ = 1;
    const int count = static_cast<int>(pieces);
    if (form == Form::members) {
        const std::vector<MPI_Datatype> types(pieces, signature.base);
        PMPI_Type_create_struct(count, lengths.data(), displacements.data(), types.data(), &type_);
        return;
    }
    PMPI_Type_create_hindexed(count, lengths.data(), displacements.data(), signature.base, &type_);
    if (form != Form::copied) return;
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    PMPI_Type_dup(type_, &copy);
    PMPI_Type_free(&type_);
    type_ = copy;
}

void Area::free_type() {
    if (!is_named(type_)) PMPI_Type_free(&type_);
}

void Area::fill(char filling, const std::vector<char>* content) {
    filling_ = filling;
    std::fill(memory_.begin(), memory_.end(), filling);
    if (content == nullptr || content->empty()) return;
    const char* from = content->data();
    for (const Run& run : runs_) {
        std::memcpy(memory_.data() + run.at, from, run.bytes);
        from += run.bytes;
    }
}

std::string Area::problem(const std::vector<char>& content) const {
    std::size_t done = 0;
    for (const Run& run : runs_) {
        if (run.bytes > 0 && std::memcmp(memory_.data() + run.at, content.data() + done, run.bytes) != 0) {
            std::size_t i = 0;
            while (memory_[run.at + i] == content[done + i]) ++i;
            return "byte " + std::to_string(done + i) + " of " + std::to_string(content.size()) + " is wrong";
        }
        done += run.bytes;
    }
    return problem_outside();
}

std::string Area::problem_outside() const {
    std::vector<Run> sorted = runs_;
    const auto before = [](const Run& a, const Run& b) { return a.at < b.at; };
    if (!std::is_sorted(sorted.begin(), sorted.end(), before)) std::sort(sorted.begin(), sorted.end(), before);
    sorted.push_back({memory_.size(), 0});
    std::size_t at = 0;
    for (const Run& run : sorted) {
        for (; at < run.at; ++at) {
            if (memory_[at] != filling_) return "memory outside of the message was written";
        }
        at += run.bytes;
    }
    return "";
}

void Area::scribble() {
    std::fill(memory_.begin(), memory_.end(), static_cast<char>(filling_ ^ 0x55));
}

}  // namespace simulator
