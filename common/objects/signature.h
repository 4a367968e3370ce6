#pragma once
// Requests signed with AWS Signature Version 4, as object stores expect them.
// Source: "Authenticating Requests (AWS Signature Version 4)" of the Amazon S3 API reference.
// Any thread; no state.
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/bytes.h"

extern "C" {
struct evp_md_ctx_st;
}

namespace frond::objects {

// Never written to a log or a message.
struct Credentials {
  std::string key_id, secret;
  std::string session_token;  // of temporary credentials; empty: none
};

using Fields = std::vector<std::pair<std::string, std::string>>;

// What is signed of a request.
struct RequestToSign {
  std::string method;          // "GET"
  std::string path;            // not encoded, begins with '/'
  Fields query;                // not encoded, in any order
  Fields headers;              // names in lower case, in any order; `host` must be among them
  std::string payload_sha256;  // 64 hex digits
};

struct Scope {
  std::string region, service = "s3";
};

// All but letters, digits and "-._~" as %XX; '/' too, unless it is kept.
std::string percent_encode(std::string_view text, bool keep_slash);
// "a=1&b=2", encoded and sorted. The same text belongs into the URL.
std::string canonical_query(const Fields& query);
std::string canonical_request(const RequestToSign& request);
// The value of the header Authorization. `timestamp` is also the value of x-amz-date: "20130524T000000Z".
std::string authorization(const RequestToSign& request, const Credentials& credentials, const Scope& scope,
                          std::string_view timestamp);
std::string timestamp_of(std::chrono::system_clock::time_point time);

// SHA-256 of bytes that come in pieces. One thread.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(ByteView piece);
  std::string hex();  // once, at the end

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> state_;
};
std::string sha256_hex(ByteView bytes);

}  // namespace frond::objects
