// Links and messages as SimGrid 3.32 has them in memory (src/kernel/lmm), as far as they are needed here, in the same
// places; it has no header for them. simgrid_fit.hpp makes sure.
#pragma once

#include <cstddef>

namespace simulation {

/// A place in a list: the list's own, or one of a member's.
struct Hook {
    Hook* next;
    Hook* previous;
};

struct List {
    std::size_t size;
    Hook ends;
};

struct Flow;
struct Channel;

/// A message on a link. Members of Channel::flows by the first hook.
struct Crossing {
    Hook enabled;
    Hook disabled;
    Hook active;
    Channel* channel;
    Flow* flow;
    double weight;  ///< bytes of the link that a byte of the message takes: 1, or 0.05 on its way back
    double most_weight;
};

enum class Policy : int { fat_pipe = 0, shared = 1 };  // fat_pipe: limits each message by itself

/// A link in one direction.
struct Channel {
    Hook all;
    Hook active;
    Hook changed;
    Hook saturated;
    List flows;  ///< crossings of messages that have come so far
    List waiting;
    List being_solved;
    double remaining;
    double usage;
    double capacity_Bps;
    double capacity_now_Bps;
    int concurrency;
    int most_concurrency;
    Policy policy;
    int number;
    double level;   ///< SimGrid uses it in another solver. 0: not full
    double queued;  ///< likewise; not 0: it is to be worked out
};

/// A message.
struct Flow {
    Hook all;
    Hook saturated;
    Crossing* first;
    Crossing* end;
    Crossing* end_of_memory;
    double penalty;  ///< its rate is a level divided by this
    double staged;
    double bound_Bps;  ///< what it may have at most; not above 0: anything
    double rate_Bps;
    void* action;
    int number;
    unsigned visited;
};

/// simgrid::kernel::lmm::System, all links and messages.
struct System {
    void* functions;
    bool is_changed;
    List flows;
    List active;
    List saturated_flows;
    List saturated_channels;
    bool only_changed;  ///< what has not changed is left alone: not so under network/optim:Full
    List changed;       ///< channels, by their third hook
};

}  // namespace simulation
