#include "indexer/order/gpu/device_bisection.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "indexer/invert/gpu/device_copies.h"
#include "indexer/order/bisection_rules.h"
#include "indexer/order/gpu/kernels.h"

namespace frond::indexer::order::gpu {
namespace {

using invert::gpu::bytes_of, invert::gpu::DeviceParts, invert::gpu::in_granules, invert::gpu::StagedCopies;

constexpr std::uint64_t kMaxSlots = (std::uint64_t{1} << 31) - 16;

// Slots are terms at first; later each has two postings or more.
std::uint64_t most_slots(std::uint64_t postings, std::uint32_t terms) {
  return std::max<std::uint64_t>(terms, postings / 2);
}
// A side has at most half of the documents.
std::uint32_t most_steps(std::uint32_t documents) { return documents - documents / 2 + 2; }

struct Layout {
  BisectionOnDevice on;
  std::uint64_t* begins = nullptr;
  std::int32_t* steps = nullptr;

  static Layout of(DeviceParts& parts, std::uint32_t documents, std::uint64_t postings, std::uint32_t terms) {
    Layout layout;
    BisectionOnDevice& on = layout.on;
    const std::uint64_t slots = most_slots(postings, terms) + 1;
    const std::uint64_t ranges = documents / kSmallestRange + 2;  // of more documents than that, or as many
    on.documents = documents;
    on.begins = layout.begins = parts.next<std::uint64_t>(documents + std::uint64_t{1});
    on.steps = layout.steps = parts.next<std::int32_t>(most_steps(documents));
    on.slots_of = parts.next<std::uint32_t>(postings);
    for (std::uint32_t** by_document : {&on.lengths, &on.order, &on.next_order, &on.range_of, &on.sides, &on.keys})
      *by_document = parts.next<std::uint32_t>(documents);
    on.rights_before = on.keys;
    on.range_begins = parts.next<std::uint32_t>(ranges + 1);
    on.active = parts.next<std::uint32_t>(ranges);
    on.slot_begins = parts.next<std::uint32_t>(2 * ranges + 1);
    on.next_slot_begins = parts.next<std::uint32_t>(2 * ranges + 1);
    on.counts = parts.next<TermSides>(slots);
    on.saved = parts.next<SavedByMove>(slots + 1);
    on.lefts = reinterpret_cast<std::uint32_t*>(on.saved);
    on.rights = on.saved == nullptr ? nullptr : on.lefts + slots;
    on.slot_range = parts.next<std::uint32_t>(slots);
    on.next_slot_range = parts.next<std::uint32_t>(slots);
    on.active_ranges = parts.next<std::uint32_t>(1);
    return layout;
  }
};

// One thread.
class DeviceBisection {
 public:
  static Result<DeviceBisection> create(const ForwardIndex& index, int device, std::uint64_t max_bytes);
  Result<std::vector<std::uint32_t>> order(const ForwardIndex& index, const std::stop_token& stop);

 private:
  DeviceBisection(device::Stream stream, device::Memory memory, device::Memory pinned, StagedCopies stages,
                  const ForwardIndex& index, std::uint32_t processors, std::size_t space)
      : stream_(std::move(stream)), memory_(std::move(memory)), pinned_(std::move(pinned)), stages_(std::move(stages)) {
    stages_.use(pinned_.data());
    DeviceParts parts(memory_.data());
    layout_ = Layout::of(parts, index.documents(), index.term_numbers.size(), index.terms);
    place_ = {processors, parts.next<std::byte>(space), space, stream_.get()};
  }
  Result<void> upload(std::byte* to, const std::byte* from, std::size_t bytes);
  Result<void> download(std::byte* to, const std::byte* from, std::size_t bytes);
  Result<std::uint32_t> number_at(const std::uint32_t* at);
  Result<void> begin(const ForwardIndex& index);
  Result<void> cut_level(std::uint32_t level, const std::stop_token& stop);

  device::Stream stream_;
  device::Memory memory_, pinned_;
  StagedCopies stages_;  // by way of pinned_
  Layout layout_;
  KernelPlace place_;
};

Result<DeviceBisection> DeviceBisection::create(const ForwardIndex& index, int device, std::uint64_t max_bytes) {
  const std::uint64_t slots = most_slots(index.term_numbers.size(), index.terms);
  if (slots > kMaxSlots) return Error(Code::kDevice, "GPU: more postings than bisection numbers");
  FROND_TRY(device::use(device));
  const auto properties = FROND_TRY(device::properties_of(device));
  const std::size_t space = FROND_TRY(kernel_space(index.documents(), static_cast<std::uint32_t>(slots)));
  const std::uint64_t bytes =
      device_bytes(index.documents(), index.term_numbers.size(), index.terms) + in_granules(space);
  if (bytes > max_bytes)
    return Error(Code::kDevice, "GPU: to bisect " + std::to_string(index.term_numbers.size()) + " postings takes " +
                                    std::to_string((bytes >> 20) + 1) + " MiB of its memory, it may use " +
                                    std::to_string(max_bytes >> 20));
  auto stream = FROND_TRY(device::Stream::create());
  auto memory = FROND_TRY(device::Memory::create(device::Place::kDevice, bytes));
  auto pinned =
      FROND_TRY(device::Memory::create(device::Place::kPinnedHost, StagedCopies::kStages * StagedCopies::kStageBytes));
  auto stages = FROND_TRY(StagedCopies::create());
  return DeviceBisection(std::move(stream), std::move(memory), std::move(pinned), std::move(stages), index,
                         static_cast<std::uint32_t>(properties.processors), space);
}

Result<void> DeviceBisection::upload(std::byte* to, const std::byte* from, std::size_t bytes) {
  return stages_.upload(to, from, bytes, stream_.get());
}

Result<void> DeviceBisection::download(std::byte* to, const std::byte* from, std::size_t bytes) {
  return stages_.download(to, from, bytes, stream_.get());
}

// A number in device memory, after all work before.
Result<std::uint32_t> DeviceBisection::number_at(const std::uint32_t* at) {
  std::uint32_t number = 0;
  FROND_TRY(download(bytes_of(&number), bytes_of(at), sizeof number));
  return number;
}

Result<void> DeviceBisection::begin(const ForwardIndex& index) {
  BisectionOnDevice& on = layout_.on;
  FROND_TRY(upload(bytes_of(layout_.begins), bytes_of(index.begins.data()), index.begins.size() * 8));
  FROND_TRY(upload(bytes_of(on.slots_of), bytes_of(index.term_numbers.data()), index.term_numbers.size() * 4));
  {
    std::vector<std::int32_t> steps(most_steps(on.documents));
    for (std::uint32_t d = 0; d < steps.size(); ++d) steps[d] = step_of(d);
    FROND_TRY(upload(bytes_of(layout_.steps), bytes_of(steps.data()), steps.size() * 4));
  }
  on.slots = index.terms;
  const std::uint32_t slot_begins[2] = {0, on.slots};
  FROND_TRY(upload(bytes_of(on.slot_begins), bytes_of(slot_begins), sizeof slot_begins));
  FROND_TRY(device::fill_with_zeros(bytes_of(on.slot_range), on.slots * std::size_t{4}, stream_.get()));
  return begin_documents(on, place_);
}

Result<void> DeviceBisection::cut_level(std::uint32_t level, const std::stop_token& stop) {
  BisectionOnDevice& on = layout_.on;
  on.ranges = std::uint32_t{1} << level;
  on.small = on.documents >> level;
  for (std::uint32_t more : {0u, 1u}) {
    const std::uint32_t size = on.small + more;
    on.differences[more] = size_difference(size / 2, size - size / 2);
  }
  FROND_TRY(device::fill_with_zeros(bytes_of(on.counts), on.slots * sizeof(TermSides), stream_.get()));
  FROND_TRY(begin_level(on, level, place_));
  for (std::uint32_t round = 0; round < kMaxRounds && !stop.stop_requested(); ++round) {
    FROND_TRY(device::fill_with_zeros(bytes_of(on.active_ranges), 4, stream_.get()));
    FROND_TRY(weigh_slots(on, place_));
    FROND_TRY(weigh_documents(on, kMarginStep * round, place_));
    FROND_TRY(exchange(on, place_));
    if (FROND_TRY(number_at(on.active_ranges)) == 0) break;
  }
  FROND_TRY(descend(on, place_));
  on.slots = FROND_TRY(number_at(on.next_slot_begins + 2 * std::size_t{on.ranges}));
  std::swap(on.order, on.next_order);
  std::swap(on.slot_begins, on.next_slot_begins);
  std::swap(on.slot_range, on.next_slot_range);
  return {};
}

Result<std::vector<std::uint32_t>> DeviceBisection::order(const ForwardIndex& index, const std::stop_token& stop) {
  const std::uint32_t documents = index.documents();
  std::vector<std::uint32_t> order(documents);
  std::iota(order.begin(), order.end(), 0u);
  FROND_TRY(begin(index));
  for (std::uint32_t level = 0; (documents + (std::uint64_t{1} << level) - 1) >> level > kSmallestRange; ++level) {
    if (stop.stop_requested()) return order;
    FROND_TRY(cut_level(level, stop));
  }
  FROND_TRY(download(bytes_of(order.data()), bytes_of(layout_.on.order), order.size() * 4));
  return order;
}

}  // namespace

std::uint64_t device_bytes(std::uint32_t documents, std::uint64_t postings, std::uint32_t terms) {
  DeviceParts parts(nullptr);
  Layout::of(parts, documents, postings, terms);
  return parts.used();
}

Result<std::vector<std::uint32_t>> bisect_on_device(const ForwardIndex& index, int device, std::uint64_t max_bytes,
                                                    std::stop_token stop) {
  if (index.documents() <= kSmallestRange) {
    std::vector<std::uint32_t> order(index.documents());
    std::iota(order.begin(), order.end(), 0u);
    return order;
  }
  auto bisection = FROND_TRY(DeviceBisection::create(index, device, max_bytes));
  return bisection.order(index, stop);
}

}  // namespace frond::indexer::order::gpu
