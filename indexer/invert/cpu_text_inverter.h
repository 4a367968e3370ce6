#pragma once
// The inverter of texts on a CPU thread: cuts tokens as a parser does, and gives them to an Inverter. Makes
// again what was lost with a device, and is what the device's results are compared with.
#include <memory>

#include "indexer/invert/inverter.h"
#include "indexer/parse/term_finder.h"
#include "indexer/parse/token_groups.h"

namespace frond::indexer::invert {

class CpuTextInverter final : public TextInverter {
 public:
  explicit CpuTextInverter(TextInverterSetup setup);
  Result<void> invert(DocumentTexts texts, std::span<const DocumentNumber> numbers) override;
  Result<void> give_lengths() override { return {}; }  // invert() has given them
  Result<std::vector<runs::RunFile>> flush() override { return inverter_->flush(); }
  std::uint64_t memory_bytes() const override { return inverter_->memory_bytes(); }

 private:
  TakeLength take_length_;
  parse::TokenGrouper grouper_;
  parse::TermFinder terms_;
  parse::TokenGroups groups_;
  std::unique_ptr<Inverter> inverter_;
};

const TextInverterKind& cpu_text_inverter_kind();

}  // namespace frond::indexer::invert
