#include "common/objects/transport.h"

#include <curl/curl.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/text.h"

namespace frond::objects {
namespace {

constexpr std::size_t kMaxHeaderBytes = 64 << 10, kMaxHeaders = 200, kMaxIdle = 64;

struct Free {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, Free>;

// A connection that the server has closed must not end the process: OpenSSL writes without MSG_NOSIGNAL.
class NoSigpipe {
 public:
  NoSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoSigpipe() {
    const timespec at_once{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoSigpipe(const NoSigpipe&) = delete;
  NoSigpipe& operator=(const NoSigpipe&) = delete;

 private:
  sigset_t pipe_, before_;
  bool was_pending_ = false;
};

// What the callbacks of one request use.
struct Exchange {
  const HttpRequest& request;
  const HttpLimits& limits;
  const std::function<bool()>& stopping;
  HttpAnswer& answer;
  std::size_t sent = 0, header_bytes = 0;
  bool too_large = false, stopped = false;
};

// Makes room for the whole body, as far as it may be: growing step by step copies a part of 8 MiB once more, and
// touches twice the memory.
void reserve_body(Exchange& exchange) {
  const std::string_view told = exchange.answer.header("content-length");
  std::size_t length = 0;
  std::from_chars(told.data(), told.data() + told.size(), length);
  exchange.answer.body.reserve(std::min<std::size_t>(length, exchange.limits.max_body));
}

std::size_t take_body(char* bytes, std::size_t, std::size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  auto& body = exchange.answer.body;
  if (body.size() + count > exchange.limits.max_body) {
    exchange.too_large = true;
    return 0;
  }
  if (body.empty()) reserve_body(exchange);
  const ByteView piece = as_bytes({bytes, count});
  body.insert(body.end(), piece.begin(), piece.end());
  return count;
}

std::size_t take_header(char* bytes, std::size_t, std::size_t count, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  const std::string_view line = trimmed({bytes, count});
  exchange.header_bytes += count;
  if (exchange.header_bytes > kMaxHeaderBytes || exchange.answer.headers.size() >= kMaxHeaders) {
    exchange.too_large = true;
    return 0;
  }
  if (line.starts_with("HTTP/")) exchange.answer.headers.clear();  // an interim answer came before
  const auto colon = line.find(':');
  if (colon == line.npos) return count;
  exchange.answer.headers.emplace_back(lower_case(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  return count;
}

std::size_t give_body(char* to, std::size_t, std::size_t room, void* user) {
  auto& exchange = *static_cast<Exchange*>(user);
  const ByteView rest = exchange.request.body.subspan(exchange.sent);
  const std::size_t count = std::min(rest.size(), room);
  std::memcpy(to, rest.data(), count);
  exchange.sent += count;
  return count;
}

int seek_body(void* user, curl_off_t offset, int origin) {
  auto& exchange = *static_cast<Exchange*>(user);
  if (origin != SEEK_SET || offset < 0 || static_cast<std::size_t>(offset) > exchange.request.body.size())
    return CURL_SEEKFUNC_FAIL;
  exchange.sent = static_cast<std::size_t>(offset);
  return CURL_SEEKFUNC_OK;
}

int look_around(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto& exchange = *static_cast<Exchange*>(user);
  exchange.stopped = exchange.stopping && exchange.stopping();
  return exchange.stopped ? 1 : 0;
}

Code code_of(CURLcode failed) {
  switch (failed) {
    case CURLE_OPERATION_TIMEDOUT:
      return Code::kDeadline;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_BAD_CONTENT_ENCODING:
      return Code::kCorrupt;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return Code::kInvalid;
    default:
      return Code::kUnavailable;
  }
}

void set_limits(CURL* easy, const HttpLimits& limits) {
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect.count()));
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(limits.time.count()));
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(limits.min_bytes_per_second));
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME,
                   limits.min_bytes_per_second == 0 ? 0L : static_cast<long>(limits.window.count()));
}

}  // namespace

// Handles that wait for the next request, each with its connections.
struct Transport::Pool {
  Mutex mutex;
  std::vector<Easy> idle FROND_GUARDED_BY(mutex);

  Easy take() {
    const MutexLock lock(mutex);
    if (idle.empty()) return Easy(curl_easy_init());
    Easy last = std::move(idle.back());
    idle.pop_back();
    return last;
  }
  void give_back(Easy easy) {
    curl_easy_reset(easy.get());  // keeps the connections
    const MutexLock lock(mutex);
    if (idle.size() < kMaxIdle) idle.push_back(std::move(easy));
  }
};

std::string_view HttpAnswer::header(std::string_view name) const {
  for (auto at = headers.rbegin(); at != headers.rend(); ++at)
    if (at->first == name) return at->second;
  return {};
}

Transport::Transport(std::string tls_ca) : tls_ca_(std::move(tls_ca)), pool_(std::make_unique<Pool>()) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}
Transport::~Transport() = default;

HttpAnswer Transport::perform(const HttpRequest& request, const HttpLimits& limits,
                              const std::function<bool()>& stopping, ByteBuffer room) {
  HttpAnswer answer;
  answer.body = std::move(room);
  answer.body.clear();
  Easy owned = pool_->take();
  CURL* const easy = owned.get();
  if (easy == nullptr) {
    answer.broken = Error(Code::kUnavailable, "out of memory");
    return answer;
  }
  Exchange exchange{request, limits, stopping, answer};
  std::unique_ptr<curl_slist, Free> headers;
  const auto add_header = [&](const std::string& line) {
    curl_slist* const longer = curl_slist_append(headers.get(), line.c_str());
    (void)headers.release();
    headers.reset(longer);
  };
  for (const auto& [name, value] : request.headers) add_header(std::string(name).append(": ").append(value));
  add_header("Expect:");  // no waiting for "100 Continue"
  std::array<char, CURL_ERROR_SIZE> why{};
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, why.data());
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "frond");
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L << 10);
  curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 256L << 10);
  if (!tls_ca_.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, tls_ca_.c_str());
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
  }
  set_limits(easy, limits);
  if (request.method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  } else if (request.method == "PUT") {
    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, give_body);
    curl_easy_setopt(easy, CURLOPT_READDATA, &exchange);
    curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek_body);
    curl_easy_setopt(easy, CURLOPT_SEEKDATA, &exchange);
  } else if (request.method == "POST") {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.empty() ? "" : as_text(request.body).data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  } else if (request.method != "GET") {
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &exchange);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &exchange);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, look_around);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &exchange);

  const NoSigpipe guard;
  const CURLcode failed = curl_easy_perform(easy);
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  answer.status = static_cast<unsigned>(status);
  answer.sent = exchange.sent;
  if (failed != CURLE_OK) {
    const std::string text = why[0] != '\0' ? why.data() : curl_easy_strerror(failed);
    if (exchange.stopped)
      answer.broken = Error(Code::kDeadline, "stopped");
    else if (exchange.too_large)
      answer.broken = Error(Code::kCorrupt, "the answer is larger than it may be");
    else if (code_of(failed) == Code::kInvalid)
      answer.broken = Error(Code::kInvalid, "TLS: " + text + "; believed are the authorities of " +
                                                (tls_ca_.empty() ? "the system (--tls-ca names others)" : tls_ca_));
    else
      answer.broken = Error(code_of(failed), text);
    return answer;  // and its connection is closed
  }
  pool_->give_back(std::move(owned));
  return answer;
}

}  // namespace frond::objects
