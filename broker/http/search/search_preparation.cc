// What a search asks for is checked and bound to the collection's schema, before leaves are asked.
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "broker/http/answers/answer.h"
#include "broker/http/answers/answer_json.h"
#include "broker/http/answers/did_you_mean.h"
#include "broker/http/search/search_service_job.h"
#include "broker/merge/facet_merge.h"
#include "common/wire/messages.h"

namespace frond::broker::http {

using std::chrono::milliseconds;

namespace {

constexpr std::string_view kOtherRanking = "search_after is the cursor of another query, filter or order";

}  // namespace

// The first step, and again by begin_anew(): prepares the search, and answers it from the cache or begins an
// evaluation.
void SearchService::start(const std::shared_ptr<Job>& job, const std::string& text) {
  if (auto refusal = prepare(*job)) {
    if (job->begun_anew) return answer(job, job->first);
    finish(*job, std::move(refusal->first), refusal->second);
  } else if (const auto cached = job->use == CacheUse::kMiss ? shared_.cache.find(job->key) : cache::CachedAnswer();
             cached.value) {
    job->use = CacheUse::kHit;
    shared_.promises.expect(Promises::kCached, answer_in(cached).whole());
    // A cursor may be of another generation than the one that known texts are of.
    if (!text.empty() && !job->cursor) known_.remember(text, job->topology->id(), job->key);
    answer(job, cached);
  } else {
    job->kind.costly = is_costly(*job);
    begin(job);
  }
}

// Asks the generation that is served now in place of the search's own, whose leaves were lost while it ran. An example:
// of two replicas one dies, and before the broker knows it a leaf of another partition lists what only the dead one
// has; the broker turns to that generation, and back. False: the answer stands.
bool SearchService::begin_anew(const std::shared_ptr<Job>& job, const cache::CachedAnswer& first) {
  const Answer& answer = answer_in(first);
  if (answer.whole() || !answer.refusal.empty() || answer.timed_out || answer.all_overloaded) return false;
  const auto current = scatter_.map.topology();
  const bool other = current && current->whole() && current->id() != job->topology->id();
  if (!other || job->begun_anew || !job->reply || job->cursor || job->parameters.unpublished) return false;
  job->begun_anew = true;
  job->first = first;
  if (job->line) job->line->on_begun = nullptr;  // its batch counts it as begun
  job->evaluation = nullptr;
  job->use = CacheUse::kBypass;
  job->parameters.mode = job->asked_mode;
  static_cast<Question&>(*job) = Question{.parameters = std::move(job->parameters), .kind = job->kind};
  metrics_.begun_anew.add();
  start(job, {});
  return true;
}

// Sets what is searched, and the key if the cache is used. Some: it is refused.
std::optional<std::pair<frond::http::Response, Outcome>> SearchService::prepare(Job& job) {
  const auto invalid = [](const std::string& detail, std::string_view parameter) {
    return std::pair(frond::http::problem(400, "Bad request", detail, parameter), Outcome::kInvalid);
  };
  const auto unavailable = [](const std::string& detail) {
    return std::pair(frond::http::problem(503, "Unavailable", detail), Outcome::kUnavailable);
  };
  const SearchParameters& asked = job.parameters;
  if (milliseconds(asked.timeout_ms) > config_.max_timeout)
    return invalid("timeout_ms is more than " + std::to_string(config_.max_timeout.count()), "timeout_ms");
  if (asked.offset + asked.k > config_.max_depth)
    return invalid("offset + k is more than " + std::to_string(config_.max_depth), "offset");
  if (asked.processor == wire::Processor::kExhaustive && !config_.allow_exhaustive)
    return invalid("processor exhaustive is not allowed here", "processor");
  if (!asked.sort.empty()) job.ranking = ranking_of(asked, scatter_.map.collection());
  if (!asked.search_after.empty()) {
    auto cursor = query::read_cursor(asked.search_after);
    if (!cursor) return invalid("search_after " + cursor.error().message(), "search_after");
    if (cursor->query != job.ranking) return invalid(std::string(kOtherRanking), "search_after");
    job.cursor = *std::move(cursor);
  }
  const auto current = asked.unpublished ? asked.unpublished : scatter_.map.topology();
  if (!current) return unavailable("No leaf serves this collection yet.");
  job.topology = job.cursor ? scatter_.map.topology_of(job.cursor->generation) : current;
  if (!job.topology) return without_generation(job, scatter_.map.may_come(job.cursor->generation));
  job.bm25 = own_bm25(asked, job.topology->bm25);
  if (auto problem = problem_of_columns(asked.columns, *job.topology->schema)) return invalid(*problem, "fields");
  query::AnalyzedQuery words;
  if (auto refusal = understand(job, words)) {
    const ParameterError error{std::move(refusal->parameter), std::move(refusal->detail), refusal->position};
    return std::pair(error.response(), Outcome::kInvalid);
  }
  if (job.cursor && !job.cursor->after.bytes.empty() &&
      !read_sort_bytes(job.cursor->after.bytes, asked.sort, *job.topology->schema))
    return invalid(std::string(kOtherRanking), "search_after");
  job.near = asked.near;
  // Leaves that do not know it search all the same.
  if (asked.did_you_mean && !scatter::too_old_for(*job.topology, wire::kFeatureNear)) {
    job.near = absent_words(words.terms);
    job.places = analyzer_.places(asked.q, job.topology->analyzer);
  }
  auto request = job.request();
  request.show.columns = asked.columns;
  if (const auto old = scatter::too_old_for(*job.topology, wire::features_needed(request)))
    return unavailable("The leaf " + *old + " is of an older version, which " + std::string(what_it_lacks(request)) +
                       "; no other leaf has its partitions.");
  if (words.terms.empty() && job.clause.empty()) job.understood += render_empty(words.only_stop_words);
  if (asked.cache && !asked.profile) {
    job.use = CacheUse::kMiss;
    job.key = cache_key(config_.collection, job, words);
  }
  job.terms = std::move(words.terms);
  return {};
}

// Sets what the query and its filter ask for. Some: it is refused.
std::optional<query::Refusal> SearchService::understand(Job& job, query::AnalyzedQuery& words) {
  SearchParameters& asked = job.parameters;
  const auto clause_of = [](const auto& clause) { return clause ? &*clause : nullptr; };
  const query::WrittenQuery written{.q = asked.q,
                                    .clause = clause_of(asked.query),
                                    .filter = asked.filter,
                                    .filter_clause = clause_of(asked.filter_clause),
                                    .syntax = asked.syntax,
                                    .minimum = asked.minimum_should_match,
                                    .mode = asked.mode,
                                    .scored = !asked.count,
                                    .sort = asked.sort,
                                    .facets = asked.facets};
  const std::string_view name = written.clause != nullptr ? "query" : "q";
  if ((asked.k1 || asked.b) && job.topology->schema->scorer == schema::Scorer::kImpact)
    return query::Refusal{asked.k1 ? "k1" : "b", "k1 and b are of BM25, and this collection's scorer is impact"};
  if (job.topology->schema->scorer != schema::Scorer::kImpact && query::is_plain(written)) {
    auto analyzed = analyzer_.analyze(asked.q, job.topology->analyzer);
    if (!analyzed) return query::Refusal{"q", analyzed.error().message()};
    words = *std::move(analyzed);
  } else {
    auto made = query::plan(written, *job.topology->schema, analyzer_, job.topology->analyzer, config_.query_limits);
    if (auto* const refusal = std::get_if<query::Refusal>(&made)) return std::move(*refusal);
    auto& planned = std::get<query::PlannedQuery>(made);
    words = std::move(planned.words);
    asked.mode = planned.mode;
    job.clause = std::move(planned.clause);
    job.filter = std::move(planned.filter);
    job.arrangement = {asked.sort, std::move(planned.facets), config_.max_facet_buckets, job.topology->schema};
    if (auto shown = merge::check_shown(job.arrangement); !shown)
      return query::Refusal{"facets", shown.error().message()};
    job.sort = sort_text(asked.sort);
    if (!job.arrangement.facets.empty()) job.facets = facets_json(job.arrangement.facets);
    if (job.facets.size() > frond::query::kMaxFacetsBytes)
      return query::Refusal{"facets", "facets has " + std::to_string(job.facets.size()) + " bytes, more than " +
                                          std::to_string(frond::query::kMaxFacetsBytes)};
    job.costly_clause = planned.costly;
    job.matches_nothing = planned.matches_nothing;
    job.understood =
        render_understood(asked.explain || !planned.notes.empty() ? planned.understood : "", planned.notes);
  }
  if (words.words > config_.query_limits.max_terms)
    return query::Refusal{std::string(name), std::string(name) + " has " + std::to_string(words.words) +
                                                 " terms, more than " + std::to_string(config_.query_limits.max_terms)};
  return {};
}

}  // namespace frond::broker::http
