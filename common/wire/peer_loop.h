#pragma once
// One thread of a leaf's socket, and the connections on it: their requests to the receiver, the replies of workers to
// them. Used in this folder only; others use router_socket.h.
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/base/mutex.h"
#include "common/net/local_address.h"
#include "common/wire/curve_gate.h"
#include "common/wire/peer_limits.h"
#include "common/wire/router_socket.h"
#include "common/zmtp/connection.h"

namespace frond::wire {

class PeerLoop {
 public:
  // What the loops of one socket share. All outlive the loops.
  struct Parts {
    const RouterSocket::Config& config;
    const Clock& clock;
    PeerLimits& limits;
    PeerCounts& counts;
    CurveGate* gate;                      // null: no CURVE
    std::atomic<std::uint64_t>& dropped;  // replies
    const std::vector<std::unique_ptr<PeerLoop>>& loops;
  };
  PeerLoop(const Parts& parts, unsigned number);
  ~PeerLoop();
  PeerLoop(const PeerLoop&) = delete;
  PeerLoop& operator=(const PeerLoop&) = delete;

  boost::asio::io_context& io() { return io_; }
  void start(RouterSocket::Receiver receiver, RouterSocket::Gone gone);
  // All of these from any thread.
  void adopt(net::Socket socket, std::shared_ptr<PeerLimits::Place> place, std::string address);
  // Closes the connection of this place, if this loop has it.
  void close(std::uint64_t place, PeerOutcome outcome);
  bool send(const Peer& peer, ByteBuffer reply);
  // Takes no more replies; ends the thread once those taken are sent, at `deadline` at the latest.
  void begin_stop(Instant deadline);
  void join();
  Instant turned() const { return Instant(Instant::duration(turned_.load(std::memory_order_relaxed))); }
  // The loop that `peer` is on, by its number.
  static unsigned number_of(const Peer& peer) { return peer.empty() ? 0 : static_cast<unsigned char>(peer[0]); }

 private:
  class Connected;
  struct Pending {
    Peer peer;
    ByteBuffer bytes;
  };

  Peer name_of(std::uint64_t place) const;
  void arm();
  void tick();
  bool deliver(const Pending& reply);
  bool deliver_now(const Pending& reply);
  void send_pending();
  void overfull();
  void trim();
  void remove(const Peer& peer);
  void close_all();
  bool stopped();
  void drop() { parts_.dropped.fetch_add(1, std::memory_order_relaxed); }

  const Parts parts_;
  const unsigned number_;
  // The thread's, as is all that follows up to the mutex.
  zmtp::Connection::Shared shared_;  // before io_, whose handlers hold connections
  boost::asio::io_context io_{1};
  boost::asio::steady_timer timer_{io_};
  RouterSocket::Receiver receiver_;
  RouterSocket::Gone gone_;
  std::unordered_map<Peer, std::unique_ptr<Connected>> peers_;
  std::vector<Pending> sending_;  // empty, but keeps its memory
  std::vector<std::shared_ptr<zmtp::Connection>> written_;
  Peer reading_;                           // whose request the receiver has; empty: none
  bool armed_ = false, trimming_ = false;  // the timer is set; trim() is posted
  std::atomic<Instant::rep> turned_;
  Mutex mutex_;
  std::vector<Pending> pending_ FROND_GUARDED_BY(mutex_);
  std::size_t pending_bytes_ FROND_GUARDED_BY(mutex_) = 0;
  bool stopping_ FROND_GUARDED_BY(mutex_) = false;
  Instant stop_at_ FROND_GUARDED_BY(mutex_) = Instant::max();
  std::thread thread_;
};

}  // namespace frond::wire
