// One tree of a two-tree (two_tree.hpp) over the elements of one switch: its machines and the subtrees of the switches
// below it.
//
//   depth 0   a            Each element is entered once, and makes 2 sends to others, 1 or none. Sends can be used
//   free depth 1   b    S       one edge below the machine that makes them; S, a subtree, makes its two from
//   depth 2   c            machines 2 and 4 edges below its own entry: they are free at depths 1 + 2 + 1 and 1 + 4 + 1.
//   depth 4        d
//   depth 6        exit    A send that is promised to the world outside is an exit.
//
// Numbers only, no floating point: every rank of a job builds the same tree, whatever its processor.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace bcast {

/// How many edges below the entry the machines are that make a subtree's exits, soonest first.
using Exits = std::array<int, 2>;

/// How a tree inside a subtree may be grown: no higher than `height`, with these exits (or sooner).
struct GrowthPlan {
    Exits exits{};
    int height = 0;
    int patience = 0;  ///< Growth::attach_all's
};

/// What one tree inside a subtree can do: for each height that it may have, from the least up, the soonest exits.
struct Reach {
    int exit_count = 0;
    int least_height = 0;
    std::vector<GrowthPlan> plans;  ///< by height - least_height; greater heights gain nothing over the last

    [[nodiscard]] const GrowthPlan& within(int height) const {
        return plans[std::min(static_cast<std::size_t>(height - least_height), plans.size() - 1)];
    }
    friend bool operator==(const Reach& a, const Reach& b) {
        const auto alike = [](const GrowthPlan& x, const GrowthPlan& y) {
            return x.exits == y.exits && x.height == y.height && x.patience == y.patience;
        };
        return a.exit_count == b.exit_count && a.least_height == b.least_height &&
               std::equal(a.plans.begin(), a.plans.end(), b.plans.begin(), b.plans.end(), alike);
    }
};

/// A step of growing a tree: what takes the shallowest free send.
struct Attachment {
    enum class Kind { machine, child, exit };
    Kind kind;
    int number;  ///< machine: how many sends it makes; child: index in Growth::children
    int depth;   ///< the depth that it has at most
};

class Growth {
  public:
    std::array<int, 3> machines{};       ///< sends that a machine makes in this tree -> how many such machines
    std::vector<const Reach*> children;  ///< subtrees, highest least_height first
    int exit_count = 0;
    int first_slot = 0;  ///< depth of the first send: 0 to the entry; 1 when a root outside these elements makes it

    /// Soonest exits by height, the least height first. There is always one: see attach_all.
    [[nodiscard]] Reach reach() {
        constexpr std::size_t most_plans = 10;  // more gained nothing on random topologies of 1,024 machines
        Reach reach;
        reach.exit_count = exit_count;
        GrowthPlan plan;
        if (!children.empty()) plan.height = children.front()->least_height;
        while (!find_exits(plan)) ++plan.height;
        reach.least_height = plan.height;
        reach.plans.push_back(plan);
        while (reach.plans.size() < most_plans) {
            const Exits last = reach.plans.back().exits;
            if (exit_count == 0 || (last[0] == 0 && (exit_count == 1 || last[1] <= 1))) break;
            ++plan.height;
            const bool sooner = find_exits(plan) && plan.exits < last;
            reach.plans.push_back(sooner ? plan : reach.plans.back());
        }
        return reach;
    }

    /// Attaches everything in the least depth, as `plan` says, and appends the steps to `steps` unless that is null.
    /// Returns whether all of it found a place. Going down depth by depth, first come the exits that are due, then the
    /// children that would get too high one depth later, then whatever makes sends, so that sends multiply: a child if
    /// it is high enough to be due within `patience` more depths, else a machine, else a child. What makes no send
    /// waits until it is due. Given enough height everything finds a place. Nothing is due before all that makes sends
    /// is attached, since a free send is never used without at least one coming back, except for what makes none; and
    /// then there are as many free sends as things left.
    bool attach_all(const GrowthPlan& plan, std::vector<Attachment>* steps) {
        start(plan, steps);
        for (depth_ = 0; depth_ <= plan.height + 1; ++depth_) {
            free_ += slots_[static_cast<std::size_t>(depth_)];
            while (exits_made_ < exit_count && plan.exits[static_cast<std::size_t>(exits_made_)] < depth_) {
                if (!take_exit()) return false;
            }
            if (depth_ > plan.height) break;
            if (!attach_due_children()) return false;
            attach_senders(plan.patience);
            while (depth_ == plan.height && free_ > 0 && machines_left_[0] > 0) attach_machine(0);
        }
        return children_left_ == 0 && exits_made_ == exit_count &&
               machines_left_[0] + machines_left_[1] + machines_left_[2] == 0;
    }

  private:
    void start(const GrowthPlan& plan, std::vector<Attachment>* steps) {
        height_ = plan.height;
        steps_ = steps;
        slots_.assign(static_cast<std::size_t>(height_) + 3, 0);
        slots_[static_cast<std::size_t>(first_slot)] = 1;
        attached_.assign(children.size(), 0);
        machines_left_ = machines;
        children_left_ = children.size();
        next_due_ = 0;
        next_sender_ = 0;
        next_double_ = 0;
        exits_made_ = 0;
        free_ = 0;
    }

    void record(Attachment::Kind kind, int number) {
        --free_;
        if (steps_ != nullptr) steps_->push_back({kind, number, depth_});
    }

    bool take_exit() {
        if (free_ == 0) return false;
        ++exits_made_;
        record(Attachment::Kind::exit, 0);
        return true;
    }

    void attach_machine(int sends) {
        --machines_left_[static_cast<std::size_t>(sends)];
        slots_[static_cast<std::size_t>(depth_) + 1] += sends;
        record(Attachment::Kind::machine, sends);
    }

    void attach_child(std::size_t child) {
        attached_[child] = 1;
        --children_left_;
        const Reach& reach = *children[child];
        const Exits& exits = reach.within(height_ - depth_).exits;
        for (int exit = 0; exit < reach.exit_count; ++exit) {
            const int slot = depth_ + exits[static_cast<std::size_t>(exit)] + 1;
            if (slot <= height_ + 1) ++slots_[static_cast<std::size_t>(slot)];
        }
        record(Attachment::Kind::child, static_cast<int>(child));
    }

    bool attach_due_children() {
        for (; next_due_ < children.size(); ++next_due_) {
            if (attached_[next_due_] != 0) continue;
            const int slack = height_ - depth_ - children[next_due_]->least_height;
            if (slack > 0) return true;
            if (slack < 0 || free_ == 0) return false;
            attach_child(next_due_);
        }
        return true;
    }

    void attach_senders(int patience) {
        while (free_ > 0) {
            while (next_sender_ < children.size() &&
                   (attached_[next_sender_] != 0 || children[next_sender_]->exit_count == 0)) {
                ++next_sender_;
            }
            while (next_double_ < children.size() &&
                   (attached_[next_double_] != 0 || children[next_double_]->exit_count < 2)) {
                ++next_double_;
            }
            const bool child = next_sender_ < children.size();
            if (child && children[next_sender_]->least_height + patience >= height_ - depth_) {
                attach_child(next_sender_);
            } else if (machines_left_[2] > 0) {
                attach_machine(2);
            } else if (child) {
                attach_child(next_double_ < children.size() ? next_double_ : next_sender_);
            } else if (machines_left_[1] > 0) {
                attach_machine(1);
            } else {
                return;
            }
        }
    }

    bool grows(GrowthPlan& plan) {
        for (const int patience : {1, 0, 3, 1000}) {
            plan.patience = patience;
            if (attach_all(plan, nullptr)) return true;
            if (children.empty()) break;  // patience is for children
        }
        return false;
    }

    /// Sets the soonest first exit within plan.height, and with that the soonest second; false if the height is too
    /// low.
    bool find_exits(GrowthPlan& plan) {
        GrowthPlan attempt = plan;
        attempt.exits = {plan.height, plan.height};
        if (!grows(attempt)) return false;
        plan = attempt;
        for (int exit = 0; exit < exit_count; ++exit) {
            const auto at = static_cast<std::size_t>(exit);
            for (int soon = exit == 0 ? 0 : plan.exits[0]; soon < plan.exits[at]; ++soon) {
                attempt = plan;
                attempt.exits[at] = soon;
                if (grows(attempt)) plan = attempt;  // and the loop ends
            }
        }
        return true;
    }

    int height_ = 0;
    int depth_ = 0;
    int free_ = 0;                // sends free at this depth
    std::vector<int> slots_;      // depth -> sends that become free there
    std::vector<char> attached_;  // by child
    std::array<int, 3> machines_left_{};
    std::size_t children_left_ = 0;
    std::size_t next_due_ = 0;
    std::size_t next_sender_ = 0;
    std::size_t next_double_ = 0;  // the same of those with two exits
    int exits_made_ = 0;
    std::vector<Attachment>* steps_ = nullptr;
};

}  // namespace bcast
