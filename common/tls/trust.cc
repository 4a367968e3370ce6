#include "common/tls/trust.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <new>

#include "common/tls/openssl.h"

namespace frond::tls {
namespace {
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

void Trust::Free::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }
Trust::Trust(ssl_ctx_st* owned) : context_(owned) {}
Trust::~Trust() = default;

Result<std::shared_ptr<const Trust>> Trust::load(const std::string& ca_file) {
  Context context = make_context(TLS_client_method());
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  static constexpr unsigned char kHttp[] = "\x08http/1.1";
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
