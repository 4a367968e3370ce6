#include "indexer/invert/in_memory_postings.h"

#include <algorithm>
#include <utility>

namespace frond::indexer::invert {

namespace {

using dictionary::kFirstTriple;
using dictionary::kTrieCollections;
using dictionary::TrieCollection;
using dictionary::TriePrefix;

// The first place from `begin` on at which `is_behind` holds, or `end`: it holds for all places from there on. Quick if
// it is near.
template <class IsBehind>
std::size_t first_place(std::size_t begin, std::size_t end, IsBehind&& is_behind) {
  std::size_t step = 1;
  while (begin + step <= end && !is_behind(begin + step - 1)) {
    begin += step;
    step *= 2;
  }
  end = std::min(end, begin + step - 1);
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (is_behind(middle))
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
}

// The first triple collection all of whose terms are not before `term`, which is not within one.
TrieCollection first_triple(std::string_view term) {
  return static_cast<TrieCollection>(first_place(kFirstTriple, kTrieCollections, [term](std::size_t collection) {
    return TriePrefix(static_cast<TrieCollection>(collection)).text() >= term;
  }));
}

void append(const TermPostings& from, std::size_t begin, std::size_t end, TermPostings& to) {
  if (begin == end) return;
  const std::size_t text_begin = begin == 0 ? 0 : from.terms[begin - 1].end;
  const std::size_t before = to.text.size();
  to.text.append(from.text, text_begin, from.terms[end - 1].end - text_begin);
  for (std::size_t i = begin; i < end; ++i) {
    to.terms.push_back(from.terms[i]);
    to.terms.back().end = static_cast<std::uint32_t>(from.terms[i].end - text_begin + before);
  }
}

// Most often one of the two has few terms.
TermPostings merged(TermPostings a, TermPostings b) {
  if (a.terms.size() < b.terms.size()) std::swap(a, b);
  if (b.terms.empty()) return a;
  TermPostings both;
  both.text.reserve(a.text.size() + b.text.size());
  both.terms.reserve(a.terms.size() + b.terms.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < b.terms.size(); ++i) {
    const std::string_view next = b.term(i);
    const std::size_t end =
        first_place(at, a.terms.size(), [&a, next](std::size_t place) { return a.term(place) > next; });
    append(a, std::exchange(at, end), end, both);
    append(b, i, i + 1, both);
  }
  append(a, at, a.terms.size(), both);
  return both;
}

}  // namespace

TermRanges::TermRanges(const std::vector<std::unique_ptr<InMemoryPostings>>& postings) : others_(kFirstTriple) {
  for (const auto& one : postings) postings_.push_back(one.get());
}

TermRanges::Ordered TermRanges::ordered(TrieCollection collection) const {
  Ordered all;
  for (InMemoryPostings* const one : postings_)
    if (one->terms_of(collection) > 0) all.push_back(one->order(collection));
  return all;
}

void TermRanges::order(TrieCollection collection) { others_[collection] = ordered(collection); }

void TermRanges::cut() {
  begins_.emplace_back();
  std::size_t terms = 0;
  for (std::size_t collection = kFirstTriple; collection < kTrieCollections; ++collection) {
    if (terms >= kTerms) {
      begins_.emplace_back(TriePrefix(static_cast<TrieCollection>(collection)).text());
      terms = 0;
    }
    for (const InMemoryPostings* const one : postings_) terms += one->terms_of(static_cast<TrieCollection>(collection));
  }
  for (const Ordered& all : others_)
    for (const auto& one : all)
      for (std::size_t place = kTerms; place < one->size(); place += kTerms) begins_.push_back(one->term(place));
  std::sort(begins_.begin(), begins_.end());
  begins_.erase(std::unique(begins_.begin(), begins_.end()), begins_.end());
}

TermPostings TermRanges::terms(std::size_t range) const {
  const std::string& begin = begins_[range];
  const std::string* const end = range + 1 < begins_.size() ? &begins_[range + 1] : nullptr;
  TermPostings all;
  all.terms.reserve(kTerms + kTerms / 4);
  const TrieCollection last = end != nullptr ? first_triple(*end) : static_cast<TrieCollection>(kTrieCollections);
  for (TrieCollection triple = first_triple(begin); triple < last; ++triple) {
    const Ordered of_triple = ordered(triple);
    if (of_triple.size() == 1) {
      of_triple[0]->append(0, of_triple[0]->size(), all);
      continue;
    }
    TermPostings its;
    for (const auto& one : of_triple) {
      TermPostings some;
      one->append(0, one->size(), some);
      its = merged(std::move(its), std::move(some));
    }
    append(its, 0, its.terms.size(), all);
  }
  for (const Ordered& other : others_)
    for (const auto& one : other) {
      if (one->term(one->size() - 1) < begin || (end != nullptr && one->term(0) >= *end)) continue;
      const auto not_before = [&one](const std::string& term) {
        return first_place(0, one->size(), [&](std::size_t place) { return one->term(place) >= term; });
      };
      TermPostings some;
      one->append(not_before(begin), end != nullptr ? not_before(*end) : one->size(), some);
      all = merged(std::move(all), std::move(some));
    }
  return all;
}

}  // namespace frond::indexer::invert
