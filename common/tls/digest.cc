#include "common/tls/digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <memory>
#include <new>

#include "common/base/text.h"
#include "common/tls/openssl.h"

namespace frond::tls {
namespace {

struct Free {
  void operator()(EVP_MD* method) const { EVP_MD_free(method); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

// Fetched once: a look-up of the method takes longer than the digest of a key.
const EVP_MD* method() {
  static const std::unique_ptr<EVP_MD, Free> kMethod(EVP_MD_fetch(nullptr, "SHA256", nullptr));
  return kMethod.get();
}

}  // namespace

struct Sha256Stream::State {
  const std::unique_ptr<EVP_MD_CTX, Free> context{EVP_MD_CTX_new()};
};

Sha256Stream::Sha256Stream() : state_(std::make_unique<State>()) {
  if (!state_->context || EVP_DigestInit_ex2(state_->context.get(), method(), nullptr) != 1) throw std::bad_alloc();
}
Sha256Stream::~Sha256Stream() = default;

void Sha256Stream::update(ByteView bytes) {
  if (EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) != 1) throw std::bad_alloc();
}

Sha256 Sha256Stream::finish() {
  Sha256 digest{};
  if (EVP_DigestFinal_ex(state_->context.get(), digest.data(), nullptr) != 1) throw std::bad_alloc();
  return digest;
}

Sha256 sha256(std::string_view text) {
  Sha256Stream stream;
  stream.update(as_bytes(text));
  return stream.finish();
}

std::string hex_of(const Sha256& digest) { return hex_text(std::as_bytes(std::span(digest))); }

Sha256 hmac_sha256(std::string_view key, std::string_view text) {
  Sha256 mac{};
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  if (::HMAC(method(), key.data(), static_cast<int>(key.size()), bytes, text.size(), mac.data(), nullptr) == nullptr)
    throw std::bad_alloc();
  return mac;
}

bool equal_in_constant_time(const Sha256& one, const Sha256& other) {
  return CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

Result<void> fill_random(std::span<std::uint8_t> to) {
  if (RAND_bytes(to.data(), static_cast<int>(to.size())) == 1) return {};
  return Error(Code::kUnavailable, "the system gives no random bytes: " + take_error_text());
}

}  // namespace frond::tls
