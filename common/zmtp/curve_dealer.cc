#include "common/zmtp/curve_box.h"

namespace frond::zmtp {
namespace {

// The connecting side. The bytes of its commands are described in curve_router.cc, which reads them.
class CurveDealer final : public Mechanism {
 public:
  CurveDealer(const CurvePair& own, const CurveKey& router)
      : own_(own), once_(make_curve_pair()), router_(router), boxes_(Role::kDealer) {}
  ~CurveDealer() override {
    sodium_memzero(own_.secret_key.data(), kKey);
    sodium_memzero(once_.secret_key.data(), kKey);
  }
  CurveDealer(const CurveDealer&) = delete;
  CurveDealer& operator=(const CurveDealer&) = delete;
  std::string_view name() const override { return "CURVE"; }
  Role role() const override { return Role::kDealer; }
  std::size_t overhead() const override { return kSealOverhead; }
  bool done() const override { return state_ == State::kDone; }

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
    if (state_ == State::kWelcome && take_name("WELCOME", command)) return take_welcome(command, answer);
    if (state_ == State::kReady && take_name("READY", command)) return take_ready(command);
    return Trouble::kProtocol;
  }
  void seal(std::uint8_t flags, ByteView body, ByteBuffer& out) override { boxes_.seal(flags, body, out); }
  Trouble unseal(std::uint8_t& flags, ByteView& body, ByteBuffer& room) override {
    return boxes_.unseal(flags, body, room);
  }

 private:
  enum class State { kWelcome, kReady, kDone };

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
    state_ = State::kReady;
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

  CurvePair own_, once_;
  const CurveKey router_;
  Boxes boxes_;
  State state_ = State::kWelcome;
};

}  // namespace

std::unique_ptr<Mechanism> curve_dealer(const CurvePair& own, const CurveKey& router) {
  return std::make_unique<CurveDealer>(own, router);
}

}  // namespace frond::zmtp
