#include "indexer/invert/gpu/text/held_texts.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "common/device/runtime.h"
#include "indexer/invert/document_deal.h"
#include "indexer/invert/gpu/text/lists/list_coder.h"
#include "indexer/invert/gpu/text/slice_filler.h"

namespace frond::indexer::invert::gpu {
namespace {

constexpr std::size_t kPlacedByAThread = std::size_t{1} << 16;  // fewer are placed faster by one

// Documents of all partitions.
std::uint64_t documents_of(const runs::ListCoding& coding) {
  std::uint64_t documents = 0;
  for (const auto& lengths : coding.lengths) documents += lengths.size();
  return documents;
}

}  // namespace

HeldTexts::HeldTexts(int device, std::unique_ptr<DeviceText> text, std::unique_ptr<TextTerms> terms,
                     DocumentNumber first, std::vector<std::uint32_t> totals)
    : device_(device),
      text_(std::move(text)),
      first_(first),
      totals_(std::move(totals)),
      in_order_(terms->in_order(totals_)),
      terms_((terms->end_adding(), terms->numbers()), in_order_, terms->crew()) {
  place_terms(terms->crew());
}

// Where the postings of each term begin.
void HeldTexts::place_terms(Crew& crew) {
  starts_.resize(in_order_.size() + 1);
  offsets_.resize(totals_.size());
  const std::uint32_t parts = crew.parts_of(in_order_.size(), kPlacedByAThread);
  struct Sum {
    std::uint64_t postings = 0;
    std::uint32_t greatest = 0;
  };
  std::vector<Sum> sums(parts);
  crew.in_parts(in_order_.size(), parts, [&](std::uint32_t part, std::size_t begin, std::size_t end) {
    Sum sum;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t total = totals_[in_order_[i]];
      sum.postings += total;
      sum.greatest = std::max(sum.greatest, total);
    }
    sums[part] = sum;
  });
  std::vector<std::uint64_t> before;  // postings of the parts before each
  for (const Sum& sum : sums) {
    before.push_back(postings_);
    postings_ += sum.postings;
    greatest_total_ = std::max(greatest_total_, sum.greatest);
  }
  crew.in_parts(in_order_.size(), parts, [&](std::uint32_t part, std::size_t begin, std::size_t end) {
    auto at = static_cast<std::uint32_t>(before[part]);
    for (std::size_t i = begin; i < end; ++i) {
      offsets_[in_order_[i]] = at;
      starts_[i + 1] = at += totals_[in_order_[i]];
    }
  });
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

std::uint32_t HeldTexts::window_postings(std::size_t slice_postings) const {
  return static_cast<std::uint32_t>(std::max<std::size_t>(slice_postings, greatest_total_));
}

bool HeldTexts::codes(const runs::ListCoding& coding, std::size_t slice_postings) const {
  const std::uint64_t documents = documents_of(coding);
  return text_ && documents > first_ &&
         ListCoder::fits(*text_, documents - first_, in_order_.size(), window_postings(slice_postings));
}

// Behind the last of the terms from `first` on that have so many postings together, or behind `first`.
std::size_t HeldTexts::end_of_window(std::size_t first, std::size_t slice_postings) const {
  const std::uint64_t most = starts_[first] + std::uint64_t{slice_postings};
  const auto behind = std::upper_bound(starts_.begin() + static_cast<std::ptrdiff_t>(first), starts_.end(), most);
  return std::max(first + 1, static_cast<std::size_t>(behind - starts_.begin()) - 1);
}

Result<std::vector<std::vector<std::uint64_t>>> HeldTexts::code(
    const runs::ListCoding& coding, std::size_t slice_postings,
    const std::function<Result<void>(std::shared_ptr<const runs::CodedSlice>)>& take) {
  FROND_TRY(device::use(device_));  // of this thread
  const std::shared_ptr<DeviceText> text = std::move(text_);
  const auto partitions = static_cast<std::uint32_t>(coding.lengths.size());
  const DocumentDeal dealt(partitions);
  std::vector<std::uint32_t> lengths(documents_of(coding) - first_);
  for (std::size_t number = 0; number < lengths.size(); ++number) {
    const auto place = dealt.place_of(first_ + number);
    lengths[number] = coding.lengths[place.partition][place.docid];
  }
  FROND_TRY(text->place_terms(std::exchange(offsets_, {}), postings_));
  const auto coder = FROND_TRY(ListCoder::create(text, {.first_document = first_,
                                                        .partitions = partitions,
                                                        .b = coding.b,
                                                        .average_length = coding.average_length,
                                                        .lengths = lengths,
                                                        .starts = starts_,
                                                        .hashes = terms_.hashes(),
                                                        .window_postings = window_postings(slice_postings)}));
  std::size_t begun = 0;  // terms
  const auto begin = [&]() -> Result<void> {
    if (begun == in_order_.size()) return {};
    const std::size_t first = std::exchange(begun, end_of_window(begun, slice_postings));
    return coder->begin(first, begun);
  };
  for (std::size_t i = 1; i < ListCoder::kWindows; ++i) FROND_TRY(begin());
  for (std::size_t taken = 0; taken < in_order_.size();) {
    FROND_TRY(begin());  // it works while the one before is taken and given
    auto slice = FROND_TRY(coder->take());
    taken = slice->end;
    FROND_TRY(take(std::move(slice)));
  }
  const std::vector<std::uint64_t> by_number = FROND_TRY(coder->digests());
  std::vector<std::vector<std::uint64_t>> digests;
  for (const auto& of : coding.lengths) digests.emplace_back(of.size());
  for (std::size_t number = 0; number < by_number.size(); ++number) {
    const auto place = dealt.place_of(first_ + number);
    digests[place.partition][place.docid] = by_number[number];
  }
  return digests;
}

}  // namespace frond::indexer::invert::gpu
