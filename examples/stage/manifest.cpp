#include "manifest.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "failure.hpp"

namespace stage {

namespace {

template <typename Value>
void put(std::vector<char>& bytes, const Value& value) {
    const auto* start = reinterpret_cast<const char*>(&value);
    bytes.insert(bytes.end(), start, start + sizeof value);
}

void put(std::vector<char>& bytes, const std::string& text) {
    put(bytes, std::uint64_t{text.size()});
    bytes.insert(bytes.end(), text.begin(), text.end());
}

/// Reads what put() has written.
class Bytes {
  public:
    explicit Bytes(const std::vector<char>& bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

    bool done() const { return at_ == end_; }

    template <typename Value>
    Value value() {
        Value value{};
        std::memcpy(&value, take(sizeof value), sizeof value);
        return value;
    }

    std::string text() {
        const auto length = value<std::uint64_t>();
        return {take(length), static_cast<std::size_t>(length)};
    }

  private:
    const char* take(std::uint64_t count) {
        if (static_cast<std::uint64_t>(end_ - at_) < count) throw Failure("the list of files arrived cut short");
        const char* start = at_;
        at_ += count;
        return start;
    }

    const char* at_;
    const char* end_;
};

/// What an entry has besides its texts and data; the same layout on all machines of a job.
struct Fixed {
    std::uint64_t device, bytes, extents;
    std::int64_t changed_s, changed_ns;
    std::uint32_t mode, owner, group, further_name;
};

}  // namespace

std::vector<char> Manifest::to_bytes() const {
    std::vector<char> bytes;
    for (const Entry& entry : entries_) {
        put(bytes, entry.path);
        put(bytes, entry.target);
        put(bytes, Fixed{entry.device, entry.bytes, entry.data.size(), entry.changed_s, entry.changed_ns, entry.mode,
                         entry.owner, entry.group, entry.further_name});
        for (const Extent& extent : entry.data) put(bytes, extent);
    }
    return bytes;
}

Manifest Manifest::from_bytes(const std::vector<char>& bytes) {
    Manifest manifest;
    Bytes rest(bytes);
    while (!rest.done()) {
        Entry entry;
        entry.path = rest.text();
        entry.target = rest.text();
        const auto fixed = rest.value<Fixed>();
        entry.device = fixed.device;
        entry.bytes = fixed.bytes;
        entry.changed_s = fixed.changed_s;
        entry.changed_ns = fixed.changed_ns;
        entry.mode = fixed.mode;
        entry.owner = fixed.owner;
        entry.group = fixed.group;
        entry.further_name = fixed.further_name != 0;
        for (std::uint64_t extent = 0; extent < fixed.extents; ++extent) entry.data.push_back(rest.value<Extent>());
        manifest.entries_.push_back(std::move(entry));
    }
    manifest.lay_out_stream();
    return manifest;
}

bool Manifest::is_directory() const {
    return S_ISDIR(entries_.front().mode);
}

void Manifest::lay_out_stream() {
    for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
        for (const Extent& extent : entries_[entry].data) {
            pieces_.push_back({entry, extent.offset, stream_bytes_, extent.bytes});
            stream_bytes_ += extent.bytes;
        }
    }
}

void Manifest::visit_pieces(std::uint64_t stream_offset, std::uint64_t bytes,
                            const std::function<void(const Piece&)>& visit) const {
    const std::uint64_t end = stream_offset + bytes;
    auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), stream_offset,
                                  [](std::uint64_t at, const Piece& one) { return at < one.stream_offset; });
    if (piece != pieces_.begin()) --piece;
    for (; piece != pieces_.end() && piece->stream_offset < end; ++piece) {
        const std::uint64_t from = std::max(stream_offset, piece->stream_offset);
        const std::uint64_t to = std::min(end, piece->stream_offset + piece->bytes);
        if (from < to) visit({piece->entry, piece->file_offset + (from - piece->stream_offset), from, to - from});
    }
}

}  // namespace stage
