#pragma once
// Names of threads, as ps, gdb and sanitizers show them.
#include <pthread.h>

namespace frond {

// At most 15 characters. The system refuses longer names, and the thread then keeps the one it has.
inline void name_this_thread(const char* name) { pthread_setname_np(pthread_self(), name); }

}  // namespace frond
