#include "common/tls/openssl.h"

#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>

#include "common/base/lines.h"
#include "common/files/read.h"

namespace frond::tls {
namespace {
constexpr std::size_t kMaxPemBytes = 1 << 20;

int socket_of(BIO* bio) { return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio))); }

// Counts what moved; otherwise says whether it is worth a repetition.
int settle(BIO* bio, ssize_t moved, int retry_flag, std::size_t* count) {
  BIO_clear_retry_flags(bio);
  if (moved > 0) {
    *count = static_cast<std::size_t>(moved);
    return 1;
  }
  if (moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) BIO_set_flags(bio, retry_flag | BIO_FLAGS_SHOULD_RETRY);
  return 0;
}
int read_socket(BIO* bio, char* to, std::size_t size, std::size_t* count) {
  const ssize_t got = TEMP_FAILURE_RETRY(::recv(socket_of(bio), to, size, 0));
  if (got == 0) errno = 0;  // an end, and no error of the system's
  return settle(bio, got, BIO_FLAGS_READ, count);
}
int write_socket(BIO* bio, const char* from, std::size_t size, std::size_t* count) {
  return settle(bio, TEMP_FAILURE_RETRY(::send(socket_of(bio), from, size, MSG_NOSIGNAL)), BIO_FLAGS_WRITE, count);
}
long control_socket(BIO* /*bio*/, int command, long /*number*/, void* /*pointer*/) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}
int create_socket(BIO* bio) {
  BIO_set_init(bio, 1);
  return 1;
}

const BIO_METHOD* socket_method() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "frond socket");
    FROND_CHECK(made != nullptr);
    BIO_meth_set_read_ex(made, read_socket);
    BIO_meth_set_write_ex(made, write_socket);
    BIO_meth_set_ctrl(made, control_socket);
    BIO_meth_set_create(made, create_socket);
    return made;
  }();
  return method;
}
}  // namespace

std::string take_error_text() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "unknown error";
  if (ERR_SYSTEM_ERROR(code)) return std::strerror(ERR_GET_REASON(code));
  const char* reason = ERR_reason_error_string(code);
  return reason ? reason : "error " + std::to_string(code);
}

Context make_context(const SSL_METHOD* method) {
  Context context(SSL_CTX_new(method));
  if (!context) throw std::bad_alloc();  // ends at main's wall: nothing else makes this fail
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_security_level(context.get(), 2);  // whatever the machine's openssl.cnf says
  // TLS 1.2 with forward secrecy and authenticated encryption alone; TLS 1.3 has nothing else.
  SSL_CTX_set_cipher_list(context.get(), "ECDHE+AESGCM:ECDHE+CHACHA20");
  SSL_CTX_set_options(context.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context.get(), 1);                           // one system call a record, not two
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);  // tickets keep nothing here
  return context;
}

void use_socket(SSL& ssl, int fd) {
  BIO* const bio = BIO_new(socket_method());
  if (!bio) throw std::bad_alloc();
  // A BIO keeps a pointer for its method, which here is a number. NOLINTNEXTLINE(performance-no-int-to-ptr)
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(fd)));
  SSL_set_bio(&ssl, bio, bio);
}

int refuse_phrase(char* /*to*/, int /*size*/, int /*writing*/, void* asked) {
  *static_cast<bool*>(asked) = true;
  return 0;
}

Result<std::string> read_pem_file(const std::string& path) {
  auto read = files::read_text(path, kMaxPemBytes);
  if (read == Code::kCorrupt) return Error(Code::kInvalid, path + ": larger than 1 MiB");
  if (!read) return Error(Code::kInvalid, path + ": " + files::reason_of(read.error(), path));
  std::string text(without_mark(*read));
  if (text.empty()) return Error(Code::kInvalid, path + ": empty, or no file");
  return text;
}

MemoryBio view_of(const std::string& text) {
  MemoryBio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  if (!bio) throw std::bad_alloc();
  return bio;
}

}  // namespace frond::tls
