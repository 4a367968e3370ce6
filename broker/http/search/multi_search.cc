#include "broker/http/search/multi_search.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "broker/http/answers/answer.h"
#include "common/base/lines.h"

namespace frond::broker::http {

struct MultiSearch::Batch {
  explicit Batch(std::shared_ptr<const void> service) : in_use(std::move(service)) {}
  const std::shared_ptr<const void> in_use;  // SearchService::in_use()
  std::string body;
  SearchService::Reply reply;  // null: the request was answered
  frond::http::Asker asker;
  std::vector<std::string_view> lines;  // into body
  std::vector<std::string> answers;
  std::unordered_map<std::size_t, SearchService::Ticket> working;  // by line
  // The line that waits for a place, and whether one is read on another thread: then later lines are not started.
  std::optional<std::size_t> waiting;
  bool reading = false;
  const std::shared_ptr<std::atomic<bool>> gone = std::make_shared<std::atomic<bool>>(false);
  std::size_t next = 0, at_work = 0, answered = 0, bytes = 0;
  bool pumping = false, resting = false, late = false;
  Deadline deadline = Deadline::never();
  cluster::TimerQueue::Id timer;

  bool pauses() const { return waiting || reading; }
};

namespace {
frond::http::Response late_line() {
  return frond::http::problem(504, "Deadline", "The time of the whole request was over before this line was begun.");
}
frond::http::Response too_many() {
  auto response = frond::http::problem(429, "Too many requests", "Too many msearch requests are at work.");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}
}  // namespace

MultiSearch::Ticket MultiSearch::run(std::string body, SearchService::Reply reply, const frond::http::Asker& asker) {
  const auto refuse = [&](frond::http::Response response) {
    reply(std::move(response));
    return Ticket();
  };
  if (running_ >= config_.max_requests) return refuse(too_many());
  auto batch = std::make_shared<Batch>(service_.in_use());
  batch->body = std::move(body);
  Lines lines(batch->body);
  while (const auto line = lines.next()) {
    batch->lines.push_back(*line);
    if (batch->lines.size() > config_.max_lines)
      return refuse(frond::http::problem(
          400, "Bad request", "The body has more than " + std::to_string(config_.max_lines) + " lines.", "body"));
  }
  if (batch->lines.empty())
    return refuse(frond::http::problem(400, "Bad request", "The body has no line; each is a search as JSON.", "body"));
  if (running_.fetch_add(1) >= config_.max_requests) {  // another thread has taken the last place meanwhile
    --running_;
    return refuse(too_many());
  }
  batch->reply = std::move(reply);
  batch->asker = asker;
  batch->answers.resize(batch->lines.size());
  batch->deadline = Deadline::after(timers_.clock(), config_.timeout);
  batch->timer = timers_.at(batch->deadline.when(), [this, batch] { expire(batch); });
  pump(batch);
  return batch;
}

void MultiSearch::pump(const std::shared_ptr<Batch>& batch) {
  if (!batch->reply || std::exchange(batch->pumping, true))
    return;  // answers that come at once re-enter here; the loop below goes on
  const std::size_t turn = std::min(batch->lines.size(), batch->next + config_.lines_a_turn);
  std::size_t bytes = 0;
  while (!batch->resting && !batch->pauses() && batch->next < turn && bytes < config_.bytes_a_turn &&
         batch->at_work < config_.at_work) {
    const std::size_t line = batch->next++;
    bytes += batch->lines[line].size();
    ++batch->at_work;
    begin_line(batch, line);
  }
  batch->pumping = false;
  // Lets other work run between turns: a thousand answers from the cache at once would delay other requests.
  if (!batch->resting && !batch->pauses() && batch->next < batch->lines.size() && batch->at_work < config_.at_work) {
    batch->resting = true;
    timers_.after(std::chrono::microseconds(0), [this, batch] {
      batch->resting = false;
      pump(batch);
    });
  }
  if (batch->answered < batch->lines.size() || !batch->reply) return;
  frond::http::Response response{.content_type = "application/x-ndjson"};
  response.body.reserve(batch->bytes + batch->answers.size());
  for (auto& answer : batch->answers) {
    response.body += std::exchange(answer, {});
    response.body += '\n';
  }
  close(*batch, std::move(response));
}

void MultiSearch::begin_line(const std::shared_ptr<Batch>& batch, std::size_t line) {
  if (batch->late) return late(batch, line);
  if (batch->lines[line].size() > config_.max_line)
    return settle(batch, line,
                  frond::http::problem(413, "Content too large",
                                       "A line may have " + std::to_string(config_.max_line) + " bytes.", "body"));
  if (batch->bytes > config_.max_answer_bytes)
    return settle(
        batch, line,
        frond::http::problem(413, "Content too large", "The answers before this one are too large together."));
  search_line(batch, line);
}

void MultiSearch::late(const std::shared_ptr<Batch>& batch, std::size_t line) {
  ++counters_.late_lines;
  settle(batch, line, late_line());
}

void MultiSearch::search_line(const std::shared_ptr<Batch>& batch, std::size_t line) {
  const std::string text(batch->lines[line]);
  if (auto known = service_.known_answer(text, batch->asker.trace)) return settle(batch, line, *std::move(known));
  TextReader& reader = service_.shared().reader;
  if (!reader.is_large(text)) return search_parsed(batch, line, text, parse_search_json(text));
  batch->reading = true;
  const auto whole = std::make_shared<const std::string>(text);
  reader.read(batch->asker.client, service_.home(), {whole, 0, parse_search_json, batch->gone},
              [this, batch, line, whole](const ParsedSearch& parsed) {
                batch->reading = false;
                if (!batch->reply) return;
                if (batch->late)
                  late(batch, line);
                else
                  search_parsed(batch, line, *whole, parsed);
                pump(batch);
              });
}

void MultiSearch::search_parsed(const std::shared_ptr<Batch>& batch, std::size_t line, const std::string& text,
                                const ParsedSearch& parsed) {
  if (!parsed.ok) return settle(batch, line, parsed.error.response());
  const auto on_begun = [this, batch] {
    batch->waiting.reset();
    pump(batch);
  };
  auto ticket = service_.search(
      parsed.parameters,
      [this, batch, line](frond::http::Response response) { settle(batch, line, std::move(response)); }, text,
      batch->asker, SearchService::Line{batch->deadline, on_begun});
  if (!ticket) return;
  if (ticket.waits()) batch->waiting = line;
  batch->working.emplace(line, std::move(ticket));
}

// The time of the whole request is over. Lines being evaluated end by themselves: their deadline is no later.
void MultiSearch::expire(const std::shared_ptr<Batch>& batch) {
  batch->late = true;
  if (const auto line = std::exchange(batch->waiting, {})) {
    ++counters_.late_lines;
    const auto ticket = batch->working[*line];  // settle() takes it out
    service_.end(ticket, late_line(), Outcome::kDeadline);
  }
  pump(batch);
}

void MultiSearch::abandon(const Ticket& ticket) {
  const auto batch = ticket.lock();
  if (!batch || !batch->reply) return;
  ++counters_.abandoned;
  close(*batch, abandoned());
  for (const auto& [line, working] : std::exchange(batch->working, {})) service_.abandon(working);
}

void MultiSearch::settle(const std::shared_ptr<Batch>& batch, std::size_t line, frond::http::Response response) {
  if (!batch->reply) return;
  batch->working.erase(line);
  if (response.body.ends_with('\n')) response.body.pop_back();
  batch->bytes += response.body.size();
  batch->answers[line] = std::move(response.body);
  --batch->at_work;
  ++batch->answered;
  pump(batch);
}

void MultiSearch::close(Batch& batch, frond::http::Response response) {
  --running_;
  *batch.gone = true;
  timers_.cancel(batch.timer);
  std::exchange(batch.reply, nullptr)(std::move(response));
}

}  // namespace frond::broker::http
