#pragma once
// FROND_CHECK: a programmer's error. Never reachable from input, disk or network.
#include <cstdio>
#include <cstdlib>

#define FROND_CHECK(condition)                                                                 \
  do {                                                                                         \
    if (!(condition)) [[unlikely]] {                                                           \
      std::fprintf(stderr, "%s:%d: FROND_CHECK failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                            \
    }                                                                                          \
  } while (false)

// Marks a function for both compilers: nvcc builds it for the device too.
#ifdef __CUDACC__
#define FROND_HOST_DEVICE __host__ __device__
#else
#define FROND_HOST_DEVICE
#endif
