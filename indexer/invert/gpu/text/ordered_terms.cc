#include "indexer/invert/gpu/text/ordered_terms.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "common/partition/term_digests.h"

namespace frond::indexer::invert::gpu {
namespace {

constexpr std::size_t kCopiedByAThread = std::size_t{1} << 14;  // fewer are copied faster by one
constexpr std::size_t kUsualBytes = 12;                         // of a term
constexpr std::size_t kPlacesAhead = 32, kBytesAhead = 16;      // that are fetched into the caches

}  // namespace

OrderedTerms::OrderedTerms(const TermNumbers& numbers, std::span<const std::uint32_t> in_order, Crew& crew)
    : size_(in_order.size()),
      ends_(std::make_unique_for_overwrite<std::uint64_t[]>(size_ + 1)),
      hashes_(std::make_unique_for_overwrite<std::uint64_t[]>(size_)) {
  ends_[0] = 0;
  const std::uint32_t parts = crew.parts_of(in_order.size(), kCopiedByAThread);
  std::vector<std::vector<char>> texts(parts);
  crew.in_parts(in_order.size(), parts, [&](std::uint32_t part, std::size_t begin, std::size_t end) {
    std::vector<char>& text = texts[part];
    text.reserve((end - begin) * kUsualBytes);
    for (std::size_t i = begin; i < end; ++i) {
      if (i + kPlacesAhead < end) numbers.fetch_place(in_order[i + kPlacesAhead]);
      if (i + kBytesAhead < end) numbers.fetch(in_order[i + kBytesAhead]);
      const std::string_view term = numbers.term(in_order[i]);
      text.insert(text.end(), term.begin(), term.end());
      ends_[i + 1] = text.size();  // in this part
      hashes_[i] = partition::hash_of_term(term);
    }
  });
  std::vector<std::uint64_t> before = {0};  // bytes of the parts before each
  for (const auto& text : texts) before.push_back(before.back() + text.size());
  text_ = std::make_unique_for_overwrite<char[]>(before.back());
  crew.in_parts(in_order.size(), parts, [&](std::uint32_t part, std::size_t begin, std::size_t end) {
    const std::vector<char> text = std::move(texts[part]);
    if (!text.empty()) std::memcpy(text_.get() + before[part], text.data(), text.size());
    for (std::size_t i = begin; i < end; ++i) ends_[i + 1] += before[part];
  });
}

}  // namespace frond::indexer::invert::gpu
