#include "common/zmtp/conversation.h"

#include <algorithm>
#include <utility>

namespace frond::zmtp {
namespace {

constexpr std::size_t kGreetingBytes = 64, kMechanismAt = 12, kMechanismBytes = 20, kAsServerAt = 32;
constexpr std::byte kSignatureFirst{0xff}, kSignatureLast{0x7f}, kVersion{3};
constexpr std::size_t kMaxHandshakeBytes = 4096;  // of one command; libzmq's have some 300
constexpr std::size_t kMaxPingContext = 16;
constexpr std::size_t kMaxPongs = 64 << 10;  // bytes to send beyond which a PING is not answered
constexpr std::size_t kMaxHeadBytes = 9;
constexpr unsigned kPingTtl = 30;  // tenths of a second until the peer may take this side for dead

struct Head {
  std::uint8_t flags = 0;
  std::size_t bytes = 0;  // of the head; 0: incomplete
  std::uint64_t body = 0;
};

Head head_of(ByteView bytes) {
  Head head;
  if (bytes.empty()) return head;
  head.flags = static_cast<std::uint8_t>(bytes[0]);
  const std::size_t length = (head.flags & kLong) ? 8 : 1;
  if (bytes.size() < 1 + length) return head;
  for (const std::byte byte : bytes.subspan(1, length)) head.body = head.body << 8 | static_cast<std::uint64_t>(byte);
  head.bytes = 1 + length;
  return head;
}

// `bytes` from the front, which are none from then on.
void drop_front(ByteBuffer& buffer, std::size_t& bytes) {
  buffer.erase(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(std::exchange(bytes, 0)));
}

constexpr std::string_view kSocketType = "Socket-Type";

std::string_view type_of(Role role) { return role == Role::kRouter ? "ROUTER" : "DEALER"; }

void put_big_endian(std::uint64_t value, unsigned bytes, ByteBuffer& out) {
  while (bytes-- > 0) out.push_back(static_cast<std::byte>(value >> (8 * bytes)));
}

class NullMechanism final : public Mechanism {
 public:
  explicit NullMechanism(Role role) : role_(role) {}
  std::string_view name() const override { return "NULL"; }
  Role role() const override { return role_; }
  std::size_t overhead() const override { return 0; }

  ByteBuffer open() override {
    ByteBuffer ready;
    put_name("READY", ready);
    put_metadata(role_, ready);
    return ready;
  }
  Trouble take(ByteView command, ByteBuffer&) override {
    if (take_name("ERROR", command)) return Trouble::kRefused;
    done_ = take_name("READY", command) && is_metadata_for(role_, command);
    return done_ ? Trouble::kNone : Trouble::kProtocol;
  }
  bool done() const override { return done_; }

  void seal(std::uint8_t flags, ByteView body, ByteBuffer& out) override {
    put_frame_head(flags, body.size(), out);
    out.insert(out.end(), body.begin(), body.end());
  }
  Trouble unseal(std::uint8_t&, ByteView&, ByteBuffer&) override { return Trouble::kNone; }

 private:
  const Role role_;
  bool done_ = false;
};

}  // namespace

Conversation::Conversation(std::unique_ptr<Mechanism> mechanism, std::size_t max_message_bytes)
    : mechanism_(std::move(mechanism)), max_message_bytes_(max_message_bytes) {
  out_.resize(kGreetingBytes);
  out_[0] = kSignatureFirst;
  out_[9] = kSignatureLast;
  out_[10] = kVersion;
  const ByteView name = as_bytes(mechanism_->name());
  std::copy(name.begin(), name.end(), out_.begin() + kMechanismAt);
  out_[kAsServerAt] = std::byte{mechanism_->role() == Role::kRouter && mechanism_->name() != "NULL"};
}

Trouble Conversation::take(ByteView bytes, int max_frames, const OnMessage& on_message) {
  if (over_) return Trouble::kNone;
  std::size_t used = 0;
  Trouble trouble = Trouble::kNone;
  if (kept() == 0) {
    trouble = take_all(bytes, used, max_frames, on_message);
    keep(bytes.subspan(used));
  } else {
    if (!bytes.empty()) drop_front(kept_, used_);
    kept_.insert(kept_.end(), bytes.begin(), bytes.end());
    trouble = take_all(ByteView(kept_).subspan(used_), used, max_frames, on_message);
    used_ += used;
    if (kept() == 0) keep({});
  }
  opened_ = ByteBuffer();
  if (trouble != Trouble::kNone) over_ = true;
  if (over_) keep({});
  return trouble;
}

// Keeps `rest` instead of what was kept.
void Conversation::keep(ByteView rest) {
  used_ = 0;
  kept_ = ByteBuffer(rest.begin(), rest.end());
}

Trouble Conversation::take_all(ByteView bytes, std::size_t& used, int max_frames, const OnMessage& on_message) {
  paused_ = false;
  if (state_ == State::kGreeting) {
    if (const Trouble trouble = take_greeting(bytes); trouble != Trouble::kNone || bytes.size() < kGreetingBytes)
      return trouble;
    used = kGreetingBytes;
  }
  for (int frames = 0; !over_; ++frames) {
    const Head head = head_of(bytes.subspan(used));
    if ((head.flags & ~(kMore | kLong | kCommand)) != 0) return Trouble::kProtocol;
    if (head.bytes == 0) return Trouble::kNone;
    const std::size_t max = ready() ? max_message_bytes_ + mechanism_->overhead() : kMaxHandshakeBytes;
    if (head.body > max) return Trouble::kProtocol;
    if (bytes.size() - used - head.bytes < head.body) return Trouble::kNone;
    if (frames == max_frames) {
      paused_ = true;
      return Trouble::kNone;
    }
    const ByteView body = bytes.subspan(used + head.bytes, head.body);
    used += head.bytes + head.body;
    if (const Trouble trouble = take_frame(head.flags, body, on_message); trouble != Trouble::kNone) return trouble;
  }
  return Trouble::kNone;
}

// Checks as much as there is, so that a peer of another kind is not waited for.
Trouble Conversation::take_greeting(ByteView greeting) {
  const std::size_t size = greeting.size();
  if (size > 0 && greeting[0] != kSignatureFirst) return Trouble::kNotZmtp;
  if (size > 9 && (greeting[9] & std::byte{1}) == std::byte{0}) return Trouble::kNotZmtp;
  if (size > 10 && greeting[10] < kVersion) return Trouble::kNotZmtp;
  if (size < kGreetingBytes) return Trouble::kNone;
  const std::string_view name = as_text(greeting.subspan(kMechanismAt, kMechanismBytes));
  if (name.substr(0, name.find('\0')) != mechanism_->name()) return Trouble::kMechanism;
  state_ = State::kHandshake;
  if (const ByteBuffer command = mechanism_->open(); !command.empty()) put_command(command);
  return Trouble::kNone;
}

Trouble Conversation::take_frame(std::uint8_t flags, ByteView body, const OnMessage& on_message) {
  if (state_ == State::kHandshake) {
    if ((flags & kCommand) == 0 || (flags & kMore) != 0) return Trouble::kProtocol;
    ByteBuffer answer;
    const Trouble trouble = mechanism_->take(body, answer);
    if (!answer.empty()) put_command(answer);
    if (trouble == Trouble::kNone && mechanism_->done()) state_ = State::kMessages;
    return trouble;
  }
  if (const Trouble trouble = mechanism_->unseal(flags, body, opened_); trouble != Trouble::kNone) return trouble;
  if ((flags & kCommand) != 0) return take_command(body);
  const bool more = (flags & kMore) != 0;
  if (!more && !dropping_ && !on_message(body)) over_ = true;
  dropping_ = more;
  return Trouble::kNone;
}

// PING: its time to live in tenths of a second, and bytes to return. Other commands have no meaning here.
Trouble Conversation::take_command(ByteView body) {
  if (body.empty() || body.size() < 1 + static_cast<std::size_t>(body[0])) return Trouble::kProtocol;
  if (!take_name("PING", body)) return Trouble::kNone;
  if (body.size() < 2) return Trouble::kProtocol;
  if (unsent().size() > kMaxPongs) return Trouble::kNone;
  body = body.subspan(2);
  ByteBuffer pong;
  put_name("PONG", pong);
  pong.insert(pong.end(), body.begin(),
              body.begin() + static_cast<std::ptrdiff_t>(std::min(body.size(), kMaxPingContext)));
  put(kCommand, pong);
  return Trouble::kNone;
}

// What was sent makes room. More is allocated in proportion to what is unsent.
void Conversation::put(std::uint8_t flags, ByteView body) {
  const std::size_t more = kMaxHeadBytes + mechanism_->overhead() + body.size();
  if (out_.size() + more > out_.capacity()) {
    drop_front(out_, sent_);
    const std::size_t kept = out_.size();
    if (kept + std::max(more, kept / 4) > out_.capacity()) out_.reserve(kept + std::max(more, kept / 2));
  }
  mechanism_->seal(flags, body, out_);
}

void Conversation::put_command(ByteView body) {
  put_frame_head(kCommand, body.size(), out_);
  out_.insert(out_.end(), body.begin(), body.end());
}

void Conversation::put_ping() {
  ByteBuffer ping;
  put_name("PING", ping);
  ping.push_back(std::byte{0});
  ping.push_back(std::byte{kPingTtl});
  put(kCommand, ping);
}

void Conversation::sent(std::size_t bytes) {
  sent_ += bytes;
  if (sent_ < out_.size()) return;
  sent_ = 0;
  out_ = ByteBuffer();
}

std::unique_ptr<Mechanism> null_mechanism(Role role) { return std::make_unique<NullMechanism>(role); }

void put_frame_head(std::uint8_t flags, std::size_t body_bytes, ByteBuffer& out) {
  const bool is_long = body_bytes > 255;
  out.push_back(static_cast<std::byte>(flags | (is_long ? kLong : 0)));
  put_big_endian(body_bytes, is_long ? 8 : 1, out);
}

void put_name(std::string_view name, ByteBuffer& out) {
  out.push_back(static_cast<std::byte>(name.size()));
  const ByteView text = as_bytes(name);
  out.insert(out.end(), text.begin(), text.end());
}

bool take_name(std::string_view name, ByteView& command) {
  if (command.size() < 1 + name.size() || static_cast<std::size_t>(command[0]) != name.size()) return false;
  if (as_text(command.subspan(1, name.size())) != name) return false;
  command = command.subspan(1 + name.size());
  return true;
}

void put_metadata(Role role, ByteBuffer& out) {
  put_name(kSocketType, out);
  put_big_endian(type_of(role).size(), 4, out);
  const ByteView text = as_bytes(type_of(role));
  out.insert(out.end(), text.begin(), text.end());
}

bool is_metadata_for(Role role, ByteView metadata) {
  const std::string_view wanted = type_of(role == Role::kRouter ? Role::kDealer : Role::kRouter);
  bool found = false;
  ByteReader reader(metadata);
  while (!reader.at_end()) {
    const std::string_view name = as_text(reader.get_bytes(reader.get<std::uint8_t>()));
    std::uint32_t size = 0;
    for (int i = 0; i < 4; ++i) size = size << 8 | reader.get<std::uint8_t>();
    const std::string_view value = as_text(reader.get_bytes(size));
    if (!reader.ok()) return false;
    if (name == kSocketType) found = value == wanted;
  }
  return found;
}

}  // namespace frond::zmtp
