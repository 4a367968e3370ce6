#include <utility>

#include "common/zmtp/curve_box.h"

namespace frond::zmtp {
namespace {

// The listening side. It keeps its state from command to command, so the cookie that the peer must return is a random
// number rather than that state.
class CurveRouter final : public Mechanism {
 public:
  CurveRouter(const CurvePair& own, std::function<bool(const CurveKey&)> lets_in)
      : own_(own), lets_in_(std::move(lets_in)), boxes_(Role::kRouter) {}
  ~CurveRouter() override {
    sodium_memzero(own_.secret_key.data(), kKey);
    sodium_memzero(once_.secret_key.data(), kKey);
  }
  CurveRouter(const CurveRouter&) = delete;
  CurveRouter& operator=(const CurveRouter&) = delete;
  std::string_view name() const override { return "CURVE"; }
  Role role() const override { return Role::kRouter; }
  std::size_t overhead() const override { return kSealOverhead; }
  ByteBuffer open() override { return {}; }
  bool done() const override { return state_ == State::kDone; }

  Trouble take(ByteView command, ByteBuffer& answer) override {
    if (state_ == State::kHello && take_name("HELLO", command)) return take_hello(command, answer);
    if (state_ == State::kInitiate && take_name("INITIATE", command)) return take_initiate(command, answer);
    return Trouble::kProtocol;
  }
  void seal(std::uint8_t flags, ByteView body, ByteBuffer& out) override { boxes_.seal(flags, body, out); }
  Trouble unseal(std::uint8_t& flags, ByteView& body, ByteBuffer& room) override {
    return boxes_.unseal(flags, body, room);
  }

 private:
  enum class State { kHello, kInitiate, kDone };

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
    state_ = State::kInitiate;
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

  CurvePair own_, once_{};  // lasting keys, and those of this connection
  const std::function<bool(const CurveKey&)> lets_in_;
  CurveKey peer_once_{};
  std::array<unsigned char, kCookie> cookie_{};
  Boxes boxes_;
  State state_ = State::kHello;
};

}  // namespace

std::unique_ptr<Mechanism> curve_router(const CurvePair& own, std::function<bool(const CurveKey&)> lets_in) {
  return std::make_unique<CurveRouter>(own, std::move(lets_in));
}

}  // namespace frond::zmtp
