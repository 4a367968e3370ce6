#include "leaf/gpu/intersect/intersector.h"

#include <algorithm>

#include "common/base/check.h"
#include "leaf/gpu/intersect/kernels.h"

namespace frond::leaf::gpu::intersect {
namespace {

using device::Memory, device::Place;

constexpr std::size_t rounded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

struct Intersector::Slot {
  BatchSize room;
  device::Stream stream;
  device::Event done;
  Memory staged, input, work, answers;  // staged and answers: pinned host memory; the others on the device
  std::size_t scan_bytes;
  std::size_t first_query = 0;
  std::uint32_t query_count = 0;

  static Result<std::unique_ptr<Slot>> create(const BatchSize& room);
  std::uint32_t* answer_begins() const { return reinterpret_cast<std::uint32_t*>(answers.data()); }
  DocId* answer_docids() const {
    return reinterpret_cast<DocId*>(answers.data() + rounded((std::size_t{room.queries} + 1) * 4));
  }
};

Result<std::unique_ptr<Intersector::Slot>> Intersector::Slot::create(const BatchSize& room) {
  const std::size_t input_size = InputArrays(nullptr, room).bytes;
  const std::size_t scan = FROND_TRY(intersect::scan_bytes(room.tiles));
  const std::size_t docid_bytes = std::size_t{room.tiles} * kTile * sizeof(DocId);
  const std::size_t work_bytes = rounded(docid_bytes) + 2 * rounded(std::size_t{room.tiles} * 4) +
                                 rounded(std::size_t{room.splitters} * 4) + rounded(scan);
  auto stream = FROND_TRY(device::Stream::create());
  auto done = FROND_TRY(device::Event::create());
  auto staged = FROND_TRY(Memory::create(Place::kPinnedHost, input_size));
  auto input = FROND_TRY(Memory::create(Place::kDevice, input_size));
  auto work = FROND_TRY(Memory::create(Place::kDevice, work_bytes));
  auto answers =
      FROND_TRY(Memory::create(Place::kPinnedHost, rounded((std::size_t{room.queries} + 1) * 4) + docid_bytes));
  return std::unique_ptr<Slot>(new Slot{room, std::move(stream), std::move(done), std::move(staged), std::move(input),
                                        std::move(work), std::move(answers), scan});
}

Intersector::Intersector(const DeviceIndex& index, const IntersectorOptions& options,
                         std::vector<std::unique_ptr<Slot>> slots)
    : index_(&index), options_(options), slots_(std::move(slots)) {}
Intersector::Intersector(Intersector&&) noexcept = default;
Intersector::~Intersector() {
  for (const std::size_t slot : under_way_) (void)slots_[slot]->done.wait();  // kernels still write to the slot
}

Result<Intersector> Intersector::create(const DeviceIndex& index, const IntersectorOptions& options) {
  if (options.slots == 0 || options.max_queries == 0) return Error(Code::kInvalid, "intersections without a slot");
  std::uint64_t longest = 0;
  for (const std::uint32_t count : index.counts()) longest = std::max<std::uint64_t>(longest, count);
  // The last query of a batch may add as many docIDs as the longest list has; every query may add a partly full tile.
  const std::uint64_t docids = options.threshold + longest, tiles = docids / kTile + options.max_queries + 1;
  if (tiles * kTile > (std::uint64_t{1} << 31)) return Error(Code::kInvalid, "a threshold of too many docIDs");
  BatchSize room{.queries = options.max_queries,
                 .lists = options.max_queries * 8 + std::uint32_t{kMaxQueryLists},
                 .tiles = static_cast<std::uint32_t>(tiles),
                 .pairs = 0,
                 .splitters = 0};
  if (index.method().kind == Kind::kMergeFind && index.method().parameter > 0) {
    room.pairs = room.lists;
    room.splitters = static_cast<std::uint32_t>(docids / kFinestStride * 8) + room.pairs * (kMaxLevels + 1);
  }
  std::vector<std::unique_ptr<Slot>> slots;
  for (std::uint32_t s = 0; s < options.slots; ++s) slots.push_back(FROND_TRY(Slot::create(room)));
  return Intersector(index, options, std::move(slots));
}

Result<std::size_t> Intersector::submit(const QuerySet& queries, std::size_t first) {
  FROND_CHECK(under_way_.size() < slots_.size() && first < queries.size());
  Slot& slot = *slots_[next_];
  const std::uint32_t levels = slot.room.pairs > 0 ? index_->method().parameter : 0;
  const BatchInput input =
      FROND_TRY(take_queries(index_->counts(), queries, first, slot.room, options_.threshold, levels));
  write_input(index_->counts(), queries, input, slot.staged.data());
  slot.first_query = first;
  slot.query_count = input.size.queries;
  FROND_TRY(launch(slot, input));
  under_way_.push_back(next_);
  next_ = (next_ + 1) % slots_.size();
  return slot.query_count;
}

Result<void> Intersector::launch(Slot& slot, const BatchInput& input) {
  const BatchSize& room = slot.room;
  const device::StreamHandle stream = slot.stream.get();
  const InputArrays arrays(slot.input.data(), input.size);
  FROND_TRY(device::copy_to_device(slot.input.data(), slot.staged.data(), arrays.bytes, stream));
  BatchOnDevice batch;
  batch.views = index_->views();
  batch.queries = arrays.queries;
  batch.lists = arrays.lists;
  batch.tile_queries = arrays.tiles;
  batch.pairs = arrays.pairs;
  Cut work(slot.work.data());
  batch.found = work.take<DocId>(std::size_t{room.tiles} * kTile);
  batch.counts = work.take<std::uint32_t>(room.tiles);
  batch.begins = work.take<std::uint32_t>(room.tiles);
  batch.positions = work.take<std::uint32_t>(room.splitters);
  batch.answers = slot.answer_docids();
  batch.answer_begins = slot.answer_begins();
  batch.query_count = input.size.queries;
  batch.tile_count = input.size.tiles;
  batch.pair_count = input.size.pairs;
  batch.levels = input.levels;
  for (std::uint32_t level = 0; level < input.levels; ++level)
    batch.level_begins[level + 1] = batch.level_begins[level] + input.splitters[level];
  FROND_TRY(find_splitters(batch, stream));
  FROND_TRY(search_tiles(index_->method().kind, batch, stream));
  FROND_TRY(compact(batch, work.take<std::byte>(slot.scan_bytes), slot.scan_bytes, stream));
  return slot.done.record(stream);
}

Result<Answers> Intersector::collect() {
  FROND_CHECK(!under_way_.empty());
  const Slot& slot = *slots_[under_way_.front()];
  under_way_.pop_front();
  FROND_TRY(slot.done.wait());
  const std::uint32_t* begins = slot.answer_begins();
  return Answers{slot.first_query, std::span(begins, slot.query_count + 1),
                 std::span<const DocId>(slot.answer_docids(), begins[slot.query_count])};
}

}  // namespace frond::leaf::gpu::intersect
