#include "indexer/change/term_counts.h"

#include <algorithm>

#include "common/partition/term_digests.h"

namespace frond::indexer::change {

TermCounts::Entry& TermCounts::find_or_add(std::string_view term, std::uint64_t hash) {
  if (entries_.size() * 2 >= slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    if (slots_[at] == kNone) {
      slots_[at] = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({hash, text_.size(), static_cast<std::uint32_t>(term.size()), 0, 0});
      text_.append(term);
      return entries_.back();
    }
    Entry& entry = entries_[slots_[at]];
    if (entry.hash == hash && term_of(entry) == term) return entry;
  }
}

void TermCounts::grow() {
  slots_.assign(std::max<std::size_t>(1024, slots_.size() * 2), kNone);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t place = 0; place < entries_.size(); ++place) {
    std::size_t at = entries_[place].hash & mask;
    while (slots_[at] != kNone) at = (at + 1) & mask;
    slots_[at] = place;
  }
}

void TermCounts::add_token(std::string_view term) {
  const std::uint64_t hash = partition::hash_of_term(term);
  ++tokens_;
  digest_ += hash;
  Entry& entry = find_or_add(term, hash);
  if (entry.last == number_) return;
  entry.last = number_;
  terms_.push_back(static_cast<std::uint32_t>(&entry - entries_.data()));
}

std::uint64_t TermCounts::keep_document() {
  for (const std::uint32_t place : terms_) ++entries_[place].documents;
  const std::uint64_t count = terms_.size();
  drop_document();
  return count;
}

void TermCounts::drop_document() {
  ++number_;
  tokens_ = digest_ = 0;
  terms_.clear();
}

void TermCounts::add_documents(std::string_view term, std::uint64_t documents) {
  find_or_add(term, partition::hash_of_term(term)).documents += documents;
}

void TermCounts::add_all(const TermCounts& others) {
  for (const Entry& other : others.entries_)
    if (other.documents > 0) find_or_add(others.term_of(other), other.hash).documents += other.documents;
}

std::vector<std::pair<std::string_view, std::uint64_t>> TermCounts::in_order() const {
  std::vector<std::pair<std::string_view, std::uint64_t>> terms;
  terms.reserve(entries_.size());
  for (const Entry& entry : entries_)
    if (entry.documents > 0) terms.emplace_back(term_of(entry), entry.documents);
  std::sort(terms.begin(), terms.end());
  return terms;
}

}  // namespace frond::indexer::change
