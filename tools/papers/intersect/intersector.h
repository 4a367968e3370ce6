#pragma once
// All lists of a collection in device memory, and batches of queries that are intersected there: PARA of Ao et al. 2011
// §3.1. A batch takes queries until their shortest lists have `threshold` docIDs together (the computational
// threshold). It is one copy to the device and a few kernels, of which the last writes the answers to pinned host
// memory. Several batches may be in progress, each in a slot with its own stream, so that the host prepares one batch
// while the device works on others.
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "tools/papers/intersect/list_form.h"

namespace frond::tools::papers {

struct BatchInput;

// All lists in the form that one method searches (list_form.h), and their views.
class DeviceIndex {
 public:
  // docIDs ascend strictly and are below `documents`. `threads` threads make the forms; then all are copied, and
  // create() waits. kDevice.
  static Result<DeviceIndex> create(Method method, std::span<const std::vector<DocId>> lists, std::uint32_t documents,
                                    unsigned threads);
  Method method() const { return method_; }
  const ListView* views() const { return reinterpret_cast<const ListView*>(memory_.data()); }  // on the device
  std::span<const std::uint32_t> counts() const { return counts_; }                            // docIDs of each list
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  DeviceIndex(Method method, device::Memory memory, std::vector<std::uint32_t> counts)
      : method_(method), memory_(std::move(memory)), counts_(std::move(counts)) {}
  Method method_;
  device::Memory memory_;  // views, then images
  std::vector<std::uint32_t> counts_;
};

struct IntersectorOptions {
  std::uint32_t threshold = 1u << 20;    // docIDs
  std::uint32_t slots = 8;               // batches in progress at a time
  std::uint32_t max_queries = 1u << 15;  // of a batch
};

// The answers of one batch. Valid until `slots` batches more are submitted, which reuse its memory.
struct Answers {
  std::size_t first_query = 0;            // of the batch, in the QuerySet
  std::span<const std::uint32_t> begins;  // of every query's docIDs in `docids`; then their number
  std::span<const DocId> docids;
  std::size_t queries() const { return begins.size() - 1; }
  // Of query first_query + `query`, ascending.
  std::span<const DocId> of(std::size_t query) const {
    return docids.subspan(begins[query], begins[query + 1] - begins[query]);
  }
};

// Not thread-safe.
class Intersector {
 public:
  // `index` outlives it. kInvalid: no slots or queries, or a threshold that is too high for a batch. kDevice.
  static Result<Intersector> create(const DeviceIndex& index, const IntersectorOptions& options);
  Intersector(Intersector&&) noexcept;
  ~Intersector();

  // Starts a batch of queries from `first` on, and returns how many it took. Only while under_way() < slots().
  // kInvalid: a query with more than kMaxQueryLists lists. kDevice.
  Result<std::size_t> submit(const QuerySet& queries, std::size_t first);
  // Waits for the batch that was submitted first. Only while under_way() > 0. kDevice.
  Result<Answers> collect();
  std::size_t under_way() const { return under_way_.size(); }
  std::size_t slots() const { return slots_.size(); }

 private:
  struct Slot;
  Intersector(const DeviceIndex& index, const IntersectorOptions& options, std::vector<std::unique_ptr<Slot>> slots);
  Result<void> launch(Slot& slot, const BatchInput& input);

  const DeviceIndex* index_;
  IntersectorOptions options_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::deque<std::size_t> under_way_;  // slots of batches in progress, oldest first
  std::size_t next_ = 0;               // slot of the next batch
};

}  // namespace frond::tools::papers
