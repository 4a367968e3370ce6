#pragma once
// Lets allocations fail where a test chooses, and counts them. Replaces operator new in programs that link this.
#include <cstdint>

namespace frond::support {

// Not under ThreadSanitizer, which has its own: there the functions below do nothing.
#if defined(FROND_KEEPS_OPERATOR_NEW)
inline constexpr bool kAllocationsCanFail = false;
#else
inline constexpr bool kAllocationsCanFail = true;
#endif

// This thread's `count`-th operator new from now on throws std::bad_alloc, once; 0: none does. What asks for more than
// the usual alignment does not count.
void fail_allocation(std::uint64_t count);
// Whether the failure is still to come.
bool allocation_will_fail();
// The same for all threads but the one that calls this: the `count`-th of theirs, taken together.
void fail_allocation_elsewhere(std::uint64_t count);
bool allocation_will_fail_elsewhere();
// This thread's calls of operator new so far, likewise without those that ask for more than the usual alignment.
std::uint64_t allocations();

}  // namespace frond::support
