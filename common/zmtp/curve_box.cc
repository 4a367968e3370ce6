#include "common/zmtp/curve_box.h"

#include "common/base/check.h"

namespace frond::zmtp {
namespace {

// Inside a box.
constexpr std::uint8_t kBoxedMore = 1, kBoxedCommand = 2;

std::uint64_t number_of(ByteView big_endian) {
  std::uint64_t number = 0;
  for (const std::byte byte : big_endian) number = number << 8 | static_cast<std::uint64_t>(byte);
  return number;
}

constexpr std::string_view kZ85 =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

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

CurvePair make_curve_pair() {
  FROND_CHECK(sodium_init() >= 0);  // fails only where the system gives no random numbers
  CurvePair pair;
  crypto_box_keypair(pair.public_key.data(), pair.secret_key.data());
  return pair;
}

CurveKey public_key_of(const CurveKey& secret_key) {
  FROND_CHECK(sodium_init() >= 0);
  CurveKey key;
  crypto_scalarmult_base(key.data(), secret_key.data());
  return key;
}

std::string z85_of(const CurveKey& key) {
  std::string text;
  for (std::size_t at = 0; at < key.size(); at += 4) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | key[at + i];
    for (const std::uint32_t power : {85u * 85 * 85 * 85, 85u * 85 * 85, 85u * 85, 85u, 1u})
      text += kZ85[value / power % 85];
  }
  return text;
}

std::optional<CurveKey> key_of_z85(std::string_view text) {
  CurveKey key{};
  if (text.size() != key.size() / 4 * 5) return std::nullopt;
  for (std::size_t group = 0; group < key.size() / 4; ++group) {
    std::uint64_t value = 0;
    for (const char c : text.substr(5 * group, 5)) {
      const auto digit = kZ85.find(c);
      if (digit == std::string_view::npos) return std::nullopt;
      value = value * 85 + digit;
    }
    if (value > UINT32_MAX) return std::nullopt;
    for (std::size_t i = 0; i < 4; ++i) key[4 * group + i] = static_cast<unsigned char>(value >> (24 - 8 * i));
  }
  return key;
}

}  // namespace frond::zmtp
