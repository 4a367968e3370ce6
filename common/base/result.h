#pragma once
// Expected failures are values. The names are a subset of std::expected's, so that it can replace Result when both
// compilers reach C++23. A Result<void> without an error is one null pointer: decoders can afford to return it.
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "common/base/check.h"

namespace frond {

// A code is added only when some caller acts differently on it.
enum class Code { kNotFound, kCorrupt, kInvalid, kOverloaded, kDeadline, kUnavailable, kDevice };

constexpr std::string_view name_of(Code code) {
  constexpr std::string_view kNames[] = {"not found", "corrupt",     "invalid", "overloaded",
                                         "deadline",  "unavailable", "device"};
  return kNames[static_cast<int>(code)];
}
inline std::ostream& operator<<(std::ostream& out, Code code) { return out << name_of(code); }

// What went wrong: a code, and a message that names the key, file or partition.
class [[nodiscard]] Error {
 public:
  Error(Code code, std::string message) : detail_(std::make_unique<Detail>(Detail{code, std::move(message)})) {}
  Error(const Error& other) : detail_(std::make_unique<Detail>(*other.detail_)) {}
  Error& operator=(const Error& other) {
    if (this != &other) detail_ = std::make_unique<Detail>(*other.detail_);
    return *this;
  }
  Error(Error&&) noexcept = default;
  Error& operator=(Error&&) noexcept = default;
  ~Error() = default;

  Code code() const { return detail_->code; }
  const std::string& message() const { return detail_->message; }
  // The same error with `where` before its message: "partition 3: list of 'fox': …".
  Error within(std::string_view where) && {
    detail_->message.insert(0, std::string(where) + ": ");
    return std::move(*this);
  }

 private:
  struct Detail {
    Code code;
    std::string message;
  };
  std::unique_ptr<Detail> detail_;
};

template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  T& value() & {
    FROND_CHECK(has_value());
    return std::get<0>(state_);
  }
  const T& value() const& {
    FROND_CHECK(has_value());
    return std::get<0>(state_);
  }
  T&& value() && {
    FROND_CHECK(has_value());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Error& error() & { return std::get<1>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  void value() const { FROND_CHECK(has_value()); }
  Error& error() & { return *error_; }
  const Error& error() const& { return *error_; }
  Error&& error() && { return *std::move(error_); }

 private:
  std::optional<Error> error_;
};

// For tests: a Result equals a value, or a Code when it failed.
template <class T, class U>
requires(!std::is_same_v<U, Code>) bool operator==(const Result<T>& result, const U& value) {
  return result.has_value() && *result == value;
}
template <class T>
bool operator==(const Result<T>& result, Code code) {
  return !result.has_value() && result.error().code() == code;
}

namespace base_detail {
inline void take(Result<void>&&) {}
template <class T>
T take(Result<T>&& result) {
  return std::move(result).value();
}
}  // namespace base_detail

}  // namespace frond

// The value of a Result, or an early return of its error. Not in coroutines. In a braced initializer or a capture list
// it must come first: an early return would never destroy what was built before it (tests/support/check_try.py).
#define FROND_TRY(...)                                                 \
  ({                                                                   \
    auto frond_try_result = (__VA_ARGS__);                             \
    if (!frond_try_result) return std::move(frond_try_result).error(); \
    ::frond::base_detail::take(std::move(frond_try_result));           \
  })
