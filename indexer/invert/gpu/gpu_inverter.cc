#include "indexer/invert/gpu/gpu_inverter.h"

#include <algorithm>
#include <string>
#include <utility>

#include "indexer/invert/gpu/device_run.h"
#include "indexer/invert/partition_runs.h"

namespace frond::indexer::invert::gpu {
namespace {

std::size_t bytes_on_device(std::size_t documents, std::size_t groups, std::size_t bytes) {
  return documents * sizeof(std::uint32_t) + groups * sizeof(GroupOnDevice) + bytes;
}

// Bytes of groups and their table in a slice, where the budget is small.
constexpr std::size_t kMinSlice = std::size_t{64} << 10;

// Cuts groups into slices that fit into pinned memory, with no two groups of one collection. Groups are cut between
// terms if they are too long; a term's postings of a batch always fit.
class Cutter {
 public:
  Cutter(const parse::TokenGroups& tokens, std::span<const parse::TokenGroup> groups, std::size_t documents,
         std::uint64_t budget)
      : tokens_(tokens),
        groups_(groups),
        documents_(documents),
        max_bytes_(std::min(DeviceRun::kPinnedBytes, bytes_on_device(documents, 0, std::max(kMinSlice, budget / 64)))) {
  }
  // False: there are no more.
  bool next(parse::TokenGroups& slice) {
    slice.bytes.clear();
    slice.groups.clear();
    while (next_ < groups_.size()) {
      const parse::TokenGroup& group = groups_[next_];
      if (!slice.groups.empty() && group.collection <= slice.groups.back().collection) break;  // another section
      const std::size_t taken = bytes_on_device(documents_, slice.groups.size() + 1, slice.bytes.size());
      const std::size_t left = max_bytes_ - std::min(max_bytes_, taken);
      const std::size_t some = whole_terms(tokens_.of(group).subspan(done_), left, slice.groups.empty());
      if (some == 0) break;
      const ByteView part = tokens_.of(group).subspan(done_, some);
      const auto begin = static_cast<std::uint32_t>(slice.bytes.size());
      slice.bytes.insert(slice.bytes.end(), part.begin(), part.end());
      slice.groups.push_back({group.collection, begin, static_cast<std::uint32_t>(slice.bytes.size())});
      done_ += some;
      if (done_ < tokens_.of(group).size()) break;
      ++next_;
      done_ = 0;
    }
    return !slice.groups.empty();
  }

 private:
  // Bytes of the terms at the begin that fit; of the first, if it must be taken.
  static std::size_t whole_terms(ByteView bytes, std::size_t max_bytes, bool must) {
    if (bytes.size() <= max_bytes) return bytes.size();
    std::size_t fit = 0;
    while (fit < bytes.size()) {
      const parse::GroupedTerm term = parse::GroupedTerm::read(bytes.data() + fit);
      const auto end = static_cast<std::size_t>(term.end() - bytes.data());
      if (end > max_bytes && (fit > 0 || !must)) break;
      fit = end;
    }
    return fit;
  }

  const parse::TokenGroups& tokens_;
  std::span<const parse::TokenGroup> groups_;
  std::size_t documents_, max_bytes_;  // of the batch; of a slice
  std::size_t next_ = 0, done_ = 0;    // the next group, and so many bytes of it are in slices
};

}  // namespace

GpuInverter::GpuInverter(InverterSetup setup) : setup_(std::move(setup)) { note_memory(); }
GpuInverter::~GpuInverter() = default;

Result<void> GpuInverter::invert(const parse::TokenGroups& tokens, std::span<const parse::TokenGroup> groups,
                                 std::span<const DocumentNumber> numbers) {
  if (cpu_) return cpu_->invert(tokens, groups, numbers);
  const auto kept = [](DocumentNumber number) { return number != kDropped; };
  const auto first = std::find_if(numbers.begin(), numbers.end(), kept);
  if (first == numbers.end()) return {};
  const auto last = std::find_if(numbers.rbegin(), numbers.rend(), kept);
  if (*last - first_.value_or(*first) >= kMaxRunDocuments)
    return Error(Code::kInvalid, "a run of more than 2^32 documents");
  Cutter cutter(tokens, groups, numbers.size(), setup_.budget());
  Slice slice;
  slice.numbers.assign(numbers.begin(), numbers.end());
  while (cutter.next(slice.tokens)) FROND_TRY(take(slice));
  note_memory();
  return {};
}

// Gives a slice to the device and keeps it, or gives it to the CPU.
Result<void> GpuInverter::take(Slice slice) {
  note_memory();
  const auto is_too_much = [&] { return memory_bytes() + growth(slice) > std::max(kMinBytes, setup_.budget()); };
  if (!cpu_ && !slices_.empty() && is_too_much()) {
    if (const auto known = device_->finish_slices(); !known) FROND_TRY(go_on_without_device(known.error()));
    note_memory();
    if (!cpu_ && is_too_much()) FROND_TRY(write_runs());
  }
  if (!cpu_) {
    if (const auto added = give_to_device(slice); !added) {
      if (added.error().code() != Code::kDevice) return added.error();
      FROND_TRY(go_on_without_device(added.error()));
    }
  }
  if (cpu_) return cpu_->invert(slice.tokens, slice.tokens.groups, slice.numbers);
  slice_bytes_ += slice.bytes();
  slices_.push_back(std::move(slice));
  return {};
}

// If the device fails while a full run is written, the CPU has taken its place: the slice is not given then.
Result<void> GpuInverter::give_to_device(const Slice& slice) {
  if (!device_) device_ = FROND_TRY(DeviceRun::create(setup_.gpu.device, setup_.gpu.bytes));
  const std::size_t bytes =
      bytes_on_device(slice.numbers.size(), slice.tokens.groups.size(), slice.tokens.bytes.size());
  if (!FROND_TRY(device_->has_room(slice.tokens.bytes.size(), bytes))) {
    FROND_TRY(write_runs());
    if (cpu_) return {};
    if (!FROND_TRY(device_->has_room(slice.tokens.bytes.size(), bytes)))
      return Error(Code::kDevice, "the memory that it may use is too small for a batch");
  }
  if (!first_) first_ = *std::find_if(slice.numbers.begin(), slice.numbers.end(), [](auto n) { return n != kDropped; });
  std::vector<std::uint32_t> numbers(slice.numbers.size(), kDroppedNumber);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (slice.numbers[i] != kDropped) numbers[i] = static_cast<std::uint32_t>(slice.numbers[i] - *first_);
  return device_->add(slice.tokens.groups, slice.tokens.bytes, numbers);
}

Result<std::vector<runs::RunFile>> GpuInverter::flush() {
  if (!cpu_ && first_) FROND_TRY(write_runs());
  if (cpu_)
    for (runs::RunFile& run : FROND_TRY(cpu_->flush())) runs_.push_back(std::move(run));
  return std::exchange(runs_, {});
}

Result<void> GpuInverter::write_runs() {
  PartitionRuns runs(setup_.folder, setup_.label + "-" + std::to_string(flushes_), setup_.partitions,
                     setup_.frame_bytes);
  // The posting at hand: the next one may be of the same document.
  std::uint32_t number = 0;
  Frequency frequency = 0;
  const auto write = [&](std::string_view term, std::span<const std::uint32_t> numbers,
                         std::span<const Frequency> frequencies) -> Result<void> {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (frequency != 0 && numbers[i] == number) {
        frequency += frequencies[i];
        continue;
      }
      if (frequency != 0) runs.add(term, *first_ + number, frequency);
      number = numbers[i];
      frequency = frequencies[i];
    }
    if (!numbers.empty()) return {};
    runs.add(term, *first_ + number, std::exchange(frequency, 0));
    return runs.end_term(term);
  };
  const auto written = slices_.empty() ? Result<void>() : device_->read(write);
  if (!written) {
    if (written.error().code() != Code::kDevice) return written.error();
    return go_on_without_device(written.error());
  }
  FROND_TRY(runs.finish(runs_));
  slices_.clear();
  slice_bytes_ = 0;
  first_.reset();
  ++flushes_;
  if (const auto cleared = device_ ? device_->clear() : Result<void>(); !cleared)
    return go_on_without_device(cleared.error());
  note_memory();
  return {};
}

// All that the device had goes to an inverter of the CPU.
Result<void> GpuInverter::go_on_without_device(const Error& why) {
  if (setup_.warn) setup_.warn("the GPU is not used any more: " + why.message());
  device_.reset();
  InverterSetup setup = setup_;
  setup.label += "-without-gpu";
  cpu_ = std::make_unique<HashInverter>(setup.folder, setup.label, setup.partitions, setup.budget, setup.frame_bytes);
  cpu_on_.store(true, std::memory_order_release);
  for (Slice& slice : slices_) {
    FROND_TRY(cpu_->invert(slice.tokens, slice.tokens.groups, slice.numbers));
    slice = {};
  }
  slices_.clear();
  slice_bytes_ = 0;
  first_.reset();
  return {};
}

Result<void> find_device(int device) {
  if (device::count_devices() == 0) return Error(Code::kDevice, "there is no GPU on this machine");
  return device::properties_of(device).has_value() ? Result<void>()
                                                   : Error(Code::kDevice, "there is no GPU " + std::to_string(device));
}

const InverterKind& gpu_inverter_kind() {
  static constexpr InverterKind kKind{
      "gpu", "btree", GpuInverter::kMinBytes,
      [](InverterSetup setup) -> std::unique_ptr<Inverter> { return std::make_unique<GpuInverter>(std::move(setup)); }};
  return kKind;
}

void GpuInverter::note_memory() {
  memory_bytes_.store(slice_bytes_ + (device_ ? device_->read_bytes() : 0), std::memory_order_relaxed);
}

}  // namespace frond::indexer::invert::gpu
