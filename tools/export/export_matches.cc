#include "tools/export/export_matches.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "common/base/text.h"
#include "tools/client/answer.h"

namespace frond::tools {
namespace {

constexpr std::uint32_t kFirstPage = 128;                                // until it is known how large documents are
constexpr std::size_t kSmallAnswer = 1u << 20, kLargeAnswer = 8u << 20;  // bytes
constexpr std::chrono::milliseconds kFirstWait{500}, kMaxWait{8'000}, kMaxAskedWait{120'000};

bool may_pass(int status) { return status == 429 || (status >= 502 && status <= 504); }

// How many hits a page has. A broker or leaf that has no time or no room for so many is asked for half of them; from
// there on pages grow slowly.
class PageSize {
 public:
  explicit PageSize(std::uint32_t most) : most_(most), tried_(most), hits_(std::min(kFirstPage, most)) {}
  std::uint32_t hits() const { return hits_; }
  // False: it was one hit.
  bool halve() {
    if (hits_ == 1) return false;
    tried_ = hits_ /= 2;
    return true;
  }
  void follow(std::size_t answer_bytes) {
    if (answer_bytes > kLargeAnswer) hits_ = std::max(1u, hits_ / 2);
    if (answer_bytes < kSmallAnswer) hits_ = std::min(most_, hits_ < tried_ ? std::min(2 * hits_, tried_) : slowly());
  }

 private:
  std::uint32_t slowly() { return tried_ = hits_ + std::max(1u, hits_ / 8); }
  const std::uint32_t most_;
  std::uint32_t tried_;  // what was not refused
  std::uint32_t hits_;
};

class Export {
 public:
  Export(BrokerClient& broker, const ExportOptions& options, const MatchText& text, const ExportEvents& events,
         OutputFile& output)
      : broker_(broker),
        options_(options),
        query_(options.query),
        text_(text),
        events_(events),
        output_(output),
        size_(options.query.k) {}

  Result<std::uint64_t> run() {
    do
      if (auto written = write_page(); !written) {
        const bool begun = written_ > 0;
        return begun ? std::move(written).error().within(fmt::format("after {} of {} documents", written_, total_))
                     : std::move(written).error();
      }
    while (!cursor_.empty());
    return written_;
  }

 private:
  Result<void> write_page() {
    const std::string body = FROND_TRY(ask());
    rows_.clear();
    const bool first = std::exchange(first_, false);
    if (first) rows_ = text_.head();
    auto page = FROND_TRY(text_.append(body, rows_));
    if (!page.cursor.empty() && (page.hits == 0 || page.cursor == cursor_))
      return Error(Code::kCorrupt, "answer: its cursor leads nowhere");
    std::ostream& out = *FROND_TRY(output_.stream());
    out << rows_;
    FROND_TRY(output_.flush());
    cursor_ = std::move(page.cursor);
    written_ += page.hits;
    total_ = std::max(page.total, written_);
    if (events_.progress) events_.progress(written_, total_);
    size_.follow(body.size());
    return {};
  }

  std::string target() {
    query_.k = size_.hits();
    std::string text =
        search_target(query_, options_.words) + "&allow_partial=false&sort=" + percent_encoded(options_.sort);
    if (!cursor_.empty()) text += "&search_after=" + percent_encoded(cursor_);
    return text;
  }

  Result<std::string> ask() {
    auto wait = kFirstWait;
    for (unsigned tried = 0;;) {
      auto reply = broker_.get(target());
      if (reply && reply->status == 200) return std::move(reply->body);
      auto error = reply ? refusal(reply->status, reply->body) : std::move(reply).error();
      if (reply && reply->status == 410)
        return Error(Code::kInvalid,
                     error.message() + "; the matches are those of a generation that is gone: begin again");
      // Too many hits for the time, or for an answer: fewer are another question, so no try of this one is used up.
      const bool too_many = reply ? reply->status == 504 : !first_ && error.code() == Code::kDeadline;
      const bool too_large = !reply && error.code() == Code::kOverloaded;
      const bool lost = !reply && !first_ && (error.code() == Code::kUnavailable || error.code() == Code::kDeadline);
      if (!(reply ? may_pass(reply->status) : lost || too_large)) return error;
      // Leaves without room for the documents are like busy ones: what is refused again is asked for in parts.
      bool halved = (too_many || too_large) && size_.halve();
      if (!halved) {
        if (too_large || tried >= options_.retries) return error;
        halved = tried++ > 0 && reply && size_.halve();
      }
      const std::chrono::milliseconds asked = std::chrono::seconds(reply ? reply->retry_after_s : 0);
      pause(error.message(), std::max(wait, std::min(asked, kMaxAskedWait)), halved);
      if (tried > 0) wait = std::min(2 * wait, kMaxWait);
    }
  }

  void pause(const std::string& why, std::chrono::milliseconds time, bool halved) {
    std::string next = fmt::format("{}; again in {:.1f} s", why, static_cast<double>(time.count()) / 1000);
    if (halved) next += fmt::format(", with pages of {}", size_.hits());
    if (events_.retried) events_.retried(next);
    events_.wait(time);
  }

  BrokerClient& broker_;
  const ExportOptions& options_;
  QueryFlags query_;
  const MatchText& text_;
  const ExportEvents& events_;
  OutputFile& output_;
  PageSize size_;
  std::string cursor_, rows_;
  bool first_ = true;
  std::uint64_t written_ = 0, total_ = 0;
};

}  // namespace

Result<std::uint64_t> export_matches(BrokerClient& broker, const ExportOptions& options, const MatchText& text,
                                     const ExportEvents& events, OutputFile& output) {
  return Export(broker, options, text, events, output).run();
}

}  // namespace frond::tools
