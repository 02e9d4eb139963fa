#include "fiber.hpp"

#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <new>
#include <vector>

#include "sanitizer.hpp"

#ifdef SIMULATOR_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace simulator {

namespace {

namespace context = boost::context::detail;

#ifdef SIMULATOR_ASAN
constexpr std::size_t stack_bytes = std::size_t{512} << 10;

void start_switch(void** kept, const void* bottom, std::size_t size) {
    __sanitizer_start_switch_fiber(kept, bottom, size);
}
void finish_switch(void* kept, const void** bottom, std::size_t* size) {
    __sanitizer_finish_switch_fiber(kept, bottom, size);
}
void make_clean(char* bottom) {
    __asan_unpoison_memory_region(bottom, stack_bytes);
}
#else
constexpr std::size_t stack_bytes = std::size_t{192} << 10;

void start_switch(void** /*kept*/, const void* /*bottom*/, std::size_t /*size*/) {}
void finish_switch(void* /*kept*/, const void** /*bottom*/, std::size_t* /*size*/) {}
void make_clean(char* /*bottom*/) {}
#endif

constexpr std::size_t guard_page_bytes = 4096;

std::vector<char*>& spare_stacks() {
    static std::vector<char*> spare;
    return spare;
}

}  // namespace

Stack::Stack() {
    std::vector<char*>& spare = spare_stacks();
    if (!spare.empty()) {
        bottom_ = spare.back();
        spare.pop_back();
        make_clean(bottom_);
        return;
    }
    void* memory = mmap(nullptr, guard_page_bytes + stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    mprotect(memory, guard_page_bytes, PROT_NONE);
    bottom_ = static_cast<char*>(memory) + guard_page_bytes;
}

Stack::~Stack() {
    spare_stacks().push_back(bottom_);
}

std::size_t Stack::size() const {
    return stack_bytes;
}

/// Where a fiber begins.
struct Fiber::Entry {
    static void begin(context::transfer_t from) {
        auto* fiber = static_cast<Fiber*>(from.data);
        finish_switch(nullptr, &fiber->scheduler_bottom_, &fiber->scheduler_size_);
        fiber->context_ = from.fctx;
        fiber->body_(fiber->argument_);
        fiber->ended_ = true;
        start_switch(nullptr, fiber->scheduler_bottom_, fiber->scheduler_size_);  // null: this stack is done with
        context::jump_fcontext(fiber->context_, fiber);
    }
};

Fiber::Fiber(Body body, void* argument) : body_(body), argument_(argument) {
    context_ = context::make_fcontext(stack_.bottom() + stack_.size(), stack_.size(), &Entry::begin);
}

void Fiber::enter() {
    start_switch(&scheduler_fake_stack_, stack_.bottom(), stack_.size());
    context_ = context::jump_fcontext(context_, this).fctx;
    finish_switch(scheduler_fake_stack_, nullptr, nullptr);
}

void Fiber::leave() {
    start_switch(&fake_stack_, scheduler_bottom_, scheduler_size_);
    context_ = context::jump_fcontext(context_, this).fctx;
    finish_switch(fake_stack_, &scheduler_bottom_, &scheduler_size_);
}

}  // namespace simulator
