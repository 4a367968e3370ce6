#pragma once
// OpenSSL's objects as owned ones, its errors as text, and a BIO for sockets. Internal to this folder.
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

#include "common/base/result.h"

namespace frond::tls {

template <auto kFree>
struct FreeBy {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Context = std::unique_ptr<SSL_CTX, FreeBy<SSL_CTX_free>>;
using Certificate = std::unique_ptr<X509, FreeBy<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, FreeBy<EVP_PKEY_free>>;
using MemoryBio = std::unique_ptr<BIO, FreeBy<BIO_free_all>>;

// The oldest error that OpenSSL has queued on this thread, as text; empties the queue.
std::string take_error_text();

// A context with the settings of both sides. `method` is TLS_server_method() or TLS_client_method().
Context make_context(const SSL_METHOD* method);

// Our own socket BIO: OpenSSL's writes without MSG_NOSIGNAL, so a closed peer would end the process. `fd` is borrowed.
void use_socket(SSL& ssl, int fd);

// For PEM_read_bio_PrivateKey(): gives no pass phrase, since there is no terminal, and notes in the bool at `asked`
// that one was needed.
int refuse_phrase(char* to, int size, int writing, void* asked);

// Reads a file of at most 1 MiB. kInvalid names the file and the fault.
Result<std::string> read_pem_file(const std::string& path);

// A read-only BIO over `text`, which must outlive it.
MemoryBio view_of(const std::string& text);

}  // namespace frond::tls
