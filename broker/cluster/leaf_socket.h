#pragma once
// One leaf's DEALER socket on the broker's Asio loop: it connects, connects again, sends frames and receives them. It
// knows nothing of what frames mean. Its loop's thread only.
//
// ZeroMQ restores a lost connection by itself, but not after the leaf has refused a handshake, and it never hears that
// the leaf's name leads elsewhere or that the leaf ignores this broker's key. So the owner calls look_after() with
// every hello; the socket connects again where that is needed.
#include <zmq.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "broker/cluster/connection_monitor.h"
#include "broker/cluster/leaf_address.h"
#include "broker/cluster/timer_queue.h"
#include "common/base/bytes.h"
#include "common/base/log.h"
#include "common/wire/curve_keys.h"

namespace frond::broker::cluster {

class LeafSocket {
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
  // What the sockets of one thread share.
  struct Shared {
    boost::asio::io_context& io;
    TimerQueue& timers;
    Logger& log;
    zmq::context_t context{1};
    HandshakeFailures failures{};
    std::uint64_t sockets = 0;  // made so far
  };
  struct Keys {
    const wire::CurveKeyPair& broker;
    const wire::CurvePublicKey& leaf;
  };

  // Throws zmq::error_t.
  LeafSocket(Shared& shared, std::string endpoint, bool curve);
  ~LeafSocket() { detach(); }
  LeafSocket(const LeafSocket&) = delete;
  LeafSocket& operator=(const LeafSocket&) = delete;

  // Begins to connect; once. `receiver` contains this socket. There is room for `max_frames` frames each way. Throws
  // zmq::error_t for a bad address.
  void open(std::weak_ptr<Receiver> receiver, std::size_t max_frames, const std::optional<Keys>& curve);
  // Ends the connection; the receiver is not called any more.
  void close();

  // False: not connected.
  bool send(const ByteBuffer& frame);
  // Connects again if ZeroMQ will not do so by itself. Call it with every hello, whatever state the leaf is in.
  void look_after();
  // A hello had no reply by its deadline: after some in a row the socket connects again.
  void count_silent_hello() { ++silent_hellos_; }
  // Why send() fails, for people.
  std::string why_not_connected() const;
  bool looking_up() const { return address_.looking_up(); }

 private:
  void detach();
  void connect_again(const std::string& before);
  void look_up();
  bool connected() const { return (socket_.get(zmq::sockopt::events) & ZMQ_POLLOUT) != 0; }
  void wait();
  void pump_soon();
  void pump();

  boost::asio::io_context& io_;
  TimerQueue& timers_;
  Logger& log_;
  const std::string endpoint_;
  LeafAddress address_;
  zmq::socket_t socket_;
  ConnectionMonitor monitor_;
  boost::asio::posix::stream_descriptor readable_;
  std::weak_ptr<Receiver> receiver_;
  Instant connect_again_{};  // not before
  unsigned silent_hellos_ = 0;
  bool pump_posted_ = false, closed_ = false;
};

}  // namespace frond::broker::cluster
