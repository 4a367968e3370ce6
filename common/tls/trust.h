#pragma once
// Whom a client believes to be who it says: the authorities of a PEM file, or the system's.
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
  // The authorities of `ca_file`; the system's where it is empty. kInvalid names the file and what is wrong with it.
  static Result<std::shared_ptr<const Trust>> load(const std::string& ca_file);
  ~Trust();

  // The client's side of a connection over `socket`, which outlives it. Its handshake fails unless the server shows a
  // certificate of a trusted authority for `host`, a name or an address.
  std::unique_ptr<Channel> open(int socket, const std::string& host) const;

 private:
  explicit Trust(ssl_ctx_st* owned);
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  std::unique_ptr<ssl_ctx_st, Free> context_;
};

}  // namespace frond::tls
