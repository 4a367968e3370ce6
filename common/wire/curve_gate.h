#pragma once
// Decides which brokers may connect with CURVE: those whose public key is in a list. Used in this folder only; others
// use router_socket.h. Any thread.
//
// The gate has a thread of its own ("leaf-curve"), which reads the list again every second, so that a slow disk does
// not delay requests. A key that has left the list keeps its connections, but their requests are ignored; a new
// handshake tells the broker why.
#include <atomic>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "common/base/complaint.h"
#include "common/base/deadline.h"
#include "common/wire/peer_limits.h"
#include "common/wire/router_socket.h"
#include "common/zmtp/curve.h"

namespace frond::wire {

class CurveGate {
 public:
  CurveGate(const RouterSocket::Curve& curve, Logger* log);
  CurveGate(const CurveGate&) = delete;
  CurveGate& operator=(const CurveGate&) = delete;

  // For one connection from `address`. Sets `key`, which outlives the handshake, to the peer's public key in Z85 when
  // the list has it.
  std::unique_ptr<zmtp::Mechanism> mechanism(std::string address, std::string& key);
  // Whether the list has the key now. If not, a request is counted as ignored.
  bool still_lets_in(std::string_view key);
  // A handshake ended before the peer's key was known.
  void count_failed(zmtp::Trouble trouble, std::string_view address);
  CurveCounters counters() const;
  // When the thread's loop last turned.
  Instant turned() const { return Instant(Instant::duration(turned_.load(std::memory_order_relaxed))); }

 private:
  bool lets_in(const zmtp::CurveKey& peer, const std::string& address, std::string& key);
  void run(const std::stop_token& stop);
  void refresh();

  const zmtp::CurvePair keys_;
  CurveClients& clients_;
  Logger* const log_;
  std::atomic<std::uint64_t> accepted_{0}, refused_{0}, failed_{0}, revoked_{0};
  std::atomic<Instant::rep> turned_;
  Complaint refusals_, failures_;
  std::jthread thread_;  // last: ends first
};

}  // namespace frond::wire
