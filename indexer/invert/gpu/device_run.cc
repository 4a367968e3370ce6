#include "indexer/invert/gpu/device_run.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "common/base/check.h"
#include "indexer/dictionary/btree_dictionary.h"
#include "indexer/dictionary/collection_order.h"

namespace frond::indexer::invert::gpu {
namespace {

using dictionary::kMinNodeTerms, dictionary::kTrieCollections, dictionary::NodeRef;

// The shortest term of a group: a header, no suffix, a posting.
constexpr std::uint64_t kMinRecordBytes = parse::GroupedTerm::kHeaderBytes + parse::GroupedTerm::kPostingBytes;

}  // namespace

Capacity Capacity::of(std::uint64_t device_bytes) {
  // Shares of the memory. A posting takes 4 bytes of the store and 8 where it is copied to; a term of 10 to 30 bytes of
  // the store has a record of 32; a new one a string, a node's place of up to 34 bytes, a number and an offset.
  Capacity capacity;
  capacity.store = device_bytes / 100 * 22;
  capacity.postings = static_cast<std::uint32_t>(std::min<std::uint64_t>(device_bytes / 100 * 34 / 8, kNoDoc));
  capacity.records = static_cast<std::uint32_t>(std::min<std::uint64_t>(device_bytes / 100 * 20 / 32, kNoDoc));
  capacity.strings = device_bytes / 100 * 5 / 4;
  capacity.terms = static_cast<std::uint32_t>(std::min<std::uint64_t>(device_bytes / 100 * 14 / 42, kNoDoc / 2));
  // Every node but a root has that many terms.
  capacity.nodes = capacity.terms / kMinNodeTerms + static_cast<std::uint32_t>(kTrieCollections);
  return capacity;
}

Result<std::unique_ptr<DeviceRun>> DeviceRun::create(int device, std::uint64_t device_bytes) {
  FROND_TRY(device::use(device));
  const auto properties = FROND_TRY(device::properties_of(device));
  const Capacity capacity = Capacity::of(device_bytes);
  const std::size_t bytes = in_granules(kTrieCollections * sizeof(NodeRef)) +
                            in_granules(capacity.nodes * sizeof(dictionary::BTreeNode)) +
                            in_granules(capacity.strings * 4) + 2 * in_granules(capacity.terms * 4ull) +
                            in_granules(sizeof(Used)) + in_granules(capacity.records * sizeof(TermRecord)) +
                            in_granules(capacity.store) + 2 * in_granules(capacity.postings * 4ull);
  auto stream = FROND_TRY(device::Stream::create());
  auto memory = FROND_TRY(device::Memory::create(device::Place::kDevice, bytes));
  auto first = FROND_TRY(device::Memory::create(device::Place::kPinnedHost, kPinnedBytes));
  auto second = FROND_TRY(device::Memory::create(device::Place::kPinnedHost, kPinnedBytes));
  auto used = FROND_TRY(device::Memory::create(device::Place::kPinnedHost, sizeof(Used)));
  auto first_copied = FROND_TRY(device::Event::create());
  auto second_copied = FROND_TRY(device::Event::create());
  auto inserted = FROND_TRY(device::Event::create());
  auto stages = FROND_TRY(StagedCopies::create());
  std::unique_ptr<DeviceRun> run(
      new DeviceRun(capacity, static_cast<std::uint32_t>(properties.processors), std::move(stream), std::move(memory),
                    {std::move(first), std::move(second)}, std::move(used),
                    {std::move(first_copied), std::move(second_copied)}, std::move(inserted), std::move(stages)));
  FROND_TRY(run->clear());
  return run;
}

DeviceRun::DeviceRun(Capacity capacity, std::uint32_t processors, device::Stream stream, device::Memory memory,
                     std::array<device::Memory, 2> pinned, device::Memory pinned_used,
                     std::array<device::Event, 2> copied, device::Event inserted, StagedCopies stages)
    : capacity_(capacity),
      processors_(processors),
      stream_(std::move(stream)),
      memory_(std::move(memory)),
      pinned_(std::move(pinned)),
      pinned_used_(std::move(pinned_used)),
      copied_(std::move(copied)),
      inserted_(std::move(inserted)),
      stages_(std::move(stages)) {
  static_assert(StagedCopies::kStages * StagedCopies::kStageBytes <= kPinnedBytes);
  stages_.use(pinned_[0].data());
  DeviceParts parts(memory_.data());
  trees_.roots = parts.next<NodeRef>(kTrieCollections);
  trees_.nodes = parts.next<dictionary::BTreeNode>(capacity.nodes);
  trees_.strings = parts.next<std::uint32_t>(capacity.strings);
  trees_.postings = parts.next<std::uint32_t>(capacity.terms);
  offsets_ = parts.next<std::uint32_t>(capacity.terms);
  trees_.used = parts.next<Used>(1);
  records_ = parts.next<TermRecord>(capacity.records);
  store_ = parts.next<std::byte>(capacity.store);
  numbers_ = parts.next<std::uint32_t>(capacity.postings);
  frequencies_ = parts.next<std::uint32_t>(capacity.postings);
}

Result<void> DeviceRun::clear() {
  FROND_TRY(finish_slices());
  stored_ = group_bytes_ = 0;
  known_ = {};
  FROND_TRY(device::fill_with_zeros(reinterpret_cast<std::byte*>(trees_.used), sizeof(Used), stream_.get()));
  FROND_TRY(copied_[side_].wait());
  static_assert(kTrieCollections * sizeof(NodeRef) <= kPinnedBytes);
  std::memset(pinned_[side_].data(), 0xff, kTrieCollections * sizeof(NodeRef));  // kNoNode
  FROND_TRY(device::copy_to_device(reinterpret_cast<std::byte*>(trees_.roots), pinned_[side_].data(),
                                   kTrieCollections * sizeof(NodeRef), stream_.get()));
  return copied_[side_].record(stream_.get());
}

bool DeviceRun::fits(std::size_t group_bytes, std::size_t slice_bytes) const {
  // What the device said last, and the most that the groups since then and the new ones may add.
  const std::uint64_t unknown = unknown_bytes_ + group_bytes, records = unknown / kMinRecordBytes;
  return stored_ + in_granules(slice_bytes) <= capacity_.store && known_.records + records <= capacity_.records &&
         known_.terms + records <= capacity_.terms && known_.strings + unknown / 2 <= capacity_.strings &&
         (group_bytes_ + group_bytes) / parse::GroupedTerm::kPostingBytes <= capacity_.postings;
}

Result<bool> DeviceRun::has_room(std::size_t group_bytes, std::size_t slice_bytes) {
  if (fits(group_bytes, slice_bytes)) return true;
  FROND_TRY(finish_slices());
  return fits(group_bytes, slice_bytes);
}

Result<void> DeviceRun::finish_slices() {
  if (unknown_bytes_ == 0) return {};
  FROND_TRY(inserted_.wait());
  known_ = *reinterpret_cast<const Used*>(pinned_used_.data());
  unknown_bytes_ = 0;
  return {};
}

Result<void> DeviceRun::add(std::span<const parse::TokenGroup> groups, ByteView bytes,
                            std::span<const std::uint32_t> numbers) {
  const std::size_t groups_at = numbers.size_bytes(), bytes_at = groups_at + groups.size() * sizeof(GroupOnDevice);
  const std::size_t size = bytes_at + bytes.size();
  FROND_CHECK(size <= kPinnedBytes && fits(bytes.size(), size));
  side_ = 1 - side_;
  FROND_TRY(copied_[side_].wait());
  std::byte* const pinned = pinned_[side_].data();
  if (!numbers.empty()) std::memcpy(pinned, numbers.data(), numbers.size_bytes());
  auto* const its_groups = reinterpret_cast<GroupOnDevice*>(pinned + groups_at);
  for (std::size_t g = 0; g < groups.size(); ++g)
    its_groups[g] = {groups[g].collection, groups[g].begin, groups[g].end};
  std::memcpy(pinned + bytes_at, bytes.data(), bytes.size());
  std::byte* const to = store_ + stored_;
  FROND_TRY(device::copy_to_device(to, pinned, size, stream_.get()));
  FROND_TRY(copied_[side_].record(stream_.get()));
  const SliceOnDevice slice{.numbers = reinterpret_cast<const std::uint32_t*>(to),
                            .groups = reinterpret_cast<const GroupOnDevice*>(to + groups_at),
                            .bytes = to + bytes_at,
                            .group_count = static_cast<std::uint32_t>(groups.size()),
                            .numbers_at = stored_,
                            .bytes_at = stored_ + bytes_at};
  FROND_TRY(insert_terms(trees_, slice, records_, processors_, stream_.get()));
  FROND_TRY(device::copy_to_host(pinned_used_.data(), reinterpret_cast<const std::byte*>(trees_.used), sizeof(Used),
                                 stream_.get()));
  FROND_TRY(inserted_.record(stream_.get()));
  stored_ += in_granules(size);
  group_bytes_ += bytes.size();
  unknown_bytes_ += bytes.size();
  return {};
}

std::uint64_t DeviceRun::read_bytes() const {
  if (known_.nodes == 0 && unknown_bytes_ == 0) return 0;
  // A term of 10 bytes or more has a fifteenth of a node, two numbers, and a place in the order.
  return known_.nodes * sizeof(dictionary::BTreeNode) + std::uint64_t{known_.strings} * 4 +
         std::uint64_t{known_.terms} * 16 + kTrieCollections * sizeof(NodeRef) + 6 * unknown_bytes_;
}

// The trees of a run, with what a BTreeOrder needs.
struct DeviceRun::Trees {
  std::vector<NodeRef> roots;
  std::vector<dictionary::BTreeNode> nodes;
  std::vector<std::uint32_t> strings, postings;

  const dictionary::BTreeNode& node(NodeRef ref) const { return nodes[ref]; }
  std::uint32_t value(const dictionary::BTreeNode& of, std::uint32_t place) const { return of.values[place]; }
  std::string_view rest_of(const dictionary::BTreeNode& of, std::uint32_t place) const {
    if (of.strings[place] == kNoString) return {};
    const auto* const at = reinterpret_cast<const std::byte*>(strings.data() + of.strings[place]);
    return {reinterpret_cast<const char*>(at) + 2, load_le<std::uint16_t>(at)};
  }
  // visit(prefix, suffix, number of the term), until it gives false.
  template <class Visit>
  void for_each_in_order(Visit&& visit) const {
    using Ordered = dictionary::BTreeOrder<Trees>;
    dictionary::visit_in_order<Ordered>(
        [this](dictionary::TrieCollection collection) { return Ordered(*this, roots[collection]); },
        std::forward<Visit>(visit));
  }
};

Result<DeviceRun::Trees> DeviceRun::download_trees() {
  Trees trees;
  const auto get = [&](auto& to, const auto* from, std::size_t count) -> Result<void> {
    to.resize(count);
    return stages_.download(bytes_of(to.data()), bytes_of(from), count * sizeof to[0], stream_.get());
  };
  FROND_TRY(get(trees.roots, trees_.roots, kTrieCollections));
  FROND_TRY(get(trees.nodes, trees_.nodes, known_.nodes));
  FROND_TRY(get(trees.strings, trees_.strings, known_.strings));
  FROND_TRY(get(trees.postings, trees_.postings, known_.terms));
  return trees;
}

Result<void> DeviceRun::read(const Visit& visit) {
  FROND_TRY(finish_slices());
  const Trees trees = FROND_TRY(download_trees());
  std::uint32_t total = 0;
  {
    std::vector<std::uint32_t> offsets(known_.terms);
    trees.for_each_in_order([&](std::string_view, std::string_view, std::uint32_t term) {
      offsets[term] = std::exchange(total, total + trees.postings[term]);
      return true;
    });
    FROND_TRY(stages_.upload(bytes_of(offsets_), bytes_of(offsets.data()), offsets.size() * sizeof offsets[0],
                             stream_.get()));
  }
  FROND_TRY(scatter_postings(records_, known_.records, store_, {offsets_, numbers_, frequencies_}, processors_,
                             stream_.get()));
  const auto* const numbers = reinterpret_cast<const std::uint32_t*>(pinned_[0].data());
  const auto* const frequencies = reinterpret_cast<const Frequency*>(pinned_[1].data());
  std::uint32_t at = 0, begin = 0, end = 0;  // pinned memory has [begin, end)
  const auto next_piece = [&]() -> Result<void> {
    begin = end;
    end = begin + static_cast<std::uint32_t>(std::min<std::size_t>(kPinnedBytes / 4, total - begin));
    FROND_TRY(device::copy_to_host(pinned_[0].data(), reinterpret_cast<const std::byte*>(numbers_ + begin),
                                   std::size_t{end - begin} * 4, stream_.get()));
    FROND_TRY(device::copy_to_host(pinned_[1].data(), reinterpret_cast<const std::byte*>(frequencies_ + begin),
                                   std::size_t{end - begin} * 4, stream_.get()));
    FROND_TRY(inserted_.record(stream_.get()));
    return inserted_.wait();
  };
  const auto read_term = [&](std::string_view term, std::uint32_t left) -> Result<void> {
    while (left > 0) {
      if (at == end) FROND_TRY(next_piece());
      const std::uint32_t some = std::min(left, end - at);
      FROND_TRY(visit(term, {numbers + (at - begin), some}, {frequencies + (at - begin), some}));
      at += some;
      left -= some;
    }
    return visit(term, {}, {});
  };
  std::optional<Error> failed;
  std::string term;
  trees.for_each_in_order([&](std::string_view prefix, std::string_view suffix, std::uint32_t number) {
    term.assign(prefix).append(suffix);
    if (auto read = read_term(term, trees.postings[number]); !read) failed = std::move(read).error();
    return !failed.has_value();
  });
  if (failed) return *std::move(failed);
  return {};
}

}  // namespace frond::indexer::invert::gpu
