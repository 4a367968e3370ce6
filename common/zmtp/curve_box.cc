#include "common/zmtp/curve_box.h"

namespace frond::zmtp {
namespace {

// Inside a box.
constexpr std::uint8_t kBoxedMore = 1, kBoxedCommand = 2;

std::uint64_t number_of(ByteView big_endian) {
  std::uint64_t number = 0;
  for (const std::byte byte : big_endian) number = number << 8 | static_cast<std::uint64_t>(byte);
  return number;
}

}  // namespace

bool Boxes::is_new(ByteView short_nonce) {
  const std::uint64_t number = number_of(short_nonce);
  if (number <= received_) return false;
  received_ = number;
  return true;
}

void Boxes::put_nonce(ByteBuffer& out) {
  ++sent_;
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<std::byte>(sent_ >> shift));
}

void Boxes::put_box(std::string_view prefix, ByteView plain, ByteBuffer& out) {
  put_nonce(out);
  const std::size_t at = out.size();
  const Nonce nonce = nonce_of(prefix, ByteView(out).last(kShortNonce));
  out.resize(at + kMac + plain.size());
  [[maybe_unused]] const int sealed =
      crypto_box_easy_afternm(u8(&out[at]), u8(plain.data()), plain.size(), nonce.data(), key_.data());
}

bool Boxes::open_box(std::string_view prefix, ByteView sealed, ByteBuffer& plain) {
  if (sealed.size() < kShortNonce + kMac || !is_new(sealed.first(kShortNonce))) return false;
  const Nonce nonce = nonce_of(prefix, sealed.first(kShortNonce));
  const ByteView box = sealed.subspan(kShortNonce);
  plain.resize(box.size() - kMac);
  return crypto_box_open_easy_afternm(u8(plain.data()), u8(box.data()), box.size(), nonce.data(), key_.data()) == 0;
}

// Encrypts in place: libsodium allows a text that stands where the box will have it.
void Boxes::seal(std::uint8_t flags, ByteView body, ByteBuffer& out) {
  put_frame_head(0, kSealOverhead + body.size(), out);
  put(as_bytes(kMessageName), out);
  put_nonce(out);
  const Nonce nonce = nonce_of(ours_, ByteView(out).last(kShortNonce));
  const std::size_t at = out.size();
  out.resize(at + kMac);
  out.push_back(static_cast<std::byte>(((flags & kMore) ? kBoxedMore : 0) | ((flags & kCommand) ? kBoxedCommand : 0)));
  put(body, out);
  [[maybe_unused]] const int sealed =
      crypto_box_easy_afternm(u8(&out[at]), u8(&out[at + kMac]), 1 + body.size(), nonce.data(), key_.data());
}

Trouble Boxes::unseal(std::uint8_t& flags, ByteView& body, ByteBuffer& room) {
  if (body.size() < kSealOverhead || as_text(body.first(kMessageName.size())) != kMessageName)
    return Trouble::kProtocol;
  if (!open_box(theirs_, body.subspan(kMessageName.size()), room)) return Trouble::kKeys;
  const auto boxed = static_cast<std::uint8_t>(room[0]);
  flags = static_cast<std::uint8_t>(((boxed & kBoxedMore) ? kMore : 0) | ((boxed & kBoxedCommand) ? kCommand : 0));
  body = ByteView(room).subspan(1);
  return Trouble::kNone;
}

}  // namespace frond::zmtp
