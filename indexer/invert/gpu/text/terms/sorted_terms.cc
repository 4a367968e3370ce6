#include "indexer/invert/gpu/text/terms/sorted_terms.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "common/partition/terms/term_digests.h"

namespace frond::indexer::invert::gpu {

namespace {

constexpr std::size_t kTermsOfAThread = std::size_t{1} << 14;  // fewer are sorted faster by one
constexpr std::uint32_t kRangesOfAThread = 16;                 // so that one is sorted in a thread's caches
constexpr std::size_t kSampled = 64;                           // terms, for each range
constexpr std::size_t kTermsAhead = 32;                        // whose totals are fetched into the caches

// Bytes as a number whose order is theirs; zeros behind the end.
std::uint64_t eight_of(std::string_view bytes) {
  std::uint64_t all = 0;
  if (bytes.size() >= sizeof all) {
    std::memcpy(&all, bytes.data(), sizeof all);
  } else {
    for (std::size_t i = 0; i < bytes.size(); ++i) all |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
  }
  return __builtin_bswap64(all);
}

SortedTerm sorted_term(std::string_view term, std::uint32_t number) {
  return {eight_of(term), term.size() > 8 ? eight_of(term.substr(8)) : 0, number,
          static_cast<std::uint32_t>(term.size())};
}

// First bytes that cut all terms with totals into `ranges` of about the same size.
std::vector<std::uint64_t> bounds_of(const TermNumbers& numbers, std::span<const std::uint32_t> totals,
                                     std::uint32_t ranges) {
  std::vector<std::uint64_t> sample, chosen;
  const std::size_t step = std::max<std::size_t>(1, totals.size() / (kSampled * ranges));
  for (std::size_t number = 0; number < totals.size(); number += step)
    if (totals[number] != 0) sample.push_back(eight_of(numbers.term(static_cast<std::uint32_t>(number))));
  std::sort(sample.begin(), sample.end());
  for (std::uint32_t range = 1; range < ranges && !sample.empty(); ++range)
    chosen.push_back(sample[sample.size() * range / ranges]);
  return chosen;
}

using Ranges = std::vector<std::vector<SortedTerm>>;

// Those of some shards.
Ranges split_by_range(const TermNumbers& numbers, std::span<const std::uint32_t> totals,
                      std::span<const std::uint64_t> bounds, std::size_t first_shard, std::size_t end_shard) {
  Ranges split(bounds.size() + 1);
  const std::size_t expected = totals.size() * (end_shard - first_shard) / TermNumbers::kShards / split.size();
  for (auto& range : split) range.reserve(expected + expected / 4);
  std::array<SortedTerm, kTermsAhead> some;  // whose totals come to the caches
  std::size_t count = 0;
  const auto split_some = [&] {
    for (std::size_t i = 0; i < count; ++i) {
      if (totals[some[i].number] == 0) continue;
      const auto range = std::upper_bound(bounds.begin(), bounds.end(), some[i].first) - bounds.begin();
      split[static_cast<std::size_t>(range)].push_back(some[i]);
    }
    count = 0;
  };
  for (std::size_t shard = first_shard; shard < end_shard; ++shard)
    numbers.for_each(shard, [&](std::uint32_t number, std::string_view term) {
      __builtin_prefetch(&totals[number]);
      some[count++] = sorted_term(term, number);
      if (count == some.size()) split_some();
    });
  split_some();
  return split;
}

}  // namespace

std::size_t most_sorted_ranges(const Crew& crew) { return std::size_t{crew.size()} * kRangesOfAThread + 1; }

std::size_t sort_terms(const TermNumbers& numbers, std::span<const std::uint32_t> totals, Crew& crew,
                       const VisitSorted& visit) {
  const std::uint32_t parts = crew.parts_of(totals.size(), kTermsOfAThread);
  const std::vector<std::uint64_t> bounds = bounds_of(numbers, totals, parts == 1 ? 1 : parts * kRangesOfAThread);
  std::vector<Ranges> of_parts(parts);
  crew.in_parts(TermNumbers::kShards, parts, [&](std::uint32_t part, std::size_t first, std::size_t end) {
    of_parts[part] = split_by_range(numbers, totals, bounds, first, end);
  });
  std::vector<std::size_t> begins = {0};  // of the ranges
  for (std::size_t range = 0; range <= bounds.size(); ++range) {
    begins.push_back(begins.back());
    for (const Ranges& part : of_parts) begins.back() += part[range].size();
  }
  const auto before = [&numbers](const SortedTerm& a, const SortedTerm& b) {
    if (a.first != b.first) return a.first < b.first;
    if (a.second != b.second) return a.second < b.second;
    return a.size > SortedTerm::kBytes && b.size > SortedTerm::kBytes ? numbers.term(a.number) < numbers.term(b.number)
                                                                      : a.size < b.size;
  };
  const std::size_t ranges = begins.size() - 1;
  crew.in_parts(ranges, static_cast<std::uint32_t>(ranges), [&](std::uint32_t, std::size_t range, std::size_t) {
    std::vector<SortedTerm> terms;
    terms.reserve(begins[range + 1] - begins[range]);
    for (Ranges& part : of_parts) {
      terms.insert(terms.end(), part[range].begin(), part[range].end());
      part[range] = {};
    }
    std::sort(terms.begin(), terms.end(), before);
    visit(range, begins[range], terms);
  });
  return begins.back();
}

std::vector<std::uint32_t> in_order(const TermNumbers& numbers, std::span<const std::uint32_t> totals, Crew& crew) {
  std::vector<std::uint32_t> all(totals.size());
  all.resize(sort_terms(numbers, totals, crew, [&](std::size_t, std::size_t first, std::span<const SortedTerm> terms) {
    for (std::size_t i = 0; i < terms.size(); ++i) all[first + i] = terms[i].number;
  }));
  return all;
}

namespace {

// The terms of a range, one behind the other.
struct Text {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0, first = 0, terms = 0;
};

// The range's; what is behind the end of each is overwritten by the next.
Text text_of(const TermNumbers& numbers, std::span<const SortedTerm> terms) {
  std::size_t all = SortedTerm::kBytes;
  for (const SortedTerm& one : terms) all += one.size;
  Text text{std::make_unique_for_overwrite<char[]>(all)};
  for (const SortedTerm& one : terms) {
    if (one.size <= SortedTerm::kBytes)
      one.put(text.bytes.get() + text.size);
    else
      std::memcpy(text.bytes.get() + text.size, numbers.term(one.number).data(), one.size);
    text.size += one.size;
  }
  return text;
}

}  // namespace

OrderedTerms::OrderedTerms(const TermNumbers& numbers, std::span<const std::uint32_t> totals, Crew& crew)
    : numbers_(std::make_unique_for_overwrite<std::uint32_t[]>(totals.size())),
      ends_(std::make_unique_for_overwrite<std::uint64_t[]>(totals.size() + 1)),
      hashes_(std::make_unique_for_overwrite<std::uint64_t[]>(totals.size())) {
  std::vector<Text> texts(most_sorted_ranges(crew));
  size_ = sort_terms(numbers, totals, crew, [&](std::size_t range, std::size_t first, auto terms) {
    Text text = text_of(numbers, terms);
    text.first = first;
    text.terms = terms.size();
    std::size_t end = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      numbers_[first + i] = terms[i].number;
      hashes_[first + i] = partition::hash_of_term({text.bytes.get() + end, terms[i].size});
      ends_[first + i + 1] = end += terms[i].size;  // in this range
    }
    texts[range] = std::move(text);
  });
  ends_[0] = 0;
  std::vector<std::uint64_t> before = {0};  // bytes of the ranges before each
  for (const Text& text : texts) before.push_back(before.back() + text.size);
  text_ = std::make_unique_for_overwrite<char[]>(before.back());
  crew.in_parts(texts.size(), static_cast<std::uint32_t>(texts.size()), [&](std::uint32_t, std::size_t range, auto) {
    const Text text = std::move(texts[range]);
    if (text.size > 0) std::memcpy(text_.get() + before[range], text.bytes.get(), text.size);
    for (std::size_t i = 0; i < text.terms; ++i) ends_[text.first + i + 1] += before[range];
  });
}

}  // namespace frond::indexer::invert::gpu
