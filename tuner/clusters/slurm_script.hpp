// What is handed to Slurm and to the shell when a job is submitted.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bcastgen {

/// A batch job that runs one command on all of its hosts.
struct BatchJob {
    std::vector<std::string> hosts;
    int ranks_per_host = 1;
    std::chrono::seconds time_limit{600};            ///< once it runs; 0: the queue's own
    std::map<std::string, std::string> environment;  ///< of the command
    std::vector<std::string> words;                  ///< the command
    std::filesystem::path directory;                 ///< for its output and result; all hosts see it
};

/// The files of a job in its directory.
inline constexpr const char* batch_script_file = "slurm.job";
inline constexpr const char* batch_output_file = "slurm.out";
inline constexpr const char* batch_errors_file = "slurm.err";
inline constexpr const char* batch_result_file = "slurm.result";  ///< comes last: the command's exit code

/// The script that sbatch takes: requests as #SBATCH lines, which SBATCH_… variables of the user override.
[[nodiscard]] std::string batch_script(const BatchJob& job);

/// A shell script that submits slurm.job in the directory that is its first argument, follows it to its end and
/// returns its result. Its stdout is the job's as it comes, and lines that begin with batch_news: what becomes of the
/// job. Ended by a signal, it cancels the job.
[[nodiscard]] std::string_view batch_follower();

inline constexpr std::string_view batch_news = "slurm: ";

}  // namespace bcastgen
