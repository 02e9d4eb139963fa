// What ranks tell each other in the set-up of a communicator, and what keeps them from serving it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "bcast/facts/settings.hpp"
#include "bcast/library/first_agreement.hpp"
#include "bcast/library/process.hpp"
#include "bcast/mpi/memory.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"

namespace bcast {

/// One rank's part of the set-up. Its size, its digest and the call that exchanges it never change, so that libraries
/// of different versions can tell each other that they differ.
struct SetupRecord {
    std::uint64_t digest;  ///< 0: this rank cannot keep what it finds out
    std::int32_t machine;
    std::uint32_t gpu : 1;        ///< a GPU driver is loaded in this process
    std::uint32_t settings : 31;  ///< of a digest of the settings alone, to say what differs; 0 from early versions

    static constexpr std::int32_t unwritten = -2;  ///< in place of a machine
};
static_assert(sizeof(SetupRecord) == 16, "ranks exchange this as bytes");

/// `able`: this rank can keep what it finds out.
inline SetupRecord record_of(const Process& process, bool able) {
    if (!able) return {0, unknown_machine, 0, 0};
    return {process.digest, process.machine, process.gpu.any() ? 1U : 0U,
            static_cast<std::uint32_t>((digest(process.environment) & 0x7fffffff) | 1)};
}

/// Collective over `user`, whose ranks are `all` in number and this `rank` one of them: tells all of them `mine`. MPI
/// error code.
inline int exchange_records(Process& process, MPI_Comm user, int rank, const SetupRecord& mine, Row<SetupRecord>& all) {
    const int ranks = static_cast<int>(all.size());
    std::unique_ptr<FirstAgreement> watched;
    if (process.patience_s > 0 && !process.agreed) {
        watched = insured([&] {
            return std::make_unique<FirstAgreement>(
                process.patience_s,
                "rank " + std::to_string(rank) + " has waited for " + std::to_string(process.patience_s) +
                    " s for the others in the first broadcast on a communicator of " + std::to_string(ranks) +
                    " ranks. If the job hangs here, some ranks run without this library: all of them need it in "
                    "LD_PRELOAD (Open MPI: mpirun -x LD_PRELOAD), as a file that every machine has; or none");
        });
    }
    std::fill(all.begin(), all.end(), SetupRecord{0, SetupRecord::unwritten, 0, 0});
    const auto written = [&all] {
        return std::none_of(all.begin(), all.end(),
                            [](const SetupRecord& of) { return of.machine == SetupRecord::unwritten; });
    };
    const int error = insist_together(
        [&] { return mpi.Allgather(&mine, sizeof mine, mpi.byte, all.data(), sizeof mine, mpi.byte, user); }, written);
    int world = 0;
    if (error == MPI_SUCCESS && process.world && mpi.Comm_size(mpi.comm_world, &world) == MPI_SUCCESS) {
        if (ranks >= world) process.agreed = true;
    }
    return error;
}

/// Whose doing it is that a communicator is left to the MPI.
enum class Blame : std::uint8_t {
    nobody,    ///< it is to be so
    settings,  ///< settings ask for what cannot be, if any ask for anything
    ranks      ///< they do not agree
};

/// Why ranks with these records cannot be served; empty if they can.
struct Objection {
    std::string why;
    Blame blame = Blame::nobody;
};

inline Objection objection_to(const Row<SetupRecord>& all, const char* site_name) {
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        const SetupRecord& record = all[rank];
        const std::string who = "rank " + std::to_string(rank);
        if (record.digest == 0) return {who + " can keep nothing with a communicator", Blame::nobody};
        if (record.digest != all[0].digest) {
            const bool settings = record.settings != all[0].settings && record.settings != 0 && all[0].settings != 0;
            return {who + " has " + (settings ? "other BCASTGEN_ settings" : "another library") + " than rank 0",
                    Blame::ranks};
        }
        if (record.machine == unknown_machine) return {who + " is on no machine of " + site_name, Blame::settings};
    }
    return {};
}

}  // namespace bcast
