#include "leaf/clauses/resolve/device_phrase.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "common/partition/values/token_codes.h"
#include "common/text/field_term.h"

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

class DeviceLengths final : public engine::DocumentCodes {
 public:
  explicit DeviceLengths(std::shared_ptr<const std::vector<std::uint32_t>> lengths)
      : DocumentCodes(lengths, static_cast<std::uint32_t>(lengths->size()), std::uint64_t{1} << 32),
        lengths_(*lengths) {}

  void write(DocId first, std::span<std::byte> out) const override {
    const std::span<const std::byte> left = std::as_bytes(std::span(lengths_).subspan(first));
    const std::size_t bytes = std::min(left.size(), out.size());
    std::memcpy(out.data(), left.data(), bytes);
    std::ranges::fill(out.subspan(bytes), std::byte{0});
  }

 private:
  const std::vector<std::uint32_t>& lengths_;  // their owner's
};

}  // namespace

std::shared_ptr<const engine::DocumentCodes> device_lengths(std::shared_ptr<const std::vector<std::uint32_t>> lengths) {
  if (lengths == nullptr || lengths->empty()) return nullptr;
  return std::make_shared<const DeviceLengths>(std::move(lengths));
}

std::uint32_t add_field(const ResolvedQuery& query, std::uint32_t field, engine::Plan& plan) {
  if (field == kAllText) return 0;
  auto at = std::ranges::find(plan.fields, field, &engine::PlanField::number);
  if (at == plan.fields.end()) at = plan.fields.insert(at, engine::PlanField{field, nullptr, query.norms.at(field)});
  return static_cast<std::uint32_t>(at - plan.fields.begin()) + 1;
}

std::shared_ptr<const engine::DocumentCodes> device_sequences(const StoredSequences* sequences) {
  if (sequences == nullptr ||
      bytes_of_begins(*sequences) + sequences->bytes() > std::numeric_limits<std::uint32_t>::max())
    return nullptr;
  return std::make_shared<const DeviceSequences>(*sequences);
}

engine::PlanPhrase device_phrase(const ResolvedQuery& query, const PhraseNode& phrase,
                                 std::span<const ListNumber> terms) {
  engine::PlanPhrase made{.words = {}, .weight = phrase.weight, .text = phrase.field, .sequences = nullptr};
  static_assert(kAllText == engine::kAnyText);
  for (const PhraseNode::Word& word : phrase.words) {
    const ListNumber list = word.lists.front();
    const auto term = static_cast<std::size_t>(std::ranges::find(terms, list) - terms.begin());
    const std::string_view text = query.lists[list].term;
    const std::size_t mark = phrase.field == kAllText ? 0 : text::kFieldTermPrefix;
    made.words.push_back({word.number, partition::term_hash(text.substr(mark)), term});
  }
  return made;
}

}  // namespace frond::leaf::clauses
