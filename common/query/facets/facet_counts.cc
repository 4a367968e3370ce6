#include "common/query/facets/facet_counts.h"

#include <algorithm>
#include <utility>

#include "common/query/column_key.h"

namespace frond::query {
namespace {

using schema::FieldType;
using Kind = Facet::Kind;

// Adds buckets by ascending keys to others, with what is inside them.
template <class Key>
void add_buckets(const Facet& facet, std::vector<Key> FacetCounts::*keys, FacetCounts more, FacetCounts& to) {
  FacetCounts sum;
  (sum.*keys).reserve(std::max((more.*keys).size(), (to.*keys).size()));
  sum.nested.reserve((sum.*keys).capacity() * facet.inside.size());
  std::size_t a = 0, b = 0;
  while (a < (to.*keys).size() || b < (more.*keys).size()) {
    const bool none_of_to = a == (to.*keys).size(), none_of_more = b == (more.*keys).size();
    const bool from_to = !none_of_to && (none_of_more || (to.*keys)[a] <= (more.*keys)[b]);
    const bool from_more = !none_of_more && (none_of_to || (more.*keys)[b] <= (to.*keys)[a]);
    if (!to.counts.empty() || !more.counts.empty())
      sum.counts.push_back((from_to ? to.counts[a] : 0) + (from_more ? more.counts[b] : 0));
    for (std::size_t i = 0; i < facet.inside.size(); ++i) {
      const auto place = [&](std::size_t bucket) { return bucket * facet.inside.size() + i; };
      sum.nested.push_back(std::move(from_to ? to.nested[place(a)] : more.nested[place(b)]));
      if (from_to && from_more) add(facet.inside[i], std::move(more.nested[place(b)]), sum.nested.back());
    }
    (sum.*keys).push_back(std::move(from_to ? (to.*keys)[a] : (more.*keys)[b]));
    a += from_to ? 1 : 0;
    b += from_more ? 1 : 0;
  }
  to.*keys = std::move(sum.*keys);
  to.counts = std::move(sum.counts);
  to.nested = std::move(sum.nested);
}

template <class Key>
bool ascending(const std::vector<Key>& keys) {
  return std::ranges::adjacent_find(keys, std::greater_equal<>()) == keys.end();
}

bool can_be_bucket(const Facet& facet, FieldType type, std::uint64_t key) {
  if (facet.kind == Kind::kRanges) return key <= facet.bounds.size();
  if (facet.kind == Kind::kMissing) return key == 0;
  if (is_of_clauses(facet.kind)) return key < facet.queries.size();
  return is_column_key(facet.kind == Kind::kPercentiles ? FieldType::kFloat : type, key);
}

// What is wrong with the buckets; empty: nothing.
std::string_view problem_of_buckets(const FacetCounts& counts, const Facet& facet, FieldType type) {
  const bool by_value = facet.kind == Kind::kValues || facet.kind == Kind::kDistinct;
  const bool by_word = by_value && type == FieldType::kKeyword;
  if (by_word ? !counts.keys.empty() : !counts.words.empty()) return "buckets of another type";
  if ((facet.kind == Kind::kStats || facet.kind == Kind::kCount) && counts.buckets() != 0) return "buckets";
  if (!ascending(counts.keys) || !ascending(counts.words)) return "buckets that do not ascend";
  const auto valid = [&](std::uint64_t key) { return can_be_bucket(facet, type, key); };
  if (!std::ranges::all_of(counts.keys, valid)) return "a bucket that cannot be";
  const auto fits = [](const std::string& word) { return word.size() <= schema::kMaxKeywordBytes; };
  if (!std::ranges::all_of(counts.words, fits)) return "a word that is too long";
  if (counts.counts.size() != (facet.kind == Kind::kDistinct ? 0 : counts.buckets()))
    return "another number of counts than of buckets";
  const std::uint64_t documents = facet.kind == Kind::kMissing ? counts.missing : counts.with_value;
  const bool of_values = facet.kind == Kind::kPercentiles;
  const auto possible = [&](std::uint64_t count) { return count > 0 && (of_values || count <= documents); };
  if (!std::ranges::all_of(counts.counts, possible)) return "a bucket of 0 or of more documents than there are";
  return "";
}

std::string_view problem_of_stats(const FacetCounts& counts, const Facet& facet, FieldType type) {
  const FacetCounts none;
  const bool has_values = facet.kind == Kind::kStats || facet.kind == Kind::kCount;
  const bool is_bare = counts.least == none.least && counts.greatest == none.greatest && counts.sum == none.sum;
  if (counts.values == 0) return !is_bare || (has_values && counts.with_value != 0) ? "sums of no values" : "";
  if (!has_values) return "sums";
  if (counts.values < counts.with_value || counts.with_value == 0) return "fewer values than documents with one";
  if (facet.kind == Kind::kCount) return is_bare ? "" : "sums";
  if (!is_column_key(type, counts.least) || !is_column_key(type, counts.greatest) || counts.least > counts.greatest)
    return "a least or greatest value that cannot be";
  return "";
}

}  // namespace

void add(const Facet& facet, FacetCounts more, FacetCounts& to) {
  to.with_value += more.with_value;
  to.missing += more.missing;
  to.values += more.values;
  to.least = std::min(to.least, more.least);
  to.greatest = std::max(to.greatest, more.greatest);
  to.sum.add(more.sum);
  if (to.words.empty() && more.words.empty())
    add_buckets(facet, &FacetCounts::keys, std::move(more), to);
  else
    add_buckets(facet, &FacetCounts::words, std::move(more), to);
}

Result<void> check(const FacetCounts& counts, const Facet& facet, const schema::Schema& schema) {
  const auto corrupt = [&](std::string_view what) {
    return Error(Code::kCorrupt, "counts of the facet " + schema::quote(facet.name) + " have " + std::string(what));
  };
  const schema::Field* const field = schema.find(facet.field);
  if (!is_of_clauses(facet.kind) && (field == nullptr || !schema::is_column(field->type))) return corrupt("no column");
  const FieldType type = field == nullptr ? FieldType::kInteger : field->type;
  std::string_view problem = problem_of_buckets(counts, facet, type);
  if (problem.empty()) problem = problem_of_stats(counts, facet, type);
  if (problem.empty() && counts.nested.size() != counts.buckets() * facet.inside.size())
    problem = "another number of facets inside";
  if (!problem.empty()) return corrupt(problem);
  for (std::size_t i = 0; i < counts.nested.size(); ++i) {
    const FacetCounts& one = counts.nested[i];
    if (one.with_value > counts.counts[i / facet.inside.size()] ||
        one.missing != counts.counts[i / facet.inside.size()] - one.with_value)
      return corrupt("other documents inside of a bucket");
    FROND_TRY(check(one, facet.inside[i % facet.inside.size()], schema));
  }
  return {};
}

}  // namespace frond::query
