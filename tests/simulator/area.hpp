// The memory of one rank's message: a datatype, guard bytes around and between, and what should be where.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "random.hpp"

namespace simulator {

/// What all ranks of a broadcast agree on: so many basic elements.
struct Signature {
    MPI_Datatype base = MPI_BYTE;
    int count = 0;

    [[nodiscard]] std::size_t base_bytes() const { return base == MPI_DOUBLE ? 8 : base == MPI_INT ? 4 : 1; }
    [[nodiscard]] std::size_t bytes() const { return base_bytes() * static_cast<std::size_t>(count); }
};

/// The ways in which a rank may describe the same message.
enum class Form { plain, contiguous, vector, sparse, scattered, members, elements, pairs, copied, from_bottom };
inline constexpr int form_count = 10;

/// Where the bytes of a message are, worked out here and not by the MPI under test.
class Area {
  public:
    /// Lays out memory, and makes the datatype. On a rank.
    void lay_out(const Signature& signature, Form form, Random& random);
    void free_type();

    [[nodiscard]] void* buffer() { return buffer_; }
    [[nodiscard]] int count() const { return count_; }
    [[nodiscard]] MPI_Datatype type() const { return type_; }

    /// Fills all with `filling`, and the message with `content` if there is any.
    void fill(char filling, const std::vector<char>* content);
    /// Empty, or what is wrong: the message must be `content`, all else `filling`.
    [[nodiscard]] std::string problem(const std::vector<char>& content) const;
    /// The same of what is around and between alone.
    [[nodiscard]] std::string problem_outside() const;
    /// Writes over everything: what the library may still be reading is seen by its checksum.
    void scribble();

  private:
    struct Run {
        std::size_t at;
        std::size_t bytes;
    };
    void add_run(std::size_t bytes, std::size_t gap_after);
    void lay_out_plain(const Signature& signature);
    void lay_out_vector(const Signature& signature, int length, Random& random);
    void lay_out_sparse(const Signature& signature, Random& random);
    void lay_out_pairs(const Signature& signature, Random& random);
    void lay_out_pieces(const Signature& signature, Form form, Random& random);

    std::vector<char> memory_;
    std::vector<Run> runs_;  // in the order of the message
    std::size_t end_ = 0;
    void* buffer_ = nullptr;
    int count_ = 0;
    MPI_Datatype type_ = MPI_BYTE;
    char filling_ = 0;
};

}  // namespace simulator
