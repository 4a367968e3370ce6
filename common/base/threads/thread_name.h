#pragma once
// Names of threads, as ps, gdb and sanitizers show them; and how the system divides processor time among them.
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace frond {

// What Linux calls struct sched_attr. Its header has another declaration of what <sched.h> declares.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes), policy = 0;  // 0: SCHED_OTHER
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime_ns = 0, deadline_ns = 0, period_ns = 0;  // the first one: of a slice
};

// At most 15 characters. The system refuses longer names, and the thread then keeps the one it has.
inline void name_this_thread(const char* name) { pthread_setname_np(pthread_self(), name); }

// For how long this thread, and those that it starts, run at a time where others wait. From Linux 6.12 on a thread that
// wakes interrupts one with longer slices at once; without this it waits until the other's slice, 1 to 3 ms, is over.
// Each still gets its share of the time. Older systems, and those that do not allow it, change nothing.
inline void set_time_slice(std::uint64_t ns) {
  SchedulingAttributes attributes;
  attributes.nice = getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()));
  attributes.runtime_ns = ns;
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

// Of threads whose work is short and waited for, and of all others of a process that has such threads.
inline constexpr std::uint64_t kShortSliceNs = 100'000, kLongSliceNs = 3'000'000;

// This thread, and those that it starts, let the threads of others run first where there is not enough processor time.
// So the searches of the same machine stay fast. `nice`: 1, a little, to 19, almost always.
inline void yield_to_others(int nice) {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), nice);
  set_time_slice(kLongSliceNs);
}

}  // namespace frond
