#pragma once
// The certificate authorities that a client trusts: those of a PEM file, or the system's.
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/tls/channel.h"

extern "C" {
struct ssl_ctx_st;
}

namespace frond::tls {

// Immutable: any thread.
class Trust {
 public:
  // The authorities in `ca_file`; the system's if it is empty. kInvalid names the file and the fault.
  static Result<std::shared_ptr<const Trust>> load(const std::string& ca_file);
  ~Trust();

  // The client's side of a connection over `socket`, which must outlive it. Its handshake fails unless the server has a
  // certificate from a trusted authority for `host`, a name or an address.
  std::unique_ptr<Channel> open(int socket, const std::string& host) const;

 private:
  explicit Trust(ssl_ctx_st* owned);
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  std::unique_ptr<ssl_ctx_st, Free> context_;
};

}  // namespace frond::tls
