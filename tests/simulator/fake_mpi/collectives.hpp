// One rank's part in a collective call.
#pragma once

#include "job.hpp"

namespace simulator {

class Member {
  public:
    /// Enters the call. What all ranks must agree on is compared: a difference ends the job.
    Member(Collective::Kind kind, Context& context, int rank, std::size_t bytes, int root = -1,
           MPI_Datatype type = MPI_DATATYPE_NULL, MPI_Op op = MPI_OP_NULL);
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    ~Member();

    /// What all ranks have of the call; valid until the next wait.
    Collective& operator()();
    void wait_for_all();
    void wait_for_root();

  private:
    void take_a_while();

    Context& context_;
    std::uint64_t number_;
};

}  // namespace simulator
