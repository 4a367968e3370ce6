#include "tools/export/export_matches.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tools/client/answer.h"

namespace frond::tools {
namespace {

constexpr std::uint32_t kFirstPage = 128;                                // until it is known how large documents are
constexpr std::size_t kSmallAnswer = 1u << 20, kLargeAnswer = 8u << 20;  // bytes
constexpr std::chrono::milliseconds kFirstWait{500}, kMaxWait{8'000}, kMaxAskedWait{120'000};

bool may_pass(int status) { return status == 429 || (status >= 502 && status <= 504); }

class Export {
 public:
  Export(BrokerClient& broker, const ExportOptions& options, const MatchText& text, const ExportEvents& events,
         OutputFile& output)
      : broker_(broker), options_(options), query_(options.query), text_(text), events_(events), output_(output) {
    query_.k = std::min(kFirstPage, options.query.k);
  }

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
    if (body.size() > kLargeAnswer) query_.k = std::max(1u, query_.k / 2);
    if (body.size() < kSmallAnswer) query_.k = std::min(options_.query.k, query_.k * 2);
    return {};
  }

  Result<std::string> ask() {
    std::string target =
        search_target(query_, options_.words) + "&allow_partial=false&sort=" + url_encode(options_.sort);
    if (!cursor_.empty()) target += "&search_after=" + url_encode(cursor_);
    auto wait = kFirstWait;
    for (unsigned tried = 0;; ++tried, wait = std::min(2 * wait, kMaxWait)) {
      auto reply = broker_.get(target);
      if (reply && reply->status == 200) return std::move(reply->body);
      auto error = reply ? refusal(reply->status, reply->body) : std::move(reply).error();
      if (reply && reply->status == 410)
        return Error(Code::kInvalid,
                     error.message() + "; the matches are those of a generation that is gone: begin again");
      const bool lost = !reply && !first_ && (error.code() == Code::kUnavailable || error.code() == Code::kDeadline);
      if (!(reply ? may_pass(reply->status) : lost) || tried >= options_.retries) return error;
      const std::chrono::milliseconds asked = std::chrono::seconds(reply ? reply->retry_after_s : 0);
      const auto pause = std::max(wait, std::min(asked, kMaxAskedWait));
      if (events_.retried)
        events_.retried(
            fmt::format("{}; again in {:.1f} s", error.message(), static_cast<double>(pause.count()) / 1000));
      events_.wait(pause);
    }
  }

  BrokerClient& broker_;
  const ExportOptions& options_;
  QueryFlags query_;
  const MatchText& text_;
  const ExportEvents& events_;
  OutputFile& output_;
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
