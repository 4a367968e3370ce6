#pragma once
// The stream, events and memory of one BatchRunner, and how that memory is divided up.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "leaf/gpu/batch.h"
#include "leaf/gpu/counts/count_batch.h"

namespace frond::leaf::gpu {

struct BatchWorkspace {
  static constexpr std::size_t kInputBytes = std::size_t{4} << 20;  // of a batch's plain data
  static constexpr std::size_t kHitPlaces = std::size_t{1} << 19;   // for the hits of all queries of a batch
  static constexpr std::size_t kMinBytes = std::size_t{24} << 20;

  // `bytes` of device memory, at least kMinBytes, else kInvalid. `points`: how many timing events. kDevice.
  static Result<BatchWorkspace> create(int device, std::size_t bytes, int points);

  // Room for candidates, in keys; the queries of a batch share it.
  std::size_t candidates() const;
  // Pinned host memory that the device writes: kMaxQueries answers and kHitPlaces hits.
  AnswerOfQuery* answers() const { return reinterpret_cast<AnswerOfQuery*>(answered.data()); }
  HitOnDevice* hits() const;
  // Sets those fields of `batch` that depend on this memory and on the device. `batch` comes from BatchBuilder and has
  // `input_bytes` of plain data.
  void attach(BatchOnDevice& batch, std::size_t input_bytes) const;
  // The same for a batch of counts, from CountBuilder, for which there is room. Counters, and docIDs of orders, are
  // delivered to counted(), in the place of hits.
  void attach(CountBatch& batch) const;
  // Room for so many counters, and with orders for so many queries, each of so many pieces, with so many hits a piece.
  bool has_room(std::size_t counters, Orders orders, std::size_t queries, std::size_t pieces, std::size_t hits) const;
  std::uint32_t* counted() const { return reinterpret_cast<std::uint32_t*>(hits()); }
  // Records timing event `point`; nothing without timing events.
  Result<void> mark(std::size_t point) { return points.empty() ? Result<void>() : points[point].record(stream.get()); }

  device::Stream stream;
  device::Event ended;
  std::vector<device::Event> points;
  device::Memory input, work;             // device; input: kInputBytes for a batch's plain data
  device::Memory staged_input, answered;  // pinned host memory; staged_input: kInputBytes, too
  std::uint32_t processors = 0;
  bool early = false;  // kernels may be launched early (early_launch.cuh)
};

}  // namespace frond::leaf::gpu
