#include "common/tls/signature.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pemerr.h>

#include <array>
#include <new>
#include <utility>

#include "common/tls/digest.h"
#include "common/tls/openssl.h"

namespace frond::tls {
namespace {

struct FreeText {
  void operator()(char* text) const { OPENSSL_free(text); }
};
using OpenSslText = std::unique_ptr<char, FreeText>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, FreeBy<EVP_MD_CTX_free>>;

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

// Empty: it is of another kind.
std::string id_of(const EVP_PKEY& key) {
  std::array<unsigned char, 32> raw{};
  std::size_t bytes = raw.size();
  if (EVP_PKEY_id(&key) != EVP_PKEY_ED25519 || EVP_PKEY_get_raw_public_key(&key, raw.data(), &bytes) != 1) return {};
  return hex_of(sha256({reinterpret_cast<const char*>(raw.data()), bytes})).substr(0, 16);
}

bool is_signature(EVP_PKEY& key, std::string_view text, std::string_view signature) {
  const DigestContext context(EVP_MD_CTX_new());
  if (!context || EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, &key) != 1) throw std::bad_alloc();
  const int good = EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(text), text.size());
  if (good != 1) take_error_text();
  return good == 1;
}

struct Known {
  std::string id;
  Key key;
};

class LoadedKey final : public SigningKey {
 public:
  explicit LoadedKey(Known known) : known_(std::move(known)) {}
  const std::string& id() const override { return known_.id; }
  std::string sign(std::string_view text) const override {
    std::string signature(kSignatureBytes, '\0');
    std::size_t bytes = signature.size();
    const DigestContext context(EVP_MD_CTX_new());
    if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, known_.key.get()) != 1 ||
        EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &bytes, bytes_of(text),
                       text.size()) != 1)
      throw std::bad_alloc();
    return signature;
  }
  bool is_own(std::string_view text, std::string_view signature) const override {
    return is_signature(*known_.key, text, signature);
  }

 private:
  const Known known_;
};

class LoadedKeys final : public TrustedKeys {
 public:
  explicit LoadedKeys(std::vector<Known> keys) : keys_(std::move(keys)) {}
  bool has(std::string_view id) const override { return find(id) != nullptr; }
  bool verify(std::string_view id, std::string_view text, std::string_view signature) const override {
    EVP_PKEY* const key = find(id);
    return key != nullptr && is_signature(*key, text, signature);
  }

 private:
  EVP_PKEY* find(std::string_view id) const {
    for (const Known& one : keys_)
      if (one.id == id) return one.key.get();
    return nullptr;
  }
  const std::vector<Known> keys_;
};

}  // namespace

Result<std::shared_ptr<const SigningKey>> SigningKey::load(const std::string& file) {
  const std::string text = FROND_TRY(read_pem_file(file));
  const MemoryBio bio = view_of(text);
  bool asked = false;
  Known known{{}, Key(PEM_read_bio_PrivateKey(bio.get(), nullptr, refuse_phrase, &asked))};
  if (known.key) known.id = id_of(*known.key);
  if (known.id.empty()) {
    take_error_text();
    if (asked) return Error(Code::kInvalid, file + ": it has a pass phrase; a key that signs must have none");
    return Error(Code::kInvalid, file + ": has no Ed25519 private key in PEM (openssl genpkey -algorithm ed25519)");
  }
  return std::shared_ptr<const SigningKey>(std::make_shared<LoadedKey>(std::move(known)));
}

Result<std::shared_ptr<const TrustedKeys>> TrustedKeys::load(const std::string& file) {
  const std::string text = FROND_TRY(read_pem_file(file));
  const MemoryBio bio = view_of(text);
  std::vector<Known> keys;
  char *name = nullptr, *header = nullptr;
  unsigned char* data = nullptr;
  for (long bytes = 0; PEM_read_bio(bio.get(), &name, &header, &data, &bytes) == 1;) {
    const OpenSslText owned[] = {OpenSslText(name), OpenSslText(header), OpenSslText(reinterpret_cast<char*>(data))};
    const unsigned char* at = data;
    Key key(std::string_view(name) == PEM_STRING_PUBLIC ? d2i_PUBKEY(nullptr, &at, bytes) : nullptr);
    std::string id = key ? id_of(*key) : std::string();
    take_error_text();
    if (id.empty()) return Error(Code::kInvalid, file + ": has something else than Ed25519 public keys");
    if (keys.size() == kMaxTrustedKeys)
      return Error(Code::kInvalid, file + ": more than " + std::to_string(kMaxTrustedKeys) + " keys");
    keys.push_back({std::move(id), std::move(key)});
  }
  // What is damaged must not count as the end.
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  take_error_text();
  if (keys.empty() || !at_end)
    return Error(Code::kInvalid, file + ": is not a list of Ed25519 public keys in PEM (openssl pkey -pubout)");
  return std::shared_ptr<const TrustedKeys>(std::make_shared<LoadedKeys>(std::move(keys)));
}

}  // namespace frond::tls
