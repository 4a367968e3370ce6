#include "leaf/clauses/phrase_check.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "common/text/field_term.h"

namespace frond::leaf::clauses {
namespace {

constexpr std::size_t kFetchedAhead = 24;      // documents whose sequences are fetched from memory meanwhile
constexpr std::size_t kLine = 64, kLines = 4;  // of each: a few hundred words

void prefetch(ByteView record) {
  for (std::size_t at = 0; at < std::min(record.size(), kLines * kLine); at += kLine)
    __builtin_prefetch(record.data() + at);
}

}  // namespace

PhraseCheck::PhraseCheck(const ResolvedQuery& query, const PhraseNode& phrase, const SearchedPartition& partition)
    : phrase_(phrase), partition_(partition), places_(numbers_of(phrase), phrase.slop) {
  for (const PhraseNode::Word& word : phrase.words) {
    const std::string_view term = query.lists[word.lists.front()].term;
    hashes_.push_back(partition::term_hash(phrase.field == kAllText ? term : term.substr(text::kFieldTermPrefix)));
  }
  for (PhrasePlaces::Word& word : places_.words()) word.codes.assign(1, 0);
}

void PhraseCheck::look_at(std::span<const DocId> docids, std::uint32_t* frequencies) {
  std::array<ByteView, kFetchedAhead> records;
  for (std::size_t i = 0; i < docids.size() + kFetchedAhead; ++i) {
    ByteView& record = records[i % kFetchedAhead];
    if (i >= kFetchedAhead) frequencies[i - kFetchedAhead] = places_in(docids[i - kFetchedAhead], record);
    if (i >= docids.size()) continue;
    record = partition_.token_codes(docids[i]);
    prefetch(record);
  }
}

std::uint32_t PhraseCheck::places_in(DocId docid, ByteView record) {
  if (record.empty()) return 0;
  const auto codes = partition::TokenCodes::open(record);
  if (!codes) {
    if (!error_) error_ = Error(codes.error()).within("document " + std::to_string(docid));
    return 0;
  }
  for (std::size_t word = 0; word < hashes_.size(); ++word)
    places_.words()[word].codes.front() = codes->code(hashes_[word]);
  std::uint32_t count = 0;
  codes->for_each_field([&](const partition::TokenCodes::Field& field) {
    if (phrase_.field == kAllText || phrase_.field == field.field) count += places_.count(field, codes->width());
  });
  return count;
}

}  // namespace frond::leaf::clauses
