#pragma once
// Threads carry their names, for ps, gdb and sanitizers.
#include <pthread.h>

namespace frond {

// At most 15 characters; longer names are refused by the system, and ignored here.
inline void name_this_thread(const char* name) { pthread_setname_np(pthread_self(), name); }

}  // namespace frond
