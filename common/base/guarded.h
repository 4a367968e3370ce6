#pragma once
// Where exceptions become errors: those of the allocator, of threads that the system does not give, and of libraries.
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/result.h"

namespace frond {

// What `call` returns, a Result; kUnavailable with `where` and what it threw. Any thread.
template <class Call>
auto guarded(std::string_view where, Call&& call) -> decltype(call()) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception& thrown) {
    return Error(Code::kUnavailable, std::string(where) + ": " + thrown.what());
  }
}

}  // namespace frond
