#include "leaf/clauses/required/phrase_check.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "common/text/field_term.h"

namespace frond::leaf::clauses {
namespace {

constexpr std::size_t kLine = 64, kLines = 4;  // that are fetched: a few hundred words

}  // namespace

PhraseCheck::PhraseCheck(const ResolvedQuery& query, const PhraseNode& phrase, const SearchedPartition& partition)
    : phrase_(phrase), partition_(partition) {
  for (const PhraseNode::Word& word : phrase.words) {
    const std::string_view term = query.lists[word.lists.front()].term;
    hashes_.push_back(partition::term_hash(phrase.field == kAllText ? term : term.substr(text::kFieldTermPrefix)));
    codes_.push_back({word.number, 0});
    order_.push_back(static_cast<std::uint32_t>(order_.size()));
  }
  std::ranges::stable_sort(order_, {}, [&](std::uint32_t i) { return query.lists[phrase.words[i].lists.front()].df; });
  if (phrase.slop == 0) return;
  places_.emplace(numbers_of(phrase), phrase.slop);
  for (PhrasePlaces::Word& word : places_->words()) word.codes.assign(1, 0);
}

ByteView PhraseCheck::fetch(DocId docid) const {
  const ByteView record = partition_.token_codes(docid);
  // No branch on how many lines they are: the size is itself waited for, and what is guessed wrong keeps the next
  // document's from being asked for meanwhile.
  for (std::size_t line = 0; line < kLines; ++line)
    __builtin_prefetch(record.data() + std::min(line * kLine, record.size()));
  return record;
}

std::uint32_t PhraseCheck::frequency(DocId docid, ByteView record) {
  if (record.empty()) return 0;
  const auto codes = partition::TokenCodes::open(record);
  if (!codes) {
    if (!error_) error_ = Error(codes.error()).within("document " + std::to_string(docid));
    return 0;
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::uint32_t word = order_[i];
    if (places_)
      places_->words()[word].codes.front() = codes->code(hashes_[word]);
    else
      codes_[i] = {phrase_.words[word].number, codes->code(hashes_[word])};
  }
  const std::uint32_t last = phrase_.words.back().number;
  std::uint32_t count = 0;
  codes->for_each_field([&](const partition::TokenCodes::Field& field) {
    if (phrase_.field != kAllText && phrase_.field != field.field) return;
    if (places_)
      count += places_->count(field, codes->width());
    else if (field.words > last)
      count += cpu::count_places(field.codes, codes->width(), field.words - last, codes_);
  });
  return count;
}

}  // namespace frond::leaf::clauses
