#include "scheduler.hpp"

#include <algorithm>
#include <exception>

namespace simulator {

void Scheduler::add(Fiber::Body body, void* argument) {
    const int number = static_cast<int>(fibers_.size());
    fibers_.push_back(std::make_unique<Entry>(*this, number, body, argument));
    ready_.push_back(number);
    ++alive_;
}

void Scheduler::run() {
    while (alive_ > 0 && !failed()) {
        if (++turns_ > habits_.most_turns) {
            note_failure("the job does not end");
            break;
        }
        const bool can_run = !ready_.empty();
        if (can_run && (events_.empty() || !random_.chance(habits_.early_events))) {
            const std::size_t at = random_.below(ready_.size());
            const int next = ready_[at];
            ready_[at] = ready_.back();
            ready_.pop_back();
            resume(next);
        } else if (!events_.empty()) {
            happen_next();
            if (real_events_ == 0 && now_s_ - last_real_s_ > habits_.patience_s) note_failure("nobody can go on");
        } else {
            note_failure("nobody can run");
        }
    }
}

void Scheduler::note_failure(const std::string& what) {
    if (failure_.empty()) failure_ = what.empty() ? "failed" : what;
}

void Scheduler::fail(const std::string& what) {
    note_failure(what);
    if (running_ < 0 || std::uncaught_exceptions() > 0) return;
    if (fibers_[static_cast<std::size_t>(running_)]->abandoned) stop();
    throw Cancelled{};
}

const char* Scheduler::state_of(int fiber) const {
    const Entry& entry = *fibers_[static_cast<std::size_t>(fiber)];
    if (entry.fiber.ended()) return "has ended";
    switch (entry.state) {
        case State::ready:
            return "can run";
        case State::waiting:
            return "waits";
        case State::sleeping:
            return "has yet to come";
        case State::pausing:
            return "looks in vain";
        case State::stopped:
            break;
    }
    return "answers no more";
}

void Scheduler::after(double delay_s, Occurrence& subject, int what) {
    push(delay_s, subject, what, true);
}

void Scheduler::push(double delay_s, Occurrence& subject, int what, bool real) {
    if (real) ++real_events_;
    events_.push_back({now_s_ + delay_s, random_.bits(), &subject, what, real});
    std::push_heap(events_.begin(), events_.end(), Later{});
}

void Scheduler::happen_next() {
    std::pop_heap(events_.begin(), events_.end(), Later{});
    const Event event = events_.back();
    events_.pop_back();
    now_s_ = std::max(now_s_, event.at_s);
    if (event.real) {
        last_real_s_ = now_s_;
        --real_events_;
    }
    event.subject->happen(event.what);
}

void Scheduler::make_ready(int fiber) {
    fibers_[static_cast<std::size_t>(fiber)]->state = State::ready;
    ready_.push_back(fiber);
}

void Scheduler::wake(int fiber) {
    if (fibers_[static_cast<std::size_t>(fiber)]->state == State::waiting) make_ready(fiber);
}

void Scheduler::resume(int fiber) {
    Entry& entry = *fibers_[static_cast<std::size_t>(fiber)];
    running_ = fiber;
    if (on_resume != nullptr) on_resume(entry.argument);
    entry.fiber.enter();
    running_ = -1;
    if (entry.fiber.ended()) --alive_;
}

void Scheduler::leave(State state) {
    if (std::uncaught_exceptions() > 0) return;  // being ended: nothing is waited for any more
    Entry& entry = *fibers_[static_cast<std::size_t>(running_)];
    entry.state = state;
    entry.fiber.leave();
    if (failed()) throw Cancelled{};
}

void Scheduler::block() {
    leave(State::waiting);
}

void Scheduler::sleep(double delay_s) {
    push(delay_s, *fibers_[static_cast<std::size_t>(running_)], 0, true);
    leave(State::sleeping);
}

void Scheduler::pause() {
    Entry& entry = *fibers_[static_cast<std::size_t>(running_)];
    push(entry.pause_s * (0.5 + random_.fraction()), entry, 0, false);
    entry.pause_s = std::min(entry.pause_s * 1.5, longest_pause_s);
    leave(State::pausing);
}

void Scheduler::give_way() {
    if (!random_.chance(habits_.gives_way)) return;
    ready_.push_back(running_);
    leave(State::ready);
}

void Scheduler::stop() {
    leave(State::stopped);
}

void Scheduler::end_all() {
    if (!failed()) return;
    for (std::size_t fiber = 0; fiber < fibers_.size(); ++fiber) {
        if (!fibers_[fiber]->fiber.ended() && !fibers_[fiber]->abandoned) resume(static_cast<int>(fiber));
    }
}

}  // namespace simulator
