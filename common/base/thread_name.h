#pragma once
// Names of threads, as ps, gdb and sanitizers show them; and their priority.
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace frond {

// At most 15 characters. The system refuses longer names, and the thread then keeps the one it has.
inline void name_this_thread(const char* name) { pthread_setname_np(pthread_self(), name); }

// This thread, and those that it starts, let the threads of others run first where there is not enough processor time.
// So the searches of the same machine stay fast. `nice`: 1, a little, to 19, almost always.
inline void yield_to_others(int nice) { setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), nice); }

}  // namespace frond
