#include "tools/papers/intersect/intersector.h"

#include <algorithm>
#include <optional>
#include <string>

#include "common/base/check.h"
#include "leaf/gpu/list_copier.h"
#include "tools/bench/measure.h"
#include "tools/papers/intersect/batch.h"

namespace frond::tools::papers {

// How many queries, lists, … a batch has or has room for.
struct BatchSize {
  std::uint32_t queries = 0, lists = 0, tiles = 0, pairs = 0, splitters = 0;
};

// The queries of one batch: queries [first, first + size.queries) of a set.
struct BatchInput {
  std::size_t first = 0;
  BatchSize size;
  std::uint32_t levels = 0;
  std::uint32_t splitters[kMaxSplitterLevels] = {};  // of each level
};

namespace {

using device::Memory, device::Place;

constexpr std::size_t rounded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

constexpr std::size_t kStagingBytes = std::size_t{32} << 20;  // of pinned memory

std::vector<std::optional<ListForm>> forms_of(Method method, std::span<const std::vector<DocId>> lists,
                                              std::uint32_t documents, unsigned threads) {
  std::vector<std::optional<ListForm>> forms(lists.size());
  bench::in_parallel(threads, lists.size(), [&](std::size_t l) { forms[l].emplace(method, lists[l], documents); });
  return forms;
}

std::uint32_t tiles_of(std::uint32_t shortest) { return std::max(1u, (shortest + kTile - 1) / kTile); }

// A piece of memory cut into arrays, one after the other, each aligned to 256. Without memory it only adds up their
// bytes.
class Cut {
 public:
  explicit Cut(std::byte* memory) : memory_(memory) {}
  template <class T>
  T* take(std::size_t count) {
    auto* taken = memory_ ? reinterpret_cast<T*>(memory_ + used_) : nullptr;
    used_ += (count * sizeof(T) + 255) / 256 * 256;
    return taken;
  }
  std::size_t used() const { return used_; }

 private:
  std::byte* memory_;
  std::size_t used_ = 0;
};

// The arrays of a batch's input in a piece of memory; null pointers without memory.
struct InputArrays {
  QueryOnDevice* queries;
  PairOnDevice* pairs;
  std::uint32_t *lists, *tiles;
  std::size_t bytes;
  InputArrays(std::byte* memory, const BatchSize& size);
};

InputArrays::InputArrays(std::byte* memory, const BatchSize& size) {
  Cut cut(memory);
  queries = cut.take<QueryOnDevice>(size.queries);
  pairs = cut.take<PairOnDevice>(size.pairs);
  lists = cut.take<std::uint32_t>(size.lists);
  tiles = cut.take<std::uint32_t>(size.tiles);
  bytes = cut.used();
}

// Takes queries from `first` on until their shortest lists have `threshold` docIDs together, or there is no room for
// the next one. `counts`: docIDs of each list. kInvalid: a query with too many lists, or one that needs more than
// `room`.
Result<BatchInput> take_queries(std::span<const std::uint32_t> counts, const QuerySet& queries, std::size_t first,
                                const BatchSize& room, std::uint32_t threshold, std::uint32_t levels) {
  BatchInput input;
  input.first = first;
  input.levels = levels;
  std::uint64_t docids = 0;
  for (std::size_t q = first; q < queries.size() && docids < threshold; ++q) {
    const auto lists = queries[q];
    if (lists.empty() || lists.size() > kMaxQueryLists)
      return Error(Code::kInvalid, "a query of " + std::to_string(lists.size()) + " lists");
    std::uint32_t shortest = 0xffffffff;
    for (const std::uint32_t list : lists) shortest = std::min(shortest, counts[list]);
    const auto others = static_cast<std::uint32_t>(lists.size() - 1);
    BatchSize size = input.size;
    size.queries += 1;
    size.lists += others + 1;
    size.tiles += tiles_of(shortest);
    if (levels > 0) size.pairs += others;
    for (std::uint32_t level = 0; level < levels; ++level) size.splitters += splitters_of(shortest, level) * others;
    if (size.queries > room.queries || size.lists > room.lists || size.splitters > room.splitters) break;
    for (std::uint32_t level = 0; level < levels; ++level)
      input.splitters[level] += splitters_of(shortest, level) * others;
    input.size = size;
    docids += shortest;
  }
  if (input.size.queries == 0) return Error(Code::kInvalid, "a query with more splitters than a batch has room for");
  return input;
}

// Writes the arrays of the input's queries to `staged`, which has InputArrays(nullptr, input.size).bytes bytes.
void write_input(std::span<const std::uint32_t> counts, const QuerySet& queries, const BatchInput& input,
                 std::byte* staged) {
  const InputArrays to(staged, input.size);
  std::uint32_t next_splitter[kMaxSplitterLevels] = {};
  for (std::uint32_t level = 1; level < input.levels; ++level)
    next_splitter[level] = next_splitter[level - 1] + input.splitters[level - 1];
  BatchSize at{};
  for (std::uint32_t q = 0; q < input.size.queries; ++q) {
    const auto lists = queries[input.first + q];
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

}  // namespace

Result<DeviceIndex> DeviceIndex::create(Method method, std::span<const std::vector<DocId>> lists,
                                        std::uint32_t documents, unsigned threads) {
  const auto forms = forms_of(method, lists, documents, threads);
  std::vector<std::size_t> places;
  std::vector<std::uint32_t> counts;
  std::size_t bytes = (lists.size() * sizeof(ListView) + 255) / 256 * 256 + 256;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    places.push_back(bytes);
    counts.push_back(static_cast<std::uint32_t>(lists[l].size()));
    bytes += (forms[l]->bytes().size() + 127) / 128 * 128;
  }
  auto memory = FROND_TRY(device::Memory::create(device::Place::kDevice, bytes));
  auto copier = FROND_TRY(leaf::gpu::ListCopier::create(kStagingBytes));
  std::vector<ListView> views;
  for (std::size_t l = 0; l < lists.size(); ++l) {
    views.push_back(forms[l]->at(memory.data() + places[l]));
    FROND_TRY(copier.copy_bytes(forms[l]->bytes(), memory.data() + places[l]));
  }
  FROND_TRY(copier.copy_bytes(std::as_bytes(std::span<const ListView>(views)), memory.data()));
  return DeviceIndex(method, std::move(memory), std::move(counts));
}

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
  const std::size_t scan = FROND_TRY(papers::scan_bytes(room.tiles));
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
    room.splitters = static_cast<std::uint32_t>(docids / kFinestStride * 8) + room.pairs * (kMaxSplitterLevels + 1);
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

}  // namespace frond::tools::papers
