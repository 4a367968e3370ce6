#include "common/http/client.h"

#include <algorithm>
#include <array>
#include <charconv>
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
constexpr std::size_t kMaxEtag = 200;

// Whether a server sends fast enough, by the bytes in each window. Only time spent waiting for the server counts, not
// the time that the receiver takes with the bytes.
class Pace {
 public:
  explicit Pace(const GetLimits& limits)
      : needed_(limits.min_bytes_per_second * static_cast<std::uint64_t>(limits.window.count()) / 1000),
        window_(limits.window) {}
  bool too_slow(std::size_t brought, std::chrono::steady_clock::duration waited) {
    brought_ += brought;
    waited_ += waited;
    if (needed_ == 0 || waited_ < window_) return false;
    const bool slow = brought_ < needed_;
    brought_ = 0;
    waited_ = {};
    return slow;
  }

 private:
  std::uint64_t needed_, brought_ = 0;
  std::chrono::steady_clock::duration window_, waited_{};
};

// Where Beast reads from. Keeps our error when Beast gets only an error code.
class Source {
 public:
  Source(ClientStream& from, const GetLimits& limits) : from_(from), pace_(limits) {}
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, error_code& failed) {
    const boost::asio::mutable_buffer to = *boost::asio::buffer_sequence_begin(buffers);
    const auto before = std::chrono::steady_clock::now();
    auto got = from_.read_some({static_cast<char*>(to.data()), to.size()});
    failed = {};
    if (got && *got > 0 && pace_.too_slow(*got, std::chrono::steady_clock::now() - before))
      got = Error(Code::kDeadline, "the server sends too slowly");
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
  Pace pace_;
  std::optional<Error> lost_;
};

// "bytes 100-199/200": the first byte's place; nothing where it is not the rest from `from` of at most `max_bytes`.
bool is_rest(std::string_view range, std::uint64_t from, std::uint64_t max_bytes) {
  constexpr std::string_view kUnit = "bytes ";
  if (!range.starts_with(kUnit)) return false;
  range.remove_prefix(kUnit.size());
  const auto number = [&range](char behind) -> std::uint64_t {
    std::uint64_t value = 0;
    const auto [end, failed] = std::from_chars(range.data(), range.data() + range.size(), value);
    const auto used = static_cast<std::size_t>(end - range.data());
    const bool ended = behind == '\0' ? used == range.size() : used < range.size() && range[used] == behind;
    if (failed != std::errc() || !ended) return ~std::uint64_t{0};
    range.remove_prefix(std::min(range.size(), used + 1));
    return value;
  };
  const std::uint64_t first = number('-'), last = number('/'), whole = number('\0');
  return first == from && last >= first && whole <= max_bytes && last + 1 == whole;
}

class Exchange {
 public:
  Exchange(ClientStream stream, const GetLimits& limits)
      : stream_(std::move(stream)), source_(stream_, limits), max_bytes_(limits.max_bytes) {}

  Result<void> ask(const net::Url& url, const std::string& target, const Rest& rest) {
    std::string request = "GET " + target + " HTTP/1.1\r\nHost: " + url.authority() + "\r\nUser-Agent: frond\r\n";
    if (rest.from > 0) request += "Range: bytes=" + std::to_string(rest.from) + "-\r\n";
    if (rest.from > 0 && !rest.etag.empty()) request += "If-Range: " + rest.etag + "\r\n";
    return stream_.write_all(request + "Connection: close\r\n\r\n");
  }

  Result<void> receive(const Rest& rest, const std::function<Result<void>(const Body&)>& begin, const BodySink& sink) {
    parser_.body_limit(boost::none);  // the page of an error may be longer than what was asked for
    error_code failed;
    beast::http::read_header(source_, buffer_, parser_, failed);
    if (failed) return error_of(failed);
    const Body body = FROND_TRY(body_of(rest));
    const std::uint64_t max_rest = max_bytes_ - body.from;
    if (parser_.content_length().value_or(0) > max_rest) return error_of(beast::http::error::body_limit);
    parser_.body_limit(max_rest);
    FROND_TRY(begin(body));
    while (!parser_.is_done()) {
      auto& piece = parser_.get().body();
      piece.data = piece_.data();
      piece.size = piece_.size();
      beast::http::read(source_, buffer_, parser_, failed);
      if (failed == beast::http::error::need_buffer) failed = {};
      // What came before a cut is as good as the rest will be.
      FROND_TRY(sink(ByteView(piece_.data(), piece_.size() - piece.size)));
      if (failed) return error_of(failed);
    }
    return {};
  }

 private:
  // What the headers say of the body.
  Result<Body> body_of(const Rest& rest) const {
    const auto& head = parser_.get();
    const unsigned status = head.result_int();
    if (status == 404) return Error(Code::kNotFound, "404 Not Found");
    if (status == 416) return Error(Code::kCorrupt, "ends before byte " + std::to_string(rest.from));
    const bool partial = status == 206 && rest.from > 0;
    if (status != 200 && !partial) return Error(Code::kUnavailable, "answered with status " + std::to_string(status));
    const std::string_view range(head[beast::http::field::content_range]);
    if (partial && !is_rest(range, rest.from, max_bytes_))
      return Error(Code::kCorrupt, "answered with another range than was asked for: '" +
                                       std::string(range.substr(0, 60)) + "' from byte " + std::to_string(rest.from));
    Body body{partial ? rest.from : 0, std::string(head[beast::http::field::etag])};
    if (!body.etag.starts_with('"') || body.etag.size() > kMaxEtag)
      body.etag.clear();  // weak ones tell nothing of bytes
    if (partial && !rest.etag.empty() && !body.etag.empty() && body.etag != rest.etag)
      return Error(Code::kCorrupt, "the rest is of another version than the front: " + body.etag);
    return body;
  }

  Error error_of(const error_code& failed) const {
    if (source_.lost()) {
      const bool late = source_.lost()->code() == Code::kDeadline;
      return Error(late ? Code::kDeadline : Code::kUnavailable, "receiving: " + source_.lost()->message());
    }
    if (failed == beast::http::error::body_limit) return Error(Code::kCorrupt, "the body is larger than it may be");
    const bool foreign =
        failed.category() == beast::http::make_error_code(beast::http::error::bad_version).category() &&
        failed != beast::http::error::end_of_stream && failed != beast::http::error::partial_message;
    return Error(foreign ? Code::kCorrupt : Code::kUnavailable, "receiving: " + failed.message());
  }

  ClientStream stream_;
  Source source_;
  const std::uint64_t max_bytes_;
  beast::flat_buffer buffer_{64 << 10};
  beast::http::response_parser<beast::http::buffer_body> parser_;
  std::array<std::byte, 256 << 10> piece_;
};
}  // namespace

Result<void> get(const net::Url& url, const tls::Trust* trust, std::string_view path, const GetLimits& limits,
                 const Rest& rest, const std::function<Result<void>(const Body&)>& begin, const BodySink& sink) {
  const std::string target = url.path + std::string(path);
  const std::string where = (url.tls ? "https://" : "http://") + url.authority() + target;
  if (url.tls && !trust) return Error(Code::kInvalid, where + ": https needs trusted authorities");
  try {
    const auto whole = [&]() -> Result<void> {
      auto stream = ClientStream::connect(url.host, url.port, url.tls ? trust : nullptr, limits.step_timeout);
      if (!stream) return std::move(stream).error().within("cannot connect");
      const auto exchange = std::make_unique<Exchange>(std::move(*stream), limits);
      FROND_TRY(exchange->ask(url, target, rest));
      return exchange->receive(rest, begin, sink);
    };
    if (auto done = whole(); !done) return std::move(done).error().within(where);
    return {};
  } catch (const std::exception& thrown) {
    return Error(Code::kUnavailable, where + ": " + thrown.what());
  }
}

Result<void> get(const net::Url& url, const tls::Trust* trust, std::string_view path, const GetLimits& limits,
                 const BodySink& sink) {
  return get(
      url, trust, path, limits, {}, [](const Body&) { return Result<void>(); }, sink);
}

}  // namespace frond::http
