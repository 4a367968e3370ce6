#include "indexer/invert/gpu/text/device/run_on_device.h"

#include <algorithm>
#include <array>
#include <bit>

#include "common/base/check.h"
#include "indexer/invert/gpu/device_copies.h"

namespace frond::indexer::invert::gpu {

namespace {

static_assert(StagedCopies::kStages == 2);  // numbers are in one, frequencies in the other; each has two pieces
constexpr std::size_t kPieceBytes = StagedCopies::kStageBytes / 2;
constexpr std::uint32_t kPiece = kPieceBytes / 4;  // postings

// A run on the device. Windows of its postings are gathered into numbers and frequencies, of `window` each.
struct PostingsToRead {
  PostingStore store;
  std::uint32_t postings = 0, segments = 0;
  const std::uint32_t* offsets = nullptr;  // by term: where its postings begin
  std::uint32_t* numbers = nullptr;
  std::uint32_t* frequencies = nullptr;
  std::uint32_t window = 0;
};

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

// Visits all, by way of the stages, which nobody else uses meanwhile: while a piece is visited, the next one comes.
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

}  // namespace

Result<RunOnDevice> RunOnDevice::create() {
  auto added = FROND_TRY(device::Event::create());
  auto taken = FROND_TRY(device::Event::create());
  return RunOnDevice(std::move(added), std::move(taken));
}

void RunOnDevice::use(const Parts& parts, const TextCapacity& capacity, const KernelPlace& place,
                      StagedCopies& stages) {
  parts_ = parts;
  stages_ = &stages;
  capacity_ = capacity;
  place_ = place;
}

Result<bool> RunOnDevice::has_room(std::uint32_t pairs) {
  if (into_ != nullptr) return device::on_device(into_->parts_.device, [&] { return into_->has_room(pairs); });
  const auto fit = [&](std::uint64_t more) {
    return postings_ + more <= capacity_.postings && segments_ + more <= capacity_.segments;
  };
  if (fit(std::uint64_t{pairs} + unsettled_pairs_)) return true;
  FROND_TRY(settle());
  return fit(pairs);
}

Result<void> RunOnDevice::append(const TextBatch& batch, std::uint32_t pairs, std::uint32_t terms) {
  RunOnDevice& first = into_ != nullptr ? *into_ : *this;
  FROND_TRY(device::on_device(first.parts_.device, [&first] { return first.settle(); }));
  FROND_CHECK(std::uint64_t{first.postings_} + pairs <= capacity_.postings && terms <= capacity_.terms);
  if (pairs == 0) return {};
  FROND_TRY(make_batch(batch, pairs, terms));
  first.unsettled_pairs_ = pairs;
  first.from_ = into_ != nullptr ? this : nullptr;
  return {};
}

Result<void> RunOnDevice::make_batch(const TextBatch& batch, std::uint32_t pairs, std::uint32_t terms) {
  const device::StreamHandle stream = place_.stream;
  const TermPairs sorted =
      FROND_TRY(sort_pairs(parts_.pairs, parts_.other_pairs, pairs, std::bit_width(terms), place_));
  if (into_ != nullptr) FROND_TRY(into_->taken_.make_wait(stream));
  FROND_TRY(make_postings(batch, sorted, pairs, reinterpret_cast<std::uint64_t*>(batch.starts), batch.pair_counts,
                          parts_.store, postings_, segments_, place_));
  FROND_TRY(device::copy_to_host(bytes_of(parts_.stored), bytes_of(batch.counts), sizeof(TextCounts), stream));
  return added_.record(stream);
}

Result<void> RunOnDevice::settle() {
  if (unsettled_pairs_ == 0) return {};
  if (from_ != nullptr) {
    FROND_TRY(take(*from_));
  } else {
    FROND_TRY(added_.wait());
    postings_ += parts_.stored->postings;
    segments_ += parts_.stored->segments;
  }
  unsettled_pairs_ = 0;
  return {};
}

// The postings of a batch that another device has made, behind those that are here.
Result<void> RunOnDevice::take(RunOnDevice& from) {
  const Parts& there = from.parts_;
  FROND_TRY(device::on_device(there.device, [&from] { return from.added_.wait(); }));
  const std::uint32_t postings = there.stored->postings, segments = there.stored->segments;
  const auto copy = [&](auto* to, const auto* source, std::size_t count) {
    return device::copy_from_device(bytes_of(to), there.device, bytes_of(source), count * sizeof *source,
                                    place_.stream);
  };
  FROND_TRY(copy(parts_.store.numbers + postings_, there.store.numbers, postings));
  FROND_TRY(copy(parts_.store.frequencies + postings_, there.store.frequencies, postings));
  FROND_TRY(copy(parts_.store.segments + segments_, there.store.segments, segments));
  FROND_TRY(adopt_segments(parts_.store, segments_, segments, postings_, place_));
  postings_ += postings;
  segments_ += segments;
  return taken_.record(place_.stream);
}

Result<std::vector<std::uint32_t>> RunOnDevice::totals(std::uint32_t terms) {
  FROND_TRY(settle());
  std::vector<std::uint32_t> all(terms);
  FROND_TRY(stages_->download(bytes_of(all.data()), bytes_of(parts_.store.totals), all.size() * 4, place_.stream));
  return all;
}

Result<void> RunOnDevice::place_terms(std::span<const std::uint32_t> offsets, std::uint64_t postings) {
  FROND_TRY(settle());
  FROND_CHECK(postings == postings_ && offsets.size() <= capacity_.terms);
  return stages_->upload(bytes_of(parts_.offsets), bytes_of(offsets.data()), offsets.size_bytes(), place_.stream);
}

Result<void> RunOnDevice::read(std::span<const std::uint32_t> order, std::span<const std::uint32_t> totals,
                               const VisitPostings& visit) {
  std::uint32_t placed = 0;
  std::vector<std::uint32_t> offsets(totals.size());
  for (const std::uint32_t term : order) offsets[term] = std::exchange(placed, placed + totals[term]);
  FROND_TRY(place_terms(offsets, placed));
  // Postings are gathered where a batch's pairs would be.
  const PostingsToRead run{.store = parts_.store,
                           .postings = postings_,
                           .segments = segments_,
                           .offsets = parts_.offsets,
                           .numbers = parts_.pairs.terms,
                           .frequencies = parts_.other_pairs.terms,
                           .window = (capacity_.entries + std::uint32_t{2}) * 2};
  return read_postings(run, *stages_, place_, visit);
}

Result<void> RunOnDevice::clear() {
  FROND_TRY(settle());
  postings_ = segments_ = 0;
  return device::fill_with_zeros(bytes_of(parts_.store.totals), capacity_.terms * std::size_t{4}, place_.stream);
}

}  // namespace frond::indexer::invert::gpu
