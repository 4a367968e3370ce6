#pragma once
// A run on the device: its memory, which is allocated once, and the steps of gpu_inverter.h. All errors are kDevice,
// unless a comment says otherwise; after one only the destructor may be called.
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "common/base/ids.h"
#include "common/device/runtime.h"
#include "indexer/invert/gpu/device_copies.h"
#include "indexer/invert/gpu/kernels.h"
#include "indexer/parse/token_groups.h"

namespace frond::indexer::invert::gpu {

// How many of everything fit into the device's memory.
struct Capacity {
  std::uint64_t store = 0;    // bytes
  std::uint64_t strings = 0;  // words
  std::uint32_t records = 0, terms = 0, nodes = 0, postings = 0;
  static Capacity of(std::uint64_t device_bytes);
};

// One thread.
class DeviceRun {
 public:
  // Bytes of pinned memory of the host, twice. A slice fits into one.
  static constexpr std::size_t kPinnedBytes = std::size_t{4} << 20;

  static Result<std::unique_ptr<DeviceRun>> create(int device, std::uint64_t device_bytes);

  // Whether so many more bytes of groups fit; false: write the run first. An empty run takes any slice.
  Result<bool> has_room(std::size_t group_bytes, std::size_t slice_bytes);
  // Adds a slice. numbers: by document of the batch, from the run's first; kDroppedNumber.
  // REQUIRES: has_room(); at most kPinnedBytes, its numbers and groups included; no two groups are of one collection.
  Result<void> add(std::span<const parse::TokenGroup> groups, ByteView bytes, std::span<const std::uint32_t> numbers);
  // Host memory that read() takes, at most: exactly after finish_slices(), which waits for the device.
  std::uint64_t read_bytes() const;
  Result<void> finish_slices();

  // A term and a part of its postings, documents by ascending number, one twice if its frequency did not fit. An empty
  // part ends the term.
  using Visit = std::function<Result<void>(std::string_view term, std::span<const std::uint32_t> numbers,
                                           std::span<const Frequency> frequencies)>;
  // Calls visit for all terms in byte order. Errors of visit, too.
  Result<void> read(const Visit& visit);
  // Forgets everything. Asynchronous.
  Result<void> clear();

 private:
  struct Trees;  // copied to the host
  DeviceRun(Capacity capacity, std::uint32_t processors, device::Stream stream, device::Memory memory,
            std::array<device::Memory, 2> pinned, device::Memory pinned_used, std::array<device::Event, 2> copied,
            device::Event inserted, StagedCopies stages);
  bool fits(std::size_t group_bytes, std::size_t slice_bytes) const;
  Result<Trees> download_trees();

  Capacity capacity_;
  std::uint32_t processors_;
  device::Stream stream_;
  device::Memory memory_;
  std::array<device::Memory, 2> pinned_;
  device::Memory pinned_used_;           // a Used
  std::array<device::Event, 2> copied_;  // what was copied from pinned_
  device::Event inserted_;
  StagedCopies stages_;  // by way of pinned_[0], while a run is read
  std::size_t side_ = 0;
  // Parts of memory_.
  TreesOnDevice trees_;
  TermRecord* records_ = nullptr;
  std::byte* store_ = nullptr;
  std::uint32_t *offsets_ = nullptr, *numbers_ = nullptr, *frequencies_ = nullptr;
  // Of the run at hand: bytes of the store, and of groups; what the device said last, and bytes of groups since then.
  std::uint64_t stored_ = 0, group_bytes_ = 0, unknown_bytes_ = 0;
  Used known_;
};

}  // namespace frond::indexer::invert::gpu
