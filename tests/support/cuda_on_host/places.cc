#undef _FORTIFY_SOURCE  // its longjmp() refuses to jump to another stack
#include "tests/support/cuda_on_host/places.h"

#include <cstdio>
#include <cstdlib>

namespace cuda_on_host {
namespace {

void begin(ucontext_t& context, char* stack, std::size_t bytes, void (*run)()) {
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = bytes;
  context.uc_link = nullptr;
  makecontext(&context, run, 0);
}

}  // namespace

#if defined(CUDA_ON_HOST_ASAN)

namespace {
Place* last_left = nullptr;  // what the last switch left; fibers of one thread at a time run, so it needs no lock
}

void Place::prepare(void (*run)(), std::size_t stack_bytes) {
  stack_ = std::make_unique<char[]>(stack_bytes);
  bottom_ = stack_.get();
  bytes_ = stack_bytes;
  begin(context_, stack_.get(), stack_bytes, run);
  context_.uc_stack.ss_size = 0;  // else swapcontext() forgets what is poisoned on the stack that it goes to
}
void Place::belongs_to_this_thread() {}
void Place::switch_to(Place& to) {
  last_left = this;
  __sanitizer_start_switch_fiber(&fake_stack_, to.bottom_, to.bytes_);
  swapcontext(&context_, &to.context_);
  __sanitizer_finish_switch_fiber(fake_stack_, &last_left->bottom_, &last_left->bytes_);
}
void Place::arrive() { __sanitizer_finish_switch_fiber(nullptr, &last_left->bottom_, &last_left->bytes_); }

#elif defined(CUDA_ON_HOST_TSAN)

void Place::prepare(void (*run)(), std::size_t stack_bytes) {
  stack_ = std::make_unique<char[]>(stack_bytes);
  fiber_ = __tsan_create_fiber(0);
  begin(context_, stack_.get(), stack_bytes, run);
}
void Place::belongs_to_this_thread() { fiber_ = __tsan_get_current_fiber(); }
void Place::switch_to(Place& to) {
  __tsan_switch_to_fiber(to.fiber_, 0);
  swapcontext(&context_, &to.context_);
}
void Place::arrive() {}

#else

void Place::prepare(void (*run)(), std::size_t stack_bytes) {
  stack_ = std::make_unique<char[]>(stack_bytes);
  begin(context_, stack_.get(), stack_bytes, run);
}
void Place::belongs_to_this_thread() { started_ = true; }
void Place::switch_to(Place& to) {
  if (_setjmp(at_) != 0) return;
  if (to.started_) _longjmp(to.at_, 1);
  to.started_ = true;
  setcontext(&to.context_);
  std::fputs("cuda_on_host: a fiber did not start\n", stderr);
  std::abort();
}
void Place::arrive() {}

#endif

}  // namespace cuda_on_host
