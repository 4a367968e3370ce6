#pragma once
// The inverter of a GPU: B-trees of its collections on the device, as Wei and JaJa 2011, III.D.2, have them. Token
// groups are copied there as they are; a kernel looks their terms up, or inserts them, and keeps a record of each. At a
// flush the trees come back, which puts the terms in order; a kernel copies the postings of each term together; and the
// CPU writes runs of them.
//
// What the device has of a run is kept in the host's memory until the run is written. When the device fails, or there
// is none, all of it goes to an inverter of the CPU, which takes the device's place from then on.
//
// Differences from the paper: a term of a group comes with all its postings of the batch; postings are copied together
// at a flush, not linked to the term's node; trees are emptied with each run.
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/device/runtime.h"
#include "indexer/invert/cpu_inverter.h"
#include "indexer/invert/inverter.h"

namespace frond::indexer::invert::gpu {

class DeviceRun;

class GpuInverter final : public Inverter {
 public:
  // It may hold so much whatever the budget is; beside it, invert::kPinnedBytes.
  static constexpr std::uint64_t kMinBytes = kMinInverterBytes;
  explicit GpuInverter(InverterSetup setup);
  ~GpuInverter() override;
  // "cpu" once the CPU has taken the device's place. For the thread of invert().
  std::string_view name() const override { return cpu_ ? cpu_->name() : "gpu"; }
  Result<void> invert(const parse::TokenGroups& tokens, std::span<const parse::TokenGroup> groups,
                      std::span<const DocumentNumber> numbers) override;
  Result<std::vector<runs::RunFile>> flush() override;
  std::uint64_t memory_bytes() const override {
    return cpu_on_.load(std::memory_order_acquire) ? cpu_->memory_bytes()
                                                   : memory_bytes_.load(std::memory_order_relaxed);
  }

 private:
  // Token groups that went to the device in one copy, as the CPU's inverter would take them.
  struct Slice {
    parse::TokenGroups tokens;
    std::vector<DocumentNumber> numbers;
    std::uint64_t bytes() const {
      return tokens.bytes.size() + tokens.groups.size() * sizeof(parse::TokenGroup) +
             numbers.size() * sizeof(DocumentNumber);
    }
  };

  // The most bytes by which memory_bytes() grows with a slice: a node has 15 terms or more, but for the first of a
  // tree.
  static std::uint64_t growth(const Slice& slice) {
    return slice.bytes() + 6 * slice.tokens.bytes.size() + 512 * slice.tokens.groups.size();
  }
  Result<void> take(Slice slice);
  Result<void> give_to_device(const Slice& slice);
  Result<void> write_runs();
  Result<void> go_on_without_device(const Error& why);
  void note_memory();

  InverterSetup setup_;
  std::unique_ptr<DeviceRun> device_;  // null: not yet used, or lost
  std::unique_ptr<Inverter> cpu_;      // in place of the device
  std::atomic<bool> cpu_on_ = false;
  std::optional<DocumentNumber> first_;  // the number of the run's first document
  std::vector<Slice> slices_;            // of the run at hand
  std::uint64_t slice_bytes_ = 0;
  std::size_t flushes_ = 0;
  std::vector<runs::RunFile> runs_;  // since the last call of flush()
  std::atomic<std::uint64_t> memory_bytes_ = 0;
};

// kDevice: there is no such device.
Result<void> find_device(int device);
const InverterKind& gpu_inverter_kind();

}  // namespace frond::indexer::invert::gpu
