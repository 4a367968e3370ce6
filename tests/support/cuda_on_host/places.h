#pragma once
// Where a fiber, or the thread that runs fibers, continues. setjmp() and longjmp() switch, since swapcontext() asks the
// kernel at each switch. Sanitizers do not follow a jump to another stack: with them swapcontext() switches, and they
// are told of each switch.
#include <ucontext.h>

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <memory>

#if defined(__has_feature)
#define CUDA_ON_HOST_HAS(feature) __has_feature(feature)
#else
#define CUDA_ON_HOST_HAS(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || CUDA_ON_HOST_HAS(address_sanitizer)
#define CUDA_ON_HOST_ASAN 1
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__) || CUDA_ON_HOST_HAS(thread_sanitizer)
#define CUDA_ON_HOST_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif

namespace cuda_on_host {

class Place {
 public:
  // Gives it a stack. The first switch to it calls `run`, which never returns and calls arrive() before anything else.
  void prepare(void (*run)(), std::size_t stack_bytes);
  // For the thread's own stack, before the first switch from it: the calling thread is the one that continues there.
  void belongs_to_this_thread();
  // Continues at `to`; returns when something switches back to this place, where the caller is now.
  void switch_to(Place& to);
  static void arrive();

 private:
  ucontext_t context_;
  std::unique_ptr<char[]> stack_;
#if defined(CUDA_ON_HOST_ASAN)
  void* fake_stack_ = nullptr;
  const void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
#elif defined(CUDA_ON_HOST_TSAN)
  void* fiber_ = nullptr;
#else
  std::jmp_buf at_;
  bool started_ = false;
#endif
};

}  // namespace cuda_on_host
