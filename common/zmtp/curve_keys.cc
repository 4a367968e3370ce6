#include <sodium.h>

#include "common/base/check.h"
#include "common/zmtp/curve.h"

namespace frond::zmtp {
namespace {

constexpr std::string_view kZ85 =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

}  // namespace

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
