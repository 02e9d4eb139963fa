// Says so when ranks wait too long for others in the first agreement, without which a job would hang without a word.
//
// The agreement is a collective call that only ranks with this library make. A rank without it is in the MPI's own
// broadcast meanwhile, and both wait for ever: no message can be sent to a rank of unknown kind that it could not take
// for one of its own (docs/adr/0014-ranks-without-the-library.md). The call cannot be one that is looked at now and
// then either: libraries of other versions wait in MPI_Allgather. So a thread looks at the clock, and never calls MPI.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <cerrno>
#include <ctime>
#include <string>

#include "bcast/library/say.hpp"

namespace bcast {

/// Says `line` if it lives longer than so many seconds.
class FirstAgreement {
  public:
    FirstAgreement(int seconds, std::string line) : seconds_(seconds), line_(std::move(line)) {
        pthread_condattr_t clock;
        pthread_condattr_init(&clock);
        pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
        pthread_cond_init(&ended_, &clock);
        pthread_condattr_destroy(&clock);
        // The program's signals are for its own threads.
        sigset_t all;
        sigset_t before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        started_ = pthread_create(&thread_, nullptr, watch, this) == 0;  // else nobody watches
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    FirstAgreement(const FirstAgreement&) = delete;
    FirstAgreement& operator=(const FirstAgreement&) = delete;
    ~FirstAgreement() {
        if (started_) {
            pthread_mutex_lock(&mutex_);
            over_ = true;
            pthread_cond_signal(&ended_);
            pthread_mutex_unlock(&mutex_);
            pthread_join(thread_, nullptr);
        }
        pthread_cond_destroy(&ended_);
        pthread_mutex_destroy(&mutex_);
    }

  private:
    static void* watch(void* of) {
        auto* self = static_cast<FirstAgreement*>(of);
        timespec until{};
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += self->seconds_;
        pthread_mutex_lock(&self->mutex_);
        int waited = 0;
        while (!self->over_ && waited != ETIMEDOUT) {
            waited = pthread_cond_timedwait(&self->ended_, &self->mutex_, &until);
        }
        const bool late = !self->over_;
        pthread_mutex_unlock(&self->mutex_);
        if (late) say_for_this_machine("agreement", self->line_);
        return nullptr;
    }

    int seconds_;
    std::string line_;
    bool started_ = false;
    bool over_ = false;
    pthread_t thread_{};
    pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t ended_{};
};

}  // namespace bcast
