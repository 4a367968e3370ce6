#include "indexer/parse/token_groups.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/base/check.h"

namespace frond::indexer::parse {

TokenGrouper::TokenGrouper(std::size_t kept_bytes, int table_bits)
    : kept_bytes_(kept_bytes),
      terms_(table_bits),
      last_(terms_.max_terms()),
      work_(terms_.max_terms()),
      bytes_(dictionary::kTrieCollections) {}

void TokenGrouper::begin_document(std::uint32_t document) {
  FROND_CHECK(document < kMaxBatchDocuments && (document >= document_ || postings_.empty()));
  // Bounds the postings of a section, by documents.
  if (postings_.size() * sizeof(Posting) > kept_bytes_) end_section();
  document_ = static_cast<std::uint16_t>(document);
  next_stamp();
}

void TokenGrouper::next_stamp() {
  if (++stamp_ != 0) return;
  std::fill(last_.begin(), last_.end(), Last());
  stamp_ = 1;
}

TermId TokenGrouper::intern(std::string_view term) {
  if (terms_.full()) forget_terms();
  return terms_.find_or_add(term);
}

// Ends the section. The next one begins with the terms that at least two documents of this one have, if they are not
// too many.
void TokenGrouper::forget_terms() {
  numbers_.assign(terms_.max_terms(), kNoTerm);
  std::size_t kept = 0;
  for (const Posting& posting : postings_) {
    TermId& documents = numbers_[posting.term];  // kNoTerm: none so far
    if (++documents == 1) ++kept;
  }
  for (TermId& documents : numbers_)
    if (documents == 0 || kept > terms_.max_terms() / 2) documents = kNoTerm;
  end_section();
  terms_.keep(numbers_);
  ++epoch_;
}

// Appends the groups of the postings since the last call.
void TokenGrouper::end_section() {
  if (postings_.empty()) return;
  for (const Posting& posting : postings_)
    if (work_[posting.term].postings++ == 0) used_.push_back(posting.term);
  const auto bytes_of = [this](TermId term) {
    return GroupedTerm::kHeaderBytes + terms_.suffix(term).size() + work_[term].postings * GroupedTerm::kPostingBytes;
  };
  for (const TermId term : used_) bytes_[terms_.collection(term)] += static_cast<std::uint32_t>(bytes_of(term));
  auto end = static_cast<std::uint32_t>(made_.bytes.size());
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    if (bytes_[i] == 0) continue;
    made_.groups.push_back({static_cast<dictionary::TrieCollection>(i), end, end + bytes_[i]});
    bytes_[i] = std::exchange(end, made_.groups.back().end);  // from here on: the place of the next term
  }
  made_.bytes.resize(end);
  std::byte* const out = made_.bytes.data();
  for (const TermId term : used_) {
    std::uint32_t& place = bytes_[terms_.collection(term)];
    const std::string_view suffix = terms_.suffix(term);
    store_le(out + place, static_cast<std::uint16_t>(suffix.size()));
    store_le(out + place + 2, work_[term].postings);
    const std::size_t postings = place + GroupedTerm::kHeaderBytes + suffix.size();
    if (!suffix.empty()) std::memcpy(out + place + GroupedTerm::kHeaderBytes, suffix.data(), suffix.size());
    place += static_cast<std::uint32_t>(bytes_of(term));
    work_[term].at = static_cast<std::uint32_t>(postings);
  }
  for (const Posting& posting : postings_) {
    std::uint32_t& at = work_[posting.term].at;
    store_le(out + at, posting.document);
    store_le(out + at + 2, posting.frequency);
    at += GroupedTerm::kPostingBytes;
  }
  for (const TermId term : used_) {
    bytes_[terms_.collection(term)] = 0;
    work_[term] = {};
  }
  used_.clear();
  postings_.clear();
  if (postings_.capacity() * sizeof(Posting) > 2 * kept_bytes_) std::vector<Posting>().swap(postings_);
  next_stamp();  // the document's postings so far are gone
}

void TokenGrouper::finish(TokenGroups& out) {
  end_section();
  out.bytes.clear();
  out.groups.clear();
  std::swap(out, made_);
  if (made_.bytes.capacity() > 4 * kept_bytes_) ByteBuffer().swap(made_.bytes);
  document_ = 0;
}

}  // namespace frond::indexer::parse
