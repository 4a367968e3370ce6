#include "common/zmtp/mechanism.h"

#include <array>

namespace frond::zmtp {
namespace {

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
