#include "common/http/changed_get.h"

#include <algorithm>
#include <array>
#include <exception>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "common/http/client_stream.h"

namespace frond::http {
namespace {
namespace beast = boost::beast;
constexpr std::size_t kMaxBody = 4 << 10;
constexpr std::size_t kMaxHeader = 8 << 10;
constexpr std::size_t kMaxTag = 200;

using Parser = beast::http::response_parser<beast::http::string_body>;

Result<void> receive(ClientStream& from, Parser& parser) {
  std::array<char, kMaxHeader> bytes;
  std::size_t kept = 0;
  boost::system::error_code failed;
  while (!parser.is_done()) {
    if (kept == bytes.size()) return Error(Code::kCorrupt, "the header is larger than it may be");
    const std::size_t got = FROND_TRY(from.read_some({bytes.data() + kept, bytes.size() - kept}));
    kept += got;
    if (got == 0) {
      parser.put_eof(failed);
      if (!failed && parser.is_done()) return {};
      return Error(Code::kUnavailable, "the answer was cut short");
    }
    const std::size_t used = parser.put(boost::asio::buffer(bytes.data(), kept), failed);
    if (failed == beast::http::error::need_more) failed = {};
    if (failed) return Error(Code::kCorrupt, "not an answer: " + failed.message());
    std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(used), bytes.begin() + static_cast<std::ptrdiff_t>(kept),
              bytes.begin());
    kept -= used;
  }
  return {};
}

Result<Changed> ask(const net::Url& url, const tls::Trust* trust, const std::string& target, const ChangedGet& how) {
  auto stream = ClientStream::connect(url.host, url.port, url.tls ? trust : nullptr, how.step_timeout, how.interrupt);
  if (!stream) return std::move(stream).error().within("cannot connect");
  std::string request = "GET " + target + " HTTP/1.1\r\nHost: " + url.authority() + "\r\nUser-Agent: frond\r\n";
  if (!how.etag.empty()) request += "If-None-Match: " + how.etag + "\r\n";
  request += "Prefer: " + std::string(kWaitPreference) + std::to_string(how.wait.count()) + "\r\n";
  FROND_TRY(stream->write_all(request + "Connection: close\r\n\r\n"));
  stream->set_timeout(how.step_timeout + how.wait);
  Parser parser;
  parser.header_limit(kMaxHeader);
  parser.body_limit(kMaxBody);
  parser.eager(true);
  FROND_TRY(receive(*stream, parser));
  const auto& head = parser.get();
  const unsigned status = head.result_int();
  if (status == 404) return Error(Code::kNotFound, "404 Not Found");
  if (status != 200 && status != 304)
    return Error(Code::kUnavailable, "answered with status " + std::to_string(status));
  Changed answer{std::string(head[beast::http::field::etag]), status == 200, false};
  if (answer.etag.size() > kMaxTag || !answer.etag.starts_with('"')) answer.etag.clear();
  if (status == 304) answer.etag = how.etag;
  answer.waits = std::string_view(head["Preference-Applied"]).find("wait") != std::string_view::npos;
  return answer;
}

}  // namespace

Result<Changed> get_changed(const net::Url& url, const tls::Trust* trust, std::string_view path,
                            const ChangedGet& how) {
  const std::string target = url.path + std::string(path);
  const std::string where = (url.tls ? "https://" : "http://") + url.authority() + target;
  if (url.tls && !trust) return Error(Code::kInvalid, where + ": https needs trusted authorities");
  try {
    auto answer = ask(url, trust, target, how);
    if (!answer) return std::move(answer).error().within(where);
    return answer;
  } catch (const std::exception& thrown) {
    return Error(Code::kUnavailable, where + ": " + thrown.what());
  }
}

}  // namespace frond::http
