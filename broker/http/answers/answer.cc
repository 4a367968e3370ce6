#include "broker/http/answers/answer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "broker/http/answers/did_you_mean.h"
#include "common/wire/messages.h"

namespace frond::broker::http {
namespace {

// Why the query is refused, by one leaf or for one partition.
std::string refusal_of(const merge::Page& page) {
  const auto invalid = [](const auto& one) { return one.reason == wire::UnsearchedReason::kInvalidQuery; };
  if (!page.refusal.empty() || std::none_of(page.unsearched.begin(), page.unsearched.end(), invalid))
    return page.refusal;
  return "a prefix or wildcard of the query stands for more terms than leaves allow";
}

}  // namespace

cache::CachedAnswer answer_of(const Question& question, const merge::Page& page) {
  const SearchParameters& asked = question.parameters;
  const auto overloaded = [](const auto& one) { return one.reason == wire::UnsearchedReason::kOverloaded; };
  const auto outdated = [](const auto& one) { return one.reason == wire::UnsearchedReason::kUnknownGeneration; };
  const auto lacks_explanation = [](const merge::PageHit& hit) {
    return hit.explanation.starts_with(wire::kExplanationMissing);
  };
  std::string cursor;
  if (page.last) cursor = query::cursor_text({question.topology->id(), question.ranking, *page.last});
  const std::string near = render_near(question, page);
  auto answer = std::make_shared<Answer>(
      Answer{.generation = page.generation,
             .partitions_total = page.partitions_total,
             .partitions_answered = page.partitions_answered(),
             .timed_out = page.timed_out(),
             .all_overloaded = !page.whole() && std::all_of(page.unsearched.begin(), page.unsearched.end(), overloaded),
             .outdated = std::any_of(page.unsearched.begin(), page.unsearched.end(), outdated),
             .lacks_explanations = std::any_of(page.hits.begin(), page.hits.end(), lacks_explanation),
             .refusal = refusal_of(page),
             .counted = page.counted});
  if (asked.cursors) {
    const auto add = [&](frond::query::SortPosition after) {
      answer->cursors.push_back(query::cursor_text({question.topology->id(), question.ranking, std::move(after)}));
    };
    add({});
    for (const merge::PageHit& hit : page.hits) add({hit.sort_bytes, hit.hit.ordinal});
  }
  answer->rest = render_rest(
      page,
      {asked.explain, asked.profile, question.terms, question.bm25.value_or(question.topology->bm25), asked.fields,
       question.is_scored(), asked.count, question.understood, &question.arrangement, cursor, near},
      &answer->pieces);
  answer->rest.shrink_to_fit();
  const std::size_t bytes =
      answer->rest.capacity() + answer->pieces.hits.capacity() * sizeof(Pieces::Hit) + sizeof(Answer);
  return {std::move(answer), bytes};
}

frond::http::Response rendered(std::chrono::microseconds took, CacheUse use, const Answer& answer) {
  return {.body = render_answer(static_cast<std::uint64_t>(took.count()), answer.timed_out, answer.generation,
                                name_of(use), answer.rest)};
}

const Answer& answer_in(const cache::CachedAnswer& cached) { return *static_cast<const Answer*>(cached.value.get()); }

std::pair<frond::http::Response, Outcome> without_generation(const Question& question, bool may_come) {
  const std::string which = "search_after names generation " + std::to_string(question.cursor->generation.number);
  if (may_come) {
    auto later = frond::http::problem(503, "Unavailable", which + ", which no leaf that answers has now; try again",
                                      "search_after");
    later.headers.emplace_back("Retry-After", "1");
    return {std::move(later), Outcome::kUnavailable};
  }
  return {frond::http::problem(410, "Gone", which + ", which leaves do not have any more; begin again without it",
                               "search_after"),
          Outcome::kInvalid};
}

frond::http::Response overloaded(std::string_view why) {
  frond::http::Response response = frond::http::problem(429, "Too many requests", why);
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

frond::http::Response abandoned() {
  return frond::http::problem(499, "Client closed request",
                              "The client ended its side of the connection before the answer.");
}

}  // namespace frond::broker::http
