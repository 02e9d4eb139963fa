#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// The machines of a job: one rank of each, its writer, takes part in everything; the others only wait for the outcome.
namespace stage {

class Machines {
  public:
    Machines();
    ~Machines();
    Machines(const Machines&) = delete;
    Machines& operator=(const Machines&) = delete;

    bool is_writer() const { return writers_ != MPI_COMM_NULL; }
    bool is_root() const { return rank_ == 0; }
    int count() const { return count_; }
    MPI_Comm writers() const { return writers_; }
    /// The same for threads beside the one that broadcasts; MPI_COMM_NULL where the MPI allows for one thread only.
    MPI_Comm calls() const { return calls_; }
    /// Of the writer of that rank; on rank 0.
    const std::string& name(int writer) const { return names_[static_cast<std::size_t>(writer)]; }

    /// Does `step` and learns whether all machines have: collective over writers. After a failure anywhere nobody goes
    /// on: all throw the same Failure, which names the machine.
    void together(const std::function<void()>& step) const;
    void share(std::vector<char>& bytes) const;  ///< rank 0's, with everybody
    void share(void* bytes, int count) const;
    std::uint64_t least(std::uint64_t value) const;

    /// Collective over all ranks, the writers bring their exit code: asleep, as others work on these machines.
    static int outcome(int code);

  private:
    void gather_names();
    [[noreturn]] void fail(int machine, int failures, const std::string& text, bool bad_input) const;

    MPI_Comm writers_ = MPI_COMM_NULL;
    MPI_Comm calls_ = MPI_COMM_NULL;
    std::vector<std::string> names_;
    int rank_ = 0;   ///< among the writers
    int count_ = 0;  ///< of machines
};

}  // namespace stage
