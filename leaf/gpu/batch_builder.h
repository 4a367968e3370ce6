#pragma once
// Plans, and the images of their lists, to the bytes of a batch: laid out in staging memory at the offsets that they
// will have in device memory. Plain C++, no device needed.
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/postings/long_form.h"
#include "leaf/engine/plan.h"
#include "leaf/gpu/batch.h"

namespace frond::leaf::gpu {

// What lies on the device for as long as someone holds it.
struct ResidentList {
  DeviceList list;
  // PostingList::best_deficit(i) of each rank: on the host, and by itself, so that no plan asks all segments for it.
  std::array<scoring::PackedDeficit, postings::kBestRanks.size()> best_deficits{};
  std::shared_ptr<const void> memory;
};
struct ResidentLengths {
  const std::uint32_t* lengths = nullptr;
  std::uint32_t least = 0;
  std::shared_ptr<const void> memory;
};

// A plan with everything that it needs on the device.
struct ReadyPlan {
  const engine::Plan* plan = nullptr;
  std::vector<std::shared_ptr<const ResidentList>> lists;  // as plan->terms
  std::shared_ptr<const ResidentLengths> lengths;
  scoring::Score floor = 0;  // at least the plan's own
};

// Whether kernels can run it at all: 1 <= k <= kMaxHits, 1 to kMaxQueryTerms terms, none of them without postings.
bool fits_kernels(const engine::Plan& plan);

// Puts batches together; keeps its memory from one to the next.
class BatchBuilder {
 public:
  // The batch of such plans, at least one. Its pointers of plain data are offsets into bytes() plus `base`; all but
  // that is left to the caller.
  BatchOnDevice build(std::span<const ReadyPlan* const> plans, const std::byte* base);
  // Of the last batch; a multiple of 16 of them.
  ByteView bytes() const { return bytes_; }

 private:
  void add_query(const ReadyPlan& ready);
  std::span<const TermOnDevice> add_terms(const ReadyPlan& ready);
  std::uint32_t cut_rows(double work);

  std::vector<QueryOnDevice> queries_;
  std::vector<TermOnDevice> terms_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> group_rows_;
  double work_ = 0;  // of all rows, as tuning.h counts it
  ByteBuffer bytes_;
};

}  // namespace frond::leaf::gpu
