#include "tuner/clusters/slurm_script.hpp"

#include <fmt/format.h>

#include "base/hostlist.hpp"
#include "base/names.hpp"

namespace bcastgen {

std::string batch_script(const BatchJob& job) {
    const auto minutes = std::chrono::ceil<std::chrono::minutes>(job.time_limit);
    std::string text = fmt::format(R"(#!/bin/sh
#SBATCH --job-name=bcastgen
#SBATCH --nodes={}
#SBATCH --nodelist={}
#SBATCH --ntasks-per-node={}
#SBATCH --exclusive
#SBATCH --no-requeue
#SBATCH --output=/dev/null
{}cd {} || exit
exec >{} 2>{}
)",
                                   job.hosts.size(), fold_hostlist(job.hosts), job.ranks_per_host,
                                   minutes.count() > 0 ? fmt::format("#SBATCH --time={}\n", minutes.count()) : "",
                                   shell_word(job.directory.string()), batch_output_file, batch_errors_file);
    for (const auto& [variable, value] : job.environment) {
        text += value.empty() ? fmt::format("unset {}\n", variable)
                              : fmt::format("export {}={}\n", variable, shell_word(value));
    }
    std::string line;
    for (const std::string& word : job.words) line += (line.empty() ? "" : " ") + shell_word(word);
    return text + line + fmt::format("\necho $? >{0}.new\nmv {0}.new {0}\n", batch_result_file);
}

std::string_view batch_follower() {
    return R"sh(#!/bin/sh
# follow DIRECTORY: submits DIRECTORY/slurm.job and follows it to its end
cd "$1" || exit
rm -f slurm.out slurm.err slurm.result
id=$(sbatch --parsable slurm.job) || exit
id=${id%%;*}
trap 'scancel "$id"; exit 143' HUP INT TERM
echo "slurm: job $id submitted"

shown=0
show_output() { # what has been added since it was last shown
    [ -e slurm.out ] || return
    size=$(wc -c <slurm.out)
    [ "$size" -gt "$shown" ] || return
    tail -c "+$((shown + 1))" slurm.out | head -c "$((size - shown))"
    shown=$size
}

look_up() { # what Slurm says of the job
    job=$(scontrol --oneliner show job "$id" 2>/dev/null)
    state=${job##* JobState=}
    state=${state%% *}
    reason=${job##* Reason=}
    reason=${reason%% *}
    [ "$reason" != None ] || reason=
}

end_without_result() {
    echo "Slurm ended job $id without a result: state ${state:-unknown}${reason:+, reason $reason}" >&2
    exit 1
}

asked=0
gone=0
while [ ! -e slurm.result ]; do
    show_output
    if [ "$asked" -eq 0 ]; then
        look_up
        case $state in
            PENDING) echo "slurm: job $id ${reason:+is pending: }${reason:-submitted}" ;; # also a sign of life
            RUNNING | CONFIGURING | COMPLETING | SUSPENDED | STOPPED) ;;
            COMPLETED | '') gone=$((gone + 1)) ;; # a shared file system may show the result later
            *) gone=$((gone + 10)) ;;
        esac
        [ "$gone" -lt 20 ] || end_without_result
        asked=5 # rounds of this loop
    fi
    asked=$((asked - 1))
    sleep 0.2
done
show_output
result=$(cat slurm.result)
if [ "$result" -ne 0 ]; then # of a program that failed, or that Slurm ended just before the job's script
    for round in $(seq 100); do # what ended a job is said when its nodes have let go of it
        look_up
        case $state in
            RUNNING | COMPLETING) sleep 0.2 ;;
            *) break ;;
        esac
    done
    case $state in
        RUNNING | COMPLETING | COMPLETED | FAILED | '') ;;
        *) end_without_result ;;
    esac
fi
exit "$result"
)sh";
}

}  // namespace bcastgen
