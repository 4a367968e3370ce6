#include "tools/synth/query_model.h"

#include <algorithm>
#include <cmath>

#include "tools/synth/impact_queries.h"

namespace frond::tools::synth {
namespace {

constexpr std::uint64_t kOfQueries = 1;  // purpose of the random numbers (random.h)
// The number of terms in the octave of lengths around this share of the documents. Each halving of the length has twice
// as many.
constexpr double kPool = 9, kPoolShare = 0.6;

// One term of one query, before its list is chosen.
struct Draw {
  double postings = 0;
  std::uint32_t query = 0;
};

// Draws lengths for the profile's number of documents and scales them to `documents`.
void draw_query(const Profile& profile, double documents, std::uint32_t query, Random& random,
                std::vector<Draw>& draws) {
  const QueryKind& kind = any_kind(profile.queries, random);
  const double all = profile.documents, longest = profile.longest_list * all;
  const auto between = [&](double low, double high) { return low * std::pow(high / low, random.unit()); };
  double shortest = profile.shortest_list;
  for (std::uint32_t term = 0; term < kind.terms; ++term) {
    double postings = 0;
    if (term == 0 && kind.shortest_sigma > 0) {
      postings = kind.shortest_median * std::exp(kind.shortest_sigma * normal(random));
      // The tails of the distribution reach any length. The fit of median and sigma was cut at the same places.
      shortest = postings = std::clamp(postings, profile.shortest_list, longest / 2);
    } else {
      postings = between(shortest, longest);
    }
    draws.push_back({std::clamp(postings / all * documents, 1.0, documents), query});
  }
}

// The number of draws per list, in an octave with `draws` draws and `pool` terms to choose from. The expected number of
// different terms drawn is pool * (1 - exp(-draws / pool)).
double sharing(double draws, double pool) {
  const double load = draws / pool;
  return load < 1e-6 ? 1 : load / (1 - std::exp(-load));
}

// The list for each draw. Draws descend by length; neighbours form a group.
std::vector<std::uint32_t> group(std::span<const Draw> draws, double documents) {
  std::vector<std::uint32_t> lists(draws.size());
  std::size_t longer = 0, shorter = 0;  // the octave around draw i: [longer, shorter)
  double place = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double postings = draws[i].postings;
    while (draws[longer].postings > postings * std::sqrt(2.0)) ++longer;
    while (shorter < draws.size() && draws[shorter].postings >= postings / std::sqrt(2.0)) ++shorter;
    lists[i] = static_cast<std::uint32_t>(place);
    place += 1 / sharing(static_cast<double>(shorter - longer), kPool * kPoolShare * documents / postings);
  }
  return lists;
}

// Removes lists that no query has, and renumbers the others.
void leave_out_unused(QuerySet& set) {
  std::vector<std::uint32_t> numbers(set.list_lengths.size(), 0);
  for (const auto& query : set.queries)
    for (const auto list : query) numbers[list] = 1;
  std::uint32_t kept = 0;
  for (std::size_t list = 0; list < numbers.size(); ++list) {
    if (numbers[list] == 0) continue;
    set.list_lengths[kept] = set.list_lengths[list];
    numbers[list] = kept++;
  }
  set.list_lengths.resize(kept);
  for (auto& query : set.queries)
    for (auto& list : query) list = numbers[list];
}

bool has(const std::vector<std::uint32_t>& query, std::uint32_t list) {
  return std::find(query.begin(), query.end(), list) != query.end();
}

}  // namespace

const QueryKind& any_kind(std::span<const QueryKind> kinds, Random& random) {
  double left = 0;
  for (const auto& kind : kinds) left += kind.weight;
  left *= random.unit();
  for (const auto& kind : kinds)
    if ((left -= kind.weight) < 0) return kind;
  return kinds.back();
}

double QuerySet::postings_a_query() const {
  double sum = 0;
  for (const auto& query : queries)
    for (const auto list : query) sum += list_lengths[list];
  return queries.empty() ? 0 : sum / static_cast<double>(queries.size());
}

QuerySet draw_queries(const Profile& profile, std::uint32_t documents, std::size_t count, std::uint64_t seed) {
  if (documents == 0) documents = profile.documents;
  if (profile.has_impacts()) return draw_impact_queries(profile, documents, count, seed);
  std::vector<Draw> draws;
  for (std::uint32_t query = 0; query < count; ++query) {
    Random random(seed, kOfQueries, query);
    draw_query(profile, documents, query, random, draws);
  }
  std::stable_sort(draws.begin(), draws.end(), [](const Draw& a, const Draw& b) { return a.postings > b.postings; });
  const auto lists = group(draws, documents);

  QuerySet set;
  set.queries.resize(count);
  if (draws.empty()) return set;
  std::vector<double> sums(lists.back() + 1, 0.0);
  std::vector<std::uint32_t> counts(sums.size(), 0);
  for (std::size_t i = 0; i < draws.size(); ++i) {
    sums[lists[i]] += draws[i].postings;
    ++counts[lists[i]];
    // A query has each list at most once: if it has this one, it takes the nearest shorter one that it does not have,
    // else the nearest longer one. If there are fewer lists than the query has terms, it gets fewer terms.
    auto& query = set.queries[draws[i].query];
    std::uint32_t list = lists[i];
    while (list < sums.size() && has(query, list)) ++list;
    if (list == sums.size()) list = lists[i];
    while (list > 0 && has(query, list)) --list;
    if (!has(query, list)) query.push_back(list);
  }
  for (std::size_t list = 0; list < sums.size(); ++list)
    set.list_lengths.push_back(std::max(1u, static_cast<std::uint32_t>(std::lround(sums[list] / counts[list]))));
  leave_out_unused(set);
  return set;
}

}  // namespace frond::tools::synth
