#pragma once
// CURVE (ZeroMQ RFC 26): both sides prove that they have the keys, and everything after that is encrypted with keys of
// the connection. The cryptography is libsodium's; libzmq's peers understand each other with these.
//
// Z85 (RFC 32) is the text of keys: 5 characters for 4 bytes.
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/zmtp/conversation.h"

namespace frond::zmtp {

using CurveKey = std::array<unsigned char, 32>;  // public or secret
struct CurvePair {
  CurveKey public_key, secret_key;
};
CurvePair make_curve_pair();
CurveKey public_key_of(const CurveKey& secret_key);
// 40 characters. Nothing: `text` is not a key's.
std::string z85_of(const CurveKey& key);
std::optional<CurveKey> key_of_z85(std::string_view text);

// The listening side. `lets_in` is asked once, for a public key that the peer has proven to own.
std::unique_ptr<Mechanism> curve_router(const CurvePair& own, std::function<bool(const CurveKey&)> lets_in);
// The connecting side, to the owner of `router` only.
std::unique_ptr<Mechanism> curve_dealer(const CurvePair& own, const CurveKey& router);

}  // namespace frond::zmtp
