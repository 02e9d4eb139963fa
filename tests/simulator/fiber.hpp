// A rank's thread of control: a stack of its own, entered and left at will.
#pragma once

#include <cstddef>

namespace simulator {

/// Memory for a fiber's stack, with a page below it that must not be touched. Kept for the next fiber when it is done.
class Stack {
  public:
    Stack();
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;
    ~Stack();

    [[nodiscard]] char* bottom() const { return bottom_; }
    [[nodiscard]] std::size_t size() const;

  private:
    char* bottom_;
};

/// Runs `body(argument)` on its own stack. What is destroyed before its end leaves behind what its frames hold.
class Fiber {
  public:
    using Body = void (*)(void*);

    Fiber(Body body, void* argument);
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;
    ~Fiber() = default;

    /// From the scheduler: goes on in the fiber until it leaves or ends.
    void enter();
    /// From the fiber: back to enter().
    void leave();
    [[nodiscard]] bool ended() const { return ended_; }

  private:
    struct Entry;
    friend struct Entry;

    Stack stack_;
    Body body_;
    void* argument_;
    void* context_ = nullptr;  // of the side that is not running
    bool ended_ = false;
    // For AddressSanitizer: what it keeps of each side, and where the scheduler's stack is.
    void* fake_stack_ = nullptr;
    void* scheduler_fake_stack_ = nullptr;
    const void* scheduler_bottom_ = nullptr;
    std::size_t scheduler_size_ = 0;
};

}  // namespace simulator
