#pragma once
// One side of a ZMTP 3 connection, without its socket: the peer's bytes go in, messages and the bytes to send come out.
// A message is one frame; messages of several frames are dropped. PING is answered. One thread at a time.
//
// Takes any bytes. Holds at most one frame of the peer that is not complete, and what one call of take() left; memory
// for it is allocated as its bytes come, and freed when there are none.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "common/base/bytes.h"

namespace frond::zmtp {

// What is wrong with a peer's bytes.
enum class Trouble {
  kNone,
  kNotZmtp,    // the greeting is not one of ZMTP 3
  kMechanism,  // the peer's greeting names another mechanism
  kProtocol,   // a frame or command is malformed, too large, or not expected now
  kKeys,       // a box does not open: the peer expects another key, or lacks the key that it claims to have
  kRefused,    // the listening side does not accept the other one's key
};

// Bits of a frame's first byte.
inline constexpr std::uint8_t kMore = 1, kLong = 2, kCommand = 4;
enum class Role { kRouter, kDealer };  // the one that listens, the one that connects

// Seam: how two peers of ZMTP 3 (ZeroMQ RFC 23) agree after their greetings, and what frames look like from then on.
// Implementations: NULL (plain text) and CURVE (RFC 26, encrypted), of a ROUTER that listens and of a DEALER that
// connects. One thread at a time. Takes any bytes of the peer.
class Mechanism {
 public:
  virtual ~Mechanism() = default;
  virtual std::string_view name() const = 0;  // in the greeting
  virtual Role role() const = 0;
  // Bytes by which a frame's body is longer than the message in it, at most.
  virtual std::size_t overhead() const = 0;

  // The body of the command that is sent once the peer's greeting is there; empty: none.
  virtual ByteBuffer open() = 0;
  // Takes the body of a handshake's command. `answer` becomes the body of the command to send then, also for
  // kRefused; empty: none.
  virtual Trouble take(ByteView command, ByteBuffer& answer) = 0;
  virtual bool done() const = 0;

  // After the handshake. Appends a whole frame to `out`; of `flags`, kMore and kCommand count.
  virtual void seal(std::uint8_t flags, ByteView body, ByteBuffer& out) = 0;
  // Replaces what was received by what was meant; `body` may then point into `room`.
  virtual Trouble unseal(std::uint8_t& flags, ByteView& body, ByteBuffer& room) = 0;
};

std::unique_ptr<Mechanism> null_mechanism(Role role);

// Appends a frame's flags and length. The body follows.
void put_frame_head(std::uint8_t flags, std::size_t body_bytes, ByteBuffer& out);
// Appends a command's name.
void put_name(std::string_view name, ByteBuffer& out);
// Removes a command's name from the front; false: it has another one.
bool take_name(std::string_view name, ByteView& command);
// Appends the properties of a peer of this role.
void put_metadata(Role role, ByteBuffer& out);
// Whether these are well-formed properties of the other role's peer.
bool is_metadata_for(Role role, ByteView metadata);

class Conversation {
 public:
  // False: stop here, the conversation is over. The bytes are valid during the call, at any alignment.
  using OnMessage = std::function<bool(ByteView)>;

  // `max_message_bytes`: of a message of the peer; a longer one is kProtocol.
  Conversation(std::unique_ptr<Mechanism> mechanism, std::size_t max_message_bytes);

  // Takes the next bytes of the peer, and handles at most `max_frames`; while paused(), call it again without bytes.
  // After any Trouble the conversation is over, but what unsent() has may be sent.
  Trouble take(ByteView bytes, int max_frames, const OnMessage& on_message);
  bool paused() const { return paused_; }
  // The handshake is done: messages may be sent.
  bool ready() const { return state_ == State::kMessages; }

  // Append to what is to be sent; only when ready().
  void put_message(ByteView message) { put(0, message); }
  void put_ping();

  ByteView unsent() const { return ByteView(out_).subspan(sent_); }
  void sent(std::size_t bytes);  // of unsent(), from its front
  // Bytes of the peer that are kept for later.
  std::size_t kept() const { return kept_.size() - used_; }
  // Memory of all buffers.
  std::size_t held() const { return kept_.capacity() + out_.capacity() + opened_.capacity(); }

 private:
  enum class State { kGreeting, kHandshake, kMessages };

  Trouble take_all(ByteView bytes, std::size_t& used, int max_frames, const OnMessage& on_message);
  Trouble take_greeting(ByteView greeting);
  Trouble take_frame(std::uint8_t flags, ByteView body, const OnMessage& on_message);
  Trouble take_command(ByteView body);
  void keep(ByteView rest);
  void put(std::uint8_t flags, ByteView body);
  void put_command(ByteView body);

  const std::unique_ptr<Mechanism> mechanism_;
  const std::size_t max_message_bytes_;
  State state_ = State::kGreeting;
  bool paused_ = false, over_ = false;
  bool dropping_ = false;  // the frames of a message of several
  ByteBuffer kept_;        // of the peer, from used_ on
  std::size_t used_ = 0;
  ByteBuffer out_, opened_;  // to send, from sent_ on; a message that was sealed
  std::size_t sent_ = 0;
};

}  // namespace frond::zmtp
