// The message of one broadcast as a run of bytes, whatever its datatype.
//
//   contiguous buffer   the bytes are where they are, sent and received in place
//   runs of one length  any part is copied from where it lies (runs.hpp)
//   any other layout    element after element is packed; a segment may begin or end inside an element:
//
//        elements   |------|------|------|------|
//        segments   |---------|---------|-------|
//                          ^^^ whole elements go straight to the segment; one that a boundary cuts
//                              is packed into `carry` and handed out in parts
//
// Root and receivers may describe one message by different datatypes and counts, so bytes are all they agree on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "bcast/mpi/datatype.hpp"
#include "bcast/mpi/memory.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/runs.hpp"
#include "bcast/mpi/waiting.hpp"

namespace bcast {

/// The user's buffer as bytes. Unless it is in any_order(), bytes are read (packed) or written (unpacked) strictly from
/// first to last.
class Message {
  public:
    Message() = default;
    Message(const Message&) = delete;
    Message& operator=(const Message&) = delete;
    ~Message() { forget_moved_type(); }

    /// Describes `count` (> 0) elements of `type`, each of `element_bytes` (> 0) bytes, at `buffer`. Packing is done
    /// for `comm`, whose errors must return. False if MPI would refuse such a message.
    bool describe(void* buffer, std::int64_t count, MPI_Datatype type, std::size_t element_bytes, MPI_Comm comm) {
        comm_ = comm;
        type_ = type;
        element_bytes_ = element_bytes;
        bytes_ = static_cast<std::size_t>(count) * element_bytes;
        base_ = static_cast<char*>(buffer);
        element_ = 0;
        done_in_element_ = 0;
        taken_out_ = false;
        in_place_ = true;
        runs_ = {};
        if (basic_bytes(type) > 0) return base_ != nullptr;
        in_place_ = lies_in_order(type);
        MPI_Aint lower = 0;
        if (insist([&] { return mpi.Type_get_extent(type, &lower, &extent_); }) != MPI_SUCCESS) return false;
        if (in_place_) {
            base_ += lower;
        } else if (base_ == nullptr) {
            move_from_bottom();
        } else {
            runs_ = runs_of(type);
            if (runs_.bytes < shortest_run) runs_ = {};
        }
        return base_ != nullptr && is_committed();
    }

    /// Describes `bytes` bytes in place at `memory`.
    void describe_bytes(char* memory, std::size_t bytes) {
        bytes_ = bytes;
        base_ = memory;
        in_place_ = true;
        taken_out_ = false;
    }

    /// Packs the whole message (at the root: `has_content`) or makes room for it, so that at() works for any layout:
    /// parts that arrive side by side cannot be unpacked in order. put_back() must follow. MPI error code.
    int take_out(bool has_content) {
        if (!make_room(whole_, bytes_)) return MPI_ERR_NO_MEM;
        taken_out_ = true;
        return has_content ? pack_next(whole_.data(), 0, bytes_) : MPI_SUCCESS;
    }

    /// Unpacks what take_out() made room for (not at the root: there it `has_content` already). MPI error code.
    int put_back(bool has_content) {
        taken_out_ = false;
        return has_content ? MPI_SUCCESS : write(0, whole_.data(), bytes_);
    }

    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] bool in_place() const { return in_place_ || taken_out_; }
    /// Whether parts may be read and written in any order.
    [[nodiscard]] bool any_order() const { return in_place() || runs_.count > 0; }

    /// Where byte `offset` of an in-place message is.
    [[nodiscard]] char* at(std::size_t offset) { return (taken_out_ ? whole_.data() : base_) + offset; }

    /// Copies (packs) `bytes` bytes from `offset` on to `out`. MPI error code.
    int read(std::size_t offset, char* out, std::size_t bytes) {
        if (!in_place()) return pack_next(out, offset, bytes);
        std::memcpy(out, at(offset), bytes);
        return MPI_SUCCESS;
    }

    /// Copies (unpacks) `bytes` bytes from `in` to `offset`. MPI error code.
    int write(std::size_t offset, const char* in, std::size_t bytes) {
        if (!in_place()) return unpack_next(in, offset, bytes);
        std::memcpy(at(offset), in, bytes);
        return MPI_SUCCESS;
    }

  private:
    int pack_next(char* out, std::size_t offset, std::size_t bytes) {
        if (runs_.count > 0) {
            for_runs(base_, runs_, extent_, offset, offset + bytes, [&out](const char* from, std::size_t length) {
                std::memcpy(out, from, length);
                out += length;
            });
            return MPI_SUCCESS;
        }
        return walk(
            bytes, [&](std::int64_t elements) { return pack(elements, out); },
            [&]() -> int {
                if (done_in_element_ > 0) return MPI_SUCCESS;
                return carry() != nullptr ? pack(1, carry()) : MPI_ERR_NO_MEM;
            },
            [&](char* part, std::size_t length) { std::memcpy(out, part, length); }, [] { return MPI_SUCCESS; }, out);
    }

    int unpack_next(const char* in, std::size_t offset, std::size_t bytes) {
        if (runs_.count > 0) {
            for_runs(base_, runs_, extent_, offset, offset + bytes, [&in](char* to, std::size_t length) {
                std::memcpy(to, in, length);
                in += length;
            });
            return MPI_SUCCESS;
        }
        return walk(
            bytes, [&](std::int64_t elements) { return unpack(in, elements); },
            [&] { return carry() != nullptr ? MPI_SUCCESS : MPI_ERR_NO_MEM; },
            [&](char* part, std::size_t length) { std::memcpy(part, in, length); }, [&] { return unpack(carry(), 1); },
            in);
    }

    /// Goes over `bytes` bytes from where the last walk ended, moving `cursor` along: runs of whole elements through
    /// `whole`; parts of an element through `part`, after `open` when the part is to be had and `close` when the
    /// element is complete.
    template <class Whole, class Open, class Part, class Close, class Cursor>
    int walk(std::size_t bytes, Whole whole, Open open, Part part, Close close, Cursor& cursor) {
        while (bytes > 0) {
            std::size_t step = 0;
            if (done_in_element_ == 0 && bytes >= element_bytes_) {
                const std::size_t elements = std::max<std::size_t>(1, std::min(bytes, most_packed) / element_bytes_);
                if (const int error = whole(static_cast<std::int64_t>(elements)); error != MPI_SUCCESS) return error;
                element_ += static_cast<std::int64_t>(elements);
                step = elements * element_bytes_;
            } else {
                if (const int error = open(); error != MPI_SUCCESS) return error;
                step = std::min(bytes, element_bytes_ - done_in_element_);
                part(carry() + done_in_element_, step);
                done_in_element_ += step;
                if (done_in_element_ == element_bytes_) {
                    if (const int error = close(); error != MPI_SUCCESS) return error;
                    done_in_element_ = 0;
                    ++element_;
                }
            }
            cursor += step;
            bytes -= step;
        }
        return MPI_SUCCESS;
    }

    /// Nothing in MPI tells, other than its refusal to pack even no elements of a type that is not committed.
    [[nodiscard]] bool is_committed() const {
        char nothing = 0;
        int position = 0;
        return insist([&] { return mpi.Pack(&nothing, 0, type_, &nothing, 1, &position, comm_); }) == MPI_SUCCESS;
    }

    /// MPICH's pack and unpack refuse a null pointer even where MPI_BOTTOM is meant. So the origin is moved away from
    /// address 0, and the type's displacements back by as much.
    void move_from_bottom() {
        constexpr MPI_Aint distance = 4096;
        const int one = 1;
        const MPI_Aint back = -distance;
        forget_moved_type();
        const int made = insist([&] { return mpi.Type_create_hindexed(1, &one, &back, type_, &moved_type_); });
        if (made != MPI_SUCCESS || insist([&] { return mpi.Type_commit(&moved_type_); }) != MPI_SUCCESS) return;
        type_ = moved_type_;
        base_ = reinterpret_cast<char*>(distance);
    }

    void forget_moved_type() {
        if (moved_type_ == MPI_Datatype{} || moved_type_ == mpi.datatype_null) return;
        insist([this] { return mpi.Type_free(&moved_type_); });
    }

    /// nullptr if the memory is refused.
    char* carry() { return make_room(carry_, element_bytes_) ? carry_.data() : nullptr; }

    [[nodiscard]] char* element_address() const { return base_ + static_cast<MPI_Aint>(element_) * extent_; }

    // Packed data of one kind of machine has exactly the bytes of its type signature in both MPIs, no header.
    int pack(std::int64_t elements, char* out) {
        const std::size_t capacity = static_cast<std::size_t>(elements) * element_bytes_;
#if MPI_VERSION >= 4
        return insist([&] {
            MPI_Count position = 0;
            return mpi.Pack_c(element_address(), elements, type_, out, static_cast<MPI_Count>(capacity), &position,
                              comm_);
        });
#else
        if (capacity > most_packed) return copy_element(element_address(), out, true);
        return insist([&] {
            int position = 0;
            return mpi.Pack(element_address(), static_cast<int>(elements), type_, out, static_cast<int>(capacity),
                            &position, comm_);
        });
#endif
    }

    int unpack(const char* in, std::int64_t elements) {
        const std::size_t available = static_cast<std::size_t>(elements) * element_bytes_;
#if MPI_VERSION >= 4
        return insist([&] {
            MPI_Count position = 0;
            return mpi.Unpack_c(in, static_cast<MPI_Count>(available), &position, element_address(), elements, type_,
                                comm_);
        });
#else
        if (available > most_packed) return copy_element(in, element_address(), false);
        return insist([&] {
            int position = 0;
            return mpi.Unpack(in, static_cast<int>(available), &position, element_address(), static_cast<int>(elements),
                              type_, comm_);
        });
#endif
    }

#if MPI_VERSION < 4
    /// Packs or unpacks one element of more than `most_packed` bytes: as a message to oneself, which may have any
    /// length. MPI error code.
    int copy_element(const void* from, void* to, bool packs) {
        Row<int> lengths(element_bytes_ / most_packed, static_cast<int>(most_packed));
        lengths.push_back(static_cast<int>(element_bytes_ % most_packed));
        Row<MPI_Aint> displacements;
        for (std::size_t i = 0; i < lengths.size(); ++i)
            displacements.push_back(static_cast<MPI_Aint>(i * most_packed));
        MPI_Datatype packed{};
        int error = insist([&] {
            return mpi.Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), displacements.data(),
                                            mpi.byte, &packed);
        });
        if (error != MPI_SUCCESS) return error;
        int self = 0;
        error = insist([&] { return mpi.Comm_rank(comm_, &self); });
        if (error == MPI_SUCCESS) error = insist([&] { return mpi.Type_commit(&packed); });
        if (error == MPI_SUCCESS) {
            error = insist([&] {
                return mpi.Sendrecv(from, 1, packs ? type_ : packed, self, 0, to, 1, packs ? packed : type_, self, 0,
                                    comm_, MPI_STATUS_IGNORE);
            });
        }
        insist([&] { return mpi.Type_free(&packed); });
        return error;
    }
#endif

    // Shorter ones are better left to MPI's own loops.
    static constexpr std::size_t shortest_run = 32;
    // What is packed at once: MPI before version 4 counts its bytes in an int.
    static constexpr std::size_t most_packed = std::size_t{1} << 30;

    MPI_Comm comm_{};
    MPI_Datatype type_{};
    MPI_Datatype moved_type_{};  // ours, kept until the next message
    char* base_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t element_bytes_ = 1;
    MPI_Aint extent_ = 0;
    bool in_place_ = true;
    bool taken_out_ = false;
    Runs runs_;                        // if it is known to lie in runs
    Room whole_;                       // a packed message, while it is taken out
    std::int64_t element_ = 0;         // the next element
    std::size_t done_in_element_ = 0;  // bytes of it that earlier segments held
    Room carry_;                       // an element that segments cut, packed; kept for the next message
};

}  // namespace bcast
