#pragma once
// A Conversation over a TCP or Unix domain socket, on an Asio loop. Keeps the connection alive with PING each second,
// and ends it when the peer breaks the protocol, is silent, does not finish its handshake or does not read. Its loop's
// thread only.
//
// Input is never stopped: what arrives is handed on at once, a few messages a turn of the loop, which connections that
// have more share, so that no peer keeps others waiting. What is to be sent is limited; more is refused.
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>

#include <boost/asio/generic/stream_protocol.hpp>

#include "common/base/bytes.h"
#include "common/base/deadline.h"
#include "common/zmtp/conversation.h"

namespace frond::zmtp {

// Why a connection has ended.
enum class End {
  kLost,       // the peer closed it, or it broke
  kTrouble,    // the peer's bytes are wrong; see Trouble
  kHandshake,  // no handshake in time
  kSilent,     // nothing came for the heartbeat's timeout
  kStalled,    // the peer has not read for some time
};

using Socket = boost::asio::generic::stream_protocol::socket;

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // Its functions but on_held() may call close() and send(), never from inside the connection's own send().
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void on_ready(Connection& connection) = 0;  // the handshake is done
    virtual void on_message(Connection& connection, ByteView message) = 0;
    // At most once, and the last call; not after close().
    virtual void on_end(Connection& connection, End end, Trouble trouble) = 0;
    // held() is another: 0 from inside close(), and before on_end(). Must not call the connection.
    virtual void on_held(std::size_t) {}
  };
  // What the connections of one loop share.
  struct Shared {
    std::array<std::byte, 64 << 10> scratch{};
    int paused = 0;  // connections that have more messages for the next turn
  };
  struct Limits {
    std::size_t max_message_bytes;              // of a message of the peer
    std::size_t max_unsent_bytes;               // with so many no more is taken; one message may exceed it
    std::chrono::milliseconds handshake{5000};  // the longest that it may take
    std::chrono::milliseconds heartbeat{1000};  // between PINGs
    std::chrono::milliseconds silence{4000};    // the longest without a byte of the peer
    std::chrono::milliseconds stall{10'000};    // the longest that unsent bytes may stay while the peer takes none
  };

  // `socket` is connected. `owner` outlives the connection or its close(), `shared` the loop's handlers.
  Connection(Socket socket, std::unique_ptr<Mechanism> mechanism, const Limits& limits, Owner& owner, Shared& shared,
             Instant now);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();
  bool ready() const { return conversation_.ready() && !closed_; }
  bool was_ready() const { return conversation_.ready(); }  // also once it has ended
  // Keeps the message until flush(). False: not ready(), or too much is unsent.
  bool send(ByteView message);
  // Sends as much as the network takes now; the rest follows by itself.
  void flush();
  // To be called about twice a second.
  void tick(Instant now);
  void close();

  Instant since() const { return since_; }
  Instant heard() const { return heard_; }  // when the last byte came, as of a tick
  std::size_t unsent() const { return conversation_.unsent().size(); }
  // Memory for what has arrived or is to be sent.
  std::size_t held() const { return closed_ ? 0 : conversation_.held(); }

 private:
  void wait();
  void read();
  void take(ByteView bytes);
  void count();
  void send_some();
  void end(End why, Trouble trouble = Trouble::kNone);

  Socket socket_;
  Conversation conversation_;
  const Limits limits_;
  Owner& owner_;
  Shared& shared_;
  std::size_t counted_ = 0;  // held(), as the owner knows it
  const Instant since_;
  Instant now_, heard_, pinged_, progress_;  // as of the last tick; of reading, PING and sending
  bool told_ready_ = false, writing_ = false, closed_ = false;
};

}  // namespace frond::zmtp
