// The rounds of arrival-aware broadcasts: broadcasts of a part of the message to those who are there
// (members.hpp: who takes part in which).
//
// Only the root knows who has arrived. It welcomes a rank with all it must know of the rounds, and tells those who stay
// for another round who will join it: news that follows the segments down the round's tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "bcast/arrival/groups.hpp"
#include "bcast/arrival/members.hpp"
#include "bcast/mpi/message.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/pipeline/pipeline.hpp"

namespace bcast {

/// One round as it passes through this rank.
class Round {
  public:
    /// What all rounds of a broadcast have in common.
    struct Setting {
        Message* message;
        const Parts* parts;
        int send_window;  ///< as in Stream::Part
        int ranks;
        int first_tag;  ///< of `tags` tags
        MPI_Comm comm;
        Failure* failure;
    };
    static constexpr int slots = 4;         ///< rounds open at once on a rank, at most
    static constexpr int tags = 3 * slots;  ///< two trees and news for each

    /// What may follow a round.
    struct Next {
        bool joiners;  ///< not all ranks have come: this round must not be taken for over before it is
        bool news;     ///< some stay and must be told who joins
    };

    /// Begins round `number` of `group` over `role`.
    int open(const Setting& setting, std::int32_t number, std::shared_ptr<Group> group, const Role& role, Next next) {
        number_ = number;
        group_ = std::move(group);
        role_ = &role;
        comm_ = setting.comm;
        first_tag_ = setting.first_tag + 3 * (number % slots);
        trees_ = role.trees.size();
        is_root_ = role.trees.front().parent < 0;
        const Parts::Extent part = setting.parts->of_round(number);
        Stream::Places places[most_trees];
        for (std::size_t tree = 0; tree < trees_; ++tree) {
            const std::size_t share = (part.end - part.begin) / trees_;
            const std::size_t begin = part.begin + share * tree;
            const std::size_t end = tree + 1 == trees_ ? part.end : begin + share;
            places[tree] =
                streams_[tree].start(role.trees[tree], *setting.message,
                                     {begin,
                                      end,
                                      setting.parts->segment_bytes(),
                                      setting.send_window,
                                      trees_,
                                      setting.parts->segments() / static_cast<std::int64_t>(trees_),
                                      {},
                                      is_root_ && next.joiners},
                                     {comm_, nullptr, first_tag_ + static_cast<int>(tree)}, *setting.failure);
        }
        news_request_ = lay_out(places, trees_);
        has_news_ = next.news;
        news_known_ = !next.news;
        requests_.count_bytes(true);
        requests_.reset(news_request_ + (next.news ? 1 + role.trees.front().children.size() : 0));
        for (std::size_t tree = 0; tree < trees_; ++tree) streams_[tree].use_requests(requests_, places[tree]);
        news_.assign(1 + RankSet::words_of(setting.ranks), unwritten);
        if (!next.news || is_root_) return MPI_SUCCESS;
        return requests_.receive(news_request_, news_.data(), news_bytes(), role.trees.front().parent, first_tag_ + 2,
                                 comm_);
    }

    [[nodiscard]] std::int32_t number() const { return number_; }
    Requests& requests() { return requests_; }

    /// Starts everything that can be started now. MPI error code.
    int advance() {
        for (std::size_t tree = 0; tree < trees_; ++tree) {
            if (const int error = streams_[tree].advance(); error != MPI_SUCCESS) return error;
        }
        if (!news_known_ && !is_root_ && requests_.take(news_request_) != Ended::not_yet) {
            return news_[0] == unwritten ? requests_.error() : pass_on_news();
        }
        if (news_known_) take_sent_news();
        return MPI_SUCCESS;
    }

    /// True if the next round may begin: nothing of this one is still to be asked for.
    [[nodiscard]] bool handed_over() const { return news_known_ && segments_handed_over(); }
    [[nodiscard]] bool segments_handed_over() const {
        for (std::size_t tree = 0; tree < trees_; ++tree) {
            if (!streams_[tree].handed_over()) return false;
        }
        return true;
    }

    [[nodiscard]] bool done() const {
        for (std::size_t tree = 0; tree < trees_; ++tree) {
            if (!streams_[tree].done()) return false;
        }
        return news_known_ && requests_.idle();
    }

    /// True while the root has yet to say who joins the next round.
    [[nodiscard]] bool awaits_news() const { return !news_known_; }

    /// At the root: `who` joins the next round, and then nobody will if `complete`. MPI error code.
    int tell(const RankSet& who, bool complete) {
        news_[0] = complete ? 1 : 0;
        std::copy(who.words().begin(), who.words().end(), news_.begin() + 1);
        return pass_on_news();
    }

    /// Notes in the member list what the news was, once it is known, if there is any.
    void note(MemberList& member_list) {
        if (!has_news_ || !news_known_) return;
        has_news_ = false;
        member_list.join(news_.data() + 1, number_ + 1);
        if (news_[0] != 0) member_list.set_complete();
    }

  private:
    [[nodiscard]] int news_bytes() const { return static_cast<int>(news_.size() * sizeof(std::int32_t)); }

    int pass_on_news() {
        news_known_ = true;
        std::size_t request = news_request_;
        for (const int child : role_->trees.front().children) {
            if (const int error = requests_.send(++request, news_.data(), news_bytes(), child, first_tag_ + 2, comm_);
                error != MPI_SUCCESS) {
                return error;
            }
        }
        return MPI_SUCCESS;
    }

    void take_sent_news() {
        for (std::size_t request = news_request_ + 1; request < requests_.size(); ++request) requests_.take(request);
    }

    static constexpr std::size_t most_trees = 2;
    static constexpr std::int32_t unwritten = -1;  // in place of the news' first word

    std::int32_t number_ = 0;
    std::shared_ptr<Group> group_;  // keeps the role alive
    const Role* role_ = nullptr;
    MPI_Comm comm_{};
    int first_tag_ = 0;
    std::size_t trees_ = 0;
    bool is_root_ = false;
    Stream streams_[most_trees];
    std::size_t news_request_ = 0;
    bool has_news_ = false;
    bool news_known_ = true;
    Requests requests_;
    Row<std::int32_t> news_;  // 1 if nobody joins after the next round; the ranks that join it
};

}  // namespace bcast
