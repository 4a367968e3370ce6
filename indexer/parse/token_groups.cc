#include "indexer/parse/token_groups.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "common/base/check.h"

namespace frond::indexer::parse {
namespace {

// Terms and postings whose memory is on its way while groups are made.
constexpr std::size_t kAhead = 16;

}  // namespace

TokenGrouper::TokenGrouper(std::size_t kept_bytes, int table_bits)
    : kept_bytes_(kept_bytes),
      terms_(table_bits),
      none_(static_cast<TermId>(terms_.max_terms())),
      states_(terms_.max_terms() + 1),
      sections_(terms_.max_terms()),
      used_(terms_.max_terms() + 1),
      bytes_(dictionary::kTrieCollections) {}

void TokenGrouper::begin_document(std::uint32_t document) {
  FROND_CHECK(document < kMaxBatchDocuments && (document >= document_ || posting_count_ == 0));
  // Bounds the postings of a section, by documents.
  if (posting_count_ * sizeof(Posting) > kept_bytes_) end_section();
  document_ = static_cast<std::uint16_t>(document);
  next_stamp();
}

void TokenGrouper::next_stamp() {
  if (++stamp_ != 0) return;
  for (State& state : states_) state.stamp = 0;
  stamp_ = 1;
}

TermId TokenGrouper::intern(std::string_view term, const TermTable::Sought& sought) {
  if (terms_.full()) forget_terms();
  return terms_.find_or_add(term, sought);
}

// There is room for so many more, and for one that is written and not counted.
void TokenGrouper::make_room(std::size_t postings) {
  const std::size_t wanted = posting_count_ + postings + 1;
  if (postings_.size() < wanted) postings_.resize(std::max({wanted, 2 * postings_.size(), std::size_t{1024}}));
}

// Whether a token is a term, and one that the document had before, is not predictable, so neither is a branch: what is
// no new posting is written where the next one goes, and not counted.
std::uint32_t TokenGrouper::add(std::span<const TermId> terms) {
  make_room(terms.size());
  Posting* const postings = postings_.data();
  TermId* const used = used_.begin();
  auto count = static_cast<std::uint32_t>(posting_count_);
  std::size_t used_count = used_count_;
  std::uint32_t added = 0;
  for (const TermId term : terms) {
    const std::uint32_t is_term = term != kNoTerm;
    State& state = states_[std::min(term, none_)];
    std::uint32_t again = static_cast<std::uint32_t>(state.stamp == stamp_) & is_term;
    std::uint32_t place = count ^ ((count ^ state.place) & (0 - again));  // a choice that compiles to no branch
    std::uint32_t frequency = (postings[place].frequency & (0 - again)) + 1;
    if (frequency > 0xffff) [[unlikely]] {
      again = 0;
      place = count;
      frequency = 1;
    }
    postings[place] = {term, document_, static_cast<std::uint16_t>(frequency)};
    const std::uint32_t fresh = is_term & ~again;
    used[used_count] = term;
    used_count += fresh & static_cast<std::uint32_t>(state.postings == 0);
    state.stamp = stamp_;
    state.place = place;
    state.postings += fresh;
    count += fresh;
    added += is_term;
  }
  posting_count_ = count;
  used_count_ = used_count;
  return added;
}

// Ends the section. The next one begins with the terms that were used in the most sections, in two at least, up to half
// of what there is room for.
void TokenGrouper::forget_terms() {
  end_section();
  std::array<std::size_t, 256> terms{};  // by how many sections used them
  for (TermId term = 0; term < terms_.size(); ++term) ++terms[sections_[term]];
  std::size_t least = terms.size(), kept = 0;
  while (least > 2 && kept + terms[least - 1] <= terms_.max_terms() / 2) kept += terms[--least];
  numbers_.assign(terms_.max_terms(), kNoTerm);
  TermId next = 0;
  for (TermId term = 0; term < terms_.size(); ++term) {
    const std::uint8_t sections = std::exchange(sections_[term], 0);
    if (sections < least) continue;
    numbers_[term] = 0;  // to be kept
    sections_[next++] = sections / 2;
  }
  terms_.keep(numbers_);
  ++epoch_;
}

// Appends the groups of the postings since the last call.
void TokenGrouper::end_section() {
  if (posting_count_ == 0) return;
  const std::span<const TermId> used(used_.begin(), used_count_);
  const std::span<const Posting> postings(postings_.data(), posting_count_);
  const auto bytes_of = [this](TermId term) {
    return GroupedTerm::kHeaderBytes + terms_.suffix(term).size() + states_[term].postings * GroupedTerm::kPostingBytes;
  };
  const auto fetch = [&](std::size_t i) {
    if (i >= used.size()) return;
    prefetch(used[i]);
    terms_.fetch(used[i]);
  };
  for (std::size_t i = 0; i < used.size(); ++i) {
    fetch(i + kAhead);
    bytes_[terms_.collection(used[i])] += static_cast<std::uint32_t>(bytes_of(used[i]));
  }
  auto end = static_cast<std::uint32_t>(made_.bytes.size());
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    if (bytes_[i] == 0) continue;
    made_.groups.push_back({static_cast<dictionary::TrieCollection>(i), end, end + bytes_[i]});
    bytes_[i] = std::exchange(end, made_.groups.back().end);  // from here on: the place of the next term
  }
  made_.bytes.resize(end);
  std::byte* const out = made_.bytes.data();
  for (std::size_t i = 0; i < used.size(); ++i) {
    fetch(i + kAhead);
    if (i + kAhead / 2 < used.size()) __builtin_prefetch(terms_.suffix(used[i + kAhead / 2]).data());
    const TermId term = used[i];
    std::uint32_t& place = bytes_[terms_.collection(term)];
    const std::string_view suffix = terms_.suffix(term);
    store_le(out + place, static_cast<std::uint16_t>(suffix.size()));
    store_le(out + place + 2, states_[term].postings);
    const std::size_t first = place + GroupedTerm::kHeaderBytes + suffix.size();
    if (!suffix.empty()) std::memcpy(out + place + GroupedTerm::kHeaderBytes, suffix.data(), suffix.size());
    place += static_cast<std::uint32_t>(bytes_of(term));
    states_[term].at = static_cast<std::uint32_t>(first);
  }
  for (std::size_t i = 0; i < postings.size(); ++i) {
    if (i + 2 * kAhead < postings.size()) prefetch(postings[i + 2 * kAhead].term);
    if (i + kAhead < postings.size()) __builtin_prefetch(out + states_[postings[i + kAhead].term].at, 1);
    const Posting& posting = postings[i];
    std::uint32_t& at = states_[posting.term].at;
    store_le(out + at, posting.document);
    store_le(out + at + 2, posting.frequency);
    at += GroupedTerm::kPostingBytes;
  }
  for (const TermId term : used) {
    bytes_[terms_.collection(term)] = 0;
    states_[term].postings = 0;
    std::uint8_t& sections = sections_[term];
    sections = static_cast<std::uint8_t>(std::min(sections + 1, 255));
  }
  used_count_ = 0;
  posting_count_ = 0;
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
