#include "cli/commands/tune_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/temporary_directory.hpp"
#include "cli/terminal.hpp"
#include "tuner/clusters/slurm.hpp"

namespace bcastgen {

int tune_in_one_job(const Network& network, const TuneRequest& request) {
    std::vector<std::string> words = {"env",
                                      "-C",
                                      std::filesystem::current_path().string(),
                                      "sh",
                                      "-c",
                                      "exec \"$@\" 2>&1",
                                      "sh",
                                      std::filesystem::read_symlink("/proc/self/exe").string()};
    std::ifstream line("/proc/self/cmdline", std::ios::binary);
    std::string word;
    std::getline(line, word, '\0');  // what we were called
    while (std::getline(line, word, '\0')) words.push_back(word);
    const TemporaryDirectory directory(std::filesystem::current_path());
    BatchJob job;
    for (const int machine : request.machines) {
        job.hosts.push_back(network.machines[static_cast<std::size_t>(machine)].name);
    }
    job.ranks_per_host = request.ranks_per_machine.back();
    constexpr double start_and_end_s = 120;
    job.time_limit =
        std::chrono::seconds(request.budget_s > 0 ? static_cast<long>(request.budget_s + start_and_end_s) : 0L);
    job.words = words;
    job.directory = directory.path();
    return run_as_batch_job(
        job, [](std::string_view text) { say(text); }, [](const std::string& news) { say(news); });
}

void heed_time_limit(TuneRequest& request, Clock::time_point begin) {
    constexpr double to_finish_s = 30;
    const std::optional<std::chrono::seconds> left = allocation_time_left();
    if (!left) return;
    const double spent_s = std::chrono::duration<double>(Clock::now() - begin).count();
    const double usable_s = spent_s + std::max(1.0, static_cast<double>(left->count()) - to_finish_s);
    if (request.budget_s > 0 && request.budget_s <= usable_s) return;
    request.budget_s = usable_s;
    say(fmt::format("the job ends in {} s: that is the time budget", left->count()));
}

}  // namespace bcastgen
