#include "scenario.hpp"

#include <algorithm>
#include <map>

#include "library.hpp"
#include "sanitizer.hpp"
#include "window.hpp"

#ifdef SIMULATOR_ASAN
#include <sanitizer/lsan_interface.h>
#endif

namespace simulator {

namespace {

constexpr int arrivals_tag = 4;  // bcast/arrival/arrivals.hpp: may be taken in a later broadcast

/// While it lives, memory that is never freed is no leak, if `wanted`.
class LeavesMemory {
  public:
#ifdef SIMULATOR_ASAN
    explicit LeavesMemory(bool wanted) : wanted_(wanted) {
        if (wanted_) __lsan_disable();
    }
    ~LeavesMemory() {
        if (wanted_) __lsan_enable();
    }

  private:
    bool wanted_;

  public:
#else
    explicit LeavesMemory(bool /*wanted*/) {}
    ~LeavesMemory() = default;
#endif
    LeavesMemory(const LeavesMemory&) = delete;
    LeavesMemory& operator=(const LeavesMemory&) = delete;
};

/// What the ranks of a job share for its checks.
struct Checks {
    const Plan& plan;
    WindowWatch window;
    std::map<int, std::vector<char>> contents;  // of broadcasts that some rank is in
    std::vector<int> left;                      // by broadcast: ranks that have left it
    std::vector<char> native;                   // by broadcast: somebody took the MPI's own
    std::vector<std::string> prepared;          // by communicator: what the library says; not_yet
    static constexpr const char* not_yet = "not prepared yet";
};

class RankRun {
  public:
    RankRun(Rank& rank, Checks& checks) : rank_(rank), checks_(checks), plan_(checks.plan) {}

    void run() {
        PMPI_Init(nullptr, nullptr);
        const RankPlan& mine = plan_.ranks[static_cast<std::size_t>(rank_.number)];
        rank_.processor = mine.unknown_machine ? "elsewhere" : plan_.world->name_of(mine.machine);
        load_library(rank_, {mine.renewed_library ? &plan_.world->renewed_site() : &plan_.world->site(),
                             &mine.variables, plan_.ring});
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        comms_.assign(plan_.communicators.size(), MPI_COMM_NULL);
        comms_[0] = MPI_COMM_WORLD;
        prepared_.assign(comms_.size(), 0);
        std::size_t next = 0;
        for (std::size_t i = 0; i < plan_.broadcasts.size(); ++i) {
            const BroadcastPlan& broadcast = plan_.broadcasts[i];
            for (std::size_t c = 1; c < comms_.size(); ++c) {
                if (plan_.communicators[c].first >= static_cast<int>(next) &&
                    plan_.communicators[c].first <= broadcast.number)
                    make(c);
            }
            next = static_cast<std::size_t>(broadcast.number) + 1;
            take_part(i);
            for (std::size_t c = 1; c < comms_.size(); ++c) {
                if (comms_[c] != MPI_COMM_NULL && plan_.communicators[c].last <= broadcast.number) free(c);
            }
        }
        for (std::size_t c = 1; c < comms_.size(); ++c) {
            if (comms_[c] != MPI_COMM_NULL) free(c);
        }
        PMPI_Finalize();
        unload_library(rank_);
    }

  private:
    void make(std::size_t c) {
        const std::vector<int>& members = plan_.communicators[c].members;
        int color = MPI_UNDEFINED;
        int key = 0;
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (members[i] != rank_.number) continue;
            color = 1;
            key = static_cast<int>(i);
        }
        PMPI_Comm_split(MPI_COMM_WORLD, color, key, &comms_[c]);
    }

    void free(std::size_t c) { PMPI_Comm_free(&comms_[c]); }

    void take_part(std::size_t index) {
        const BroadcastPlan& broadcast = plan_.broadcasts[index];
        const auto c = static_cast<std::size_t>(broadcast.communicator);
        const MPI_Comm comm = comms_[c];
        if (comm == MPI_COMM_NULL) return;
        int me = 0;
        PMPI_Comm_rank(comm, &me);
        if (broadcast.by_choice && prepared_[c] == 0) {
            prepared_[c] = 1;
            prepare_communicator(c);
        }
        const double delay_s = broadcast.delays_s[static_cast<std::size_t>(me)];
        rank_.step = {"its own work"};
        if (delay_s > 0) rank_.job.scheduler.sleep(delay_s);
        Random random(mixed(broadcast.seed, static_cast<std::uint64_t>(me)));
        const auto form =
            plan_.plain_types || random.chance(0.5) ? Form::plain : static_cast<Form>(random.below(form_count));
        Signature signature = broadcast.signature;
        signature.count = broadcast.count_of(static_cast<std::size_t>(me));
        const bool dense = signature.count > 4096;
        area_.lay_out(signature, dense && (form == Form::sparse || form == Form::pairs) ? Form::vector : form, random);
        std::vector<char>& content = checks_.contents[broadcast.number];
        Signature of_root = broadcast.signature;
        of_root.count = broadcast.count_of(static_cast<std::size_t>(broadcast.root));
        if (content.size() != of_root.bytes()) content = content_of(broadcast.seed, of_root.bytes());
        area_.fill(static_cast<char>(random.bits()), me == broadcast.root ? &content : nullptr);
        const int error = call(index, broadcast, comm, random);
        judge(broadcast, me, signature.count != of_root.count, error);
        const std::string problem =
            error == MPI_SUCCESS ? area_.problem(checks_.contents[broadcast.number]) : area_.problem_outside();
        if (!problem.empty()) rank_.job.fail("broadcast " + std::to_string(broadcast.number) + ": " + problem);
        area_.scribble();
        area_.free_type();
        if (++checks_.left[index] == static_cast<int>(plan_.communicators[c].members.size()))
            checks_.contents.erase(broadcast.number);
    }

    /// Where something fails, the library may leave a communicator to the MPI, on all ranks alike.
    void prepare_communicator(std::size_t c) {
        std::string why;
        {
            const Within library(rank_.in_library);
            why = prepare(comms_[c]);
        }
        std::string& others = checks_.prepared[c];
        if (others == Checks::not_yet) others = why;
        if (why.empty() != others.empty()) {
            rank_.job.fail("communicator " + std::to_string(c) + ": \"" + why + "\", and elsewhere \"" + others + "\"");
        }
        if (!why.empty() && !plan_.faulty) {
            rank_.job.fail("the library does not serve communicator " + std::to_string(c) + ": " + why);
        }
    }

    /// Whether the broadcast may end so at this rank, which `differs` from the root in the length that it passes.
    void judge(const BroadcastPlan& broadcast, int me, bool differs, int error) {
        const bool all_alike = std::all_of(broadcast.counts.begin(), broadcast.counts.end(),
                                           [&broadcast](int count) { return count == broadcast.counts.front(); });
        const std::string which = "broadcast " + std::to_string(broadcast.number);
        if (rank_.job.faults > 0) return;
        if (differs && error != MPI_ERR_TRUNCATE) {
            rank_.job.fail(which + " returned " + std::to_string(error) + " where the length is not the root's");
        } else if (error != MPI_SUCCESS && (all_alike || (error != MPI_ERR_TRUNCATE && error != MPI_ERR_OTHER))) {
            rank_.job.fail(which + " returned error " + std::to_string(error));
        } else if (error != MPI_SUCCESS && me == broadcast.root && !bcast::scatters(algorithm_of(broadcast))) {
            rank_.job.fail(which + " returned error " + std::to_string(error) + " at the root");
        }
    }

    /// Where ranks pass different lengths.
    [[nodiscard]] bcast::Algorithm algorithm_of(const BroadcastPlan& broadcast) const {
        bcast::Algorithm algorithm = broadcast.choice.algorithm;
        for (const auto& [name, value] : plan_.ranks.front().variables) {
            if (!broadcast.by_choice && name == "BCASTGEN_ALGORITHM") {
                algorithm = bcast::parse_algorithm(value.c_str()).value_or(algorithm);
            }
        }
        return algorithm;
    }

    int call(std::size_t index, const BroadcastPlan& broadcast, MPI_Comm comm, Random& random) {
        checks_.window.enter(rank_, broadcast);
        rank_.label = broadcast.number;
        rank_.watched_context = find_communicator(comm)->context->id;
        const int natively = rank_.native_broadcasts;
        int error = MPI_SUCCESS;
        const bool by_choice =
            broadcast.by_choice && checks_.prepared[static_cast<std::size_t>(broadcast.communicator)].empty();
        const Within library(rank_.in_library);
        if (by_choice) {
            error = simulator::broadcast_by(broadcast.choice, area_.buffer(), area_.count(), area_.type(),
                                            broadcast.root, comm);
#if MPI_VERSION >= 4
        } else if (random.chance(0.5)) {
            error = MPI_Bcast_c(area_.buffer(), area_.count(), area_.type(), broadcast.root, comm);
#endif
        } else {
            error = MPI_Bcast(area_.buffer(), area_.count(), area_.type(), broadcast.root, comm);
        }
        (void)random;
        rank_.label = -1;
        rank_.watched_context = -1;
        rank_.step = {"between broadcasts"};
        if (rank_.native_broadcasts == natively) return error;
        checks_.native[index] = 1;
        if (broadcast.by_choice && broadcast.signature.count > 0 && !plan_.faulty) {
            rank_.job.fail("the MPI's own broadcast was called");
        }
        return error;
    }

    Rank& rank_;
    Checks& checks_;
    const Plan& plan_;
    std::vector<MPI_Comm> comms_;
    std::vector<char> prepared_;
    Area area_;
};

}  // namespace

void Counts::add(const Counts& other) {
    jobs += other.jobs;
    broadcasts += other.broadcasts;
    messages += other.messages;
    bytes += other.bytes;
    in_trouble += other.in_trouble;
    of_wrong_lengths += other.of_wrong_lengths;
    with_faults += other.with_faults;
    faults += other.faults;
    aborted += other.aborted;
    natively += other.natively;
    for (std::size_t i = 0; i < by_choice.size(); ++i) by_choice[i] += other.by_choice[i];
    situations.add(other.situations);
}

namespace {

/// Whether the job may end so: nobody waits for ever unless a rank has stopped, or ends the job unless it has to.
bool is_allowed(const Plan& plan, const Job& job, const std::string& failure) {
    // On a lane void segments take the place of what is lost, but for a tag that says what else is to come. Nothing
    // takes that of a control message.
    if (job.aborted) return plan.may_abort || job.lost_by_tag > 0 || job.lost_untold > 0;
    return !plan.habits.stops.empty() &&
           (failure.rfind("nobody can ", 0) == 0 || failure.rfind("the job does not end", 0) == 0);
}

void count(const Plan& plan, const Checks& checks, const Job& job, Counts& counts) {
    ++counts.jobs;
    counts.broadcasts += plan.broadcasts.size();
    counts.messages += job.messages;
    counts.faults += job.faults;
    counts.aborted += job.aborted ? 1 : 0;
    if (plan.trouble) counts.in_trouble += plan.broadcasts.size();
    if (plan.faulty) counts.with_faults += plan.broadcasts.size();
    for (std::size_t i = 0; i < plan.broadcasts.size(); ++i) {
        const BroadcastPlan& broadcast = plan.broadcasts[i];
        counts.bytes += broadcast.signature.bytes();
        counts.natively += checks.native[i] != 0 ? 1 : 0;
        counts.of_wrong_lengths += broadcast.counts.empty() ? 0 : 1;
        if (broadcast.by_choice) ++counts.by_choice[static_cast<std::size_t>(broadcast.choice.algorithm)];
    }
}

}  // namespace

std::string run(const Plan& plan, Counts& counts) {
    // How long segments may be follows from the largest tag, and so does how many there are.
    const std::vector<Fault>& faults = plan.habits.faults;
    const bool tags_told = std::none_of(faults.begin(), faults.end(), [](const Fault& fault) {
        return fault.call == "Comm_get_attr" && fault.every == 1;
    });
    Checks checks{plan, WindowWatch(tags_told ? plan.window : 0, plan.habits.largest_tag), {}, {}, {}, {}};
    checks.left.assign(plan.broadcasts.size(), 0);
    checks.native.assign(plan.broadcasts.size(), 0);
    checks.prepared.assign(plan.communicators.size(), Checks::not_yet);
    // Ranks that never end leave what they hold.
    const bool loses =
        std::any_of(faults.begin(), faults.end(), [](const Fault& fault) { return fault.how == Fault::How::lost; });
    const LeavesMemory leaves(plan.may_abort || loses || !plan.habits.stops.empty());
    Job job(static_cast<int>(plan.ranks.size()), plan.turns_seed, plan.habits,
            [&checks](Rank& rank) { RankRun(rank, checks).run(); });
    job.scheduler.on_resume = use_library_of;
    job.tag_between_broadcasts = arrivals_tag;
    SituationWatch situations(plan, checks.window);
    job.observer = &situations;
    const std::string failure = job.run();
    count(plan, checks, job, counts);
    counts.situations.add(situations.met(job));
    return failure.empty() || is_allowed(plan, job, failure) ? "" : failure;
}

}  // namespace simulator
