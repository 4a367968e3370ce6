#include "leaf/clauses/device_phrase.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "common/partition/values/token_codes.h"

namespace frond::leaf::clauses {
namespace {

using partition::StoredSequences;
using Array = StoredSequences::Array;

class SequencePlaces final : public engine::DocumentCodes {
 public:
  explicit SequencePlaces(const StoredSequences& sequences)
      : DocumentCodes(sequences.name(Array::kBegins), sequences.documents() + 1, std::uint64_t{1} << 32),
        sequences_(sequences) {}

  void write(DocId first, std::span<std::byte> out) const override {
    std::ranges::fill(out, std::byte{0});
    const auto end = static_cast<DocId>(std::min<std::size_t>(documents(), first + out.size() / width()));
    for (DocId docid = first; docid < end; ++docid) {
      const auto place = static_cast<std::uint32_t>(sequences_.begin(docid));
      std::memcpy(&out[(docid - first) * width()], &place, sizeof place);
    }
  }

 private:
  const StoredSequences& sequences_;
};

class SequenceBytes final : public engine::DocumentCodes {
 public:
  explicit SequenceBytes(const StoredSequences& sequences)
      : DocumentCodes(sequences.name(Array::kRecords), static_cast<std::uint32_t>(sequences.bytes()), 256,
                      std::make_shared<const SequencePlaces>(sequences)),
        sequences_(sequences) {}

  void write(DocId first, std::span<std::byte> out) const override { sequences_.copy(first, out); }

 private:
  const StoredSequences& sequences_;
};

}  // namespace

std::shared_ptr<const engine::DocumentCodes> device_sequences(const StoredSequences* sequences) {
  if (sequences == nullptr || sequences->bytes() > std::numeric_limits<std::uint32_t>::max()) return nullptr;
  return std::make_shared<const SequenceBytes>(*sequences);
}

engine::PlanPhrase device_phrase(const ResolvedQuery& query, const PhraseNode& phrase,
                                 std::span<const ListNumber> terms) {
  engine::PlanPhrase made{.words = {}, .weight = phrase.weight, .bounds = {}, .sequences = nullptr};
  for (const PhraseNode::Word& word : phrase.words) {
    const ListNumber list = word.lists.front();
    const auto term = static_cast<std::size_t>(std::ranges::find(terms, list) - terms.begin());
    made.words.push_back({word.number, partition::term_hash(query.lists[list].term), term});
  }
  return made;
}

}  // namespace frond::leaf::clauses
