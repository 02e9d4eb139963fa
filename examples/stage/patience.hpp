#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "machines.hpp"

/// Ends the job when nothing moves any more. Launchers end it when a process dies, but they may not notice a machine
/// that has lost its power or its cable: its neighbours would wait for ever, each in its MPI_Bcast.
namespace stage {

class Patience {
  public:
    Patience(const Machines& machines, std::string path, std::uint64_t chunks);
    ~Patience();

    void moved() { ++moved_; }

  private:
    void watch();
    bool over_within(double seconds);
    std::string silent_machines() const;

    const Machines& machines_;
    const std::string path_;
    const std::uint64_t chunks_;
    std::atomic<std::uint64_t> moved_{0};  ///< chunks
    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
    std::thread thread_;
};

}  // namespace stage
