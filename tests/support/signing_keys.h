#pragma once
// Keys that sign, generated at run time, as files.
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>
#include <string>

#include "common/base/check.h"
#include "common/tls/signature.h"
#include "tests/support/scratch_folder.h"

namespace frond::support {

struct SigningKeyFiles {
  explicit SigningKeyFiles(const char* kind = "ED25519") {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_PKEY_Q_keygen(nullptr, nullptr, kind),
                                                                  EVP_PKEY_free);
    const auto pem = [&](auto write) {
      const std::unique_ptr<BIO, decltype(&BIO_free_all)> bio(BIO_new(BIO_s_mem()), BIO_free_all);
      FROND_CHECK(write(bio.get()) == 1);
      char* bytes = nullptr;
      const long size = BIO_get_mem_data(bio.get(), &bytes);
      return std::string(bytes, static_cast<std::size_t>(size));
    };
    write_file(secret, pem([&](BIO* to) {
                 return PEM_write_bio_PKCS8PrivateKey(to, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
               }));
    write_file(known, pem([&](BIO* to) { return PEM_write_bio_PUBKEY(to, key.get()); }));
  }
  std::shared_ptr<const tls::SigningKey> key() const { return *tls::SigningKey::load(secret); }
  std::shared_ptr<const tls::TrustedKeys> trusted() const { return *tls::TrustedKeys::load(known); }

  ScratchFolder folder;
  std::string secret = folder / "secret.pem", known = folder / "public.pem";
};

}  // namespace frond::support
