#include "broker/http/multi_search.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace frond::broker {

struct MultiSearch::Batch {
  std::string body;
  SearchService::Reply reply;
  std::vector<std::string_view> lines;  // into body
  std::vector<std::string> answers;
  std::size_t next = 0, at_work = 0, answered = 0, bytes = 0;
  bool pumping = false, resting = false;
};

void MultiSearch::run(std::string body, SearchService::Reply reply) {
  if (running_ >= config_.max_requests) {
    auto response = http::problem(429, "Too many requests", "Too many msearch requests are at work.");
    response.headers.emplace_back("Retry-After", "1");
    return reply(std::move(response));
  }
  auto batch = std::make_shared<Batch>();
  batch->body = std::move(body);
  for (std::string_view left = batch->body; !left.empty();) {
    const auto end = left.find('\n');
    auto line = left.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    batch->lines.push_back(line);
    left = end == std::string_view::npos ? std::string_view() : left.substr(end + 1);
    if (batch->lines.size() > config_.max_lines)
      return reply(http::problem(400, "Bad request",
                                 "The body has more than " + std::to_string(config_.max_lines) + " lines.", "body"));
  }
  if (batch->lines.empty())
    return reply(http::problem(400, "Bad request", "The body has no line; each is a search as JSON.", "body"));
  batch->reply = std::move(reply);
  batch->answers.resize(batch->lines.size());
  ++running_;
  pump(batch);
}

void MultiSearch::pump(const std::shared_ptr<Batch>& batch) {
  if (std::exchange(batch->pumping, true)) return;  // answers that come at once end in the loop below
  const std::size_t turn = std::min(batch->lines.size(), batch->next + config_.lines_a_turn);
  std::size_t bytes = 0;
  while (!batch->resting && batch->next < turn && bytes < config_.bytes_a_turn && batch->at_work < config_.at_work) {
    const std::size_t line = batch->next++;
    bytes += batch->lines[line].size();
    ++batch->at_work;
    if (batch->lines[line].size() > config_.max_line) {
      settle(batch, line,
             http::problem(413, "Content too large", "A line may have " + std::to_string(config_.max_line) + " bytes.",
                           "body"));
      continue;
    }
    if (batch->bytes > config_.max_answer_bytes) {
      settle(batch, line,
             http::problem(413, "Content too large", "The answers before this one are too large together."));
      continue;
    }
    const auto parsed = parse_search_json(batch->lines[line]);
    if (!parsed.ok) {
      settle(batch, line, parsed.error.response());
      continue;
    }
    service_.search(
        parsed.parameters, [this, batch, line](http::Response response) { settle(batch, line, std::move(response)); },
        SearchService::Admission::kAlways);
  }
  batch->pumping = false;
  // A thousand answers out of the cache at once would keep everybody else waiting.
  if (!batch->resting && batch->next < batch->lines.size() && batch->at_work < config_.at_work) {
    batch->resting = true;
    timers_.after(std::chrono::microseconds(0), [this, batch] {
      batch->resting = false;
      pump(batch);
    });
  }
  if (batch->answered < batch->lines.size() || !batch->reply) return;
  --running_;
  http::Response response{.content_type = "application/x-ndjson"};
  response.body.reserve(batch->bytes + batch->answers.size());
  for (auto& answer : batch->answers) {
    response.body += std::exchange(answer, {});
    response.body += '\n';
  }
  std::exchange(batch->reply, nullptr)(std::move(response));
}

void MultiSearch::settle(const std::shared_ptr<Batch>& batch, std::size_t line, http::Response response) {
  if (response.body.ends_with('\n')) response.body.pop_back();
  batch->bytes += response.body.size();
  batch->answers[line] = std::move(response.body);
  --batch->at_work;
  ++batch->answered;
  pump(batch);
}

}  // namespace frond::broker
