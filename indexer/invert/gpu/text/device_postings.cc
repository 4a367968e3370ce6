#include "indexer/invert/gpu/text/device_postings.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "common/base/threads/thread_name.h"
#include "common/device/runtime.h"
#include "indexer/invert/gpu/text/lists/list_encoder.h"
#include "indexer/invert/gpu/text/run_slices.h"
#include "indexer/invert/partition_runs.h"

namespace frond::indexer::invert::gpu {
namespace {

constexpr std::size_t kPlacedByAThread = std::size_t{1} << 16;  // fewer are placed faster by one

// Documents of all partitions.
std::uint64_t documents_of(const runs::ListEncoding& coding) {
  std::uint64_t documents = 0;
  for (const auto& lengths : coding.lengths) documents += lengths.size();
  return documents;
}

}  // namespace

DevicePostings::DevicePostings(int device, std::unique_ptr<DeviceText> text, std::unique_ptr<TextTerms> terms,
                               DocumentNumber first, std::vector<std::uint32_t> totals, std::uint64_t memory_bytes)
    : device_(device), text_(std::move(text)), first_(first), memory_bytes_(memory_bytes), totals_(std::move(totals)) {
  for (const std::uint32_t total : totals_) {
    terms_with_postings_ += total > 0 ? 1 : 0;
    postings_ += total;
    greatest_total_ = std::max(greatest_total_, total);
  }
  ordered_ = std::async(std::launch::async, [this, all = std::move(terms)]() mutable {
    name_this_thread("texts-0");
    order(*all);
    all.reset();  // the memory
  });
}

void DevicePostings::order(TextTerms& terms) {
  terms.end_adding();
  terms_.emplace(terms.numbers(), totals_, terms.crew());
  place_terms(terms.crew());
}

// Where the postings of each term begin.
void DevicePostings::place_terms(Crew& crew) {
  const std::span<const std::uint32_t> in_order = terms_->numbers();
  starts_.resize(in_order.size() + 1);
  offsets_.resize(totals_.size());
  const std::uint32_t parts = crew.parts_of(in_order.size(), kPlacedByAThread);
  std::vector<std::uint64_t> before(parts + std::size_t{1});  // postings of the parts before each
  crew.in_parts(in_order.size(), parts, [&](std::uint32_t part, std::size_t begin, std::size_t end) {
    std::uint64_t postings = 0;
    for (std::size_t i = begin; i < end; ++i) postings += starts_[i] = totals_[in_order[i]];
    before[part + std::size_t{1}] = postings;
  });
  std::partial_sum(before.begin(), before.end(), before.begin());
  crew.in_parts(in_order.size(), parts, [&](std::uint32_t part, std::size_t begin, std::size_t end) {
    auto at = static_cast<std::uint32_t>(before[part]);
    for (std::size_t i = begin; i < end; ++i) {
      offsets_[in_order[i]] = at;
      at += std::exchange(starts_[i], at);
    }
  });
  starts_.back() = static_cast<std::uint32_t>(postings_);
}

Result<void> DevicePostings::read(std::size_t slice_postings,
                                  const std::function<Result<void>(runs::PostingSlice)>& take) {
  ordered_.get();
  FROND_TRY(device::use(device_));  // of this thread
  const std::unique_ptr<DeviceText> text = std::move(text_);
  SliceFiller slices({terms_->numbers(), totals_}, slice_postings, take);
  return text->run().read(terms_->numbers(), totals_,
                          [&slices](auto numbers, auto frequencies) { return slices.add(numbers, frequencies); });
}

std::uint32_t DevicePostings::window_postings(const runs::ListEncoding& coding, const runs::SliceLimits& limits) const {
  const std::uint64_t documents = documents_of(coding);
  if (!text_ || documents <= first_) return 0;
  for (std::size_t most = limits.postings;; most /= 2) {
    const auto some = static_cast<std::uint32_t>(std::max<std::size_t>(most, greatest_total_));
    if (ListEncoder::fits(*text_, documents - first_, terms_with_postings_, some)) return some;
    if (most <= std::max<std::size_t>(limits.lists / 4, greatest_total_)) return 0;
  }
}

bool DevicePostings::codes(const runs::ListEncoding& coding, const runs::SliceLimits& limits) const {
  return window_postings(coding, limits) > 0;
}

// Behind the last term of the window that begins with `first`.
std::size_t DevicePostings::end_of_window(std::size_t first, const runs::SliceLimits& limits,
                                          std::size_t partitions) const {
  std::size_t end = first, lists = 0;
  for (; end < terms_->size(); ++end) {
    lists += std::min<std::size_t>(partitions, postings_of(end));
    if (end > first && (starts_[end + 1] - starts_[first] > limits.postings || lists > limits.lists)) break;
  }
  return end;
}

Result<std::vector<std::vector<std::uint64_t>>> DevicePostings::code(
    const runs::ListEncoding& coding, const runs::SliceLimits& limits,
    const std::function<Result<void>(std::shared_ptr<const runs::EncodedSlice>)>& take) {
  const std::uint32_t most = window_postings(coding, limits);
  if (most == 0) return Error(Code::kInvalid, "these postings do not fit beside a window");
  ordered_.get();
  FROND_TRY(device::use(device_));  // of this thread
  const std::shared_ptr<DeviceText> text = std::move(text_);
  const auto partitions = static_cast<std::uint32_t>(coding.lengths.size());
  const RoundRobin assigned(partitions);
  std::vector<std::uint32_t> lengths(documents_of(coding) - first_);
  for (std::size_t number = 0; number < lengths.size(); ++number) {
    const auto place = assigned.place_of(first_ + number);
    lengths[number] = coding.lengths[place.partition][place.docid];
  }
  FROND_TRY(text->run().place_terms(std::exchange(offsets_, {}), postings_));
  const auto coder = FROND_TRY(ListEncoder::create(text, {.first_document = first_,
                                                          .partitions = partitions,
                                                          .b = coding.b,
                                                          .average_length = coding.average_length,
                                                          .lengths = lengths,
                                                          .starts = starts_,
                                                          .hashes = terms_->hashes(),
                                                          .window_postings = most}));
  std::size_t begun = 0;  // terms
  const auto begin = [&]() -> Result<void> {
    if (begun == terms_->size()) return {};
    const std::size_t first = std::exchange(begun, end_of_window(begun, {most, limits.lists}, partitions));
    return coder->begin(first, begun);
  };
  for (std::size_t i = 1; i < ListEncoder::kWindows; ++i) FROND_TRY(begin());
  for (std::size_t taken = 0; taken < terms_->size();) {
    FROND_TRY(begin());  // it works while the one before is taken and given
    auto slice = FROND_TRY(coder->take());
    taken = slice->end;
    FROND_TRY(take(std::move(slice)));
  }
  const std::vector<std::uint64_t> by_number = FROND_TRY(coder->digests());
  std::vector<std::vector<std::uint64_t>> digests;
  for (const auto& of : coding.lengths) digests.emplace_back(of.size());
  for (std::size_t number = 0; number < by_number.size(); ++number) {
    const auto place = assigned.place_of(first_ + number);
    digests[place.partition][place.docid] = by_number[number];
  }
  return digests;
}

}  // namespace frond::indexer::invert::gpu
