#pragma once
// Who a server is: its certificate, with the chain behind it, and its private key, from PEM files that may be replaced
// while it runs (cert-manager and kubelet do so). New connections get the newest pair that was good; those that are
// open keep theirs. One thread.
#include <chrono>
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/tls/channel.h"

extern "C" {
struct ssl_ctx_st;
}

namespace frond::tls {

class ServerIdentity {
 public:
  // Reads both. kInvalid names the file and says what is wrong: not there, no PEM certificate or key, a key with a pass
  // phrase, a key of another certificate. A certificate that is out of date is taken: expires() tells.
  static Result<std::unique_ptr<ServerIdentity>> load(std::string certificate_file, std::string key_file);
  ~ServerIdentity();

  // Reads both files again. False: nothing new. True: a new pair is in use. An error, once for each change of the
  // files: the new ones are no good, and the old pair stays. Compares contents, not times: it reads some kilobytes.
  Result<bool> refresh();
  // When the certificate in use ends.
  std::chrono::system_clock::time_point expires() const { return expires_; }
  // The server's side of a connection over `socket`, which outlives it.
  std::unique_ptr<Channel> open(int socket) const;

 private:
  ServerIdentity(std::string certificate_file, std::string key_file);
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  std::string certificate_file_, key_file_;
  std::string seen_;  // a digest of the files as they were last looked at
  std::unique_ptr<ssl_ctx_st, Free> context_;
  std::chrono::system_clock::time_point expires_;
};

}  // namespace frond::tls
