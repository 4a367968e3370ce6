#include "indexer/invert/gpu/text/ordered_terms.h"

#include <cstring>
#include <utility>
#include <vector>

#include "common/partition/terms/term_digests.h"
#include "indexer/invert/gpu/text/sorted_terms.h"

namespace frond::indexer::invert::gpu {
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
