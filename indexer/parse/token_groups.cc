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
// Tokens that are added together.
constexpr std::size_t kTokensAtOnce = 64;
constexpr std::uint16_t kMaxFrequency = 0xffff;
// Stamps from here on are enough for the documents of a section, which all are of one batch.
constexpr std::uint32_t kLastSectionStamp = 0xf000'0000;

}  // namespace

TokenGrouper::TokenGrouper(std::size_t kept_bytes, int table_bits)
    : kept_bytes_(kept_bytes),
      terms_(table_bits),
      states_(terms_.max_terms()),
      sections_(terms_.max_terms()),
      used_(terms_.max_terms() + 1),
      places_(terms_.max_terms() + 1),
      bytes_(dictionary::kTrieCollections) {}

void TokenGrouper::begin_document(std::uint32_t document) {
  FROND_CHECK(document < kMaxBatchDocuments && (document >= document_ || posting_count_ == 0));
  // Bounds the postings of a section, by documents.
  if (posting_count_ * sizeof(Posting) > kept_bytes_) end_section();
  document_ = static_cast<std::uint16_t>(document);
  ++stamp_;
}

// Forgets which terms had postings.
void TokenGrouper::begin_section() {
  used_count_ = 0;
  posting_count_ = 0;
  if (stamp_ >= kLastSectionStamp) {
    for (State& state : states_) state.stamp = 0;
    stamp_ = 0;
  }
  section_stamp_ = ++stamp_;
}

TermId TokenGrouper::intern(std::string_view term, const TermTable::Lookup& lookup) {
  if (terms_.full()) forget_terms();
  return terms_.find_or_add(term, lookup);
}

// There is room for so many more, and for one that is written and not counted.
void TokenGrouper::make_room(std::size_t postings) {
  const std::size_t wanted = posting_count_ + postings + 1;
  if (postings_.size() < wanted) postings_.resize(std::max({wanted, 2 * postings_.size(), std::size_t{1024}}));
}

void TokenGrouper::add(std::span<const TermId> terms) {
  for (std::size_t at = 0; at < terms.size(); at += kTokensAtOnce)
    add_some(terms.subspan(at, std::min(kTokensAtOnce, terms.size() - at)));
}

// Whether the document, or the section, had a term before is not predictable, so neither is a branch: what is no new
// posting is written where the next one goes, and not counted. Occurrences are counted when all postings of these
// tokens are known: then no term's state waits for a posting's place.
void TokenGrouper::add_some(std::span<const TermId> terms) {
  make_room(2 * terms.size());  // also if add_again() adds one for each
  std::array<std::uint32_t, kTokensAtOnce> found;
  const std::uint32_t stamp = stamp_, section_stamp = section_stamp_;
  Posting* const postings = postings_.data();
  TermId* const used = used_.begin();
  auto count = static_cast<std::uint32_t>(posting_count_);
  auto used_count = static_cast<std::uint32_t>(used_count_);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    State& state = states_[terms[i]];
    const std::uint32_t again = 0u - static_cast<std::uint32_t>(state.stamp == stamp);
    const std::uint32_t known = 0u - static_cast<std::uint32_t>(state.stamp >= section_stamp);
    const std::uint32_t posting = count ^ ((count ^ state.posting) & again);  // a choice that compiles to no branch
    const std::uint32_t number = used_count ^ ((used_count ^ state.number) & known);
    postings[count] = {number, document_, 0};
    used[used_count] = terms[i];
    state.stamp = stamp;
    state.posting = posting;
    state.number = number;
    found[i] = posting;
    count += again + 1;
    used_count += known + 1;
  }
  posting_count_ = count;
  used_count_ = used_count;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    std::uint16_t& frequency = postings[found[i]].frequency;
    if (frequency < kMaxFrequency) [[likely]]
      ++frequency;
    else
      add_again(states_[terms[i]]);
  }
}

// A token more of a term with a posting whose frequency is as large as it can be. There is room.
void TokenGrouper::add_again(State& state) {
  if (postings_[state.posting].frequency == kMaxFrequency) {
    state.posting = static_cast<std::uint32_t>(posting_count_++);
    postings_[state.posting] = {state.number, document_, 0};
  }
  ++postings_[state.posting].frequency;
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
  if (posting_count_ == 0) return begin_section();
  const std::span<const TermId> used(used_.begin(), used_count_);
  const std::span<const Posting> postings(postings_.data(), posting_count_);
  std::uint32_t* const places = places_.begin();
  std::fill_n(places, used.size(), 0u);
  for (const Posting& posting : postings) ++places[posting.number];
  const auto bytes_of = [&](std::size_t i) {
    return static_cast<std::uint32_t>(GroupedTerm::kHeaderBytes + terms_.suffix(used[i]).size() +
                                      places[i] * GroupedTerm::kPostingBytes);
  };
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (i + kAhead < used.size()) terms_.fetch(used[i + kAhead]);
    bytes_[terms_.collection(used[i])] += bytes_of(i);
    std::uint8_t& sections = sections_[used[i]];
    sections = static_cast<std::uint8_t>(std::min(sections + 1, 255));
  }
  const std::size_t first_group = made_.groups.size();
  auto end = static_cast<std::uint32_t>(made_.bytes.size());
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    if (bytes_[i] == 0) continue;
    made_.groups.push_back({static_cast<dictionary::TrieCollection>(i), end, end + bytes_[i]});
    bytes_[i] = std::exchange(end, made_.groups.back().end);  // from here on: where the next term goes
  }
  made_.bytes.resize(end);
  std::byte* const out = made_.bytes.data();
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (i + kAhead < used.size()) terms_.fetch(used[i + kAhead]);
    if (i + kAhead / 2 < used.size()) __builtin_prefetch(terms_.suffix(used[i + kAhead / 2]).data());
    std::uint32_t& place = bytes_[terms_.collection(used[i])];
    const std::string_view suffix = terms_.suffix(used[i]);
    store_le(out + place, static_cast<std::uint16_t>(suffix.size()));
    store_le(out + place + 2, places[i]);
    if (!suffix.empty()) std::memcpy(out + place + GroupedTerm::kHeaderBytes, suffix.data(), suffix.size());
    const auto first = static_cast<std::uint32_t>(place + GroupedTerm::kHeaderBytes + suffix.size());
    place += bytes_of(i);
    places[i] = first;
  }
  for (std::size_t i = 0; i < postings.size(); ++i) {
    if (i + kAhead < postings.size()) __builtin_prefetch(out + places[postings[i + kAhead].number], 1);
    std::uint32_t& at = places[postings[i].number];
    store_le(out + at, postings[i].document);
    store_le(out + at + 2, postings[i].frequency);
    at += GroupedTerm::kPostingBytes;
  }
  for (std::size_t i = first_group; i < made_.groups.size(); ++i) bytes_[made_.groups[i].collection] = 0;
  if (postings_.capacity() * sizeof(Posting) > 2 * kept_bytes_) std::vector<Posting>().swap(postings_);
  begin_section();
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
