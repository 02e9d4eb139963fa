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

    /// Does `step` and learns whether all machines have: collective over writers. After a failure anywhere nobody goes
    /// on: all throw the same Failure, which names the machine.
    void together(const std::function<void()>& step) const;
    void share(std::vector<char>& bytes) const;  ///< rank 0's, with everybody
    void share(void* bytes, int count) const;
    std::uint64_t least(std::uint64_t value) const;

    /// Collective over all ranks, the writers bring their exit code: asleep, as others work on these machines.
    static int outcome(int code);

  private:
    [[noreturn]] void fail(int machine, int failures, const std::string& text, bool bad_input) const;

    MPI_Comm writers_ = MPI_COMM_NULL;
    int rank_ = 0;   ///< among the writers
    int count_ = 0;  ///< of machines
};

}  // namespace stage
