#include "broker/http/search_service.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "broker/http/answer_json.h"

namespace frond::broker {

// One search on its way.
struct SearchService::Job {
  SearchParameters parameters;
  Reply reply;
  Admission admission = Admission::kShed;
  Instant started;
  Deadline deadline = Deadline::never();
  std::shared_ptr<const Topology> topology;
  std::vector<wire::QueryTerm> terms;
  std::string key;  // in the cache
  CacheUse use = CacheUse::kBypass;
  bool leads = false;                   // it is the one that is evaluated
  bool waiting = false;                 // for an evaluation, its own or another's
  std::optional<TimerQueue::Id> timer;  // ends the wait
};

// What an evaluation gave, ready to be sent to any number of searches, and to be cached.
struct SearchService::Answer {
  std::string rest;
  Generation generation = 0;
  std::uint32_t partitions_total = 0, partitions_answered = 0;
  bool timed_out = false, all_overloaded = false;
  bool whole() const { return partitions_answered == partitions_total; }
};

namespace {
std::string cache_key(const SearchParameters& parameters, const GenerationId& generation, const AnalyzedQuery& query) {
  std::string key;
  const auto put = [&](auto value) { key.append(reinterpret_cast<const char*>(&value), sizeof value); };
  put(generation.number);
  put(generation.content);
  put(parameters.k);
  put(parameters.offset);
  put(parameters.mode);
  put(parameters.processor);  // hits are the same on all, but not where counting stopped
  put(parameters.explain);
  return key + normalized(query);
}

http::Response overloaded() {
  http::Response response = http::problem(429, "Too many requests", "The broker is at its limit; try again soon.");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}
}  // namespace

SearchService::SearchService(ScatterContext& scatter, Config config, SearchMetrics& metrics)
    : scatter_(scatter), config_(config), metrics_(metrics), cache_(config.cache_bytes) {}

void SearchService::search(const SearchParameters& parameters, Reply reply, Admission admission) {
  const Clock& clock = scatter_.timers.clock();
  const auto job = std::make_shared<Job>();
  job->parameters = parameters;
  job->reply = std::move(reply);
  job->admission = admission;
  job->started = clock.now();
  const auto timeout =
      parameters.timeout_ms == 0 ? config_.default_timeout : std::chrono::milliseconds(parameters.timeout_ms);
  if (timeout > config_.max_timeout)
    return finish(*job,
                  http::problem(400, "Bad request",
                                "timeout_ms is more than " + std::to_string(config_.max_timeout.count()), "timeout_ms"),
                  Outcome::kInvalid);
  job->deadline = Deadline::at(job->started + timeout);
  job->topology = scatter_.map.topology();
  if (!job->topology)
    return finish(*job, http::problem(503, "Unavailable", "No leaf serves this collection yet."),
                  Outcome::kUnavailable);
  auto query = analyzer_.analyze(parameters.q, job->topology->analyzer);
  if (!query) return finish(*job, http::problem(400, "Bad request", query.error().message(), "q"), Outcome::kInvalid);
  if (parameters.cache && !parameters.profile) {
    job->use = CacheUse::kMiss;
    job->key = cache_key(parameters, job->topology->id(), *query);
    if (const CachedAnswer cached = cache_.find(job->key); cached.value) {
      job->use = CacheUse::kHit;
      return answer(*job, *std::static_pointer_cast<const Answer>(cached.value));
    }
  }
  job->terms = std::move(query->terms);
  if (job->use == CacheUse::kMiss) return share(job);
  if (shed(*job)) return;
  evaluate(job, [this, job](const std::shared_ptr<const Answer>& done) { answer(*job, *done); });
}

// True if the search was turned away at the door.
bool SearchService::shed(Job& job) {
  if (job.admission == Admission::kAlways || in_flight_ < config_.max_in_flight) return false;
  finish(job, overloaded(), Outcome::kOverloaded);
  return true;
}

// Waits for an equal search in flight, or becomes the one that others wait for.
void SearchService::share(const std::shared_ptr<Job>& job) {
  std::uint64_t ticket = 0;
  job->waiting = true;
  const bool first = cache_.begin(
      job->key,
      [this, job](const CachedAnswer& cached) {
        job->waiting = false;
        if (job->timer) scatter_.timers.cancel(*job->timer);
        job->timer.reset();
        const Clock& clock = scatter_.timers.clock();
        if (!cached.value) return finish(*job, overloaded(), Outcome::kOverloaded);
        const Answer& shared = *std::static_pointer_cast<const Answer>(cached.value);
        // The other search had less time than this one has left: look again, with our own deadline.
        if (shared.timed_out && !job->leads && job->deadline.left(clock) > std::chrono::milliseconds(5))
          return share(job);
        answer(*job, shared);
      },
      ticket);
  job->leads = first;
  if (first) return lead(job);
  job->timer = scatter_.timers.at(job->deadline.when(), [this, job, ticket] {
    job->timer.reset();
    if (!job->waiting) return;
    cache_.leave(job->key, ticket);
    finish(*job, http::problem(504, "Deadline", "No answer within the time allowed."), Outcome::kDeadline);
  });
}

void SearchService::lead(const std::shared_ptr<Job>& job) {
  if (job->admission == Admission::kShed && in_flight_ >= config_.max_in_flight)
    return cache_.complete(job->key, {}, false);
  evaluate(job, [this, key = job->key](const std::shared_ptr<const Answer>& done) {
    cache_.complete(key, {done, done->rest.capacity() + sizeof(Answer)}, done->whole());
  });
}

void SearchService::evaluate(const std::shared_ptr<Job>& job, std::function<void(std::shared_ptr<const Answer>)> done) {
  const SearchParameters& parameters = job->parameters;
  const auto rendered = [job](const Page& page) {
    auto answer = std::make_shared<Answer>();
    answer->rest = render_rest(page, {job->parameters.explain, job->parameters.profile, job->terms});
    answer->rest.shrink_to_fit();
    answer->generation = page.generation;
    answer->partitions_total = page.partitions_total;
    answer->partitions_answered = page.partitions_answered();
    answer->timed_out = page.timed_out();
    answer->all_overloaded =
        !page.degraded.empty() && std::all_of(page.degraded.begin(), page.degraded.end(), [](const Degraded& one) {
          return one.reason == wire::Unsearched::kOverloaded;
        });
    return answer;
  };
  if (job->terms.empty()) {  // nothing to look for is found nowhere: no leaf needs to be asked
    Page page;
    page.generation = job->topology->generation;
    page.partitions_total = static_cast<std::uint32_t>(job->topology->partitions.size());
    page.mode_used = parameters.mode == wire::Mode::kOr ? wire::Mode::kOr : wire::Mode::kAnd;
    return done(rendered(page));
  }
  SearchPlan plan;
  plan.topology = job->topology;
  plan.request.terms = job->terms;
  plan.request.mode = parameters.mode;
  plan.request.processor = parameters.processor;
  plan.request.profile = parameters.profile || parameters.explain;  // an explanation names the engines
  plan.k = parameters.k;
  plan.offset = parameters.offset;
  ++in_flight_;
  broker::search(scatter_, std::move(plan), job->deadline, [this, rendered, done = std::move(done)](const Page& page) {
    --in_flight_;
    done(rendered(page));
  });
}

void SearchService::answer(Job& job, const Answer& answer) {
  if (!answer.whole()) {
    const bool nothing = answer.partitions_answered == 0;
    if (nothing && answer.all_overloaded) return finish(job, overloaded(), Outcome::kOverloaded);
    if (nothing || !job.parameters.allow_partial) {
      const std::string covered = std::to_string(answer.partitions_answered) + " of " +
                                  std::to_string(answer.partitions_total) + " partitions answered";
      if (answer.timed_out)
        return finish(job, http::problem(504, "Deadline", covered + " within the time allowed."), Outcome::kDeadline);
      return finish(job, http::problem(503, "Unavailable", covered + "."), Outcome::kUnavailable);
    }
  }
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(scatter_.timers.clock().now() - job.started);
  http::Response response;
  response.body = render_answer(static_cast<std::uint64_t>(took.count()), answer.timed_out, answer.generation,
                                name_of(job.use), answer.rest);
  finish(job, std::move(response), answer.whole() ? Outcome::kWhole : Outcome::kDegraded);
}

void SearchService::finish(Job& job, http::Response response, Outcome outcome) {
  const std::chrono::duration<double> took = scatter_.timers.clock().now() - job.started;
  metrics_.count(outcome, job.use, took.count());
  if (const auto reply = std::exchange(job.reply, nullptr)) reply(std::move(response));
}

}  // namespace frond::broker
