#pragma once
// A server's certificate, with its chain, and private key, from PEM files that may be replaced while it runs (as
// cert-manager and kubelet do). New connections get the newest valid pair; open connections keep theirs. open()
// may be called from any thread, the rest from one thread.
#include <chrono>
#include <memory>
#include <string>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/tls/channel.h"

extern "C" {
struct ssl_ctx_st;
}

namespace frond::tls {

class ServerIdentity {
 public:
  // Reads both files. kInvalid names the file and the fault: missing, no PEM certificate or key, a key with a pass
  // phrase, a key of another certificate. An expired certificate is accepted; see expires().
  static Result<std::unique_ptr<ServerIdentity>> load(std::string certificate_file, std::string key_file);
  ~ServerIdentity();

  // Reads both files again. True: a new pair is in use; false: nothing has changed. Error: the files have changed and
  // are not valid; the old pair stays, and the error is reported once for each change. Compares contents, not times.
  Result<bool> refresh();
  // When the certificate in use expires.
  std::chrono::system_clock::time_point expires() const { return expires_; }
  // The server's side of a connection over `socket`, which must outlive it.
  std::unique_ptr<Channel> open(int socket) const;

 private:
  ServerIdentity(std::string certificate_file, std::string key_file);
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  std::string certificate_file_, key_file_;
  std::string seen_;  // a digest of the files as they were last read
  mutable Mutex mutex_;
  std::unique_ptr<ssl_ctx_st, Free> context_ FROND_GUARDED_BY(mutex_);
  std::chrono::system_clock::time_point expires_;
};

}  // namespace frond::tls
