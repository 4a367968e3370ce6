#pragma once
// Where the keys to an object store come from: a file, which may be a mounted Kubernetes Secret, or the environment.
// They are never in a flag, a log line or a message.
#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/objects/signature.h"

namespace frond::objects {

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
