// How a message is cut into blocks for a broadcast in rounds (trees/circulant.hpp), and how many may be on their way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bcast/roles/send_window.hpp"
#include "bcast/trees/hop.hpp"

namespace bcast {

/// Blocks are at most so long: a rank must find memory for one from each of its senders, wherever its own message ends.
inline constexpr std::size_t longest_block_bytes = std::size_t{1} << 20;

/// The blocks of a message. There is one at least.
class BlockCut {
  public:
    BlockCut() = default;

    /// Blocks of at most `longest_bytes`. `even`: all equally long, but for the last; else all but the last that long.
    BlockCut(std::size_t bytes, std::size_t longest_bytes, bool even) : bytes_(bytes) {
        const std::size_t count = std::max<std::size_t>(1, (bytes + longest_bytes - 1) / longest_bytes);
        usual_bytes_ = std::min(bytes, even ? (bytes + count - 1) / count : longest_bytes);
        count_ = static_cast<std::int64_t>(count);
    }

    [[nodiscard]] std::int64_t count() const { return count_; }
    /// Of all but the last.
    [[nodiscard]] std::size_t usual_bytes() const { return usual_bytes_; }
    [[nodiscard]] std::size_t offset(std::int64_t block) const {
        return std::min(bytes_, static_cast<std::size_t>(block) * usual_bytes_);
    }
    [[nodiscard]] std::size_t length(std::int64_t block) const { return offset(block + 1) - offset(block); }

  private:
    std::size_t bytes_ = 0;
    std::size_t usual_bytes_ = 0;
    std::int64_t count_ = 1;
};

/// Blocks of at most `longest_bytes`. All ranks know from the first message that they are equally long, or else all are
/// as long as that. Where ports send in turn, a little less throws many blocks out of step, and of few an even part is
/// quicker.
inline BlockCut block_cut(const Hop& hop, std::size_t bytes, std::size_t longest_bytes, bool may_be_even) {
    constexpr std::size_t few = 32;
    return {bytes, longest_bytes, may_be_even && (hop.shares_port() || bytes < few * longest_bytes)};
}

/// In how many strands they go: in c where c - 1 blocks of `longest_bytes` keep the port busy just as long as software
/// and latency take, beside the wire, until the next machine has one. Then a block can be sent on when c others have
/// left, and the c rounds that it has for that keep 2^q machines in step, for as long as none has nothing to send.
/// Where a send takes so long that it goes through the kernel, bytes are copied, too, which takes the longer the more
/// there are. Blocks of other lengths, and among other numbers of machines, do better in one strand, in which they are
/// sent on as they come; so do all where software takes longer than the wire, or a port is shared.
inline std::int64_t usual_strands(const Hop& hop, std::size_t longest_bytes, int machines) {
    const std::int64_t wire_ns = hop.gap_ns(longest_bytes) - hop.overhead_ns;
    const std::int64_t way_ns = hop.overhead_ns + hop.latency_ns + hop.receive_ns;  // beside the wire
    const bool fill_rounds = (machines & (machines - 1)) == 0;
    if (!fill_rounds || hop.shares_port() || wire_ns <= hop.overhead_ns + hop.receive_ns) return 1;
    const std::int64_t others = (way_ns + wire_ns / 2) / wire_ns;
    const std::int64_t too_early_ns = way_ns - others * wire_ns;
    constexpr std::int64_t kernel_send_ns = 2000;
    const std::int64_t nearly_ns = way_ns / 50;
    const std::int64_t most_too_late_ns = hop.overhead_ns < kernel_send_ns ? nearly_ns : way_ns / 3;
    const bool in_step = too_early_ns <= nearly_ns && -too_early_ns <= most_too_late_ns;
    return in_step ? 1 + others : 1;
}

/// For how many blocks rounds are planned, in at most as many strands as there are blocks: in several strands for whole
/// phases, or in all one block more. Then one is sent in the first or second round already, and whoever keeps its port
/// busy keeps in step, so that no two senders meet at a receiver, where one would wait, and for as long as the message
/// lasts.
inline std::int64_t planned_blocks(const BlockCut& cut, std::int64_t strands, int phase) {
    const std::int64_t whole = strands * std::max(phase, 1);
    const std::int64_t beyond = cut.count() % whole;
    if (strands == 1 || cut.count() < whole || beyond == 0 || beyond == strands) return cut.count();
    return cut.count() - beyond + whole;
}

/// Whether the first block from each sender has a place at every rank, so that no herald says how long the message is:
/// where all messages are longer than `above_bytes` and that is a block or more, no rank's is one block, and all blocks
/// but the last are as long as they can be. In several strands heralds help all to begin together.
inline bool go_unheralded(std::size_t longest_bytes, std::size_t above_bytes, std::int64_t strands) {
    return strands == 1 && above_bytes >= longest_bytes;
}

/// So many blocks have all messages of more than `above_bytes` bytes that go unheralded, all but the last as long as
/// they can be: receives for those are posted at once, as in a tree (follow_at_once). 0: none are, since on a port that
/// is shared they would only let more meet there.
inline std::int64_t sure_blocks(const Hop& hop, std::size_t longest_bytes, std::size_t above_bytes) {
    return hop.shares_port() ? 0 : BlockCut(above_bytes + 1, longest_bytes, false).count();
}

/// The most blocks on their way from a machine to others at a time. On a port that they share each delays the others,
/// for as many rounds as it takes until all machines have one. Alone, each waits until the one before is known to be
/// there, which is more the more there are; in several strands, for a block of each and two more. Of many
/// blocks it pays to have more ready in any case.
inline std::int64_t usual_rounds_window(const Hop& hop, const BlockCut& cut, int phase, std::int64_t strands) {
    constexpr std::int64_t some = 4;
    const std::int64_t gap_ns = std::max<std::int64_t>(hop.gap_ns(cut.usual_bytes()), 1);
    if (hop.shares_port()) {
        const std::int64_t delay_ns = phase * (some - 1) * gap_ns;
        return cut.count() >= long_stream || cut.count() * hop.answer_ns > delay_ns ? some : 1;
    }
    // For each block that it sends a machine takes one in, so its processor begins the next only after that.
    const std::int64_t known = std::min<std::int64_t>(1 + hop.surely_known_ns() / gap_ns, widest_send_window);
    return std::max({some, known, strands > 1 ? strands + 2 : std::int64_t{1}});
}

/// Whether a machine has a receive posted for the next block by the sequence of the rounds alone, beside each sender's
/// first. Then a sender that is ahead waits for its receiver, as far as the MPI sends nothing before there is a
/// receive, and two of them never share a receiver's port. Only where each block waits for the one before: elsewhere
/// they are to wait for nothing.
inline bool receives_by_round(const Hop& hop, std::int64_t window) {
    return hop.shares_port() && window == 1;
}

/// How many of these until the first is known to be there: in several strands one of each. The blocks for the next
/// machine would overtake those that still wait for their receives, and it all would be out of step.
inline std::int64_t first_rounds_window(std::int64_t window, std::int64_t strands) {
    return strands > 1 ? std::min(window, strands) : window;
}

}  // namespace bcast
