#include "common/http/client.h"

#include <array>
#include <exception>
#include <limits>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

namespace frond::http {
namespace {
namespace asio = boost::asio;
namespace beast = boost::beast;
using boost::system::error_code;

// Asynchronous steps run one at a time to their end: only those obey a stream's timeout.
class Exchange {
 public:
  explicit Exchange(std::chrono::seconds step_timeout) : stream_(io_), timeout_(step_timeout) {}

  Result<void> connect(const Url& url) {
    asio::ip::tcp::resolver resolver(io_);
    error_code failed;
    const auto endpoints = resolver.resolve(url.host, url.port, failed);
    if (failed) return Error(Code::kUnavailable, "cannot resolve '" + url.host + "': " + failed.message());
    failed = step([&](auto done) { stream_.async_connect(endpoints, done); });
    if (failed)
      return Error(Code::kUnavailable, "cannot connect to " + url.host + ":" + url.port + ": " + failed.message());
    return {};
  }

  Result<void> ask(const Url& url, const std::string& target) {
    beast::http::request<beast::http::empty_body> request(beast::http::verb::get, target, 11);
    request.set(beast::http::field::host, url.host + ":" + url.port);
    request.set(beast::http::field::user_agent, "frond");
    request.set(beast::http::field::connection, "close");
    const error_code failed = step([&](auto done) { beast::http::async_write(stream_, request, done); });
    if (failed) return Error(Code::kUnavailable, "sending: " + failed.message());
    return {};
  }

  Result<void> receive(std::uint64_t max_bytes, const BodySink& sink) {
    parser_.body_limit(max_bytes);
    error_code failed = step([&](auto done) { beast::http::async_read_header(stream_, buffer_, parser_, done); });
    if (failed) return error_of(failed);
    const unsigned status = parser_.get().result_int();
    if (status == 404) return Error(Code::kNotFound, "404 Not Found");
    if (status != 200) return Error(Code::kUnavailable, "answered with status " + std::to_string(status));
    while (!parser_.is_done()) {
      auto& body = parser_.get().body();
      body.data = piece_.data();
      body.size = piece_.size();
      failed = step([&](auto done) { beast::http::async_read(stream_, buffer_, parser_, done); });
      if (failed == beast::http::error::need_buffer) failed = {};
      if (failed) return error_of(failed);
      FROND_TRY(sink(ByteView(piece_.data(), piece_.size() - body.size)));
    }
    return {};
  }

 private:
  template <class Start>
  error_code step(Start&& start) {
    error_code result;
    stream_.expires_after(timeout_);
    start([&result](error_code code, auto&&...) { result = code; });
    io_.restart();
    io_.run();
    return result;
  }
  static Error error_of(const error_code& failed) {
    if (failed == beast::http::error::body_limit) return Error(Code::kCorrupt, "the body is larger than it may be");
    const bool foreign =
        failed.category() == beast::http::make_error_code(beast::http::error::bad_version).category() &&
        failed != beast::http::error::end_of_stream && failed != beast::http::error::partial_message;
    return Error(foreign ? Code::kCorrupt : Code::kUnavailable, "receiving: " + failed.message());
  }

  asio::io_context io_{1};
  beast::tcp_stream stream_;
  std::chrono::seconds timeout_;
  beast::flat_buffer buffer_{64 << 10};
  beast::http::response_parser<beast::http::buffer_body> parser_;
  std::array<std::byte, 256 << 10> piece_;
};
}  // namespace

Result<Url> parse_url(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  const auto invalid = [&] {
    return Error(Code::kInvalid, "'" + std::string(url) + "' is not http://host[:port][/path]");
  };
  if (!url.starts_with(kScheme)) return invalid();
  const std::string_view rest = url.substr(kScheme.size());
  const std::string_view authority = rest.substr(0, rest.find('/'));
  std::string_view path = rest.substr(authority.size());
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.find_first_of(" ?#\r\n") != path.npos) return invalid();
  Url parts{std::string(authority), "80", std::string(path)};
  const auto colon = authority.rfind(':');
  if (colon != authority.npos && authority.find(']', colon) == authority.npos) {
    parts.host = authority.substr(0, colon);
    parts.port = authority.substr(colon + 1);
  }
  if (parts.host.starts_with('[') && parts.host.ends_with(']'))
    parts.host = parts.host.substr(1, parts.host.size() - 2);
  if (parts.host.empty() || parts.port.empty() || parts.port.find_first_not_of("0123456789") != std::string::npos)
    return invalid();
  return parts;
}

Result<void> get(const Url& url, std::string_view path, std::uint64_t max_bytes, std::chrono::seconds step_timeout,
                 const BodySink& sink) {
  const std::string target = url.path + std::string(path);
  const std::string where = "http://" + url.host + ":" + url.port + target;
  try {
    const auto exchange = std::make_unique<Exchange>(step_timeout);
    const auto whole = [&]() -> Result<void> {
      FROND_TRY(exchange->connect(url));
      FROND_TRY(exchange->ask(url, target));
      return exchange->receive(max_bytes, sink);
    };
    if (auto done = whole(); !done) return std::move(done).error().within(where);
    return {};
  } catch (const std::exception& thrown) {
    return Error(Code::kUnavailable, where + ": " + thrown.what());
  }
}

}  // namespace frond::http
