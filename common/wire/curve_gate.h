#pragma once
// Decides which brokers may connect: answers libzmq's authentication requests (ZAP, ZeroMQ RFC 27) for CURVE handshakes
// from a list of public keys. Used in this folder only; others use router_socket.h.
//
// The gate has a thread of its own ("leaf-curve"), so that neither the disk nor many handshakes delay requests. It
// reads the list again every second, and ends when the context is closed.
//
// libzmq accepts every peer while no one answers its requests; so the gate opens before the socket is bound and stays
// until it is closed. libzmq cannot close a connection on request, so the socket's owner ignores messages whose key
// (kKeyProperty) is not in the list now: that shuts out peers whose key was removed.
#include <zmq.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/log.h"
#include "common/wire/curve_clients.h"
#include "common/wire/curve_keys.h"
#include "common/wire/router_socket.h"

namespace frond::wire {

// The property of a received message that holds its peer's public key in Z85 (ZAP's user id).
inline constexpr const char* kKeyProperty = "User-Id";

// The answer to one ZAP request.
struct ZapAnswer {
  std::string status;    // "200": accepted; "400": not in the list; "500": not a valid request
  std::string reason;    // empty for "200"
  std::string user_key;  // Z85; empty if the request has no key. libzmq puts it on every message of the connection
};
// `request`: the frames from the version on. The handshake has proven that the peer owns the key; everything else in
// the request, the key's size included, is checked here.
ZapAnswer answer_zap(const std::vector<std::string>& request, const CurvePublicKeys& let_in);

class CurveGate {
 public:
  // Opens the gate of `context`, at most one, before the guarded socket is bound. `log` may be null. Throws
  // zmq::error_t.
  CurveGate(zmq::context_t& context, CurveClients& clients, Logger* log);
  // Close the context first: that ends the thread.
  ~CurveGate();
  CurveGate(const CurveGate&) = delete;
  CurveGate& operator=(const CurveGate&) = delete;

  // Makes `socket`, which is not bound yet, accept only CURVE and ask this gate. Call it once. Throws zmq::error_t.
  void guard(zmq::socket_t& socket, const CurveKeyPair& keys);
  CurveCounters counters() const;
  // When the thread's loop last turned. Any thread.
  Instant turned() const { return Instant(Instant::duration(turned_.load(std::memory_order_relaxed))); }
  void count_revoked() { revoked_.fetch_add(1, std::memory_order_relaxed); }

 private:
  // Logs at most one line of a kind in 10 s, with the number of events since the last line.
  struct Complaint {
    std::uint64_t unsaid = 0;
    std::chrono::steady_clock::time_point next{};
  };

  void run();
  void answer();
  void take_failures();
  void refresh();
  void complain(Complaint& complaint, std::string_view what, Logger::Fields fields);

  CurveClients& clients_;
  Logger* const log_;
  zmq::socket_t questions_, failures_;  // the thread's, which closes them
  std::atomic<std::uint64_t> accepted_{0}, refused_{0}, failed_{0}, revoked_{0};
  std::atomic<Instant::rep> turned_;
  Complaint refusals_, breaks_;
  std::thread thread_;
};

}  // namespace frond::wire
