// A message cut into pieces, and requests for them.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bcastgen {

/// MPI counts are ints: larger pieces are cut again.
constexpr std::size_t largest_piece_bytes = std::size_t{1} << 30;

class Pieces {
  public:
    /// `segment_bytes` 0: in one piece.
    Pieces(char* message, std::size_t bytes, std::size_t segment_bytes)
        : message_(message),
          bytes_(bytes),
          piece_bytes_(
              std::min(segment_bytes == 0 ? std::max<std::size_t>(bytes, 1) : segment_bytes, largest_piece_bytes)) {}

    [[nodiscard]] int count() const {
        return std::max(1, static_cast<int>((bytes_ + piece_bytes_ - 1) / piece_bytes_));
    }

    void send(int piece, int to, MPI_Comm comm, MPI_Request& request) const {
        MPI_Isend(begin(piece), length(piece), MPI_BYTE, to, tag, comm, &request);
    }
    void receive(int piece, int from, MPI_Comm comm, MPI_Request& request) const {
        MPI_Irecv(begin(piece), length(piece), MPI_BYTE, from, tag, comm, &request);
    }

  private:
    static constexpr int tag = 3;

    [[nodiscard]] char* begin(int piece) const { return message_ + static_cast<std::size_t>(piece) * piece_bytes_; }
    [[nodiscard]] int length(int piece) const {
        return static_cast<int>(std::min(piece_bytes_, bytes_ - static_cast<std::size_t>(piece) * piece_bytes_));
    }

    char* message_;
    std::size_t bytes_;
    std::size_t piece_bytes_;
};

inline void wait_for(MPI_Request& request) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

inline void wait_for_all(std::vector<MPI_Request>& requests) {
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace bcastgen
