#pragma once
// One TLS connection over a connected TCP socket that the caller owns, blocking or not; made by a ServerIdentity or a
// Trust. The Channel reads and writes the socket itself and never closes it; the caller waits for it where a step says
// so, then repeats the step. One thread at a time.
//
// TLS 1.2 or 1.3 (RFC 8446), ALPN http/1.1, no compression, no renegotiation, no early data. Memory is bounded by one
// record each way, and is given back while nothing is in transit.
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

extern "C" {
struct ssl_st;
}

namespace frond::tls {

struct Step {
  // kWantRead, kWantWrite: nothing moved; repeat when the socket is readable or writable, or give up if it is blocking:
  // its own timeout has passed. kClosed: the peer has said, under TLS, that it sends no more. kFailed: see error();
  // also where the connection ended without that word, which may be an attacker's cut.
  enum class Status { kDone, kWantRead, kWantWrite, kClosed, kFailed };
  Status status = Status::kFailed;
  std::size_t bytes = 0;  // of a read or write that is kDone, at least one
};

class Channel {
 public:
  explicit Channel(ssl_st* owned) : ssl_(owned) {}  // for ServerIdentity and Trust
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Until kDone; then reads and writes may begin.
  Step handshake();
  // Fills the front of `to`, which is not empty.
  Step read(std::span<char> to);
  // Takes bytes from the front of `from`, which is not empty. A repeated write brings at least the same bytes again.
  Step write(std::string_view from);
  // True: read() may have something although the socket is not readable.
  bool has_pending() const;
  // Tells the peer that no more comes, as far as the socket takes it at once.
  void say_end();
  // What the last kFailed was, for people: "the certificate is not for this host name".
  const std::string& error() const { return error_; }
  // "TLSv1.3 TLS_AES_256_GCM_SHA384", after the handshake.
  std::string description() const;

 private:
  Step outcome(int returned, std::size_t bytes);
  struct Free {
    void operator()(ssl_st* ssl) const;
  };
  std::unique_ptr<ssl_st, Free> ssl_;
  std::string error_;
};

}  // namespace frond::tls
