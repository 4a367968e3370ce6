#include "leaf/clauses/device_phrase.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "common/partition/values/token_codes.h"

namespace frond::leaf::clauses {
namespace {

using partition::StoredSequences;
// Bytes of what a device keeps in front of the records: where each document's begins, and the end.
std::uint64_t bytes_of_begins(const StoredSequences& sequences) {
  return (std::uint64_t{sequences.documents()} + 1) * sizeof(std::uint32_t);
}

class DeviceSequences final : public engine::DocumentCodes {
 public:
  explicit DeviceSequences(const StoredSequences& sequences)
      : DocumentCodes(sequences.name(), static_cast<std::uint32_t>(bytes_of_begins(sequences) + sequences.bytes()),
                      256),
        sequences_(sequences) {}

  void write(DocId first, std::span<std::byte> out) const override {
    const std::uint64_t begins = bytes_of_begins(sequences_);
    std::uint64_t at = first;
    while (at < begins && !out.empty()) {
      const auto begin = static_cast<std::uint32_t>(sequences_.begin(static_cast<DocId>(at / sizeof(std::uint32_t))));
      const std::size_t from = at % sizeof begin, count = std::min(sizeof begin - from, out.size());
      std::memcpy(out.data(), reinterpret_cast<const std::byte*>(&begin) + from, count);
      out = out.subspan(count);
      at += count;
    }
    if (!out.empty()) sequences_.copy(at - begins, out);
  }

 private:
  const StoredSequences& sequences_;
};

}  // namespace

std::shared_ptr<const engine::DocumentCodes> device_sequences(const StoredSequences* sequences) {
  if (sequences == nullptr ||
      bytes_of_begins(*sequences) + sequences->bytes() > std::numeric_limits<std::uint32_t>::max())
    return nullptr;
  return std::make_shared<const DeviceSequences>(*sequences);
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
