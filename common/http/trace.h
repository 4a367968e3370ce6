#pragma once
// What a request is known by in logs, in answers and in other programs' traces: a trace as W3C Trace Context has it
// (https://www.w3.org/TR/trace-context/), and an id. Values, for any thread.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace frond::http {

inline constexpr std::size_t kMaxRequestId = 128;  // bytes of an id that a client chooses

struct Trace {
  std::uint64_t high = 0, low = 0;                    // the trace's id; both 0: there is none
  std::uint64_t span = 0;                             // this request's own id in it
  std::uint64_t parent = 0;                           // the client's; 0: the trace begins here
  bool sampled = false;                               // its client keeps it
  std::shared_ptr<const std::string> chosen_id = {};  // by the client; null: the request's id is the trace's

  // 32 hexadecimal digits.
  std::string trace_id() const;
  std::string request_id() const;
  void append_request_id(std::string& out) const;
  // The field's value for whoever is asked because of this request.
  std::string traceparent() const;
};

// Goes on with the trace of a traceparent field if that is well-formed, or begins one. `request_id`: of X-Request-Id;
// one of other characters than letters, digits and "-_.:/+=@", or of more than kMaxRequestId, is not taken.
Trace trace_of(std::string_view traceparent, std::string_view request_id);

// Of a span of a trace. Not 0.
std::uint64_t new_span_id();

// A share of the requests, 0 .. 1, drawn by their spans, which clients don't choose.
class Sample {
 public:
  explicit Sample(double share);
  bool draws(const Trace& trace) const { return on_ && trace.span >= least_; }

 private:
  std::uint64_t least_;
  bool on_;
};

}  // namespace frond::http
