#include "broker/http/search_service.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "broker/http/answer_json.h"
#include "broker/scatter/replica_choice.h"

namespace frond::broker::http {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// A search that is not answered yet.
struct SearchService::Job {
  Question question;
  Reply reply;
  std::optional<Line> line;
  Instant started;
  Deadline deadline = Deadline::never();
  std::string key;  // in the cache
  CacheUse use = CacheUse::kBypass;
  std::optional<Admission::Ticket> turn;         // while it waits for a place
  std::optional<cache::Flights::Seat> seat;      // while it waits for a flight
  std::shared_ptr<Evaluation> evaluation;        // its own evaluation, if that is not shared
  std::optional<cluster::TimerQueue::Id> timer;  // ends the wait
};

namespace {
// An evaluation ends this much before its deadline at most, so that searches with a slightly earlier deadline can share
// it.
constexpr microseconds kMaxSlack = milliseconds(50);
// A search shares no evaluation that ends before the last quarter of its time: alone it could get more.
constexpr int kShareThatMayBeLost = 4;
// Budget of each thread for known texts, for all collections: this share of the cache's, and at most so many bytes.
constexpr std::size_t kKnownShare = 64, kMaxKnownBytes = 1 << 20;

std::string cache_key(std::uint32_t collection, const SearchParameters& parameters,
                      const std::optional<scoring::Bm25Parameters>& bm25, const GenerationId& generation,
                      const query::AnalyzedQuery& query) {
  std::string key;
  const auto put = [&](auto value) { key.append(reinterpret_cast<const char*>(&value), sizeof value); };
  put(collection);
  put(generation.number);
  put(generation.content);
  put(parameters.k);
  put(parameters.offset);
  put(parameters.mode);
  put(parameters.rank);
  put(prior_weight(parameters));
  put(bm25.has_value());
  if (bm25) {
    put(bm25->k1);
    put(bm25->b);
  }
  put(parameters.count);
  put(parameters.processor);  // hits are the same on all processors, but not where counting stopped
  put(parameters.explain);
  put(parameters.fields);
  return key + normalized(query);
}
}  // namespace

frond::http::Response overloaded() {
  frond::http::Response response =
      frond::http::problem(429, "Too many requests", "The broker is at its limit; try again soon.");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

frond::http::Response abandoned() {
  return frond::http::problem(499, "Client closed request",
                              "The client ended its side of the connection before the answer.");
}

bool SearchService::Ticket::waits() const {
  const auto job = job_.lock();
  return job && job->turn;
}

SearchService::SearchService(scatter::ScatterContext& scatter, Config config, Shared& shared, cluster::HomeThread& home,
                             SearchMetrics& metrics)
    : scatter_(scatter),
      config_(config),
      metrics_(metrics),
      shared_(shared),
      home_(home),
      known_(std::min(kMaxKnownBytes, config.cache_bytes / kKnownShare) / config.collections) {}

std::optional<frond::http::Response> SearchService::known_answer(const std::string& text) {
  const Instant started = scatter_.timers.clock().now();
  const auto topology = scatter_.map.topology();
  const std::string* const key = topology ? known_.key_of(text, topology->id()) : nullptr;
  const auto cached = key != nullptr ? shared_.cache.find_known(*key) : cache::CachedAnswer();
  if (!cached.value) return {};
  auto response = rendered(started, CacheUse::kHit, *static_cast<const Answer*>(cached.value.get()));
  const std::chrono::duration<double> took = scatter_.timers.clock().now() - started;
  metrics_.count(Outcome::kWhole, CacheUse::kHit, took.count());
  return response;
}

SearchService::Ticket SearchService::search(const SearchParameters& parameters, Reply reply, const std::string& text,
                                            const frond::http::ClientId& client, Line* line) {
  const auto job = std::make_shared<Job>();
  job->question.parameters = parameters;
  job->reply = std::move(reply);
  if (line != nullptr) job->line = std::move(*line);
  Ticket ticket;
  give_time(*job);
  const auto refuse = [&](std::string_view detail, std::string_view parameter) {
    finish(*job, frond::http::problem(400, "Bad request", detail, parameter), Outcome::kInvalid);
    return Ticket();
  };
  if (milliseconds(parameters.timeout_ms) > config_.max_timeout)
    return refuse("timeout_ms is more than " + std::to_string(config_.max_timeout.count()), "timeout_ms");
  if (parameters.offset + parameters.k > config_.max_depth)
    return refuse("offset + k is more than " + std::to_string(config_.max_depth), "offset");
  if (parameters.processor == wire::Processor::kExhaustive && !config_.allow_exhaustive)
    return refuse("processor exhaustive is not allowed here", "processor");
  job->question.topology = scatter_.map.topology();
  if (!job->question.topology) {
    finish(*job, frond::http::problem(503, "Unavailable", "No leaf serves this collection yet."),
           Outcome::kUnavailable);
    return ticket;
  }
  job->question.bm25 = own_bm25(parameters, job->question.topology->bm25);
  const auto features = wire::features_needed(parameters.rank, job->question.bm25.has_value());
  if (const auto old = scatter::too_old_for(*job->question.topology, features)) {
    finish(*job,
           frond::http::problem(503, "Unavailable",
                                "The leaf " + *old + " is of an older version, which " +
                                    (job->question.bm25 ? "ranks by the collection's k1 and b only"
                                                        : "neither counts nor answers without ranking") +
                                    "; no other leaf has its partitions."),
           Outcome::kUnavailable);
    return ticket;
  }
  auto query = analyzer_.analyze(parameters.q, job->question.topology->analyzer);
  if (!query) return refuse(query.error().message(), "q");
  if (query->words > config_.max_terms)
    return refuse("q has " + std::to_string(query->words) + " terms, more than " + std::to_string(config_.max_terms),
                  "q");
  job->question.signs = render_signs(query::signs_not_applied(parameters.q));
  if (query->terms.empty()) job->question.signs += render_empty(query->only_stop_words);
  if (parameters.cache && !parameters.profile) {
    job->use = CacheUse::kMiss;
    job->key = cache_key(config_.collection, parameters, job->question.bm25, job->question.topology->id(), *query);
    job->key += job->question.signs;
    if (const cache::CachedAnswer cached = shared_.cache.find(job->key); cached.value) {
      job->use = CacheUse::kHit;
      if (!text.empty()) known_.remember(text, job->question.topology->id(), job->key);
      answer(*job, *std::static_pointer_cast<const Answer>(cached.value));
      return ticket;
    }
  }
  job->question.terms = std::move(query->terms);
  job->question.kind = {job->line.has_value(), is_costly(parameters, job->question.terms.size()), client};
  begin(job);
  if (job->reply) ticket.job_ = job;
  return ticket;
}

// Its time begins now.
void SearchService::give_time(Job& job) {
  const milliseconds asked(job.question.parameters.timeout_ms);
  job.started = scatter_.timers.clock().now();
  job.deadline = Deadline::at(job.started + (asked.count() == 0 ? config_.default_timeout : asked));
  if (job.line && job.line->latest.when() < job.deadline.when()) job.deadline = job.line->latest;
}

// Shares the evaluation of an equal search, or starts one that others may share.
void SearchService::begin(const std::shared_ptr<Job>& job) {
  if (join(job)) return;
  if (!job->line && !job->question.kind.costly) {
    if (shared_.admission.try_begin(job->question.kind)) return lead(job);
    return finish(*job, overloaded(), Outcome::kOverloaded);
  }
  // Called on the thread of the search whose end makes room; the job is passed on and not kept there.
  job->turn = shared_.admission.wait(job->question.kind, [this, job = job]() mutable {
    home_.run([this, job = std::move(job)] { take_place(job); });
  });
  if (!job->turn) return lead(job);
  if (*job->turn == Admission::kRefused) {
    job->turn.reset();
    return finish(*job, overloaded(), Outcome::kOverloaded);
  }
  if (!job->line) await_deadline(job);  // a line's time begins with its place
}

// A place was taken for a search that waited for it.
void SearchService::take_place(const std::shared_ptr<Job>& job) {
  if (!job->turn) return shared_.admission.end(job->question.kind);  // it was ended meanwhile
  job->turn.reset();
  if (job->timer) scatter_.timers.cancel(*std::exchange(job->timer, {}));
  if (job->line) give_time(*job);
  if (join(job))
    shared_.admission.end(job->question.kind);
  else
    lead(job);
  if (!job->line) return;
  if (const auto on_begun = std::exchange(job->line->on_begun, nullptr)) on_begun();
}

// An evaluation that ends from then on may be shared.
Instant SearchService::earliest_end(const Job& job) const {
  return job.deadline.when() - job.deadline.left(scatter_.timers.clock()) / kShareThatMayBeLost;
}

bool SearchService::join(const std::shared_ptr<Job>& job) {
  if (job->use != CacheUse::kMiss) return false;
  job->seat = shared_.flights.join(job->key, earliest_end(*job), job->deadline.when(), waiter(job));
  if (!job->seat) return false;
  await_deadline(job);
  return true;
}

void SearchService::await_deadline(const std::shared_ptr<Job>& job) {
  job->timer = scatter_.timers.at(job->deadline.when(), [this, job] {
    job->timer.reset();
    finish(*job, frond::http::problem(504, "Deadline", "No answer within the time allowed."), Outcome::kDeadline);
    release(*job);
  });
}

// Starts an evaluation; a place was taken for it.
void SearchService::lead(const std::shared_ptr<Job>& job) {
  if (job->use != CacheUse::kMiss) {
    const std::shared_ptr<const Question> question(job, &job->question);
    job->evaluation = Evaluation::start(scatter_, shared_.admission, question, job->deadline,
                                        [this, job](const auto& done) { answer(*job, *done); });
    return;
  }
  const auto slack = std::min(job->deadline.left(scatter_.timers.clock()) / 20, kMaxSlack);
  const auto [seat, begun] = shared_.flights.enter(job->key, earliest_end(*job), job->deadline.when(),
                                                   job->deadline.when() - slack, waiter(job));
  job->seat = seat;
  if (begun) return evaluate(job);
  await_deadline(job);  // another thread has begun it since join()
  shared_.admission.end(job->question.kind);
}

// Evaluates the flight that the job has begun.
void SearchService::evaluate(const std::shared_ptr<Job>& job) {
  const auto flight = job->seat->flight;
  if (const auto stored = shared_.cache.peek(job->key); stored.value) {  // by a flight that ended since the look-up
    shared_.admission.end(job->question.kind);
    return shared_.flights.complete(job->key, flight, stored, true);
  }
  const std::shared_ptr<const Question> question(job, &job->question);
  auto evaluation = Evaluation::start(scatter_, shared_.admission, question, job->deadline,
                                      [this, key = job->key, flight](const auto& done) {
                                        const cache::CachedAnswer cached{done, done->rest.capacity() + sizeof(Answer)};
                                        if (done->whole()) shared_.cache.store(key, cached);
                                        shared_.flights.complete(key, flight, cached, done->whole());
                                      });
  // Called on the thread of the last search that waited, which must not keep the evaluation.
  const auto stop = [this, evaluation]() mutable {
    home_.run([evaluation = std::move(evaluation)] { evaluation->stop(); });
  };
  if (!shared_.flights.set_stop(job->key, flight, stop)) evaluation->stop();
}

// Called on the thread of the evaluation; the job is passed on and not kept there.
cache::Flights::Waiter SearchService::waiter(const std::shared_ptr<Job>& job) {
  return [this, job = job](const cache::CachedAnswer& cached) mutable {
    home_.run([this, job = std::move(job), cached] {
      job->seat.reset();
      if (job->timer) scatter_.timers.cancel(*std::exchange(job->timer, {}));
      answer(*job, *std::static_pointer_cast<const Answer>(cached.value));
    });
  };
}

// Gives up everything that the search waits for.
void SearchService::release(Job& job) {
  if (job.timer) scatter_.timers.cancel(*std::exchange(job.timer, {}));
  if (job.turn) shared_.admission.leave(*std::exchange(job.turn, {}));
  if (job.seat) shared_.flights.leave(job.key, *std::exchange(job.seat, {}));
  if (const auto evaluation = std::exchange(job.evaluation, nullptr)) evaluation->stop();
}

void SearchService::end(const Ticket& ticket, frond::http::Response instead, Outcome outcome) {
  const auto job = ticket.job_.lock();
  if (!job || !job->reply) return;
  release(*job);
  metrics_.count(outcome);
  std::exchange(job->reply, nullptr)(std::move(instead));
}

void SearchService::abandon(const Ticket& ticket) { end(ticket, abandoned(), Outcome::kAbandoned); }

void SearchService::answer(Job& job, const Answer& answer) {
  if (!answer.whole()) {
    const bool nothing = answer.partitions_answered == 0;
    if (nothing && answer.all_overloaded) return finish(job, overloaded(), Outcome::kOverloaded);
    if (nothing || !job.question.parameters.allow_partial) {
      const std::string covered = std::to_string(answer.partitions_answered) + " of " +
                                  std::to_string(answer.partitions_total) + " partitions answered";
      if (answer.timed_out)
        return finish(job, frond::http::problem(504, "Deadline", covered + " within the time allowed."),
                      Outcome::kDeadline);
      return finish(job, frond::http::problem(503, "Unavailable", covered + "."), Outcome::kUnavailable);
    }
  }
  finish(job, rendered(job.started, job.use, answer), answer.whole() ? Outcome::kWhole : Outcome::kDegraded);
}

frond::http::Response SearchService::rendered(Instant started, CacheUse use, const Answer& answer) const {
  const auto took = std::chrono::duration_cast<microseconds>(scatter_.timers.clock().now() - started);
  frond::http::Response response;
  response.body = render_answer(static_cast<std::uint64_t>(took.count()), answer.timed_out, answer.generation,
                                name_of(use), answer.rest);
  return response;
}

void SearchService::finish(Job& job, frond::http::Response response, Outcome outcome) {
  const auto reply = std::exchange(job.reply, nullptr);
  if (!reply) return;
  const std::chrono::duration<double> took = scatter_.timers.clock().now() - job.started;
  metrics_.count(outcome, job.use, took.count());
  reply(std::move(response));
}

}  // namespace frond::broker::http
