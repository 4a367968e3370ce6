#include "broker/http/search/search_service.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "broker/http/answers/answer.h"
#include "broker/http/monitoring/search_spans.h"
#include "broker/http/search/search_service_job.h"
#include "broker/scatter/search.h"

namespace frond::broker::http {

using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace {

// An evaluation ends this much before its deadline at most, so that searches with a slightly earlier deadline can share
// it.
constexpr microseconds kMaxSlack = milliseconds(50);
// A search shares no evaluation that leaves more of its time unused than this, besides what a search reserves: alone it
// could get more.
constexpr int kShareThatMayBeLost = 5;
// Budget of each thread for known texts, for all collections: this share of the cache's, and at most so many bytes.
constexpr std::size_t kKnownShare = 64, kMaxKnownBytes = 1 << 20;

// By which leaves tell clients apart; of all brokers the same. Lines of a client's msearch requests are another one, so
// that its single searches do not wait behind them.
std::uint32_t number_of(const Admission::Kind& kind) {
  std::uint64_t high = 0, low = 0;
  std::memcpy(&high, kind.client.data(), sizeof high);
  std::memcpy(&low, kind.client.data() + sizeof high, sizeof low);
  const std::uint64_t mixed = (((high + kind.batch) * 0x9e3779b97f4a7c15) ^ low) * 0xbf58476d1ce4e5b9;
  return std::max(1u, static_cast<std::uint32_t>(mixed >> 32));
}

// An evaluation by the leaves, and the place that was taken for it.
class Evaluation final : public scatter::Abandonable {
 public:
  Evaluation(Admission& admission, Admission::Kind kind, std::shared_ptr<const void> service)
      : admission_(admission), kind_(kind), places_(admission.all()), service_(std::move(service)) {}
  void go_on(std::shared_ptr<Abandonable> search) {
    if (holds_place_) search_ = std::move(search);
  }
  // Gives the place back. `used`: the share of its time that the search took; none: it tells nothing.
  void end(std::optional<double> used, Instant now) {
    search_ = nullptr;
    if (!std::exchange(holds_place_, false)) return;
    admission_.end(kind_, used ? std::optional(Admission::Ended{places_, *used, now}) : std::nullopt);
  }
  void abandon() override {
    if (const auto search = std::exchange(search_, nullptr)) search->abandon();
    end({}, {});
  }

 private:
  Admission& admission_;
  const Admission::Kind kind_;
  const std::size_t places_;                   // taken when it began
  const std::shared_ptr<const void> service_;  // SearchService::in_use()
  std::shared_ptr<Abandonable> search_;        // while leaves are asked
  bool holds_place_ = true;
};

}  // namespace

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

std::optional<frond::http::Response> SearchService::known_answer(const std::string& text,
                                                                 const frond::http::Trace& trace) {
  const Instant started = now();
  const auto topology = scatter_.map.topology();
  const std::string* const key = topology ? known_.key_of(text, topology->id()) : nullptr;
  const auto cached = key != nullptr ? shared_.cache.find_known(*key) : cache::CachedAnswer();
  if (!cached.value) return {};
  shared_.promises.expect(Promises::kCached, answer_in(cached).whole());
  auto response =
      rendered(std::chrono::duration_cast<microseconds>(now() - started), CacheUse::kHit, answer_in(cached));
  metrics_.count(Outcome::kWhole, CacheUse::kHit, std::chrono::duration<double>(now() - started).count());
  if (shared_.spans != nullptr && shared_.spans->keeps(trace))
    add_span(trace, frond::http::new_span_id(), started, Outcome::kWhole, CacheUse::kHit);
  return response;
}

SearchService::Ticket SearchService::search(const SearchParameters& parameters, Reply reply, const std::string& text,
                                            const frond::http::Asker& asker, std::optional<Line> line,
                                            std::optional<Instant> came, Found found) {
  const auto job = std::make_shared<Job>(in_use_);
  job->parameters = parameters;
  job->reply = std::move(reply);
  job->found = std::move(found);
  job->line = std::move(line);
  job->trace = asker.trace;
  if (shared_.spans != nullptr && shared_.spans->keeps(job->trace)) job->span = frond::http::new_span_id();
  give_time(*job, came.value_or(now()));
  job->asked_mode = parameters.mode;
  job->kind = {.batch = job->line.has_value(), .client = asker.client, .weight = asker.weight};
  start(job, text);
  Ticket ticket;
  if (job->reply) ticket.job_ = job;
  return ticket;
}

void SearchService::give_time(Job& job, Instant from) {
  const milliseconds asked(job.parameters.timeout_ms);
  job.started = from;
  job.deadline = Deadline::at(job.started + (asked.count() == 0 ? config_.default_timeout : asked));
  if (job.line && job.line->latest.when() < job.deadline.when()) job.deadline = job.line->latest;
}

// Shares the evaluation of an equal search, or starts one that others may share.
void SearchService::begin(const std::shared_ptr<Job>& job) {
  if (join(job)) return;
  if (shared_.admission.try_begin(job->kind, now())) return lead(job);
  // Called on the thread of the search whose end makes room; the job is passed on and not kept there.
  job->turn = shared_.admission.wait(
      job->kind, [this, job = job]() mutable { home_.run([this, job = std::move(job)] { take_place(job); }); });
  if (!job->turn) return lead(job);
  if (*job->turn == Admission::kRefused) {
    job->turn.reset();
    if (job->begun_anew) return answer(job, job->first);
    return finish(*job, overloaded(), Outcome::kOverloaded);
  }
  if (!job->line || job->begun_anew) await_deadline(job);  // a line's time begins with its first place
}

// A place was taken for a search that waited for it.
void SearchService::take_place(const std::shared_ptr<Job>& job) {
  if (!job->turn) return shared_.admission.end(job->kind);  // it was ended meanwhile
  job->turn.reset();
  stop_timer(*job);
  if (job->line && !job->begun_anew) give_time(*job, now());
  if (join(job))
    shared_.admission.end(job->kind);
  else
    lead(job);
  if (!job->line) return;
  if (const auto on_begun = std::exchange(job->line->on_begun, nullptr)) on_begun();
}

// An evaluation that waits for leaves until then may be shared.
Instant SearchService::earliest_end(const Job& job) const {
  const microseconds left = job.deadline.left(scatter_.timers.clock());
  return job.deadline.when() - scatter::reserved_of(left) - left / kShareThatMayBeLost;
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
void SearchService::stop_timer(Job& job) {
  if (job.timer) scatter_.timers.cancel(*std::exchange(job.timer, {}));
}

// Starts an evaluation, for which a place was taken: the job's own, or a flight, which others may share.
void SearchService::lead(const std::shared_ptr<Job>& job) {
  if (job->use != CacheUse::kMiss) {
    const bool anew = job->begun_anew;
    auto evaluation = evaluate(job, [this, job](const cache::CachedAnswer& done) { answer(job, done); });
    if (job->begun_anew == anew) job->evaluation = std::move(evaluation);  // else it has the second one's already
    return;
  }
  const microseconds left = job->deadline.left(scatter_.timers.clock());
  const Instant latest = job->deadline.when();
  const cache::Flights::End end{latest - scatter::reserved_of(left), latest - std::min(left / 20, kMaxSlack)};
  const auto [seat, begun] = shared_.flights.enter(job->key, earliest_end(*job), latest, end, waiter(job));
  job->seat = seat;
  if (!begun) {  // another thread has begun it since join()
    await_deadline(job);
    return shared_.admission.end(job->kind);
  }
  const auto flight = seat.flight;
  if (const auto stored = shared_.cache.peek(job->key); stored.value) {  // by a flight that ended since the look-up
    shared_.admission.end(job->kind);
    return shared_.flights.complete(job->key, flight, stored, true);
  }
  auto evaluation = evaluate(job, [this, key = job->key, flight](const cache::CachedAnswer& done) {
    const Answer& answer = answer_in(done);
    if (answer.may_be_cached()) shared_.cache.store(key, done);
    shared_.flights.complete(key, flight, done, answer.whole());
  });
  // Called on the thread of the last search that waited, which must not keep the evaluation.
  const auto stop = [this, evaluation]() mutable {
    home_.run([evaluation = std::move(evaluation)] { evaluation->abandon(); });
  };
  if (!shared_.flights.set_stop(job->key, flight, stop)) evaluation->abandon();
}

// Asks the leaves, unless the query has no terms. `done` is called once, at the latest when the deadline passes,
// possibly before evaluate() returns; not if the evaluation is abandoned. The place is held until then.
std::shared_ptr<scatter::Abandonable> SearchService::evaluate(const std::shared_ptr<Job>& job,
                                                              cache::Flights::Waiter done) {
  const auto evaluation = std::make_shared<Evaluation>(shared_.admission, job->kind, in_use_);
  const auto over = [this, job, evaluation, begun = now(), done = std::move(done)](const merge::Page& page) {
    evaluation->end(share_of_time(*job, page, begun), now());
    shared_.promises.expect(Promises::kHonest, is_honest(page));
    learn(*job, page);
    if (shared_.slow.is_slow(now() - job->started)) job->slow_profile = slow_profile(page.profile);
    if (job->span != 0) shared_.spans->add(job->trace, evaluation_spans(page, job->span, begun, now()));
    done(answer_of(*job, page));
  };
  if (!job->asks_leaves())
    over(empty_page(*job));
  else
    evaluation->go_on(scatter::search(scatter_, plan_with_trace(*job), job->deadline, over));
  return evaluation;
}

// Leaves know the search by its trace, and say where its time went: if that is kept, else if they take long, or are
// asked to.
scatter::SearchPlan SearchService::plan_with_trace(const Job& job) const {
  scatter::SearchPlan plan = plan_of(job);
  plan.request.trace = {job.trace.high, job.trace.low};
  plan.request.profile_from = shared_.slow.least();
  plan.request.profile |= job.span != 0;
  plan.request.client = {number_of(job.kind), job.kind.weight};
  return plan;
}

// For AdaptiveLimit: the time since the search got its place, as a share of all it was given. With the wait for the
// place fewer places would seem to be too many, too. Where partitions are missing, half of them tell: if these came
// soon, it is not that there are too many searches. None: the search tells nothing of that.
std::optional<double> SearchService::share_of_time(const Job& job, const merge::Page& page, Instant begun) const {
  if (!job.asks_leaves() || !page.refusal.empty()) return {};
  const std::chrono::duration<double, std::micro> all = job.deadline.when() - job.started;
  if (page.whole()) return (now() - begun) / all;
  if (page.profile.half_us) return static_cast<double>(*page.profile.half_us) / all.count();
  const auto by_time = [](const auto& one) {
    return one.reason == wire::UnsearchedReason::kDeadline || one.reason == wire::UnsearchedReason::kOverloaded;
  };
  return std::ranges::any_of(page.unsearched, by_time) ? std::optional(1.0) : std::nullopt;
}

bool SearchService::is_costly(const Job& job) const {
  const KnownCosts& known = shared_.known_costs;
  return job.is_costly() || known.has_wide(config_.collection, job.arrangement.facets) ||
         (job.shows_sources() && known.has_large_sources(config_.collection, job.parameters.k));
}

void SearchService::learn(const Job& job, const merge::Page& page) {
  shared_.known_costs.learn_facets(config_.collection, job.arrangement.facets, page.facet_buckets);
  if (!job.shows_sources()) return;
  std::size_t bytes = 0;
  for (const merge::PageHit& hit : page.hits) bytes += hit.columns.size();
  shared_.known_costs.learn_sources(config_.collection, page.hits.size(), bytes);
}

// Called on the thread of the evaluation; the job is passed on and not kept there.
cache::Flights::Waiter SearchService::waiter(const std::shared_ptr<Job>& job) {
  return [this, job = job](const cache::CachedAnswer& cached) mutable {
    home_.run([this, job = std::move(job), cached] {
      job->seat.reset();
      stop_timer(*job);
      answer(job, cached);
    });
  };
}

// Gives up everything that the search waits for.
void SearchService::release(Job& job) {
  stop_timer(job);
  if (job.turn) shared_.admission.leave(*std::exchange(job.turn, {}));
  if (job.seat) shared_.flights.leave(job.key, *std::exchange(job.seat, {}));
  if (const auto evaluation = std::exchange(job.evaluation, nullptr)) evaluation->abandon();
}

void SearchService::end(const Ticket& ticket, frond::http::Response instead, Outcome outcome) {
  const auto job = ticket.job_.lock();
  if (!job || !job->reply) return;
  release(*job);
  note(*job, outcome);
  metrics_.count(outcome);
  std::exchange(job->reply, nullptr)(std::move(instead));
}

void SearchService::abandon(const Ticket& ticket) { end(ticket, abandoned(), Outcome::kAbandoned); }

void SearchService::answer(const std::shared_ptr<Job>& answered, const cache::CachedAnswer& cached) {
  const Answer& answer = answer_in(cached);
  if (begin_anew(answered, cached)) return;
  Job& job = *answered;
  if (!answer.refusal.empty()) {
    const std::string_view parameter = answer.refusal.starts_with("facet ") ? "facets"
                                       : job.parameters.query               ? "query"
                                                                            : "q";  // query::add()
    return finish(job, frond::http::problem(400, "Bad request", answer.refusal, parameter), Outcome::kInvalid);
  }
  if (answer.outdated && job.cursor) {
    auto [response, outcome] =
        without_generation(job, scatter_.map.may_come_from_one_that_is_down(job.cursor->generation));
    return finish(job, std::move(response), outcome);
  }
  if (!answer.whole()) {
    const bool nothing = answer.partitions_answered == 0;
    if (nothing && answer.all_overloaded)
      return finish(job,
                    overloaded("All leaves refuse this: they are at their limits, or the documents of the page are too "
                               "large for their replies; try again soon, or ask for fewer."),
                    Outcome::kOverloaded);
    if (nothing || !job.parameters.allow_partial) {
      const std::string covered = std::to_string(answer.partitions_answered) + " of " +
                                  std::to_string(answer.partitions_total) + " partitions answered";
      if (answer.timed_out)
        return finish(job, frond::http::problem(504, "Deadline", covered + " within the time allowed."),
                      Outcome::kDeadline);
      return finish(job, frond::http::problem(503, "Unavailable", covered + "."), Outcome::kUnavailable);
    }
  }
  const Outcome outcome = answer.whole() ? Outcome::kWhole : Outcome::kDegraded;
  if (const auto found = std::exchange(job.found, nullptr)) {
    if (take_reply(job, outcome)) found(answer);
    return;
  }
  const auto took = std::chrono::duration_cast<microseconds>(now() - job.started);
  finish(job, rendered(took, job.use, answer), outcome);
}

void SearchService::finish(Job& job, frond::http::Response response, Outcome outcome) {
  if (const auto reply = take_reply(job, outcome)) reply(std::move(response));
}

// Empty: it was over.
SearchService::Reply SearchService::take_reply(Job& job, Outcome outcome) {
  auto reply = std::exchange(job.reply, nullptr);
  if (!reply) return reply;
  const bool answered = outcome == Outcome::kWhole || outcome == Outcome::kDegraded;
  shared_.promises.expect(Promises::kInTime, !answered || now() <= job.deadline.when() + Promises::kLate);
  note(job, outcome);
  metrics_.count(outcome, job.use, std::chrono::duration<double>(now() - job.started).count());
  return reply;
}

void SearchService::add_span(const frond::http::Trace& trace, std::uint64_t id, Instant begun, Outcome outcome,
                             CacheUse use) {
  const bool failed = outcome != Outcome::kWhole && outcome != Outcome::kInvalid && outcome != Outcome::kAbandoned;
  const Span span{.name = "search",
                  .id = id,
                  .parent = trace.span,
                  .begin = begun,
                  .end = now(),
                  .error = failed ? std::string(name_of(outcome)) : std::string(),
                  .attributes = {{"frond.collection", scatter_.map.collection()},
                                 {"frond.outcome", std::string(name_of(outcome))},
                                 {"frond.cache", std::string(name_of(use))}}};
  shared_.spans->add(trace, {&span, 1});
}

void SearchService::note(Job& job, Outcome outcome) {
  const auto took = now() - job.started;
  if (job.span != 0) add_span(job.trace, job.span, job.started, outcome, job.use);
  if (!shared_.slow.is_slow(took)) return;
  shared_.slow.note({.trace = job.trace,
                     .collection = scatter_.map.collection(),
                     .query = asked_text(job.parameters),
                     .outcome = name_of(outcome),
                     .cache = name_of(job.use),
                     .took = std::chrono::duration_cast<microseconds>(took),
                     .profile = std::move(job.slow_profile)});
}

}  // namespace frond::broker::http
