#include "tools/client/reply_reader.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "common/base/text.h"

namespace frond::tools {
namespace {

struct Head {
  int status = 0;
  bool keep_alive = true;
  bool has_length = false;
  std::size_t length = 0;
  std::uint32_t retry_after_s = 0;
};

bool same_name(std::string_view name, std::string_view lower_case) {
  return name.size() == lower_case.size() &&
         std::equal(name.begin(), name.end(), lower_case.begin(),
                    [](unsigned char a, char b) { return std::tolower(a) == static_cast<unsigned char>(b); });
}

Error corrupt_reply(std::string what) { return Error(Code::kCorrupt, "reply: " + std::move(what)); }

Result<void> take_field(std::string_view line, Head& head) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return corrupt_reply("a header line without ':'");
  const auto name = line.substr(0, colon);
  const auto value = trimmed(line.substr(colon + 1));
  if (same_name(name, "content-length")) {
    const auto length = number_in<std::size_t>(value);
    if (!length) return corrupt_reply("Content-Length is not a number");
    if (head.has_length && *length != head.length) return corrupt_reply("two Content-Lengths that differ");
    if (*length > ReplyReader::kMaxBody)
      return Error(Code::kOverloaded, "reply: a body of " + std::string(value) + " bytes is over the limit");
    head.length = *length;
    head.has_length = true;
  } else if (same_name(name, "connection")) {
    head.keep_alive = !same_name(value, "close");
  } else if (same_name(name, "retry-after")) {
    head.retry_after_s =
        number_in<decltype(head.retry_after_s)>(value).value_or(head.retry_after_s);  // a date is not sent by brokers
  } else if (same_name(name, "transfer-encoding")) {
    return corrupt_reply("Transfer-Encoding is not spoken here");
  }
  return {};
}

// `text`: the status line up to the end of the last header line.
Result<Head> parse_head(std::string_view text) {
  Head head;
  auto line = text.substr(0, text.find("\r\n"));
  const auto status = line.size() < 12 ? std::nullopt : number_in<decltype(head.status)>(line.substr(9, 3));
  if (!status || !line.starts_with("HTTP/1.") || line[8] != ' ')
    return corrupt_reply("does not begin with an HTTP/1 status line");
  head.status = *status;
  head.keep_alive = line[7] != '0';
  for (text.remove_prefix(line.size() + 2); !text.empty(); text.remove_prefix(line.size() + 2)) {
    line = text.substr(0, text.find("\r\n"));
    FROND_TRY(take_field(line, head));
  }
  const bool bodiless = head.status == 204 || head.status == 304;
  if (!head.has_length && !bodiless) return corrupt_reply("no Content-Length");
  if (bodiless) head.length = 0;
  return head;
}

}  // namespace

char* ReplyReader::room(std::size_t bytes) {
  if (begin_ == end_) begin_ = end_ = 0;
  if (buffer_.size() - end_ < bytes && begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < bytes) buffer_.resize(std::max(end_ + bytes, buffer_.size() * 2));
  return buffer_.data() + end_;
}

Result<std::optional<ReplyView>> ReplyReader::next() {
  const std::string_view text(buffer_.data() + begin_, end_ - begin_);
  // What another protocol says first, before an end is waited for that never comes.
  if (text.starts_with('\xff'))
    return Error(Code::kInvalid, "it speaks ZeroMQ, as a leaf's --listen does: the address of --http is needed");
  if (text.starts_with('\x15')) return Error(Code::kInvalid, "it speaks TLS: its address begins with https://");
  constexpr std::string_view kBegin = "HTTP/1.";
  if (!kBegin.starts_with(text.substr(0, kBegin.size())))
    return corrupt_reply("does not begin with an HTTP/1 status line");
  const auto end_of_head = text.substr(0, kMaxHead).find("\r\n\r\n");
  if (end_of_head == std::string_view::npos) {
    if (text.size() >= kMaxHead) return corrupt_reply("its head is over 64 KiB");
    return std::optional<ReplyView>();
  }
  const Head head = FROND_TRY(parse_head(text.substr(0, end_of_head + 2)));
  const auto body = end_of_head + 4;
  if (text.size() - body < head.length) return std::optional<ReplyView>();
  begin_ += body + head.length;
  return std::optional(ReplyView{head.status, head.keep_alive, head.retry_after_s, text.substr(body, head.length)});
}

void ReplyReader::reset() { begin_ = end_ = 0; }

}  // namespace frond::tools
