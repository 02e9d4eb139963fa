#include "machines.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "failure.hpp"

namespace stage {

Machines::Machines() {
    int world_rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world_rank, MPI_INFO_NULL, &machine);
    int rank_on_machine = 0;
    MPI_Comm_rank(machine, &rank_on_machine);
    MPI_Comm_free(&machine);
    // Rank 0 of all is the first on its machine, and so the writers' rank 0.
    MPI_Comm_split(MPI_COMM_WORLD, rank_on_machine == 0 ? 0 : MPI_UNDEFINED, world_rank, &writers_);
    if (!is_writer()) {
        rank_ = -1;
        return;
    }
    MPI_Comm_rank(writers_, &rank_);
    MPI_Comm_size(writers_, &count_);
    int threads = 0;
    MPI_Query_thread(&threads);
    if (threads == MPI_THREAD_MULTIPLE) MPI_Comm_dup(writers_, &calls_);
    gather_names();
}

void Machines::gather_names() {
    char name[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0;
    MPI_Get_processor_name(name, &length);
    std::vector<char> all(is_root() ? static_cast<std::size_t>(count_) * sizeof name : 0);
    MPI_Gather(name, sizeof name, MPI_CHAR, all.data(), sizeof name, MPI_CHAR, 0, writers_);
    for (std::size_t at = 0; at < all.size(); at += sizeof name) names_.emplace_back(all.data() + at);
}

Machines::~Machines() {
    if (calls_ != MPI_COMM_NULL) MPI_Comm_free(&calls_);
    if (is_writer()) MPI_Comm_free(&writers_);
}

void Machines::together(const std::function<void()>& step) const {
    std::optional<std::string> failure;
    bool bad_input = false;
    try {
        step();
    } catch (const BadInput& failed) {
        failure = failed.what();
        bad_input = true;
    } catch (const std::exception& failed) {
        failure = failed.what();
    }
    const int failed = failure ? 1 : 0;
    int failures = 0;
    MPI_Allreduce(&failed, &failures, 1, MPI_INT, MPI_SUM, writers_);
    if (failures == 0) return;
    const int candidate = failure ? rank_ : count_;
    int first = 0;
    MPI_Allreduce(&candidate, &first, 1, MPI_INT, MPI_MIN, writers_);
    fail(first, failures, failure.value_or(""), bad_input);
}

void Machines::fail(int machine, int failures, const std::string& text, bool bad_input) const {
    struct {
        char name[MPI_MAX_PROCESSOR_NAME];
        char text[4096];
        int bad_input;
    } told{};
    if (rank_ == machine) {
        int length = 0;
        MPI_Get_processor_name(told.name, &length);
        std::strncpy(told.text, text.c_str(), sizeof told.text - 1);
        told.bad_input = bad_input ? 1 : 0;
    }
    MPI_Bcast(&told, sizeof told, MPI_BYTE, machine, writers_);
    std::string line = std::string(told.name) + ": " + told.text;
    std::replace(line.begin(), line.end(), '\n', '?');  // which a path may have
    if (failures > 1) line += " (and " + std::to_string(failures - 1) + " more machines)";
    if (told.bad_input != 0) throw BadInput(line);
    throw Failure(line);
}

void Machines::share(void* bytes, int count) const {
    MPI_Bcast(bytes, count, MPI_BYTE, 0, writers_);
}

void Machines::share(std::vector<char>& bytes) const {
    constexpr std::uint64_t most_at_once = std::uint64_t{1} << 30;
    std::uint64_t count = bytes.size();
    share(&count, sizeof count);
    bytes.resize(count);
    for (std::uint64_t at = 0; at < count; at += most_at_once) {
        share(bytes.data() + at, static_cast<int>(std::min(most_at_once, count - at)));
    }
}

std::uint64_t Machines::least(std::uint64_t value) const {
    std::uint64_t least = 0;
    MPI_Allreduce(&value, &least, 1, MPI_UINT64_T, MPI_MIN, writers_);
    return least;
}

int Machines::outcome(int code) {
    MPI_Request request = MPI_REQUEST_NULL;
    int worst = 0;
    MPI_Iallreduce(&code, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    for (int done = 0; done == 0;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return worst;
}

}  // namespace stage
