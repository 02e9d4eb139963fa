#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// What is staged: every file, directory and link of the source with all that is kept of it but its bytes, which travel
/// as one stream: the data of all files, one after the other, without their holes.
namespace stage {

struct Extent {
    std::uint64_t offset;  ///< in its file
    std::uint64_t bytes;
};

struct Entry {
    std::string path;    ///< below the source; empty: the source itself
    std::string target;  ///< of a symbolic link: its text; of a further name of a file: the path of its first
    bool further_name = false;
    std::uint32_t mode = 0;  ///< with the kind of file
    std::uint32_t owner = 0;
    std::uint32_t group = 0;
    std::uint64_t device = 0;  ///< of a device file
    std::int64_t changed_s = 0;
    std::int64_t changed_ns = 0;
    std::uint64_t bytes = 0;
    std::vector<Extent> data;
};

/// Part of a file that lies in the stream in one piece.
struct Piece {
    std::size_t entry;
    std::uint64_t file_offset;
    std::uint64_t stream_offset;
    std::uint64_t bytes;
};

class Manifest {
  public:
    /// Looks at the source: a file, or a directory with all that is below it. BadInput: there is none.
    static Manifest of_source(const std::string& source);
    static Manifest from_bytes(const std::vector<char>& bytes);
    std::vector<char> to_bytes() const;

    const std::vector<Entry>& entries() const { return entries_; }
    std::uint64_t stream_bytes() const { return stream_bytes_; }
    bool is_directory() const;

    /// Calls visit for each piece, or part of one, of these bytes of the stream, in order.
    void visit_pieces(std::uint64_t stream_offset, std::uint64_t bytes,
                      const std::function<void(const Piece&)>& visit) const;

  private:
    void lay_out_stream();

    std::vector<Entry> entries_;  // a directory before what is in it
    std::vector<Piece> pieces_;
    std::uint64_t stream_bytes_ = 0;
};

}  // namespace stage
