#pragma once
// Requests signed with AWS Signature Version 4, as object stores expect them.
// Source: "Authenticating Requests (AWS Signature Version 4)" of the Amazon S3 API reference.
// Any thread; no state.
#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/mutex.h"
#include "common/base/result.h"

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

// For percent_encoded(), of paths.
inline constexpr std::string_view kPlainInPaths = "-._~/";
// "a=1&b=2", encoded and sorted. The same text belongs into the URL.
std::string canonical_query(const Fields& query);
std::string canonical_request(const RequestToSign& request);
// The value of the header Authorization. `timestamp` is also the value of x-amz-date: "20130524T000000Z".
std::string authorization(const RequestToSign& request, const Credentials& credentials, const Scope& scope,
                          std::string_view timestamp);
std::string sha256_hex(ByteView bytes);

// Where the keys to an object store come from: a file, which may be a mounted Kubernetes Secret, or the environment.
// They are never in a flag, a log line or a message.
// The section [default] of a credentials file, or what stands before any section:
//   aws_access_key_id = …
//   aws_secret_access_key = …
//   aws_session_token = …      (optional)
// Lines that begin with '#' or ';' and other names are passed over. Any bytes are safe. kInvalid names what is missing
// or malformed, without the file's content.
Result<Credentials> parse_credentials(std::string_view text);

// Any thread.
class CredentialSource {
 public:
  // Reads them from `file`; from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN if it is empty.
  explicit CredentialSource(std::filesystem::path file) : file_(std::move(file)) {}

  // A file is read again when ten seconds have passed, so that a Secret can be rotated; if it is bad then, the last
  // good credentials stay. kInvalid: there are none.
  Result<Credentials> get() const;

 private:
  Result<Credentials> read() const;
  const std::filesystem::path file_;
  mutable Mutex mutex_;
  mutable Credentials last_ FROND_GUARDED_BY(mutex_);
  mutable std::chrono::steady_clock::time_point read_at_ FROND_GUARDED_BY(mutex_);
  mutable bool known_ FROND_GUARDED_BY(mutex_) = false;
};

}  // namespace frond::objects
