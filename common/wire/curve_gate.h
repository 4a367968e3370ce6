#pragma once
// Lets brokers in, or not: libzmq's question about each CURVE handshake (ZAP, ZeroMQ RFC 27) answered from a list of
// public keys. Inside this folder only: router_socket.h is what others use.
//
// A thread of its own ("leaf-curve"), so that neither the disk nor a flood of handshakes keeps requests waiting. It
// reads the list again every second. It ends when the context does.
//
// libzmq lets everybody in where nobody answers, so a gate is there before its socket is bound and until it is closed.
// It can't close a connection from outside either, so the socket's owner hears only messages whose key (kKeyProperty)
// is in the list now: that shuts out keys that have left it.
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

// The property of a received message that is its peer's public key, in Z85: the user id of ZAP.
inline constexpr const char* kKeyProperty = "User-Id";

// The answer to one ZAP request.
struct ZapAnswer {
  std::string status;    // "200": let in; "400": not in the list; "500": not a question that we understand
  std::string reason;    // for "200" nothing
  std::string user_key;  // Z85, where there was a key; with "200" libzmq puts it on every message of the connection
};
// `request`: the frames from the version on. The key was proven by the handshake; its size and all else is checked
// here.
ZapAnswer answer_zap(const std::vector<std::string>& request, const CurvePublicKeys& let_in);

class CurveGate {
 public:
  // Opens the gate of `context`, one at most, before the socket that it guards is bound. `log` may be null. Throws
  // zmq::error_t.
  CurveGate(zmq::context_t& context, CurveClients& clients, Logger* log);
  // The context was closed before, which ends the thread.
  ~CurveGate();
  CurveGate(const CurveGate&) = delete;
  CurveGate& operator=(const CurveGate&) = delete;

  // Makes `socket`, not bound yet, one that only speaks CURVE and asks this gate. Once. Throws zmq::error_t.
  void guard(zmq::socket_t& socket, const CurveKeyPair& keys);
  CurveCounters counters() const;
  // When the thread's loop last turned. Any thread.
  Instant turned() const { return Instant(Instant::duration(turned_.load(std::memory_order_relaxed))); }
  void count_revoked() { revoked_.fetch_add(1, std::memory_order_relaxed); }

 private:
  // At most one line of a kind in ten seconds, and in it how many there were.
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
