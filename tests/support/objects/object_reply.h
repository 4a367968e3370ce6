#pragma once
// What the parts of ObjectServer share: an answer, and how a request's fields are read. Of object_server.h alone.
#include <cstdint>
#include <ctime>
#include <map>
#include <string>

#include "tests/support/objects/object_server.h"

namespace frond::support {

inline std::string time_text(std::int64_t seconds, const char* format) {
  const std::time_t time = seconds;
  struct tm utc {};
  ::gmtime_r(&time, &utc);
  char text[64];
  return {text, std::strftime(text, sizeof text, format, &utc)};
}
inline std::string http_time(std::int64_t seconds) { return time_text(seconds, "%a, %d %b %Y %H:%M:%S GMT"); }
inline std::int64_t now() { return std::time(nullptr); }

inline std::string header(const SeenRequest& request, const std::string& name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? std::string() : found->second;
}
inline std::string parameter(const SeenRequest& request, const std::string& name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? std::string() : found->second;
}

struct ObjectServer::Reply {
  int status = 200;
  std::string body;
  std::map<std::string, std::string> headers;
  std::size_t head_bytes = 0;  // Content-Length of an answer to HEAD
  static Reply error(int status, const std::string& code) {
    return {status,
            "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code><Message>as the test wants</Message></Error>",
            {}};
  }
};

}  // namespace frond::support
