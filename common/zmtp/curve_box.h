#pragma once
// What both sides of CURVE share: keys, nonces, and the boxes of messages. Internal to this folder.
#include <sodium.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/zmtp/curve.h"

namespace frond::zmtp {

inline constexpr std::size_t kMac = crypto_box_MACBYTES, kShortNonce = 8, kLongNonce = 16;
inline constexpr std::size_t kKey = 32, kCookie = 96;
inline constexpr std::string_view kMessageName = "\7MESSAGE";

using Nonce = std::array<unsigned char, crypto_box_NONCEBYTES>;

inline unsigned char* u8(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }
inline const unsigned char* u8(const std::byte* bytes) { return reinterpret_cast<const unsigned char*>(bytes); }
inline ByteView view(std::span<const unsigned char> bytes) { return std::as_bytes(bytes); }
inline void put(ByteView bytes, ByteBuffer& out) { out.insert(out.end(), bytes.begin(), bytes.end()); }
inline CurveKey key_at(ByteView bytes) {
  CurveKey key;
  std::copy_n(u8(bytes.data()), key.size(), key.begin());
  return key;
}

// `prefix` and `rest` have 24 bytes together.
inline Nonce nonce_of(std::string_view prefix, ByteView rest) {
  Nonce nonce{};
  std::copy(prefix.begin(), prefix.end(), nonce.begin());
  std::copy_n(u8(rest.data()), std::min(rest.size(), nonce.size() - prefix.size()), nonce.begin() + prefix.size());
  return nonce;
}

// The keys of one connection, from the end of the handshake on.
class Boxes {
 public:
  explicit Boxes(Role role)
      : ours_(role == Role::kRouter ? "CurveZMQMESSAGES" : "CurveZMQMESSAGEC"),
        theirs_(role == Role::kRouter ? "CurveZMQMESSAGEC" : "CurveZMQMESSAGES") {}
  ~Boxes() { sodium_memzero(key_.data(), key_.size()); }
  Boxes(const Boxes&) = delete;
  Boxes& operator=(const Boxes&) = delete;

  // False: `theirs` is no point of the curve.
  bool agree(const CurveKey& theirs, const CurveKey& ours) {
    return crypto_box_beforenm(key_.data(), theirs.data(), ours.data()) == 0;
  }
  // Appends a short nonce and the box of `plain`.
  void put_box(std::string_view prefix, ByteView plain, ByteBuffer& out);
  // Takes a short nonce and a box, which are all of `sealed`. False: it does not open, or the nonce is not a new one.
  bool open_box(std::string_view prefix, ByteView sealed, ByteBuffer& plain);
  // The short nonces of the handshake's commands count too.
  bool is_new(ByteView short_nonce);
  void put_nonce(ByteBuffer& out);

  void seal(std::uint8_t flags, ByteView body, ByteBuffer& out);
  Trouble unseal(std::uint8_t& flags, ByteView& body, ByteBuffer& room);

 private:
  const std::string_view ours_, theirs_;
  std::array<unsigned char, crypto_box_BEFORENMBYTES> key_{};
  std::uint64_t sent_ = 0, received_ = 0;
};

inline constexpr std::size_t kSealOverhead = 8 + kShortNonce + kMac + 1;  // name, nonce, box, flags

}  // namespace frond::zmtp
