#pragma once
// A request's line and fields, a line at a time, to a Request and how its body is framed. Internal to this folder. One
// thread.
//
// What RFC 9112 leaves to the server is refused where another reader of the same bytes could see other requests in
// them: obs-fold, a second Content-Length (an equal one, too), any Transfer-Encoding but one "chunked", both of them,
// either of them badly written, a Transfer-Encoding in HTTP/1.0.
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/http/message.h"

namespace frond::http {

class RequestHead {
 public:
  static constexpr std::size_t kMaxFields = 100;

  // A request line or a field's line, without its CRLF. False: failure() is the answer.
  bool take_request_line(std::string_view line);
  bool take_field(std::string_view line);
  // The empty line: checks what only the whole tells.
  bool finish();

  std::string& body() { return request_.body; }
  const Request& request() const { return request_; }
  bool chunked() const { return chunked_; }
  // 0 where there is none. Past 2^64 - 1: that.
  std::uint64_t content_length() const { return content_length_.value_or(0); }
  bool keep_alive() const { return minor_version_ == 1 && !close_; }
  bool expects_continue() const { return minor_version_ == 1 && expects_continue_; }
  const Response& failure() const { return *failure_; }  // there after a false

  // The request, and ready for the next one.
  Request take();

 private:
  bool fail(Response response);
  bool refuse(std::string_view why);  // 400
  bool take_target(std::string_view target);
  bool take_framing(std::string_view name, std::string_view value);
  bool take_connection(std::string_view value);

  Request request_;
  std::optional<Response> failure_;
  std::optional<std::uint64_t> content_length_;
  std::optional<std::string_view> authority_;  // of an absolute form; into request_.target
  int minor_version_ = 1;
  bool host_seen_ = false, coding_seen_ = false, chunked_ = false, close_ = false, expects_continue_ = false;
};

}  // namespace frond::http
