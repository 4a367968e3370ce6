#include "leaf/gpu/intersect/intersector.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "common/base/check.h"
#include "leaf/gpu/intersect/kernels.h"

namespace frond::leaf::gpu::intersect {
namespace {

using device::Memory, device::Place;

constexpr std::size_t rounded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

// A piece of memory cut into arrays, in turn, each on 256 bytes. Of no memory it only counts.
class Cut {
 public:
  explicit Cut(std::byte* memory) : memory_(memory) {}
  template <class T>
  T* take(std::size_t count) {
    auto* taken = memory_ ? reinterpret_cast<T*>(memory_ + used_) : nullptr;
    used_ += rounded(count * sizeof(T));
    return taken;
  }
  std::size_t used() const { return used_; }

 private:
  std::byte* memory_;
  std::size_t used_ = 0;
};

std::uint32_t tiles_of(std::uint32_t shortest) { return std::max(1u, (shortest + kTile - 1) / kTile); }

}  // namespace

// The arrays of a batch's input, one behind the other: the same in pinned memory and on the device.
struct Intersector::InputArrays {
  QueryOnDevice* queries;
  PairOnDevice* pairs;
  std::uint32_t *lists, *tiles;
  std::size_t bytes;
  InputArrays(std::byte* memory, const Room& of) {
    Cut cut(memory);
    queries = cut.take<QueryOnDevice>(of.queries);
    pairs = cut.take<PairOnDevice>(of.pairs);
    lists = cut.take<std::uint32_t>(of.lists);
    tiles = cut.take<std::uint32_t>(of.tiles);
    bytes = cut.used();
  }
};

// What a batch takes of a slot.
struct Intersector::Input {
  Room used{};
  std::uint32_t levels = 0;
  std::uint32_t splitters[kMaxLevels] = {};  // of each level
};

struct Intersector::Slot {
  Room room;
  device::Stream stream;
  device::Event done;
  Memory staged, input, work, answers;  // staged, answers: pinned
  std::size_t scan_bytes;
  std::size_t first_query = 0;
  std::uint32_t query_count = 0;

  static Result<std::unique_ptr<Slot>> create(const Room& room);
  std::uint32_t* answer_begins() const { return reinterpret_cast<std::uint32_t*>(answers.data()); }
  DocId* answer_docids() const {
    return reinterpret_cast<DocId*>(answers.data() + rounded((std::size_t{room.queries} + 1) * 4));
  }
};

Result<std::unique_ptr<Intersector::Slot>> Intersector::Slot::create(const Room& room) {
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
  for (const std::size_t slot : under_way_) (void)slots_[slot]->done.wait();  // kernels still write there
}

Result<Intersector> Intersector::create(const DeviceIndex& index, const IntersectorOptions& options) {
  if (options.slots == 0 || options.max_queries == 0) return Error(Code::kInvalid, "intersections without a slot");
  std::uint64_t longest = 0;
  for (const std::uint32_t count : index.counts()) longest = std::max<std::uint64_t>(longest, count);
  // The last query of a batch may bring as many docIDs as there are in a list, and each a tile that is not full.
  const std::uint64_t docids = options.threshold + longest, tiles = docids / kTile + options.max_queries + 1;
  if (tiles * kTile > (std::uint64_t{1} << 31)) return Error(Code::kInvalid, "a threshold of too many docIDs");
  Room room{.queries = options.max_queries,
            .lists = options.max_queries * 8 + std::uint32_t{kMaxQueryLists},
            .tiles = static_cast<std::uint32_t>(tiles),
            .pairs = 0,
            .splitters = 0};
  if (index.method().kind == Kind::kMergeFind && index.method().parameter > 0) {
    room.pairs = room.lists;
    room.splitters = static_cast<std::uint32_t>(docids / kFinest * 8) + room.pairs * (kMaxLevels + 1);
  }
  std::vector<std::unique_ptr<Slot>> slots;
  for (std::uint32_t s = 0; s < options.slots; ++s) slots.push_back(FROND_TRY(Slot::create(room)));
  return Intersector(index, options, std::move(slots));
}

// As many queries, from `first` on, as make the threshold full, or the slot.
Result<Intersector::Input> Intersector::take(const QuerySet& queries, std::size_t first, const Room& room) const {
  Input input;
  input.levels = room.pairs > 0 ? index_->method().parameter : 0;
  std::uint64_t docids = 0;
  for (std::size_t q = first; q < queries.size() && docids < options_.threshold; ++q) {
    const auto lists = queries[q];
    if (lists.empty() || lists.size() > kMaxQueryLists)
      return Error(Code::kInvalid, "a query of " + std::to_string(lists.size()) + " lists");
    std::uint32_t shortest = 0xffffffff;
    for (const std::uint32_t list : lists) shortest = std::min(shortest, index_->counts()[list]);
    const auto others = static_cast<std::uint32_t>(lists.size() - 1);
    Room used = input.used;
    used.queries += 1;
    used.lists += others + 1;
    used.tiles += tiles_of(shortest);
    if (input.levels > 0) used.pairs += others;
    for (std::uint32_t level = 0; level < input.levels; ++level)
      used.splitters += splitters_of(shortest, level) * others;
    if (used.queries > room.queries || used.lists > room.lists || used.splitters > room.splitters) break;
    for (std::uint32_t level = 0; level < input.levels; ++level)
      input.splitters[level] += splitters_of(shortest, level) * others;
    input.used = used;
    docids += shortest;
  }
  if (input.used.queries == 0) return Error(Code::kInvalid, "a query of more splitters than a batch has");
  return input;
}

void Intersector::write(const QuerySet& queries, std::size_t first, const Input& input, std::byte* staged) const {
  const InputArrays to(staged, input.used);
  const std::span<const std::uint32_t> counts = index_->counts();
  std::uint32_t next_splitter[kMaxLevels] = {};
  for (std::uint32_t level = 1; level < input.levels; ++level)
    next_splitter[level] = next_splitter[level - 1] + input.splitters[level - 1];
  Room at{};
  for (std::uint32_t q = 0; q < input.used.queries; ++q) {
    const auto lists = queries[first + q];
    std::uint32_t* own = to.lists + at.lists;
    std::copy(lists.begin(), lists.end(), own);
    std::sort(own, own + lists.size(), [&](std::uint32_t a, std::uint32_t b) { return counts[a] < counts[b]; });
    const std::uint32_t shortest = counts[own[0]], tiles = tiles_of(shortest);
    to.queries[q] = {at.lists, static_cast<std::uint32_t>(lists.size()), at.tiles, at.pairs};
    std::fill_n(to.tiles + at.tiles, tiles, q);
    for (std::size_t l = 1; l < lists.size() && input.levels > 0; ++l) {
      PairOnDevice& pair = to.pairs[at.pairs++];
      pair = {.shorter = own[0], .longer = own[l]};
      for (std::uint32_t level = 0; level < input.levels; ++level) {
        pair.first[level] = next_splitter[level];
        next_splitter[level] += splitters_of(shortest, level);
      }
    }
    at.lists += static_cast<std::uint32_t>(lists.size());
    at.tiles += tiles;
  }
}

Result<std::size_t> Intersector::submit(const QuerySet& queries, std::size_t first) {
  FROND_CHECK(under_way_.size() < slots_.size() && first < queries.size());
  Slot& slot = *slots_[next_];
  const Input input = FROND_TRY(take(queries, first, slot.room));
  write(queries, first, input, slot.staged.data());
  slot.first_query = first;
  slot.query_count = input.used.queries;
  FROND_TRY(launch(slot, input));
  under_way_.push_back(next_);
  next_ = (next_ + 1) % slots_.size();
  return slot.query_count;
}

Result<void> Intersector::launch(Slot& slot, const Input& input) {
  const Room& room = slot.room;
  const device::StreamHandle stream = slot.stream.get();
  const InputArrays arrays(slot.input.data(), input.used);
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
  batch.query_count = input.used.queries;
  batch.tile_count = input.used.tiles;
  batch.pair_count = input.used.pairs;
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
