#include "indexer/invert/cpu_text_inverter.h"

#include <algorithm>
#include <utility>

namespace frond::indexer::invert {
namespace {

// Documents of a batch: their tokens are grouped at once.
constexpr std::size_t kBatchBytes = std::size_t{2} << 20, kBatchDocuments = 0x8000;

}  // namespace

CpuTextInverter::CpuTextInverter(TextInverterSetup setup)
    : take_length_(std::move(setup.take_length)),
      grouper_(std::size_t{4} << 20, setup.table_bits),
      terms_(setup.analyzer, setup.table_bits, grouper_) {
  inverter_ = inverter_with(kUsualCpuDictionary)->make(std::move(setup.inverter));
}

Result<void> CpuTextInverter::invert(DocumentTexts texts, std::span<const DocumentNumber> numbers) {
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t bytes = 0, end = first;
    for (; end < numbers.size() && end - first < kBatchDocuments && bytes < kBatchBytes; ++end) {
      if (numbers[end] == kDropped) continue;
      grouper_.begin_document(static_cast<std::uint32_t>(end - first));
      const std::uint32_t length = terms_.add(texts.of(end));
      bytes += texts.of(end).size();
      if (take_length_) FROND_TRY(take_length_(numbers[end], length));
    }
    grouper_.finish(groups_);
    FROND_TRY(inverter_->invert(groups_, groups_.groups, numbers.subspan(first, end - first)));
    first = end;
  }
  return {};
}

const TextInverterKind& cpu_text_inverter_kind() {
  static constexpr TextInverterKind kKind{"cpu-text", [](TextInverterSetup setup) -> std::unique_ptr<TextInverter> {
                                            return std::make_unique<CpuTextInverter>(std::move(setup));
                                          }};
  return kKind;
}

}  // namespace frond::indexer::invert
