#pragma once
// One leaf's connection on the broker's Asio loop: it connects, connects again, sends frames and receives them. It
// speaks ZMTP as a DEALER (common/zmtp), and knows nothing of what frames mean. Its loop's thread only.
//
// A lost connection is restored by itself. What the socket cannot notice is that the leaf ignores this broker's key,
// or that the name leads elsewhere: so the owner calls look_after() with every hello.
//
// Seam: LeafConnection. Implementations: LeafSocket, and one in virtual time (tests/simulation).
//
// A leaf may send anything: a frame larger than kMaxMessageBytes or not as ZMTP has it ends the connection, frames are
// handed on as they come, and what is to be sent is limited.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "broker/cluster/leaf_dns.h"
#include "broker/cluster/timer_queue.h"
#include "common/base/bytes.h"
#include "common/base/log.h"
#include "common/net/local_address.h"
#include "common/wire/curve_keys.h"
#include "common/zmtp/connection.h"

namespace frond::broker::cluster {

// Failed handshakes since start, by cause.
struct HandshakeFailures {
  std::uint64_t key_refused = 0;  // the leaf refused this broker's key
  std::uint64_t mechanism = 0;    // only one side uses CURVE
  std::uint64_t closed = 0;       // the leaf closed the connection: its key is another one, or it takes no more
  std::uint64_t protocol = 0;     // the peer did not send a ZeroMQ handshake, or not in time
};

class LeafConnection {
 public:
  // The owner, which the socket's pending handlers keep alive. Its functions may call close().
  class Receiver {
   public:
    virtual ~Receiver() = default;
    // `frame` is valid during the call, at any alignment.
    virtual void on_frame(ByteView frame) = 0;
    // The connection was lost: no reply to anything sent so far will come.
    virtual void on_lost() = 0;
  };

  virtual ~LeafConnection() = default;
  // Begins to connect; once. `receiver` contains this connection.
  virtual void open(std::weak_ptr<Receiver> receiver) = 0;
  // Ends the connection; the receiver is not called any more.
  virtual void close() = 0;
  // False: not connected.
  virtual bool send(ByteView frame) = 0;
  // Connects again if that needs more than waiting. Call it with every hello, whatever state the leaf is in.
  virtual void look_after() = 0;
  // A hello had no reply by its deadline: after some in a row the socket connects again.
  virtual void count_silent_hello() = 0;
  // Why send() fails, for people.
  virtual std::string why_not_connected() const = 0;
  virtual bool looking_up() const = 0;
};

class LeafSocket final : public LeafConnection, public zmtp::Connection::Owner {
 public:
  // What the sockets of one thread share.
  struct Shared {
    boost::asio::io_context& io;
    TimerQueue& timers;
    Logger& log;
    zmtp::Connection::Shared connections{};
    HandshakeFailures failures{};
  };
  struct Keys {
    const wire::CurveKeyPair& broker;
    const wire::CurvePublicKey& leaf;
  };

  // The keys outlive it.
  LeafSocket(Shared& shared, std::string endpoint, const std::optional<Keys>& curve);
  ~LeafSocket() override { close(); }
  LeafSocket(const LeafSocket&) = delete;
  LeafSocket& operator=(const LeafSocket&) = delete;

  void open(std::weak_ptr<Receiver> receiver) override;
  void close() override;
  bool send(ByteView frame) override;
  void look_after() override;
  void count_silent_hello() override { ++silent_hellos_; }
  std::string why_not_connected() const override;
  bool looking_up() const override { return address_.looking_up(); }

 private:
  void on_ready(zmtp::Connection&) override;
  void on_message(zmtp::Connection&, ByteView message) override;
  void on_end(zmtp::Connection& connection, zmtp::End end, zmtp::Trouble trouble) override;

  void connect();
  void connected(net::Socket attempt);
  void connect_again_after(std::chrono::milliseconds wait);
  void connect_anew();
  void count_failure(zmtp::End end, zmtp::Trouble trouble);
  void disconnect();
  void tick();
  void look_up();
  // Runs `action` after `wait`, unless another one is set before, or the socket is closed.
  void set_timer(std::chrono::milliseconds wait, void (LeafSocket::*action)());
  bool is_connected() const { return connection_ && connection_->ready(); }

  Shared& shared_;
  const std::string endpoint_;
  LeafAddress address_;
  std::weak_ptr<Receiver> receiver_;
  std::optional<Keys> curve_;
  std::shared_ptr<net::Socket> connecting_;  // an attempt is under way
  std::shared_ptr<zmtp::Connection> connection_;
  std::optional<TimerQueue::Id> timer_;
  std::string why_;                 // the last attempt failed; empty: it did not
  std::chrono::milliseconds wait_;  // before the next attempt
  Instant anew_from_{};             // a connection that seems good is not given up before
  unsigned silent_hellos_ = 0;
  bool flush_posted_ = false, closed_ = false;
};

}  // namespace frond::broker::cluster
