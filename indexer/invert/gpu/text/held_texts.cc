#include "indexer/invert/gpu/text/held_texts.h"

#include <utility>

#include "common/device/runtime.h"
#include "indexer/invert/gpu/text/slice_filler.h"

namespace frond::indexer::invert::gpu {

HeldTexts::HeldTexts(int device, std::unique_ptr<DeviceText> text, std::unique_ptr<TextTerms> terms,
                     DocumentNumber first, std::vector<std::uint32_t> totals)
    : device_(device),
      text_(std::move(text)),
      terms_(std::move(terms)),
      first_(first),
      totals_(std::move(totals)),
      in_order_(terms_->in_order(totals_)) {
  for (const std::uint32_t term : in_order_) postings_ += totals_[term];
}

Result<void> HeldTexts::read(std::size_t slice_postings, const std::function<Result<void>(runs::PostingSlice)>& take) {
  FROND_TRY(device::use(device_));  // of this thread
  const std::unique_ptr<DeviceText> text = std::move(text_);
  SliceFiller filler({in_order_, totals_}, slice_postings);
  runs::PostingSlice slice;
  filler.begin(slice);
  return text->read(in_order_, totals_, [&](auto numbers, auto frequencies) -> Result<void> {
    while (!numbers.empty()) {
      if (!filler.fill(slice, numbers, frequencies)) continue;
      FROND_TRY(take(std::exchange(slice, {})));
      if (!filler.at_end()) filler.begin(slice);
    }
    return {};
  });
}

}  // namespace frond::indexer::invert::gpu
