// Who runs next, and what time it is: all ranks of a job on fibers of one thread, under a clock of its own.
//
// The clock stands still while ranks run; it moves to the next event when nobody can run, and sometimes before. A rank
// that looks in vain whether something has come sleeps a little, longer each time, so that time passes for it too.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fiber.hpp"
#include "random.hpp"

namespace simulator {

/// What an event happens to.
class Occurrence {
  public:
    Occurrence() = default;
    Occurrence(const Occurrence&) = delete;
    Occurrence& operator=(const Occurrence&) = delete;
    virtual ~Occurrence() = default;
    virtual void happen(int what) = 0;
};

/// Thrown through a rank's frames to end it when its job has failed.
struct Cancelled {};

class Scheduler {
  public:
    struct Habits {
        double gives_way = 0.1;               ///< how often a rank that could go on lets another run
        double early_events = 0.1;            ///< how often the clock moves although somebody could run
        double patience_s = 20;               ///< nothing but looking in vain for so long: nobody will go on
        std::uint64_t most_turns = 20000000;  ///< a job that takes more does not end
    };

    Scheduler(Random& random, Habits habits) : random_(random), habits_(habits) {}

    /// A fiber that runs `body(argument)`; they are numbered from 0.
    void add(Fiber::Body body, void* argument);
    /// Runs until all have ended, or until something has failed: then failure() says what.
    void run();
    /// After a failure: ends what has not ended.
    void end_all();
    [[nodiscard]] const std::string& failure() const { return failure_; }
    [[nodiscard]] bool failed() const { return !failure_.empty(); }
    /// Notes the first failure. The job goes no further once the caller comes back to the scheduler.
    void note_failure(const std::string& what);
    /// The same, and ends the calling fiber unless it is being ended already.
    void fail(const std::string& what);

    [[nodiscard]] int running() const { return running_; }
    [[nodiscard]] double now_s() const { return now_s_; }
    /// What each fiber is at: "can run", "waits", ...
    [[nodiscard]] const char* state_of(int fiber) const;

    /// `what` happens to `subject` in `delay_s` seconds.
    void after(double delay_s, Occurrence& subject, int what);

    // ---- Called on a fiber ----
    /// Waits for wake().
    void block();
    void sleep(double delay_s);
    /// Has looked in vain: others run, and time passes.
    void pause();
    /// Has found something: the next pause() is short again.
    void found() { fibers_[static_cast<std::size_t>(running_)]->pause_s = first_pause_s; }
    /// Lets others run, now and then.
    void give_way();
    /// Never goes on.
    void stop();
    /// Whether a failure leaves the fiber's frames as they are, and does not end them by an exception: the library
    /// calls MPI in destructors, which none may leave.
    void set_abandoned(bool abandoned) { fibers_[static_cast<std::size_t>(running_)]->abandoned = abandoned; }

    /// A fiber that waits can run again; nothing happens to others.
    void wake(int fiber);

    /// Called with a fiber's argument whenever it goes on.
    void (*on_resume)(void* argument) = nullptr;

  private:
    static constexpr double first_pause_s = 2e-7;
    static constexpr double longest_pause_s = 1e-3;

    enum class State { ready, waiting, sleeping, pausing, stopped };
    struct Entry : Occurrence {
        Entry(Scheduler& its, int its_number, Fiber::Body body, void* its_argument)
            : scheduler(its), number(its_number), argument(its_argument), fiber(body, its_argument) {}
        void happen(int /*what*/) override { scheduler.make_ready(number); }
        Scheduler& scheduler;
        int number;
        void* argument;
        Fiber fiber;
        State state = State::ready;
        bool abandoned = false;
        double pause_s = first_pause_s;
    };
    struct Event {
        double at_s;
        std::uint64_t order;
        Occurrence* subject;
        int what;
        bool real;  // not the end of a pause
    };
    struct Later {
        bool operator()(const Event& a, const Event& b) const {
            return a.at_s != b.at_s ? a.at_s > b.at_s : a.order > b.order;
        }
    };

    void push(double delay_s, Occurrence& subject, int what, bool real);
    void happen_next();
    void make_ready(int fiber);
    void leave(State state);
    void resume(int fiber);

    Random& random_;
    Habits habits_;
    std::vector<std::unique_ptr<Entry>> fibers_;
    std::vector<int> ready_;
    std::vector<Event> events_;  // a heap
    std::string failure_;
    double now_s_ = 0;
    double last_real_s_ = 0;
    std::uint64_t real_events_ = 0;  // to come
    std::uint64_t turns_ = 0;
    int running_ = -1;
    int alive_ = 0;
};

}  // namespace simulator
