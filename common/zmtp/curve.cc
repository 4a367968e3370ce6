#include "common/zmtp/curve_box.h"

#include <utility>

namespace frond::zmtp {
namespace {

// What both sides share. Keys: lasting ones, and those of this connection.
class Curve : public Mechanism {
 public:
  std::string_view name() const final { return "CURVE"; }
  Role role() const final { return role_; }
  std::size_t overhead() const final { return kSealOverhead; }
  bool done() const final { return state_ == State::kDone; }
  void seal(std::uint8_t flags, ByteView body, ByteBuffer& out) final { boxes_.seal(flags, body, out); }
  Trouble unseal(std::uint8_t& flags, ByteView& body, ByteBuffer& room) final {
    return boxes_.unseal(flags, body, room);
  }

 protected:
  Curve(Role role, const CurvePair& own)
      : role_(role), own_(own), once_(role == Role::kDealer ? make_curve_pair() : CurvePair{}), boxes_(role) {}
  ~Curve() override {
    sodium_memzero(own_.secret_key.data(), kKey);
    sodium_memzero(once_.secret_key.data(), kKey);
  }
  Curve(const Curve&) = delete;
  Curve& operator=(const Curve&) = delete;

  enum class State { kFirst, kSecond, kDone };  // which of the peer's commands is the next one
  const Role role_;
  CurvePair own_, once_;
  Boxes boxes_;
  State state_ = State::kFirst;
};

// The listening side. It keeps its state from command to command, so the cookie that the peer must return is a random
// number rather than that state.
class CurveRouter final : public Curve {
 public:
  CurveRouter(const CurvePair& own, std::function<bool(const CurveKey&)> lets_in)
      : Curve(Role::kRouter, own), lets_in_(std::move(lets_in)) {}
  ByteBuffer open() override { return {}; }
  Trouble take(ByteView command, ByteBuffer& answer) override {
    if (state_ == State::kFirst && take_name("HELLO", command)) return take_hello(command, answer);
    if (state_ == State::kSecond && take_name("INITIATE", command)) return take_initiate(command, answer);
    return Trouble::kProtocol;
  }

 private:
  // Version (2 bytes), 72 bytes to make it as long as the answer, the peer's key of this connection, nonce, box of 64
  // zeros.
  Trouble take_hello(ByteView hello, ByteBuffer& welcome) {
    constexpr std::size_t kPadding = 72, kZeros = 64;
    if (hello.size() != 2 + kPadding + kKey + kShortNonce + kMac + kZeros) return Trouble::kProtocol;
    if (hello[0] != std::byte{1} || hello[1] != std::byte{0}) return Trouble::kProtocol;
    peer_once_ = key_at(hello.subspan(2 + kPadding));
    const ByteView number = hello.subspan(2 + kPadding + kKey, kShortNonce), box = hello.last(kMac + kZeros);
    const Nonce nonce = nonce_of("CurveZMQHELLO---", number);
    std::array<unsigned char, kZeros> plain;
    if (!boxes_.is_new(number) || crypto_box_open_easy(plain.data(), u8(box.data()), box.size(), nonce.data(),
                                                       peer_once_.data(), own_.secret_key.data()) != 0)
      return Trouble::kKeys;
    once_ = make_curve_pair();
    randombytes_buf(cookie_.data(), cookie_.size());
    return put_welcome(welcome);
  }

  // A long nonce and the box of this side's key of the connection and the cookie.
  Trouble put_welcome(ByteBuffer& welcome) {
    std::array<unsigned char, kLongNonce> number;
    randombytes_buf(number.data(), number.size());
    ByteBuffer plain;
    put(view(once_.public_key), plain);
    put(view(cookie_), plain);
    put_name("WELCOME", welcome);
    put(view(number), welcome);
    const std::size_t at = welcome.size();
    welcome.resize(at + kMac + plain.size());
    state_ = State::kSecond;
    const bool sealed =
        crypto_box_easy(u8(&welcome[at]), u8(plain.data()), plain.size(), nonce_of("WELCOME-", view(number)).data(),
                        peer_once_.data(), own_.secret_key.data()) == 0 &&
        boxes_.agree(peer_once_, once_.secret_key);
    return sealed ? Trouble::kNone : Trouble::kKeys;
  }

  // The cookie, a nonce, and the box of the peer's lasting key, its vouch for the key of the connection, and its
  // properties.
  Trouble take_initiate(ByteView initiate, ByteBuffer& answer) {
    constexpr std::size_t kVouch = kLongNonce + kMac + 2 * kKey;
    if (initiate.size() < kCookie + kShortNonce + kMac + kKey + kVouch) return Trouble::kProtocol;
    if (sodium_memcmp(initiate.data(), cookie_.data(), kCookie) != 0) return Trouble::kProtocol;
    ByteBuffer plain;
    if (!boxes_.open_box("CurveZMQINITIATE", initiate.subspan(kCookie), plain)) return Trouble::kKeys;
    const ByteView all(plain), number = all.subspan(kKey, kLongNonce),
                               box = all.subspan(kKey + kLongNonce, kMac + 2 * kKey);
    const CurveKey peer = key_at(all);
    std::array<unsigned char, 2 * kKey> vouched;
    if (crypto_box_open_easy(vouched.data(), u8(box.data()), box.size(), nonce_of("VOUCH---", number).data(),
                             peer.data(), once_.secret_key.data()) != 0)
      return Trouble::kKeys;
    if (!std::equal(peer_once_.begin(), peer_once_.end(), vouched.begin()) ||
        !std::equal(own_.public_key.begin(), own_.public_key.end(), vouched.begin() + kKey))
      return Trouble::kKeys;
    if (!is_metadata_for(Role::kRouter, all.subspan(kKey + kVouch))) return Trouble::kProtocol;
    if (!lets_in_(peer)) {
      put_name("ERROR", answer);
      put_name("400", answer);  // the reason, by which libzmq's peers know that their key is not in the list
      return Trouble::kRefused;
    }
    ByteBuffer metadata;
    put_metadata(Role::kRouter, metadata);
    put_name("READY", answer);
    boxes_.put_box("CurveZMQREADY---", metadata, answer);
    state_ = State::kDone;
    return Trouble::kNone;
  }

  const std::function<bool(const CurveKey&)> lets_in_;
  CurveKey peer_once_{};
  std::array<unsigned char, kCookie> cookie_{};
};

// The connecting side. The bytes of its commands are described in CurveRouter, which reads them.
class CurveDealer final : public Curve {
 public:
  CurveDealer(const CurvePair& own, const CurveKey& router) : Curve(Role::kDealer, own), router_(router) {}

  ByteBuffer open() override {
    constexpr std::array<unsigned char, 64> kZeros{};
    ByteBuffer hello;
    put_name("HELLO", hello);
    hello.push_back(std::byte{1});
    hello.resize(hello.size() + 1 + 72);
    put(view(once_.public_key), hello);
    boxes_.put_nonce(hello);
    const Nonce nonce = nonce_of("CurveZMQHELLO---", ByteView(hello).last(kShortNonce));
    const std::size_t at = hello.size();
    hello.resize(at + kMac + kZeros.size());
    // A router's key that is no point of the curve seals nothing: the router then closes the connection.
    [[maybe_unused]] const int sealed = crypto_box_easy(u8(&hello[at]), kZeros.data(), kZeros.size(), nonce.data(),
                                                        router_.data(), once_.secret_key.data());
    return hello;
  }
  Trouble take(ByteView command, ByteBuffer& answer) override {
    if (take_name("ERROR", command)) return Trouble::kRefused;
    if (state_ == State::kFirst && take_name("WELCOME", command)) return take_welcome(command, answer);
    if (state_ == State::kSecond && take_name("READY", command)) return take_ready(command);
    return Trouble::kProtocol;
  }

 private:
  Trouble take_welcome(ByteView welcome, ByteBuffer& initiate) {
    std::array<unsigned char, kKey + kCookie> plain;
    if (welcome.size() != kLongNonce + kMac + plain.size()) return Trouble::kProtocol;
    const ByteView box = welcome.subspan(kLongNonce);
    if (crypto_box_open_easy(plain.data(), u8(box.data()), box.size(),
                             nonce_of("WELCOME-", welcome.first(kLongNonce)).data(), router_.data(),
                             once_.secret_key.data()) != 0)
      return Trouble::kKeys;
    const CurveKey router_once = key_at(view(plain));
    if (!boxes_.agree(router_once, once_.secret_key)) return Trouble::kKeys;
    put_name("INITIATE", initiate);
    put(view(plain).last(kCookie), initiate);
    ByteBuffer secret;
    put(view(own_.public_key), secret);
    if (!put_vouch(router_once, secret)) return Trouble::kKeys;
    put_metadata(Role::kDealer, secret);
    boxes_.put_box("CurveZMQINITIATE", secret, initiate);
    state_ = State::kSecond;
    return Trouble::kNone;
  }

  // A long nonce and the box, made with the lasting key, of the key of this connection and the router's lasting key.
  bool put_vouch(const CurveKey& router_once, ByteBuffer& out) {
    std::array<unsigned char, kLongNonce> number;
    randombytes_buf(number.data(), number.size());
    ByteBuffer plain;
    put(view(once_.public_key), plain);
    put(view(router_), plain);
    put(view(number), out);
    const std::size_t at = out.size();
    out.resize(at + kMac + plain.size());
    return crypto_box_easy(u8(&out[at]), u8(plain.data()), plain.size(), nonce_of("VOUCH---", view(number)).data(),
                           router_once.data(), own_.secret_key.data()) == 0;
  }

  Trouble take_ready(ByteView ready) {
    ByteBuffer metadata;
    if (!boxes_.open_box("CurveZMQREADY---", ready, metadata)) return Trouble::kKeys;
    if (!is_metadata_for(Role::kDealer, metadata)) return Trouble::kProtocol;
    state_ = State::kDone;
    return Trouble::kNone;
  }

  const CurveKey router_;
};

}  // namespace

std::unique_ptr<Mechanism> curve_router(const CurvePair& own, std::function<bool(const CurveKey&)> lets_in) {
  return std::make_unique<CurveRouter>(own, std::move(lets_in));
}

std::unique_ptr<Mechanism> curve_dealer(const CurvePair& own, const CurveKey& router) {
  return std::make_unique<CurveDealer>(own, router);
}

}  // namespace frond::zmtp
