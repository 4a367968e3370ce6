#pragma once
// Seam: how two peers of ZMTP 3 (ZeroMQ RFC 23) agree after their greetings, and what frames look like from then on.
// Implementations: NULL (plain text) and CURVE (RFC 26, encrypted), of a ROUTER that listens and of a DEALER that
// connects. One thread at a time. Takes any bytes of the peer.
#include <cstddef>
#include <cstdint>
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

// Parts of commands and frames.

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

}  // namespace frond::zmtp
