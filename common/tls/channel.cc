#include "common/tls/channel.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <cerrno>
#include <cstring>

#include "common/tls/openssl.h"

namespace frond::tls {
namespace {
// OpenSSL's words where they are clear, ours where they are not.
std::string protocol_error(const SSL& ssl) {
  const long verdict = SSL_get_verify_result(&ssl);
  // The last error: what a check of a signature said may stand before it.
  if (verdict != X509_V_OK && ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    ERR_clear_error();
    if (verdict == X509_V_ERR_HOSTNAME_MISMATCH) return "the server's certificate is not for this host name";
    if (verdict == X509_V_ERR_IP_ADDRESS_MISMATCH) return "the server's certificate is not for this address";
    return std::string("the server's certificate is not trusted: ") + X509_verify_cert_error_string(verdict);
  }
  switch (ERR_GET_REASON(ERR_peek_error())) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
      ERR_clear_error();
      return "the other side does not speak TLS";
    case SSL_R_UNEXPECTED_EOF_WHILE_READING:
      ERR_clear_error();
      return "the connection was cut";
    default:
      return "TLS: " + take_error_text();
  }
}
}  // namespace

void Channel::Free::operator()(ssl_st* ssl) const { SSL_free(ssl); }

Step Channel::outcome(int returned, std::size_t bytes) {
  if (returned > 0) return {Step::Status::kDone, bytes};
  const int system = errno;
  switch (SSL_get_error(ssl_.get(), returned)) {
    case SSL_ERROR_WANT_READ:
      return {Step::Status::kWantRead};
    case SSL_ERROR_WANT_WRITE:
      return {Step::Status::kWantWrite};
    case SSL_ERROR_ZERO_RETURN:
      return {Step::Status::kClosed};
    case SSL_ERROR_SYSCALL:
      error_ = ERR_peek_error() != 0 ? protocol_error(*ssl_)
               : system != 0         ? std::strerror(system)
                                     : "the connection was cut";
      break;
    default:
      error_ = protocol_error(*ssl_);
  }
  ERR_clear_error();
  return {Step::Status::kFailed};
}

Step Channel::handshake() {
  ERR_clear_error();
  return outcome(SSL_do_handshake(ssl_.get()), 0);
}
Step Channel::read(std::span<char> to) {
  ERR_clear_error();
  std::size_t bytes = 0;
  const int returned = SSL_read_ex(ssl_.get(), to.data(), to.size(), &bytes);
  return outcome(returned, bytes);
}
Step Channel::write(std::string_view from) {
  ERR_clear_error();
  std::size_t bytes = 0;
  const int returned = SSL_write_ex(ssl_.get(), from.data(), from.size(), &bytes);
  return outcome(returned, bytes);
}
bool Channel::has_pending() const { return SSL_has_pending(ssl_.get()) == 1; }
void Channel::say_end() {
  ERR_clear_error();
  if (SSL_is_init_finished(ssl_.get()) && !(SSL_get_shutdown(ssl_.get()) & SSL_SENT_SHUTDOWN)) SSL_shutdown(ssl_.get());
  ERR_clear_error();
}
std::string Channel::description() const {
  return std::string(SSL_get_version(ssl_.get())) + " " + SSL_get_cipher_name(ssl_.get());
}

}  // namespace frond::tls
