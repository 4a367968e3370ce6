#pragma once
// What a request of the Elasticsearch API is refused with: a type that clients act on, a reason for people, a status.
// Values, for any thread.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "common/base/check.h"
#include "common/base/result.h"
#include "common/http/message.h"

namespace frond::elasticsearch {

using Json = nlohmann::json;

struct ApiError {
  int status = 400;
  std::string type;  // "parsing_exception"
  std::string reason;
  // Other members of "error" and of its root cause, an object: "index", "line", "col".
  Json details = Json::object();
  // "caused_by": null: there is none.
  Json cause = nullptr;
  // The only entry of "root_cause" has this type; empty: `type`.
  std::string root_type = {};
};

// A value, or why there is none. Used as Result.
template <class T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}         // NOLINT(google-explicit-constructor)
  Expected(ApiError error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)
  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  ApiError& error() & { return std::get<1>(state_); }
  const ApiError& error() const& { return std::get<1>(state_); }
  ApiError&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, ApiError> state_;
};
template <>
class [[nodiscard]] Expected<void> {
 public:
  Expected() = default;
  Expected(ApiError error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  explicit operator bool() const { return !error_.has_value(); }
  ApiError& error() & { return *error_; }
  const ApiError& error() const& { return *error_; }
  ApiError&& error() && { return *std::move(error_); }

 private:
  std::optional<ApiError> error_;
};

namespace error_detail {
inline void take(Expected<void>&&) {}
template <class T>
T take(Expected<T>&& expected) {
  return *std::move(expected);
}
}  // namespace error_detail

// {"type","reason", …}: what stands in "error" without its root cause, and in items of a bulk request.
Json cause_json(const ApiError& error);
// What clients see of `status`: what this server lacks (501) is a bad request, as a node says of what it doesn't know.
int shown_status(const ApiError& error);
// {"error":{"root_cause":[…],"type","reason", …},"status":N}
Json error_json(const ApiError& error);
frond::http::Response response_of(const ApiError& error);
frond::http::Response answer_of(Expected<frond::http::Response> made);  // what was made, or why not
// A problem document of the HTTP server or of the indexer's service in this shape, with the same status and headers.
frond::http::Response reshaped(frond::http::Response problem);
// The same as an error. `what`: begins the reason; may be empty.
ApiError error_of(const frond::http::Response& problem, std::string_view what = {});

// The usual ones.
ApiError illegal_argument(std::string reason);
ApiError parsing_exception(std::string reason);
ApiError parse_exception(std::string reason);  // of a body as a whole
// "Validation Failed: 1: …;"
ApiError validation_failed(std::string_view reason);
ApiError index_not_found(std::string_view index);
ApiError index_exists(std::string_view index, std::string_view uuid);
ApiError document_missing(std::string_view index, std::string_view id);
ApiError version_conflict(std::string_view id, std::string_view reason);
// 501: what this server does not do; the reason says that it is not supported.
ApiError not_supported(std::string_view what);
// 429 and 503: what may succeed when it is sent again.
ApiError rejected(std::string reason);
ApiError unavailable(std::string reason);

// What `read` gives, which takes members of JSON as the types that it wants; 400: one has another type.
template <class Read>
auto typed(const Read& read) -> decltype(read()) {
  try {
    return read();
  } catch (const Json::exception& wrong) {  // the library has no other way to say so
    return parsing_exception(std::string("a value has a wrong type: ") + wrong.what());
  }
}

}  // namespace frond::elasticsearch

// As FROND_TRY, of an Expected in a function that gives one, and with its rule.
#define FROND_EXPECT_OK(...)                                               \
  ({                                                                       \
    auto frond_expected = (__VA_ARGS__);                                   \
    if (!frond_expected) return std::move(frond_expected).error();         \
    ::frond::elasticsearch::error_detail::take(std::move(frond_expected)); \
  })
