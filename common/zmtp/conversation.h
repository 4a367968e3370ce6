#pragma once
// One side of a ZMTP 3 connection, without its socket: the peer's bytes go in, messages and the bytes to send come out.
// A message is one frame; messages of several frames are dropped. PING is answered. One thread at a time.
//
// Takes any bytes. Holds at most one frame of the peer that is not complete, and what one call of take() left; memory
// for it is allocated as its bytes come, and freed when there are none.
#include <cstddef>
#include <functional>
#include <memory>

#include "common/base/bytes.h"
#include "common/zmtp/mechanism.h"

namespace frond::zmtp {

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
