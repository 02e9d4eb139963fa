#include "scenario.hpp"

#include <map>

#include "library.hpp"
#include "window.hpp"

namespace simulator {

namespace {

constexpr int arrivals_tag = 4;  // bcast/arrival/arrivals.hpp: may be taken in a later broadcast

/// What the ranks of a job share for its checks.
struct Checks {
    const Plan& plan;
    WindowWatch window;
    std::map<int, std::vector<char>> contents;  // of broadcasts that some rank is in
    std::vector<int> left;                      // by broadcast: ranks that have left it
    std::vector<char> native;                   // by broadcast: somebody took the MPI's own
};

class RankRun {
  public:
    RankRun(Rank& rank, Checks& checks) : rank_(rank), checks_(checks), plan_(checks.plan) {}

    void run() {
        PMPI_Init(nullptr, nullptr);
        const RankPlan& mine = plan_.ranks[static_cast<std::size_t>(rank_.number)];
        rank_.processor = mine.unknown_machine ? "elsewhere" : plan_.world->name_of(mine.machine);
        load_library(rank_,
                     {mine.renewed_library ? &plan_.world->renewed_site() : &plan_.world->site(), &mine.variables});
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
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
            const std::string why = prepare(comm);
            if (!why.empty())
                return rank_.job.fail("the library does not serve communicator " + std::to_string(c) + ": " + why);
        }
        const double delay_s = broadcast.delays_s[static_cast<std::size_t>(me)];
        rank_.step = {"its own work"};
        if (delay_s > 0) rank_.job.scheduler.sleep(delay_s);
        Random random(mixed(broadcast.seed, static_cast<std::uint64_t>(me)));
        const auto form =
            plan_.plain_types || random.chance(0.5) ? Form::plain : static_cast<Form>(random.below(form_count));
        const bool dense = broadcast.signature.count > 4096;
        area_.lay_out(broadcast.signature, dense && (form == Form::sparse || form == Form::pairs) ? Form::vector : form,
                      random);
        std::vector<char>& content = checks_.contents[broadcast.number];
        if (content.size() != broadcast.signature.bytes())
            content = content_of(broadcast.seed, broadcast.signature.bytes());
        area_.fill(static_cast<char>(random.bits()), me == broadcast.root ? &content : nullptr);
        call(index, broadcast, comm, random);
        const std::string problem = area_.problem(checks_.contents[broadcast.number]);
        if (!problem.empty()) rank_.job.fail("broadcast " + std::to_string(broadcast.number) + ": " + problem);
        area_.scribble();
        area_.free_type();
        if (++checks_.left[index] == static_cast<int>(plan_.communicators[c].members.size()))
            checks_.contents.erase(broadcast.number);
    }

    void call(std::size_t index, const BroadcastPlan& broadcast, MPI_Comm comm, Random& random) {
        checks_.window.enter(rank_, broadcast);
        rank_.label = broadcast.number;
        rank_.watched_context = find_communicator(comm)->context->id;
        const int natively = rank_.native_broadcasts;
        int error = MPI_SUCCESS;
        if (broadcast.by_choice) {
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
        if (error != MPI_SUCCESS) {
            rank_.job.fail("broadcast " + std::to_string(broadcast.number) + " returned error " +
                           std::to_string(error));
        }
        if (rank_.native_broadcasts == natively) return;
        checks_.native[index] = 1;
        if (broadcast.by_choice && broadcast.signature.count > 0) rank_.job.fail("the MPI's own broadcast was called");
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
    natively += other.natively;
    for (std::size_t i = 0; i < by_choice.size(); ++i) by_choice[i] += other.by_choice[i];
}

std::string run(const Plan& plan, Counts& counts) {
    Checks checks{plan, WindowWatch(plan.window), {}, {}, {}};
    checks.left.assign(plan.broadcasts.size(), 0);
    checks.native.assign(plan.broadcasts.size(), 0);
    Job job(static_cast<int>(plan.ranks.size()), plan.turns_seed, plan.habits,
            [&checks](Rank& rank) { RankRun(rank, checks).run(); });
    job.scheduler.on_resume = use_library_of;
    job.tag_between_broadcasts = arrivals_tag;
    job.observer = &checks.window;
    std::string failure = job.run();
    ++counts.jobs;
    counts.broadcasts += plan.broadcasts.size();
    counts.messages += job.messages;
    if (plan.trouble) counts.in_trouble += plan.broadcasts.size();
    for (std::size_t i = 0; i < plan.broadcasts.size(); ++i) {
        counts.bytes += plan.broadcasts[i].signature.bytes();
        counts.natively += checks.native[i] != 0 ? 1 : 0;
        if (plan.broadcasts[i].by_choice)
            ++counts.by_choice[static_cast<std::size_t>(plan.broadcasts[i].choice.algorithm)];
    }
    return failure;
}

}  // namespace simulator
