#pragma once
// A server's certificate, with its chain, and private key, from PEM files that may be replaced while it runs (as
// cert-manager and kubelet do). New connections get the newest valid pair; open connections keep theirs. open()
// may be called from any thread, the rest from one thread.
#include <array>
#include <chrono>
#include <memory>
#include <string>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/tls/channel.h"
#include "common/tls/digest.h"

extern "C" {
struct ssl_ctx_st;
}

namespace frond::tls {

struct FreeContext {
  void operator()(ssl_ctx_st* context) const;
};

class ServerIdentity {
 public:
  // Reads both files. kInvalid names the file and the fault: missing, no PEM certificate or key, a key with a pass
  // phrase, a key of another certificate. An expired certificate is accepted; see expires().
  static Result<std::unique_ptr<ServerIdentity>> load(std::string certificate_file, std::string key_file);

  // Reads both files again. True: a new pair is in use; false: nothing has changed. Error: the files have changed and
  // are not valid; the old pair stays, and the error is reported once for each change. Compares contents, not times.
  Result<bool> refresh();
  // When the certificate in use expires.
  std::chrono::system_clock::time_point expires() const { return expires_; }
  // The server's side of a connection over `socket`, which must outlive it.
  std::unique_ptr<Channel> open(int socket) const;

 private:
  ServerIdentity(std::string certificate_file, std::string key_file);
  std::string certificate_file_, key_file_;
  std::array<Sha256, 2> seen_{};  // of the files as they were last read
  mutable Mutex mutex_;
  std::unique_ptr<ssl_ctx_st, FreeContext> context_ FROND_GUARDED_BY(mutex_);
  std::chrono::system_clock::time_point expires_;
};

// The certificate authorities that a client trusts: those of a PEM file, or the system's. Immutable: any thread.
class Trust {
 public:
  // The authorities in `ca_file`; the system's if it is empty. kInvalid names the file and the fault.
  static Result<std::shared_ptr<const Trust>> load(const std::string& ca_file);

  // The client's side of a connection over `socket`, which must outlive it. Its handshake fails unless the server has a
  // certificate from a trusted authority for `host`, a name or an address.
  std::unique_ptr<Channel> open(int socket, const std::string& host) const;

 private:
  explicit Trust(ssl_ctx_st* owned) : context_(owned) {}
  std::unique_ptr<ssl_ctx_st, FreeContext> context_;
};

}  // namespace frond::tls
