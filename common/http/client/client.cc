#include "common/http/client/client.h"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>

#include "common/base/text.h"
#include "common/http/client/client_stream.h"

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

// Whether "bytes 100-199/200" is the rest from `from` of at most `max_bytes`.
bool is_rest(std::string_view range, std::uint64_t from, std::uint64_t max_bytes) {
  const auto whole = number_in<std::uint64_t>(range.substr(std::min(range.rfind('/') + 1, range.size())));
  return whole && *whole > from && *whole <= max_bytes &&
         range == "bytes " + std::to_string(from) + "-" + std::to_string(*whole - 1) + "/" + std::to_string(*whole);
}

class Exchange {
 public:
  Exchange(ClientStream stream, const GetLimits& limits)
      : stream_(std::move(stream)), source_(stream_, limits), step_timeout_(limits.step_timeout) {}

  // GETs with `fields` besides the usual ones, and receives the header. `patience`: more time for that.
  Result<void> ask(const net::Url& url, const std::string& target, const std::string& fields,
                   std::chrono::milliseconds patience = {}) {
    return ask(url, Asked{"GET", target, fields, {}}, patience);
  }
  Result<void> ask(const net::Url& url, const Asked& asked, std::chrono::milliseconds patience) {
    std::string header = std::string(asked.method) + " " + std::string(asked.target) +
                         " HTTP/1.1\r\nHost: " + url.authority() + "\r\nUser-Agent: frond\r\n" + asked.fields;
    if (asked.method != "GET") header += "Content-Length: " + std::to_string(asked.body.size()) + "\r\n";
    FROND_TRY(stream_.write_all(header + "Connection: close\r\n\r\n"));
    // A server may answer, and close, before it has read the body: then its answer is read.
    if (auto sent = stream_.write_all(asked.body); !sent && sent.error().code() == Code::kDeadline) return sent;
    stream_.set_timeout(step_timeout_ + patience);
    parser_.body_limit(boost::none);  // the page of an error may be longer than what was asked for
    error_code failed;
    beast::http::read_header(source_, buffer_, parser_, failed);
    if (failed) return error_of(failed);
    return {};
  }
  const auto& head() const { return parser_.get(); }

  // A strong one of at most kMaxEtag bytes; else empty: weak ones tell nothing of bytes.
  std::string etag() const {
    std::string etag(head()[beast::http::field::etag]);
    return etag.starts_with('"') && etag.size() <= kMaxEtag ? etag : std::string();
  }

  // `begin` is called once it is known that the body may come.
  Result<void> receive(
      std::uint64_t max_bytes, const BodySink& sink,
      const std::function<Result<void>()>& begin = [] { return Result<void>(); }) {
    // A 304 has no body, whatever length it tells.
    if (!parser_.is_done() && parser_.content_length().value_or(0) > max_bytes)
      return error_of(beast::http::error::body_limit);
    parser_.body_limit(max_bytes);
    FROND_TRY(begin());
    while (!parser_.is_done()) {
      auto& piece = parser_.get().body();
      piece.data = piece_.data();
      piece.size = piece_.size();
      error_code failed;
      beast::http::read(source_, buffer_, parser_, failed);
      if (failed == beast::http::error::need_buffer) failed = {};
      // What came before a cut is as good as the rest will be.
      FROND_TRY(sink(ByteView(piece_.data(), piece_.size() - piece.size)));
      if (failed) return error_of(failed);
    }
    return {};
  }

 private:
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
  const std::chrono::milliseconds step_timeout_;
  beast::flat_buffer buffer_{64 << 10};
  beast::http::response_parser<beast::http::buffer_body> parser_;
  std::array<std::byte, 256 << 10> piece_;
};

// What the header says of the body.
Result<Body> body_of(const Exchange& exchange, const Rest& rest, std::uint64_t max_bytes) {
  const unsigned status = exchange.head().result_int();
  if (status == 404) return Error(Code::kNotFound, "404 Not Found");
  if (status == 416) return Error(Code::kCorrupt, "ends before byte " + std::to_string(rest.from));
  const bool partial = status == 206 && rest.from > 0;
  if (status != 200 && !partial) return Error(Code::kUnavailable, "answered with status " + std::to_string(status));
  const std::string_view range(exchange.head()[beast::http::field::content_range]);
  if (partial && !is_rest(range, rest.from, max_bytes))
    return Error(Code::kCorrupt, "answered with another range than was asked for: '" +
                                     std::string(range.substr(0, 60)) + "' from byte " + std::to_string(rest.from));
  Body body{partial ? rest.from : 0, exchange.etag()};
  if (partial && !rest.etag.empty() && !body.etag.empty() && body.etag != rest.etag)
    return Error(Code::kCorrupt, "the rest is of another version than the front: " + body.etag);
  return body;
}

// What `use` makes of a connection to the server and of the target. Errors name the URL.
template <class Use>
auto exchange_with(const net::Url& url, const tls::Trust* trust, std::string_view path, const GetLimits& limits,
                   int interrupt, const Use& use) -> decltype(use(std::declval<Exchange&>(), std::string())) {
  const std::string target = url.path + std::string(path);
  const std::string where = (url.tls ? "https://" : "http://") + url.authority() + target;
  if (url.tls && !trust) return Error(Code::kInvalid, where + ": https needs trusted authorities");
  try {
    auto stream = ClientStream::connect(url.host, url.port, url.tls ? trust : nullptr, limits.step_timeout, interrupt);
    if (!stream) return std::move(stream).error().within("cannot connect").within(where);
    const auto exchange = std::make_unique<Exchange>(*std::move(stream), limits);
    auto done = use(*exchange, target);
    if (!done) return std::move(done).error().within(where);
    return done;
  } catch (const std::exception& thrown) {
    return Error(Code::kUnavailable, where + ": " + thrown.what());
  }
}

}  // namespace

Result<void> get(const net::Url& url, const tls::Trust* trust, std::string_view path, const GetLimits& limits,
                 const Rest& rest, const std::function<Result<void>(const Body&)>& begin, const BodySink& sink) {
  return exchange_with(url, trust, path, limits, -1,
                       [&](Exchange& exchange, const std::string& target) -> Result<void> {
                         std::string fields;
                         if (rest.from > 0) fields = "Range: bytes=" + std::to_string(rest.from) + "-\r\n";
                         if (rest.from > 0 && !rest.etag.empty()) fields += "If-Range: " + rest.etag + "\r\n";
                         FROND_TRY(exchange.ask(url, target, fields));
                         const Body body = FROND_TRY(body_of(exchange, rest, limits.max_bytes));
                         return exchange.receive(limits.max_bytes - body.from, sink, [&] { return begin(body); });
                       });
}

Result<void> get(const net::Url& url, const tls::Trust* trust, std::string_view path, const GetLimits& limits,
                 const BodySink& sink) {
  return get(
      url, trust, path, limits, {}, [](const Body&) { return Result<void>(); }, sink);
}

Result<Answered> exchange(const net::Url& url, const tls::Trust* trust, const Asked& asked, const GetLimits& limits,
                          int interrupt) {
  return exchange_with(url, trust, asked.target, limits, interrupt,
                       [&](Exchange& exchange, const std::string& target) -> Result<Answered> {
                         FROND_TRY(exchange.ask(url, Asked{asked.method, target, asked.fields, asked.body}, {}));
                         Answered answer{static_cast<int>(exchange.head().result_int()), {}, {}};
                         for (const auto& field : exchange.head())
                           answer.headers.emplace_back(lower_case(field.name_string()), std::string(field.value()));
                         FROND_TRY(exchange.receive(limits.max_bytes, [&](ByteView piece) {
                           answer.body += as_text(piece);
                           return Result<void>();
                         }));
                         return answer;
                       });
}

Result<Changed> get_changed(const net::Url& url, const tls::Trust* trust, std::string_view path,
                            const ChangedGet& how) {
  constexpr std::size_t kMaxBody = 4 << 10;
  return exchange_with(
      url, trust, path, {.step_timeout = how.step_timeout}, how.interrupt,
      [&](Exchange& exchange, const std::string& target) -> Result<Changed> {
        std::string fields = how.etag.empty() ? "" : "If-None-Match: " + how.etag + "\r\n";
        fields += "Prefer: " + std::string(kWaitPreference) + std::to_string(how.wait.count()) + "\r\n";
        FROND_TRY(exchange.ask(url, target, fields, how.wait));
        const unsigned status = exchange.head().result_int();
        if (status == 404) return Error(Code::kNotFound, "404 Not Found");
        if (status != 200 && status != 304)
          return Error(Code::kUnavailable, "answered with status " + std::to_string(status));
        FROND_TRY(exchange.receive(kMaxBody, [](ByteView) { return Result<void>(); }));
        const bool waits = exchange.head()["Preference-Applied"].find("wait") != beast::string_view::npos;
        return Changed{status == 304 ? how.etag : exchange.etag(), status == 200, waits};
      });
}

}  // namespace frond::http
