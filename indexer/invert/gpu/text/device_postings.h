#pragma once
// The postings of all texts, on the device, after the last text: what a run would have. Partitions are written from
// there, from postings or from lists that the device codes. Their terms are put in order by threads of their own:
// meanwhile stored fields may be written already.
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "indexer/invert/gpu/text/device/device_text.h"
#include "indexer/invert/gpu/text/terms/sorted_terms.h"
#include "indexer/invert/gpu/text/terms/text_terms.h"
#include "indexer/invert/inverter.h"
#include "indexer/runs/posting_slices.h"

namespace frond::indexer::invert::gpu {

class DevicePostings final : public runs::PostingSlices {
 public:
  // `text` has a run whose terms are those of `terms`; its totals. device: the number of the device. memory_bytes: what
  // the host has of it, and takes to put terms in order.
  DevicePostings(int device, std::unique_ptr<DeviceText> text, std::unique_ptr<TextTerms> terms, DocumentNumber first,
                 std::vector<std::uint32_t> totals, std::uint64_t memory_bytes);

  Result<void> read(std::size_t slice_postings, const std::function<Result<void>(runs::PostingSlice)>& take) override;
  bool codes(const runs::ListEncoding& coding, const runs::SliceLimits& limits) const override;
  Result<std::vector<std::vector<std::uint64_t>>> code(
      const runs::ListEncoding& coding, const runs::SliceLimits& limits,
      const std::function<Result<void>(std::shared_ptr<const runs::EncodedSlice>)>& take) override;
  std::uint64_t first_document() const override { return first_; }
  std::uint64_t postings() const override { return postings_; }
  std::uint64_t memory_bytes() const override { return memory_bytes_; }
  std::string_view term(std::size_t place) const override { return terms_->term(place); }
  std::size_t postings_of(std::size_t place) const override { return starts_[place + 1] - starts_[place]; }

 private:
  void order(TextTerms& terms);
  void place_terms(Crew& crew);
  // At most those of the limits, so that a window fits; 0: none does.
  std::uint32_t window_postings(const runs::ListEncoding& coding, const runs::SliceLimits& limits) const;
  std::size_t end_of_window(std::size_t first, const runs::SliceLimits& limits, std::size_t partitions) const;

  const int device_;
  std::unique_ptr<DeviceText> text_;  // null: it was read
  const DocumentNumber first_;
  const std::uint64_t memory_bytes_;
  const std::vector<std::uint32_t> totals_;  // by term
  std::size_t terms_with_postings_ = 0;
  std::uint64_t postings_ = 0;
  std::uint32_t greatest_total_ = 0;
  // Of who has waited for ordered_, or has got a slice from there:
  std::optional<OrderedTerms> terms_;   // with postings
  std::vector<std::uint32_t> starts_;   // in their order: where the postings of each begin, and the end
  std::vector<std::uint32_t> offsets_;  // by term: where its postings begin
  std::future<void> ordered_;           // last: its end is waited for before all others go
};

}  // namespace frond::indexer::invert::gpu
