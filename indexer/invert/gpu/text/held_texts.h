#pragma once
// The postings of all texts, on the device, after the last text: what a run would have. Partitions are written from
// there.
#include <cstdint>
#include <memory>
#include <vector>

#include "indexer/invert/gpu/text/device_text.h"
#include "indexer/invert/gpu/text/text_terms.h"
#include "indexer/invert/inverter.h"
#include "indexer/runs/posting_slices.h"

namespace frond::indexer::invert::gpu {

class HeldTexts final : public runs::PostingSlices {
 public:
  // `text` has a run whose terms are those of `terms`; its totals. device: the number of the device.
  HeldTexts(int device, std::unique_ptr<DeviceText> text, std::unique_ptr<TextTerms> terms, DocumentNumber first,
            std::vector<std::uint32_t> totals);

  Result<void> read(std::size_t slice_postings, const std::function<Result<void>(runs::PostingSlice)>& take) override;
  std::uint64_t first_document() const override { return first_; }
  std::uint64_t postings() const override { return postings_; }
  std::uint64_t memory_bytes() const override {
    return terms_->memory_bytes() + (totals_.size() + in_order_.size()) * sizeof(std::uint32_t);
  }
  Term term(std::size_t place) const override {
    const std::uint32_t number = in_order_[place];
    return {terms_->term(number), totals_[number]};
  }
  void fetch(std::size_t place) const override { terms_->numbers().fetch(in_order_[place]); }

 private:
  const int device_;
  std::unique_ptr<DeviceText> text_;  // null: it was read
  const std::unique_ptr<TextTerms> terms_;
  const DocumentNumber first_;
  const std::vector<std::uint32_t> totals_;    // by term
  const std::vector<std::uint32_t> in_order_;  // terms with postings
  std::uint64_t postings_ = 0;
};

}  // namespace frond::indexer::invert::gpu
