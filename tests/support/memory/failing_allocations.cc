#include "tests/support/memory/failing_allocations.h"

#include <cstdlib>
#include <new>

namespace frond::support {
namespace {

thread_local std::uint64_t left = 0;

}  // namespace

void fail_allocation(std::uint64_t count) { left = count; }

bool allocation_will_fail() { return left != 0; }

}  // namespace frond::support

#if !defined(FROND_KEEPS_OPERATOR_NEW)

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  const bool fails = frond::support::left != 0 && --frond::support::left == 0;
  return fails ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}

void* operator new(std::size_t bytes) {
  void* const data = operator new(bytes, std::nothrow);
  if (data == nullptr) throw std::bad_alloc();
  return data;
}

void operator delete(void* data) noexcept { std::free(data); }

void operator delete(void* data, std::size_t) noexcept { std::free(data); }

#endif
