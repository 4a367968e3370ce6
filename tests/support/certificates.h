#pragma once
// Certificates for tests, generated at run time: an authority, and the certificates and keys of servers that it signed.
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <filesystem>
#include <memory>
#include <string>

#include "common/base/check.h"
#include "tests/support/scratch_folder.h"

namespace frond::support {

struct CertificatePair {
  std::string certificate, key;  // PEM
};

class TestAuthority {
 public:
  TestAuthority() : key_(EVP_EC_gen("P-256")) { own_ = sign("Frond's test authority", *key_, {}, 1); }

  std::string certificate() const { return pem_of(*own_); }
  // `names`: as OpenSSL writes them, "DNS:localhost, IP:127.0.0.1". Expires `days` from now; negative: expired.
  CertificatePair issue(const std::string& names, int days = 1) const {
    const Key key(EVP_EC_gen("P-256"));
    return {pem_of(*sign("server", *key, names, days)), pem_of(*key, {})};
  }
  // The same key, encrypted with a pass phrase.
  static std::string locked(const std::string& key, const std::string& phrase) {
    const Bio bio(BIO_new_mem_buf(key.data(), static_cast<int>(key.size())));
    const Key read(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
    return pem_of(*read, phrase);
  }

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(BIO* bio) const { BIO_free_all(bio); }
  };
  using Key = std::unique_ptr<EVP_PKEY, Free>;
  using Certificate = std::unique_ptr<X509, Free>;
  using Bio = std::unique_ptr<BIO, Free>;

  Certificate sign(const std::string& name, EVP_PKEY& key, const std::string& names, int days) const {
    Certificate made(X509_new());
    X509_set_version(made.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++serial_);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -2 * 86'400);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), days * 86'400L);
    X509_set_pubkey(made.get(), &key);
    X509_NAME* const subject = X509_get_subject_name(made.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name.c_str()), -1,
                               -1, 0);
    X509* const issuer = own_ ? own_.get() : made.get();
    X509_set_issuer_name(made.get(), X509_get_subject_name(issuer));
    extend(*made, NID_basic_constraints, own_ ? "critical,CA:FALSE" : "critical,CA:TRUE");
    if (!names.empty()) extend(*made, NID_subject_alt_name, names);
    FROND_CHECK(X509_sign(made.get(), key_.get(), EVP_sha256()) > 0);
    return made;
  }
  static void extend(X509& certificate, int what, const std::string& value) {
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, what, value.c_str());
    FROND_CHECK(extension != nullptr);
    X509_add_ext(&certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }
  static std::string text_of(BIO& bio) {
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(&bio, &bytes);
    return {bytes, static_cast<std::size_t>(size)};
  }
  static std::string pem_of(X509& certificate) {
    const Bio bio(BIO_new(BIO_s_mem()));
    FROND_CHECK(PEM_write_bio_X509(bio.get(), &certificate) == 1);
    return text_of(*bio);
  }
  static std::string pem_of(EVP_PKEY& key, const std::string& phrase) {
    const Bio bio(BIO_new(BIO_s_mem()));
    FROND_CHECK(PEM_write_bio_PKCS8PrivateKey(bio.get(), &key, phrase.empty() ? nullptr : EVP_aes_256_cbc(),
                                              phrase.empty() ? nullptr : phrase.data(), static_cast<int>(phrase.size()),
                                              nullptr, nullptr) == 1);
    return text_of(*bio);
  }

  mutable long serial_ = 0;
  Key key_;
  Certificate own_;  // null while it is created: it signs itself
};

// An authority, and a server's certificate and key, as files.
struct CertificateFiles {
  explicit CertificateFiles(const std::string& names = "DNS:localhost, IP:127.0.0.1") {
    write_file(ca, authority.certificate());
    replace(authority.issue(names));
  }
  void replace(const CertificatePair& pair) const {
    write_file(certificate, pair.certificate);
    write_file(key, pair.key);
  }
  TestAuthority authority;
  ScratchFolder folder;
  std::string ca = folder / "ca.pem", certificate = folder / "server.pem", key = folder / "server.key";
};

}  // namespace frond::support
