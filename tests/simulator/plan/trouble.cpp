// What goes wrong in a simulated job.
#include <algorithm>
#include <iterator>
#include <vector>

#include "bcast/mpi/waiting.hpp"
#include "plan.hpp"

namespace simulator {

namespace {

/// Whether these faults together make a rank's calls of one name fail so often in a row that the library takes the MPI
/// to be of no more use.
bool leave_no_call(const std::vector<Fault>& faults, const Fault& of) {
    constexpr int looked_at = 1000;
    int in_a_row = 0;
    for (int number = 0; number < looked_at && in_a_row < bcast::most_calls; ++number) {
        const bool fails = std::any_of(faults.begin(), faults.end(), [&](const Fault& fault) {
            const bool same_rank =
                fault.rank == of.rank || fault.rank == Fault::all_ranks || of.rank == Fault::all_ranks;
            const int later = number - fault.number;
            return fault.call == of.call && same_rank &&
                   (fault.every > 0 ? later >= 0 && later % fault.every == 0 : later == 0);
        });
        in_a_row = fails ? in_a_row + 1 : 0;
    }
    return in_a_row == bcast::most_calls;
}

}  // namespace

/// Something of the set-up goes wrong, mostly at one rank.
void Plan::draw_trouble(Random& random) {
    trouble = true;
    const std::size_t at = random.below(ranks.size());
    const int rank = static_cast<int>(at);
    switch (random.between(0, 11)) {
        case 0:
            ranks[at].variables.emplace_back("BCASTGEN_SEGMENT", "5");
            break;
        case 1:
            ranks[at].unknown_machine = true;
            break;
        case 2:
            ranks[at].renewed_library = true;
            break;
        case 3:
            ranks[at].variables.emplace_back("BCASTGEN_DISABLE", "1");
            break;
        case 4:
            for (RankPlan& each : ranks) each.variables.emplace_back("BCASTGEN_DISABLE", "1");
            break;
        case 5:
            habits.most_contexts = random.below(3);
            break;
        default:
            // What one rank does alone on its way to the agreement, and what all do together.
            if (random.chance(0.3)) {
                habits.faults.push_back(
                    {"Comm_group", rank, random.chance(0.8) ? 0 : 1, MPI_ERR_OTHER, Fault::How::at_once});
            } else {
                habits.faults.push_back(
                    {"Comm_create", rank, random.chance(0.8) ? 0 : 1, MPI_ERR_OTHER, Fault::How::after});
            }
            break;
    }
}

int Plan::draw_victim(Random& random) const {
    return random.chance(0.15) ? Fault::all_ranks : static_cast<int>(random.below(ranks.size()));
}

/// What fails in a sound program.
void Plan::draw_faults(Random& random, bool by_choice) {
    const double kind = random.fraction();
    if (kind < 0.08) {
        habits.stops.emplace_back(static_cast<int>(random.below(ranks.size())),
                                  habits.latency_s * 1000 * random.fraction() * random.fraction());
    } else if (kind < 0.45) {
        draw_refusals(random, by_choice);
    } else {
        for (int i = random.between(1, 3); i > 0; --i) draw_failing_calls(random);
        const std::vector<Fault>& faults = habits.faults;
        may_abort = may_abort || std::any_of(faults.begin(), faults.end(), [&](const Fault& fault) {
                        return fault.every != 1 && leave_no_call(faults, fault);
                    });
    }
}

void Plan::draw_refusals(Random& random, bool by_choice) {
    if (random.chance(0.45)) {
        // One after the other, in set-up and later; those of the arrival-aware engines' lists come late.
        const std::size_t last = random.chance(0.5) ? 60 : 1000;
        for (int i = random.between(1, 4); i > 0; --i) {
            habits.refusals.push_back({draw_victim(random), static_cast<std::int64_t>(random.below(last)), 0});
        }
        return;
    }
    // All that is as large as messages are. A rank that has no room even for a segment has to end the job.
    constexpr std::size_t sizes[] = {3000, 20000, 20000, 70000};
    refused_bytes = random.one_of(sizes);
    habits.refusals.push_back({draw_victim(random), -1, refused_bytes});
    spares_segments = by_choice && refused_bytes > 3000;
    may_abort = !spares_segments;
}

/// Sends and receives that begin well and end badly: with all their bytes, of which only the end is an error, or
/// without.
void Plan::draw_bad_ends(Random& random) {
    constexpr const char* ends[] = {"Waitany", "Waitany", "Testany"};
    const bool lost = random.chance(0.5);
    Fault fault;
    fault.call = lost ? "Irecv" : random.one_of(ends);
    fault.how = lost ? Fault::How::lost : Fault::How::after;
    fault.rank = draw_victim(random);
    fault.number = static_cast<int>(random.below(random.chance(0.7) ? 30 : 300));
    fault.error = MPI_ERR_INTERN;
    if (random.chance(0.3)) fault.every = random.between(2, 40);
    habits.faults.push_back(fault);
}

/// Sometimes in place of calls that fail: receives are lost while ranks pass different lengths. What the tags of lost
/// messages would have said must not be guessed.
void Plan::draw_losses(Random random) {
    if (!habits.refusals.empty() || !habits.stops.empty() || !random.chance(0.5)) return;
    wrong_lengths = true;
    may_abort = false;
    const int rank = random.chance(0.7) ? Fault::all_ranks : draw_victim(random);
    const int every = random.chance(0.8) ? random.between(1, 8) : 0;
    habits.faults = {{"Irecv", rank, random.between(0, 40), MPI_ERR_INTERN, Fault::How::lost, every}};
}

/// A call that fails at some time, or again and again.
void Plan::draw_failing_calls(Random& random) {
    constexpr const char* in_set_up[] = {
        "Comm_get_attr",       "Comm_create_keyval", "Comm_set_attr", "Comm_size",
        "Comm_rank",           "Comm_test_inter",    "Comm_group",    "Comm_get_errhandler",
        "Comm_set_errhandler", "Get_processor_name", "Group_free",    "Errhandler_free",
        "Comm_free_keyval",    "Comm_delete_attr",   "Comm_free",     "Comm_create",
        "Allgather",           "Allreduce",          "Send",          "Recv",
    };
    constexpr const char* in_broadcasts[] = {
        "Isend",
        "Irecv",
        "Issend",
        "Probe",
        "Waitany",
        "Testany",
        "Wait",
        "Get_count",
        "Pack",
        "Unpack",
        "Type_size",
        "Type_get_extent",
        "Type_get_envelope",
        "Type_get_contents",
        "Type_create_hindexed",
        "Type_commit",
        "Type_free",
        "Iallreduce",
        "Allreduce",
        "Sendrecv",
        "Comm_get_attr",
    };
    constexpr const char* with_results[] = {"Waitany", "Testany", "Wait", "Probe", "Allgather", "Allreduce"};
    if (random.chance(0.35)) return draw_bad_ends(random);
    const bool early = random.chance(0.5);
    Fault fault;
    fault.call = early ? random.one_of(in_set_up) : random.one_of(in_broadcasts);
    fault.rank = draw_victim(random);
    fault.number = static_cast<int>(random.below(early ? 6 : random.chance(0.5) ? 20 : 300));
    fault.error = MPI_ERR_INTERN;
    const bool has_result =
        std::find(std::begin(with_results), std::end(with_results), fault.call) != std::end(with_results);
    if (fault.call == "Comm_create" || (has_result && random.chance(0.5))) fault.how = Fault::How::after;
    if (random.chance(0.3)) fault.every = random.between(2, 9);
    // What a rank cannot keep, all of them must hear of, each time; and what it is not told, it must have kept.
    constexpr const char* refused_for_good[] = {"Comm_set_attr", "Comm_create_keyval", "Comm_get_attr"};
    if (random.chance(0.2)) {
        fault.call = random.one_of(refused_for_good);
        fault.how = Fault::How::at_once;
        fault.number = static_cast<int>(random.below(fault.call == "Comm_get_attr" ? 10 : 3));
        fault.every = 1;
    }
    constexpr const char* hopeless[] = {"Isend", "Irecv", "Probe", "Waitany"};
    if (random.chance(0.05)) {
        fault.call = random.one_of(hopeless);
        fault.how = Fault::How::at_once;
        fault.every = 1;
        may_abort = true;
    }
    constexpr const char* of_windows[] = {"Win_free", "Win_shared_query", "Iprobe"};
    constexpr const char* made_together[] = {"Comm_split", "Comm_split_type", "Win_allocate_shared"};
    if (hands_on_ && apart_.chance(0.3)) {
        const bool makes = apart_.chance(0.5);
        fault.call = makes ? apart_.one_of(made_together) : apart_.one_of(of_windows);
        fault.how = makes ? Fault::How::after : Fault::How::at_once;
        fault.number = static_cast<int>(apart_.below(3));
        fault.every = 0;
    }
    habits.faults.push_back(fault);
}

}  // namespace simulator
