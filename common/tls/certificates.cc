#include "common/tls/certificates.h"

#include <ctime>
#include <new>
#include <utility>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "common/tls/openssl.h"

namespace frond::tls {
namespace {

constexpr unsigned char kHttp[] = "\x08http/1.1";  // as ALPN has it (RFC 7301)

// If a client offers protocols, http/1.1 must be among them.
int choose_protocol(SSL* /*ssl*/, const unsigned char** chosen, unsigned char* length, const unsigned char* offered,
                    unsigned int offered_length, void* /*unused*/) {
  auto** const to = const_cast<unsigned char**>(chosen);
  const int found = SSL_select_next_proto(to, length, kHttp, sizeof kHttp - 1, offered, offered_length);
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

Result<std::chrono::system_clock::time_point> end_of(const X509& certificate) {
  std::tm utc{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &utc) != 1)
    return Error(Code::kInvalid, "the certificate has no readable end");
  return std::chrono::system_clock::from_time_t(::timegm(&utc));
}

// The server's own certificate comes first, then the chain to its authority.
Result<Certificate> use_certificates(SSL_CTX& context, const std::string& text) {
  const auto bio = view_of(text);
  Certificate own(PEM_read_bio_X509_AUX(bio.get(), nullptr, nullptr, nullptr));
  if (!own) return Error(Code::kInvalid, "no PEM certificate in it (" + take_error_text() + ")");
  if (SSL_CTX_use_certificate(&context, own.get()) != 1)
    return Error(Code::kInvalid, "its certificate can't be used: " + take_error_text());
  for (;;) {
    Certificate next(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (!next) break;
    if (SSL_CTX_add0_chain_cert(&context, next.get()) != 1)
      return Error(Code::kInvalid, "its chain can't be used: " + take_error_text());
    static_cast<void>(next.release());  // the context has it
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (const std::string why = take_error_text(); !at_end)
    return Error(Code::kInvalid, "a broken certificate behind the first: " + why);
  return own;
}

Result<void> use_key(SSL_CTX& context, const std::string& text) {
  bool asked = false;
  const Key key(PEM_read_bio_PrivateKey(view_of(text).get(), nullptr, refuse_phrase, &asked));
  const std::string why = take_error_text();
  if (asked) return Error(Code::kInvalid, "it has a pass phrase; a server's key must have none");
  if (!key) return Error(Code::kInvalid, "no PEM private key in it (" + why + ")");
  // Compares it with the certificate, too.
  if (SSL_CTX_use_PrivateKey(&context, key.get()) != 1 || SSL_CTX_check_private_key(&context) != 1)
    return Error(Code::kInvalid, "it is not the key of the certificate");
  return {};
}

Result<void> add_authorities(SSL_CTX& context, const std::string& text) {
  const auto bio = view_of(text);
  X509_STORE* const store = SSL_CTX_get_cert_store(&context);
  std::size_t found = 0;
  for (;; ++found) {
    const Certificate one(PEM_read_bio_X509_AUX(bio.get(), nullptr, nullptr, nullptr));
    if (!one) break;
    if (X509_STORE_add_cert(store, one.get()) != 1)
      return Error(Code::kInvalid, "a certificate can't be used: " + take_error_text());
  }
  const std::string why = take_error_text();  // of the last, which is none
  if (found == 0) return Error(Code::kInvalid, "no PEM certificate in it (" + why + ")");
  return {};
}

}  // namespace

void FreeContext::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }
ServerIdentity::ServerIdentity(std::string certificate_file, std::string key_file)
    : certificate_file_(std::move(certificate_file)), key_file_(std::move(key_file)) {}

Result<std::unique_ptr<ServerIdentity>> ServerIdentity::load(std::string certificate_file, std::string key_file) {
  std::unique_ptr<ServerIdentity> made(new ServerIdentity(std::move(certificate_file), std::move(key_file)));
  FROND_TRY(made->refresh());
  return made;
}

Result<bool> ServerIdentity::refresh() {
  const auto certificates = read_pem_file(certificate_file_);
  const auto key = read_pem_file(key_file_);
  const auto bytes_of = [](const Result<std::string>& file) { return file ? *file : file.error().message(); };
  const std::array now{sha256(bytes_of(certificates)), sha256(bytes_of(key))};  // the key itself is not kept
  if (now == seen_) return false;
  seen_ = now;
  if (!certificates) return certificates.error();
  if (!key) return key.error();

  Context context = make_context(TLS_server_method());
  auto own = use_certificates(*context, *certificates);
  if (!own) return std::move(own).error().within(certificate_file_);
  auto ends = end_of(**own);
  if (!ends) return std::move(ends).error().within(certificate_file_);
  if (auto used = use_key(*context, *key); !used) return std::move(used).error().within(key_file_);
  SSL_CTX_set_options(context.get(), SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, nullptr);
  {
    const MutexLock lock(mutex_);
    context_.reset(context.release());
  }
  expires_ = *ends;
  return true;
}

std::unique_ptr<Channel> ServerIdentity::open(int socket) const {
  SSL* const ssl = [&] {
    const MutexLock lock(mutex_);
    return SSL_new(context_.get());  // which keeps the context
  }();
  if (!ssl) throw std::bad_alloc();
  auto channel = std::make_unique<Channel>(ssl);
  use_socket(*ssl, socket);
  SSL_set_accept_state(ssl);
  return channel;
}

Result<std::shared_ptr<const Trust>> Trust::load(const std::string& ca_file) {
  Context context = make_context(TLS_client_method());
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_alpn_protos(context.get(), kHttp, sizeof kHttp - 1);
  if (ca_file.empty()) {
    SSL_CTX_set_default_verify_paths(context.get());
  } else {
    const std::string text = FROND_TRY(read_pem_file(ca_file));
    if (auto added = add_authorities(*context, text); !added) return std::move(added).error().within(ca_file);
  }
  return std::shared_ptr<const Trust>(new Trust(context.release()));
}

std::unique_ptr<Channel> Trust::open(int socket, const std::string& host) const {
  SSL* const ssl = SSL_new(context_.get());
  if (!ssl) throw std::bad_alloc();
  auto channel = std::make_unique<Channel>(ssl);
  use_socket(*ssl, socket);
  X509_VERIFY_PARAM* const check = SSL_get0_param(ssl);
  // An address is looked for among the certificate's addresses and never sent as a name (RFC 6066, 3).
  if (X509_VERIFY_PARAM_set1_ip_asc(check, host.c_str()) != 1) {
    X509_VERIFY_PARAM_set_hostflags(check, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (X509_VERIFY_PARAM_set1_host(check, host.c_str(), host.size()) != 1 ||
        SSL_set_tlsext_host_name(ssl, host.c_str()) != 1)
      throw std::bad_alloc();
  }
  SSL_set_connect_state(ssl);
  return channel;
}

}  // namespace frond::tls
