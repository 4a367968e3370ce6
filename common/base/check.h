#pragma once
// FROND_CHECK: a programmer's error. Never reachable from input, disk or network.

namespace frond::base_detail {
// Writes the failed condition to stderr, after the log lines that still wait, and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* condition);
}  // namespace frond::base_detail

#define FROND_CHECK(condition)                                            \
  do {                                                                    \
    if (!(condition)) [[unlikely]]                                        \
      ::frond::base_detail::check_failed(__FILE__, __LINE__, #condition); \
  } while (false)

// Marks a function for both compilers: nvcc builds it for the device too.
#ifdef __CUDACC__
#define FROND_HOST_DEVICE __host__ __device__
#else
#define FROND_HOST_DEVICE
#endif
