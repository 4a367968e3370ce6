#pragma once
// The postings of a run on the device: pairs of batches are sorted and appended, the whole is read or placed for lists.
// Errors: kDevice.
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/device/runtime.h"
#include "indexer/invert/gpu/device_copies.h"
#include "indexer/invert/gpu/text/device/device_text_memory.h"
#include "indexer/invert/gpu/text/device/kernels.h"

namespace frond::indexer::invert::gpu {

// The next postings. In a term, numbers do not descend, and equal ones are one document. Valid during the call.
using VisitPostings =
    std::function<Result<void>(std::span<const std::uint32_t> numbers, std::span<const Frequency> frequencies)>;

// All its work is in the stream of its place. Several devices have one run, which is on the first of them: each other
// one's makes the postings of a batch and no more, and the first takes them from there before the next batch is added.
// One thread at a time, also for all of these together.
class RunOnDevice {
 public:
  // Of the device, which the owner lays out; `stored` is pinned.
  struct Parts {
    PostingStore store;
    std::uint32_t* offsets = nullptr;  // by term
    TermPairs pairs, other_pairs;      // each array: capacity.entries + 2
    TextCounts* stored = nullptr;
    int device = 0;
  };
  static Result<RunOnDevice> create();
  // They live longer. Before all others.
  void use(const Parts& parts, const TextCapacity& capacity, const KernelPlace& place, StagedCopies& stages);
  // From now on batches go to a run on another device, of the same capacity, which lives longer. has_room() and
  // append() only are called then, on threads that use this one's device.
  void append_to(RunOnDevice& first) { into_ = &first; }

  // Whether there is room for so many pairs; an empty run always has for capacity.entries. Does not wait for the last
  // batch if that does not matter.
  Result<bool> has_room(std::uint32_t pairs);
  // Where the next batch's pairs go.
  const TermPairs& pairs() const { return parts_.pairs; }
  // Appends the postings of pairs(). Asynchronous. `terms`: all terms so far are less. Overwrites the batch's starts.
  Result<void> append(const TextBatch& batch, std::uint32_t pairs, std::uint32_t terms);
  // Waits until it is known how many postings there are.
  Result<void> settle();
  std::uint32_t postings() const { return postings_; }  // after settle()
  std::uint32_t segments() const { return segments_; }  // after settle()

  // Of each term, less than `terms`: its postings in the run.
  Result<std::vector<std::uint32_t>> totals(std::uint32_t terms);
  // Visits all postings, terms in the given order, which has all terms with postings. totals: of totals(). Errors of
  // visit, too. May be called between end_find() and add().
  Result<void> read(std::span<const std::uint32_t> order, std::span<const std::uint32_t> totals,
                    const VisitPostings& visit);
  // What read() begins with: where each term's postings begin. offsets: by term. postings: of all.
  Result<void> place_terms(std::span<const std::uint32_t> offsets, std::uint64_t postings);
  // Forgets the postings. Asynchronous.
  Result<void> clear();
  const Parts& parts() const { return parts_; }

 private:
  RunOnDevice(device::Event added, device::Event taken) : added_(std::move(added)), taken_(std::move(taken)) {}
  Result<void> make_batch(const TextBatch& batch, std::uint32_t pairs, std::uint32_t terms);
  Result<void> take(RunOnDevice& from);

  Parts parts_;
  TextCapacity capacity_;
  KernelPlace place_;
  StagedCopies* stages_ = nullptr;
  device::Event added_;                        // the last batch's postings are in the store
  device::Event taken_;                        // and those of other devices, which may make the next ones
  RunOnDevice* into_ = nullptr;                // null: this is the first device
  RunOnDevice* from_ = nullptr;                // that has the last batch; null: this one
  std::uint32_t postings_ = 0, segments_ = 0;  // without those of the last batch if that is unsettled
  std::uint32_t unsettled_pairs_ = 0;          // of the last batch, whose postings are not known yet
};

}  // namespace frond::indexer::invert::gpu
