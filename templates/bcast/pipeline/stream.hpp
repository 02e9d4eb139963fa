// One tree's part of a message on its way through one rank: segments come in from the parent and go out to the
// children.
//
//   parent ==> [ receives posted ahead ] ==> segment s arrived ==> [ send window ] ==> child 0
//                                                              ==> [ send window ] ==> child 1
//
// A completed receive is replaced by the next one before its segment is forwarded, so that the link into this rank
// never idles. The send window (send_window.hpp) is small, since segments that share a port only delay each other. A
// child that has not entered the broadcast yet does not count, so that it holds up nobody but itself.
//
// Between two ranks the segments of a tree travel in order, on a lane of their own (lane.hpp) or under one tag.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bcast/facts/settings.hpp"
#include "bcast/mpi/memory.hpp"
#include "bcast/mpi/message.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/pipeline/lane.hpp"
#include "bcast/pipeline/segment_memory.hpp"
#include "bcast/pipeline/segmentation.hpp"
#include "bcast/roles/role.hpp"
#include "bcast/roles/send_window.hpp"
#include "bcast/trees/hop.hpp"
#include "bcast/trees/sends_under_way.hpp"

namespace bcast {

/// Moves one tree's part of the message through this rank. Reused from call to call: after the first call of a shape
/// nothing is allocated.
class Stream {
  public:
    /// What part of the message a tree carries, and how.
    struct Part {
        std::size_t begin;          ///< first byte
        std::size_t end;            ///< one past the last byte
        std::size_t segment_bytes;  ///< 0: in one piece
        int send_window;            ///< the most segments on their way to the children; 0: the usual
        std::size_t trees;          ///< that the message is divided among
        std::int64_t of_segments =
            0;  ///< not 0: all ranks are here, and more parts may follow at once: in all this many
        Hop hop{};
        bool paced = false;         ///< handed over only once the children have received all but the last few segments
        bool idle_before = false;   ///< a receiver has nothing else to do until its first segment comes
        bool divides_port = false;  ///< several other machines get segments from this rank, in whatever trees
        std::size_t least_bytes = 0;  ///< no rank's part is shorter
    };

    /// Between which ranks it travels. On a lane tags tell; else all ranks know how many segments there are.
    struct Way {
        MPI_Comm comm;
        const SegmentTags* tags;  ///< of a lane; else nullptr
        int tag;                  ///< elsewhere: of all segments
    };

    /// When this rank's part of a message came from the parent, by MPI_Wtime.
    struct Times {
        double first_s = 0;          ///< its first segment
        double last_s = 0;           ///< its last
        std::size_t rest_bytes = 0;  ///< all after the first segment
        bool known = false;
    };

    /// So many requests of either kind, or where the first of either kind is. MPIs tell the first of a row that has
    /// ended: sends come before receives, or a rank that is always receiving would not see that it may send again.
    struct Places {
        std::size_t sends = 0;
        std::size_t receives = 0;
    };

    /// The last segments of a paced part, which may still be on their way when the next part begins.
    static constexpr int never_asked_after = 2;

    /// Begins to move `part` of `message` over `role`. What goes wrong at this rank is noted in `failure`. Returns how
    /// many requests this takes; use_requests must follow.
    Places start(const TreeRole& role, Message& message, const Part& part, const Way& way, Failure& failure) {
        role_ = &role;
        message_ = &message;
        way_ = way;
        failure_ = &failure;
        begin_ = part.begin;
        // Segments that follow before this rank is known to be there do not wait for their receives.
        more_follow_ = part.send_window == 0 && follow_at_once(part.trees, part.hop);
        segments_ = Segmentation(part.end - part.begin, part.segment_bytes, way.tags, part.idle_before,
                                 more_follow_ ? part.least_bytes : 0);
        choose_window(part);
        choose_receives();
        here_bytes_ = segments_.bytes();
        times_.known = false;
        post_slot_ = arrive_slot_ = 0;
        staged_ = 0;
        unpacks_ = true;
        next_child_ = next_waiting_ = 0;
        incoming_.reset(role.parent, segments_.count(), way.tags, segments_.alike());
        to_child_.assign(role.children.size(), Progress{});
        lay_out_memory(part.idle_before && looks_pay());
        return {role.children.size() * static_cast<std::size_t>(slots_), static_cast<std::size_t>(receives_)};
    }

    /// Where this stream's requests live: from these places on.
    void use_requests(Requests& requests, const Places& first) {
        requests_ = &requests;
        first_ = first;
    }

    /// Whether to note when segments come, from the next start() on: two looks at the clock.
    void keep_times(bool kept) { keeps_times_ = kept; }
    [[nodiscard]] const Times& times() const { return times_; }

    /// At the root of a message in place: this many of its leading bytes are here.
    void set_here(std::size_t bytes) { here_bytes_ = bytes; }

    /// Starts everything that can be started now. MPI error code: this rank cannot go on, and others wait for it.
    int advance() {
        if (role_->parent >= 0) {
            take_arrivals();
            if (incoming_.lost()) return requests_->error();
            if (const int error = post_receives(); error != MPI_SUCCESS) return error;
        }
        if (!to_child_.empty()) {
            take_sent();
            if (const int error = send_ready(); error != MPI_SUCCESS) return error;
        }
        if (!memory_.stages() || role_->parent < 0) return MPI_SUCCESS;
        unpack_arrivals();
        return post_receives();
    }

    /// How many leading bytes of the part are in the message, as long as nothing is spoilt.
    [[nodiscard]] std::size_t here() const {
        if (role_->parent < 0) return here_bytes_;
        const std::int64_t segments = std::min(memory_.stages() ? staged_ : incoming_.arrived(), segments_.count());
        return segments == segments_.count() ? segments_.bytes() : segments_.offset(segments);
    }

    /// True once MPI has everything: all receives are posted, or at the root all sends started (of a paced part, nearly
    /// all received).
    [[nodiscard]] bool handed_over() const {
        if (role_->parent >= 0) return incoming_.posted() >= segments_.count();
        return std::all_of(to_child_.begin(), to_child_.end(), [this](const Progress& child) {
            return child.started == segments_.count() && child.sent > asked_after_;
        });
    }

    /// True once every segment has arrived and has been sent to every child.
    [[nodiscard]] bool done() const {
        if (role_->parent >= 0 &&
            !(incoming_.over() && (!memory_.stages() || failure_->spoilt || staged_ >= segments_.count()))) {
            return false;
        }
        return std::all_of(to_child_.begin(), to_child_.end(),
                           [this](const Progress& child) { return child.sent == segments_.count(); });
    }

  private:
    struct Progress {
        std::int64_t started = 0;    // segments handed to MPI
        std::int64_t sent = 0;       // how many of those have completed (a prefix)
        std::int64_t uncounted = 0;  // leading ones that go whatever else is under way
        std::int64_t start_slot = 0;
        std::int64_t sent_slot = 0;
    };

    [[nodiscard]] bool told() const { return way_.tags != nullptr; }

    void choose_window(const Part& part) {
        // In one piece, a child gets all of it before the next; that its first bytes go ahead changes nothing.
        const bool in_one_piece = part.segment_bytes == 0;
        const std::int64_t segments = segments_.count();
        one_by_one_ = told() && goes_one_by_one(in_one_piece, segments);
        const std::int64_t pieces = one_by_one_ ? 1 : segments;
        SendWindow most{std::max<std::int64_t>(1, std::min<std::int64_t>(part.send_window, pieces)), part.send_window};
        if (pieces == 1 && role_->children.size() <= 1) {
            most = {1, 1};  // there is one send at most, and what covers a latency takes a division to find out
        } else if (part.send_window == 0) {
            most = usual_window({pieces, std::max(pieces, part.of_segments), segments_.usual_bytes(), part.trees},
                                part.hop, in_one_piece ? role_->together : Together());
        }
        send_window_ = most.to_one_child;
        uncounted_ = part.of_segments > 0 ? 0 : uncounted_of(pieces, segments_.first_is_short());
        const bool usual = part.send_window == 0 && part.of_segments == 0 && pieces > 1;
        const bool to_far = usual && sends_far();
        const bool from_far = usual && role_->parent_is_far;
        const std::int64_t to_only = (to_far || from_far) && part.trees == 1
                                         ? more_to_only_far(part.hop, segments_.usual_bytes(), send_window_)
                                         : 0;
        more_from_far_ = from_far ? to_only : 0;
        more_to_far_ = to_far ? std::max(more_to_any_far(pieces), role_->far.size() == 1 ? to_only : 0) : 0;
        if (usual && role_->has_slow_child) {
            const auto machines = static_cast<std::int64_t>(role_->far.size());
            most.to_all = std::max(most.to_all, machines * to_each_past_slow(part.trees, part.hop, send_window_));
        }
        const auto sends = static_cast<std::int64_t>(role_->children.size());
        under_way_ = SendsUnderWay({static_cast<int>(most.to_all + more_to_far_), most.in_steps}, sends);
        some_wait_ = usual && some_wait(pieces, part.trees, part.hop) && !role_->waits.empty();
        // Those after it are sent meanwhile, so that the wire stays busy until it is known to have been received.
        asked_after_ = part.paced && segments > 0 ? std::max<std::int64_t>(0, segments - 1 - never_asked_after) : none;
        answered_every_ = part.divides_port && pieces > 1 ? part.hop.answered_every(segments_.usual_bytes()) : 0;
        slots_ = send_window_ + more_to_far_ + (part.paced ? 1 : 0) + (one_by_one_ ? 1 : 0);
    }

    [[nodiscard]] bool sends_far() const {
        return std::any_of(role_->far.begin(), role_->far.end(), [](char far) { return far != 0; });
    }

    /// The parent's window is this rank's own, by the same rule, and no larger than this if the parent has no other
    /// child.
    void choose_receives() {
        const bool all_sure = !told() || way_.tags->tells(message_->bytes());
        const std::int64_t most = usual_receives_ahead(send_window_ + std::max(more_to_far_, more_from_far_), all_sure);
        receives_ = role_->parent >= 0 ? std::max<std::int64_t>(1, std::min(most, segments_.count())) : 0;
    }

    void lay_out_memory(bool may_look) {
        const std::int64_t staged =
            std::min(segments_.count(), std::max(receives_, receives_ahead) + under_way_.most());
        const SegmentMemory::Use use{told() && role_->parent >= 0, may_look, staged};
        if (!memory_.lay_out(*message_, begin_, segments_, use, failure_->no_place)) failure_->spoil(MPI_ERR_NO_MEM);
    }

    // Places of requests are taken in turn; the index of one child's is counted from its first.
    [[nodiscard]] std::size_t send_slot(std::size_t child, std::int64_t slot) const {
        return first_.sends + static_cast<std::size_t>(static_cast<std::int64_t>(child) * slots_ + slot);
    }
    static void step(std::int64_t& slot, std::int64_t slots) { slot = slot + 1 == slots ? 0 : slot + 1; }

    void take_arrivals() {
        while (incoming_.arrived() < incoming_.posted()) {
            const std::size_t at = first_.receives + static_cast<std::size_t>(arrive_slot_);
            const Ended ended = requests_->take(at);
            if (ended == Ended::not_yet) return;
            if (ended == Ended::badly) failure_->spoil(requests_->error());
            // Under one tag, what has no content is void.
            if (!told() && requests_->bytes(at) != static_cast<int>(segments_.length(incoming_.arrived()))) {
                failure_->spoil(MPI_ERR_OTHER);
            }
            incoming_.arrive(requests_->tag(at), *failure_);
            if (keeps_times_) note_time();
            step(arrive_slot_, receives_);
        }
    }

    void note_time() {
        if (incoming_.arrived() == 1) times_.first_s = mpi.Wtime();
        if (!incoming_.over()) return;
        times_.last_s = mpi.Wtime();
        times_.rest_bytes = segments_.bytes() - segments_.length(0);
        times_.known = !failure_->spoilt;
    }

    /// The number of leading segments that this rank no longer needs, so that their staging may be used again.
    [[nodiscard]] std::int64_t retired() const {
        std::int64_t least = failure_->spoilt ? incoming_.arrived() : staged_;
        for (const Progress& child : to_child_) least = std::min(least, child.sent);
        return least;
    }

    [[nodiscard]] bool may_stage(std::int64_t segment) const {
        return !memory_.stages() || segment < retired() + memory_.stage_count();
    }

    /// Whether the parent's next segment has the length that it should have by this rank's own.
    [[nodiscard]] bool has_length(std::int64_t segment) const {
        return segment < segments_.count() && !incoming_.differs();
    }

    /// Room that the parent's next segment fits in, whatever its length is, but for one that is looked at.
    [[nodiscard]] std::size_t room_for(std::int64_t segment) const {
        if (segment == 0) return memory_.room_for_first();
        return has_length(segment) ? segments_.length(segment) : segments_.longest_bytes();
    }

    int post_receives() { return incoming_.may_post(receives_) ? post_more_receives() : MPI_SUCCESS; }

    int post_more_receives() {
        while (incoming_.may_post(receives_)) {
            const std::int64_t segment = incoming_.posted();
            std::size_t room = room_for(segment);
            if (segment == 0 && memory_.looks_first()) {
                const int error = look_at_next(role_->parent, way_.comm, room);
                if (error != MPI_SUCCESS) return error;
            }
            char* to = nullptr;
            if (has_length(segment) && !memory_.has_none() && room <= memory_.space_for(segment)) {
                if (!may_stage(segment)) return MPI_SUCCESS;
                to = memory_.address(segment);
            } else {
                if (segment > incoming_.arrived()) return MPI_SUCCESS;  // one after the other, into nowhere
                to = memory_.nowhere(room);
                if (to == nullptr) return MPI_ERR_NO_MEM;
            }
            const std::size_t at = first_.receives + static_cast<std::size_t>(post_slot_);
            if (const int error = requests_->receive(at, to, static_cast<int>(room), role_->parent,
                                                     told() ? MPI_ANY_TAG : way_.tag, way_.comm);
                error != MPI_SUCCESS) {
                return error;
            }
            incoming_.post();
            step(post_slot_, receives_);
        }
        return MPI_SUCCESS;
    }

    void unpack_arrivals() {
        while (!failure_->spoilt && staged_ < std::min(incoming_.arrived(), segments_.count())) {
            const std::size_t bytes = segments_.length(staged_);
            if (unpacks_) {
                const int error = message_->write(begin_ + segments_.offset(staged_), memory_.address(staged_), bytes);
                unpacks_ = error == MPI_SUCCESS;
                failure_->note(error);
            }
            ++staged_;
        }
    }

    void take_sent() {
        for (std::size_t child = 0; child < to_child_.size(); ++child) {
            Progress& progress = to_child_[child];
            while (progress.sent < progress.started) {
                const Ended ended = requests_->take(send_slot(child, progress.sent_slot));
                if (ended == Ended::not_yet) break;
                if (ended == Ended::badly) failure_->note(requests_->error());
                ++progress.sent;
                step(progress.sent_slot, slots_);
                const bool ends = one_by_one_ ? progress.sent == segments_.count() : progress.sent > progress.uncounted;
                if (ends) under_way_.end();
            }
        }
    }

    /// The most segments on their way to one child: one more while a receipt is awaited from it, and if it is far.
    [[nodiscard]] std::int64_t most_to(std::size_t child) const {
        const Progress& progress = to_child_[child];
        const bool asks = progress.sent <= asked_after_ && asked_after_ < progress.started;
        const bool far = child < role_->far.size() && role_->far[child] != 0;
        return send_window_ + (far ? more_to_far_ : 0) + (asks ? 1 : 0) + (one_by_one_ ? 1 : 0);
    }

    /// Whether the child's MPI is to say that it has the segment (hop.hpp).
    [[nodiscard]] bool is_answered(std::size_t child, std::int64_t segment) const {
        const bool elsewhere = child < role_->far.size();
        return elsewhere && answered_every_ > 0 && (segment + 1) % answered_every_ == 0;
    }

    /// Hands segments to the children in turn, as many as the send window allows.
    int send_ready() {
        if (const int error = send_in_turn(next_child_, false); error != MPI_SUCCESS) return error;
        return some_wait_ ? send_in_turn(next_waiting_, true) : MPI_SUCCESS;
    }

    /// The same to those that wait for the others, or to these.
    int send_in_turn(std::size_t& next, bool waiting) {
        std::size_t passed_over = 0;
        while (passed_over < to_child_.size()) {
            bool started = false;
            if (waits(next) == waiting) {
                if (const int error = send_next(next, started); error != MPI_SUCCESS) return error;
            }
            if (started && one_by_one_ && to_child_[next].started < segments_.count()) continue;
            next = next + 1 == to_child_.size() ? 0 : next + 1;
            passed_over = started ? 0 : passed_over + 1;
        }
        return MPI_SUCCESS;
    }

    [[nodiscard]] bool waits(std::size_t child) const {
        return some_wait_ && child < role_->waits.size() && role_->waits[child] != 0;
    }

    /// Starts the child's next segment if it is here and may go.
    int send_next(std::size_t child, bool& started) {
        Progress& progress = to_child_[child];
        const std::int64_t segment = progress.started;
        if (segment == segments_.count() || segment == progress.sent + most_to(child)) return MPI_SUCCESS;
        const bool may_be_late = progress.sent < uncounted_;
        if (segment >= uncounted_ && may_be_late && !more_follow_) return MPI_SUCCESS;
        const bool is_counted = segment >= uncounted_ && !may_be_late;
        const bool begins = one_by_one_ ? segment == 0 : is_counted;
        if (begins && under_way_.full()) return MPI_SUCCESS;
        make_available(segment);
        if (segment >= available()) return MPI_SUCCESS;
        if (const int error = send(child, segment); error != MPI_SUCCESS) return error;
        if (begins) under_way_.begin();
        ++progress.started;
        if (!is_counted) progress.uncounted = progress.started;
        started = true;
        return MPI_SUCCESS;
    }

    /// One that MPI refuses to send goes without content.
    int send(std::size_t child, std::int64_t segment) {
        const std::size_t at = send_slot(child, to_child_[child].start_slot);
        step(to_child_[child].start_slot, slots_);
        const int to = role_->children[child];
        if (!failure_->spoilt) {
            const int tag = told() ? way_.tags->of(segments_.count() - segment) : way_.tag;
            const int bytes = static_cast<int>(segments_.length(segment));
            const int error = segment == asked_after_ || is_answered(child, segment)
                                  ? requests_->send_received(at, memory_.address(segment), bytes, to, tag, way_.comm)
                                  : requests_->send(at, memory_.address(segment), bytes, to, tag, way_.comm);
            if (error == MPI_SUCCESS) return error;
            failure_->spoil(error);
        }
        const int tag = told() ? SegmentTags::of_void(segments_.count() - segment, failure_->truncated) : way_.tag;
        return requests_->send(at, nullptr, 0, to, tag, way_.comm);
    }

    /// The number of leading segments that can be sent.
    [[nodiscard]] std::int64_t available() const {
        if (failure_->spoilt) return segments_.count();
        if (role_->parent >= 0) return incoming_.arrived();
        if (memory_.stages()) return staged_;
        return segments_.within(here_bytes_);
    }

    /// At the root of a message that is not in place: packs `segment` if it is the next and there is room.
    void make_available(std::int64_t segment) {
        if (failure_->spoilt || role_->parent >= 0 || !memory_.stages() || segment < staged_ || !may_stage(segment))
            return;
        const int error =
            message_->read(begin_ + segments_.offset(segment), memory_.address(segment), segments_.length(segment));
        if (error != MPI_SUCCESS) failure_->spoil(error);
        ++staged_;
    }

    static constexpr std::int64_t none = -1;

    const TreeRole* role_ = nullptr;
    Message* message_ = nullptr;
    Way way_{};
    Failure* failure_ = nullptr;
    Incoming incoming_;
    std::size_t begin_ = 0;
    Segmentation segments_;
    SegmentMemory memory_;
    bool one_by_one_ = false;     // all to one child, then to the next
    std::int64_t uncounted_ = 0;  // leading segments that say whether a child has entered
    bool more_follow_ = false;    // before that is known
    bool unpacks_ = true;
    std::int64_t staged_ = 0;     // leading segments packed (root) or unpacked (others); not used for messages in place
    std::int64_t receives_ = 0;   // receives posted at once
    std::int64_t post_slot_ = 0;  // where the next is posted
    std::int64_t arrive_slot_ = 0;     // where the next ends
    std::int64_t send_window_ = 1;     // the most sends on their way to one child
    std::int64_t more_to_far_ = 0;     // and this many more to a child that is far
    std::int64_t more_from_far_ = 0;   // and that a parent that is far may have on their way, if this is its only child
    std::int64_t answered_every_ = 0;  // of so many segments one; 0: none
    std::int64_t slots_ = 1;           // requests kept for each child's sends
    SendsUnderWay under_way_;          // those that count, to all children
    std::int64_t asked_after_ = none;  // the segment that MPI reports as received by the child
    bool some_wait_ = false;           // of the children: until no other's segments may go
    std::size_t next_child_ = 0;       // whose turn it is
    std::size_t next_waiting_ = 0;     // and of those that wait
    std::size_t here_bytes_ = 0;
    bool keeps_times_ = false;
    Times times_;
    Requests* requests_ = nullptr;
    Places first_;
    Row<Progress> to_child_;
};

/// Lays out the requests of several streams in one row, sends first: how many each has becomes where they begin.
/// Returns how many there are in all.
inline std::size_t lay_out(Stream::Places* streams, std::size_t count) {
    std::size_t next = 0;
    for (std::size_t stream = 0; stream < count; ++stream) {
        const std::size_t sends = streams[stream].sends;
        streams[stream].sends = next;
        next += sends;
    }
    for (std::size_t stream = 0; stream < count; ++stream) {
        const std::size_t receives = streams[stream].receives;
        streams[stream].receives = next;
        next += receives;
    }
    return next;
}

}  // namespace bcast
