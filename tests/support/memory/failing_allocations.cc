#include "tests/support/memory/failing_allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace frond::support {
namespace {

thread_local std::uint64_t left = 0, made = 0;
thread_local bool is_caller = false;
std::atomic<std::uint64_t> left_elsewhere = 0;

}  // namespace

void fail_allocation(std::uint64_t count) { left = count; }

bool allocation_will_fail() { return left != 0; }

void fail_allocation_elsewhere(std::uint64_t count) {
  is_caller = true;
  left_elsewhere = count;
}

bool allocation_will_fail_elsewhere() { return left_elsewhere != 0; }

std::uint64_t allocations() { return made; }

}  // namespace frond::support

#if !defined(FROND_KEEPS_OPERATOR_NEW)

namespace frond::support {
namespace {

bool fails_now() {
  ++made;
  if (left != 0 && --left == 0) return true;
  if (is_caller || left_elsewhere.load(std::memory_order_relaxed) == 0) return false;
  std::uint64_t now = left_elsewhere.load();
  while (now != 0 && !left_elsewhere.compare_exchange_weak(now, now - 1)) {
  }
  return now == 1;
}

}  // namespace
}  // namespace frond::support

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return frond::support::fails_now() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}

void* operator new(std::size_t bytes) {
  void* const data = operator new(bytes, std::nothrow);
  if (data == nullptr) throw std::bad_alloc();
  return data;
}

void operator delete(void* data) noexcept { std::free(data); }

void operator delete(void* data, std::size_t) noexcept { std::free(data); }

#endif
