#include "common/http/client.h"

#include <array>
#include <exception>
#include <memory>
#include <optional>

#include <boost/asio/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>

#include "common/http/client_stream.h"

namespace frond::http {
namespace {
namespace beast = boost::beast;
using boost::system::error_code;

// What Beast reads from. Keeps the error of ours that stands behind an error code.
class Source {
 public:
  explicit Source(ClientStream& from) : from_(from) {}
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, error_code& failed) {
    const boost::asio::mutable_buffer to = *boost::asio::buffer_sequence_begin(buffers);
    auto got = from_.read_some({static_cast<char*>(to.data()), to.size()});
    failed = {};
    if (got && *got > 0) return *got;
    if (got) {
      failed = boost::asio::error::eof;
    } else {
      failed = boost::asio::error::connection_aborted;
      lost_ = std::move(got).error();
    }
    return 0;
  }
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers) {
    error_code failed;
    const auto got = read_some(buffers, failed);
    if (failed) throw boost::system::system_error(failed);
    return got;
  }
  const std::optional<Error>& lost() const { return lost_; }

 private:
  ClientStream& from_;
  std::optional<Error> lost_;
};

class Exchange {
 public:
  explicit Exchange(ClientStream stream) : stream_(std::move(stream)), source_(stream_) {}

  Result<void> ask(const Url& url, const std::string& target) {
    return stream_.write_all("GET " + target + " HTTP/1.1\r\nHost: " + url.authority() +
                             "\r\nUser-Agent: frond\r\nConnection: close\r\n\r\n");
  }

  Result<void> receive(std::uint64_t max_bytes, const BodySink& sink) {
    parser_.body_limit(boost::none);  // the page of an error may be longer than what was asked for
    error_code failed;
    beast::http::read_header(source_, buffer_, parser_, failed);
    if (failed) return error_of(failed);
    const unsigned status = parser_.get().result_int();
    if (status == 404) return Error(Code::kNotFound, "404 Not Found");
    if (status != 200) return Error(Code::kUnavailable, "answered with status " + std::to_string(status));
    if (parser_.content_length().value_or(0) > max_bytes) return error_of(beast::http::error::body_limit);
    parser_.body_limit(max_bytes);
    while (!parser_.is_done()) {
      auto& body = parser_.get().body();
      body.data = piece_.data();
      body.size = piece_.size();
      beast::http::read(source_, buffer_, parser_, failed);
      if (failed == beast::http::error::need_buffer) failed = {};
      if (failed) return error_of(failed);
      FROND_TRY(sink(ByteView(piece_.data(), piece_.size() - body.size)));
    }
    return {};
  }

 private:
  Error error_of(const error_code& failed) const {
    if (source_.lost()) return Error(Code::kUnavailable, "receiving: " + source_.lost()->message());
    if (failed == beast::http::error::body_limit) return Error(Code::kCorrupt, "the body is larger than it may be");
    const bool foreign =
        failed.category() == beast::http::make_error_code(beast::http::error::bad_version).category() &&
        failed != beast::http::error::end_of_stream && failed != beast::http::error::partial_message;
    return Error(foreign ? Code::kCorrupt : Code::kUnavailable, "receiving: " + failed.message());
  }

  ClientStream stream_;
  Source source_;
  beast::flat_buffer buffer_{64 << 10};
  beast::http::response_parser<beast::http::buffer_body> parser_;
  std::array<std::byte, 256 << 10> piece_;
};
}  // namespace

std::string Url::authority() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + port;
}

Result<Url> parse_url(std::string_view url) {
  constexpr std::string_view kPlain = "http://", kTls = "https://";
  const auto invalid = [&] {
    return Error(Code::kInvalid, "'" + std::string(url) + "' is not http[s]://host[:port][/path]");
  };
  const bool tls = url.starts_with(kTls);
  if (!tls && !url.starts_with(kPlain)) return invalid();
  const std::string_view rest = url.substr(tls ? kTls.size() : kPlain.size());
  const std::string_view authority = rest.substr(0, rest.find('/'));
  std::string_view path = rest.substr(authority.size());
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.find_first_of(" ?#\r\n") != path.npos) return invalid();
  Url parts{std::string(authority), tls ? "443" : "80", std::string(path), tls};
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

Result<void> get(const Url& url, const tls::Trust* trust, std::string_view path, std::uint64_t max_bytes,
                 std::chrono::seconds step_timeout, const BodySink& sink) {
  const std::string target = url.path + std::string(path);
  const std::string where = (url.tls ? "https://" : "http://") + url.authority() + target;
  if (url.tls && !trust) return Error(Code::kInvalid, where + ": nobody said whom to trust");
  try {
    const auto whole = [&]() -> Result<void> {
      auto stream = ClientStream::connect(url.host, url.port, url.tls ? trust : nullptr, step_timeout);
      if (!stream) return std::move(stream).error().within("cannot connect");
      const auto exchange = std::make_unique<Exchange>(std::move(*stream));
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
