#include "indexer/invert/gpu/text/read_postings.h"

#include <algorithm>
#include <array>

#include "indexer/invert/gpu/text/device_parts.h"

namespace frond::indexer::invert::gpu {
namespace {

static_assert(StagedCopies::kStages == 2);  // numbers are in one, frequencies in the other; each has two pieces
constexpr std::size_t kPieceBytes = StagedCopies::kStageBytes / 2;
constexpr std::uint32_t kPiece = kPieceBytes / 4;  // postings

class PieceReader {
 public:
  PieceReader(const PostingsToRead& run, StagedCopies& stages, const KernelPlace& place)
      : run_(run), stages_(stages), place_(place) {}

  // The next piece is on its way to a half of both stages. There is one.
  Result<void> begin(std::size_t half) {
    if (next_ == to_) {
      from_ = next_;
      to_ = next_ + std::min(run_.window, run_.postings - next_);
      FROND_TRY(
          gather_postings(run_.store, run_.segments, run_.offsets, from_, to_, run_.numbers, run_.frequencies, place_));
    }
    sizes_[half] = std::min(kPiece, to_ - next_);
    const std::size_t at = half * kPieceBytes, bytes = std::size_t{sizes_[half]} * 4, first = next_ - from_;
    FROND_TRY(device::copy_to_host(stages_.stage(0) + at, bytes_of(run_.numbers + first), bytes, place_.stream));
    FROND_TRY(device::copy_to_host(stages_.stage(1) + at, bytes_of(run_.frequencies + first), bytes, place_.stream));
    next_ += sizes_[half];
    return stages_.copied(half).record(place_.stream);
  }
  bool all_begun() const { return next_ == run_.postings; }

  // Waits for what was begun in a half. Returns its size.
  Result<std::uint32_t> visit(std::size_t half, const VisitPostings& visit) {
    FROND_TRY(stages_.copied(half).wait());
    const std::size_t at = half * kPieceBytes, some = sizes_[half];
    FROND_TRY(visit({reinterpret_cast<const std::uint32_t*>(stages_.stage(0) + at), some},
                    {reinterpret_cast<const Frequency*>(stages_.stage(1) + at), some}));
    return sizes_[half];
  }

 private:
  const PostingsToRead& run_;
  StagedCopies& stages_;
  const KernelPlace& place_;
  std::uint32_t from_ = 0, to_ = 0;  // the window
  std::uint32_t next_ = 0;           // that was not begun
  std::array<std::uint32_t, 2> sizes_{};
};

}  // namespace

Result<void> read_postings(const PostingsToRead& run, StagedCopies& stages, const KernelPlace& place,
                           const VisitPostings& visit) {
  PieceReader reader(run, stages, place);
  for (std::size_t i = 0; i < StagedCopies::kStages; ++i) FROND_TRY(stages.copied(i).wait());  // of uploads
  for (std::size_t half = 0; half < 2 && !reader.all_begun(); ++half) FROND_TRY(reader.begin(half));
  std::uint32_t visited = 0;
  for (std::size_t half = 0; visited < run.postings; half = 1 - half) {
    visited += FROND_TRY(reader.visit(half, visit));
    if (!reader.all_begun()) FROND_TRY(reader.begin(half));
  }
  return {};
}

}  // namespace frond::indexer::invert::gpu
