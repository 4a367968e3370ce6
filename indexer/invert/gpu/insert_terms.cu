// Terms of token groups into B-trees, a warp a group. Warps take groups one after the other, so that large ones hold up
// no others (Wei and JaJa 2011, III.D.2: dynamic round robin).
#include "common/device/launch.cuh"
#include "common/device/warp.cuh"
#include "indexer/invert/gpu/kernels.h"

namespace frond::indexer::invert::gpu {

// A B-tree that a warp looks terms up in and inserts them to (Wei and JaJa 2011, III.D.2): each lane has one place of
// the node, so a node is read in one go, a term is compared with all others at once, and terms are shifted at once. All
// lanes call every function together with equal arguments. A tree belongs to one warp at a time.
//
// Differences from the paper: a node is in the lanes' registers, not in shared memory; a lane's four bytes decide, and
// a vote finds the place, where the paper reduces comparisons of strings.

using device::kFullWarp, device::lane_of_warp;
using dictionary::BTreeNode, dictionary::NodeRef;

struct Key {
  std::uint32_t cache;
  const std::byte* rest;  // behind the four bytes
  std::uint32_t rest_bytes;
};

// One place of a node in each lane.
struct NodeInWarp {
  std::uint32_t terms, leaf;                  // of the node
  std::uint32_t cache, string, value, child;  // of the lane's place; string and value of the first 31
};

class WarpTree {
 public:
  __device__ WarpTree(const TreesOnDevice& trees, std::uint32_t lane) : trees_(trees), lane_(lane) {}

  // The number of the term.
  __device__ std::uint32_t find_or_add(std::uint32_t collection, const Key& key) {
    NodeRef root = trees_.roots[collection];
    if (root == dictionary::kNoNode) {
      root = add_node(true);
      set_root(collection, root);
    }
    NodeInWarp node = load(root);
    if (node.terms == dictionary::kMaxNodeTerms) {
      const NodeRef top = add_node(false);
      if (lane_ == 0) trees_.nodes[top].children[0] = root;
      __syncwarp();
      set_root(collection, top);
      split_child(top, 0);
      root = top;
      node = load(root);
    }
    for (NodeRef at = root;;) {
      Rank rank = rank_of(node, key);
      if (rank.found) return value_at(node, rank.place);
      if (node.leaf != 0) return insert(at, node, rank.place, key);
      NodeRef child = child_at(node, rank.place);
      NodeInWarp below = load(child);
      if (below.terms == dictionary::kMaxNodeTerms) {
        split_child(at, rank.place);
        node = load(at);  // the term that moved up may be the one, or before it
        rank = rank_of(node, key);
        if (rank.found) return value_at(node, rank.place);
        child = child_at(node, rank.place);
        below = load(child);
      }
      at = child;
      node = below;
    }
  }

 private:
  struct Rank {
    std::uint32_t place;  // terms of the node before the key
    bool found;           // whether the next one is the key
  };

  __device__ NodeInWarp load(NodeRef ref) const {
    const BTreeNode& node = trees_.nodes[ref];
    NodeInWarp got{};
    got.terms = node.terms;
    got.leaf = node.leaf;
    got.cache = node.caches[lane_];
    got.child = node.children[lane_];
    if (lane_ < dictionary::kMaxNodeTerms) {
      got.string = node.strings[lane_];
      got.value = node.values[lane_];
    }
    return got;
  }
  __device__ static std::uint32_t value_at(const NodeInWarp& node, std::uint32_t place) {
    return __shfl_sync(kFullWarp, node.value, static_cast<int>(place));
  }
  __device__ static NodeRef child_at(const NodeInWarp& node, std::uint32_t place) {
    return __shfl_sync(kFullWarp, node.child, static_cast<int>(place));
  }
  __device__ void set_root(std::uint32_t collection, NodeRef root) {
    if (lane_ == 0) trees_.roots[collection] = root;
    __syncwarp();
  }
  // Takes `count` from a counter, for the warp.
  __device__ std::uint32_t take(std::uint32_t& counter, std::uint32_t count) const {
    std::uint32_t first = 0;
    if (lane_ == 0) first = atomicAdd(&counter, count);
    return __shfl_sync(kFullWarp, first, 0);
  }

  __device__ Rank rank_of(const NodeInWarp& node, const Key& key) const {
    const bool live = lane_ < node.terms;
    const std::uint32_t before = __ballot_sync(kFullWarp, live && node.cache < key.cache);
    std::uint32_t place = static_cast<std::uint32_t>(__popc(before));
    std::uint32_t same = __ballot_sync(kFullWarp, live && node.cache == key.cache);
    for (; same != 0; same &= same - 1, ++place) {
      if (!dictionary::is_longer_than_cache(key.cache)) return {place, true};
      const int order = compare(__shfl_sync(kFullWarp, node.string, static_cast<int>(place)), key);
      if (order >= 0) return {place, order == 0};
    }
    return {place, false};
  }
  // Of the string in the tree against the key's: negative, 0, positive.
  __device__ int compare(std::uint32_t string, const Key& key) const {
    if (string == kNoString) return key.rest_bytes == 0 ? 0 : -1;
    const auto* const bytes = reinterpret_cast<const std::byte*>(trees_.strings + string);
    const std::uint32_t length = length_at(bytes), both = min(length, key.rest_bytes);
    for (std::uint32_t base = 0; base < both; base += 32) {
      const std::uint32_t i = base + lane_;
      const auto own = i < both ? static_cast<int>(bytes[2 + i]) : 0,
                 other = i < both ? static_cast<int>(key.rest[i]) : 0;
      const std::uint32_t differ = __ballot_sync(kFullWarp, own != other);
      if (differ != 0) return __shfl_sync(kFullWarp, own - other, __ffs(static_cast<int>(differ)) - 1);
    }
    return length == key.rest_bytes ? 0 : length < key.rest_bytes ? -1 : 1;
  }
  __device__ static std::uint32_t length_at(const std::byte* bytes) {
    return static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8;
  }

  __device__ NodeRef add_node(bool leaf) {
    const NodeRef ref = take(trees_.used->nodes, 1);
    BTreeNode& node = trees_.nodes[ref];
    if (lane_ == 0) {
      node.terms = 0;
      node.leaf = leaf ? 1 : 0;
    }
    node.caches[lane_] = dictionary::kNoCache;
    __syncwarp();
    return ref;
  }

  // Into a leaf that is not full.
  __device__ std::uint32_t insert(NodeRef ref, const NodeInWarp& node, std::uint32_t place, const Key& key) {
    std::uint32_t string = kNoString;
    if (key.rest_bytes != 0) {
      string = take(trees_.used->strings, (2 + key.rest_bytes + 3) / 4);
      auto* const bytes = reinterpret_cast<std::byte*>(trees_.strings + string);
      if (lane_ < 2) bytes[lane_] = static_cast<std::byte>(key.rest_bytes >> 8 * lane_ & 0xff);
      for (std::uint32_t i = lane_; i < key.rest_bytes; i += 32) bytes[2 + i] = key.rest[i];
    }
    const std::uint32_t term = take(trees_.used->terms, 1);
    if (lane_ == 0) trees_.postings[term] = 0;
    put(trees_.nodes[ref], node, place, key.cache, string, term, 0);
    return term;
  }
  // Shifts the terms from `place` on, and the children behind them, by one, and puts a term there, and a child behind
  // it unless the node is a leaf.
  __device__ void put(BTreeNode& to, const NodeInWarp& node, std::uint32_t place, std::uint32_t cache,
                      std::uint32_t string, std::uint32_t value, NodeRef child) {
    __syncwarp();  // all lanes have loaded the node
    if (lane_ >= place && lane_ < node.terms) {
      to.caches[lane_ + 1] = node.cache;
      to.strings[lane_ + 1] = node.string;
      to.values[lane_ + 1] = node.value;
    }
    if (node.leaf == 0 && lane_ > place && lane_ <= node.terms) to.children[lane_ + 1] = node.child;
    if (lane_ == 0) {
      to.caches[place] = cache;
      to.strings[place] = string;
      to.values[place] = value;
      if (node.leaf == 0) to.children[place + 1] = child;
      to.terms = node.terms + 1;
    }
    __syncwarp();
  }

  // Splits child `place`, which is full, of `parent`, which is not: its middle term moves up.
  __device__ void split_child(NodeRef parent, std::uint32_t place) {
    constexpr std::uint32_t kHalf = dictionary::kMinNodeTerms;
    const NodeInWarp up = load(parent);
    const NodeRef child = child_at(up, place);
    const NodeInWarp full = load(child);
    const NodeRef added = add_node(full.leaf != 0);
    BTreeNode &low = trees_.nodes[child], &high = trees_.nodes[added];
    if (lane_ > kHalf && lane_ < dictionary::kMaxNodeTerms) {
      high.caches[lane_ - kHalf - 1] = full.cache;
      high.strings[lane_ - kHalf - 1] = full.string;
      high.values[lane_ - kHalf - 1] = full.value;
    }
    if (full.leaf == 0 && lane_ > kHalf) high.children[lane_ - kHalf - 1] = full.child;
    if (lane_ >= kHalf) low.caches[lane_] = dictionary::kNoCache;
    if (lane_ == 0) high.terms = low.terms = kHalf;
    put(trees_.nodes[parent], up, place, __shfl_sync(kFullWarp, full.cache, kHalf),
        __shfl_sync(kFullWarp, full.string, kHalf), __shfl_sync(kFullWarp, full.value, kHalf), added);
  }

  const TreesOnDevice& trees_;
  std::uint32_t lane_;
};

namespace {

constexpr std::uint32_t kThreads = 128;
constexpr std::uint32_t kBlocksPerProcessor = 8;

// The numbers in a term's header (parse/token_groups.h); bytes, since nothing is aligned.
__device__ std::uint32_t u16_at(const std::byte* at) {
  return static_cast<std::uint32_t>(at[0]) | static_cast<std::uint32_t>(at[1]) << 8;
}
__device__ std::uint32_t u32_at(const std::byte* at) { return u16_at(at) | u16_at(at + 2) << 16; }

// How many of the postings are of documents that were not dropped.
__device__ std::uint32_t count_kept(const std::byte* postings, std::uint32_t count, const std::uint32_t* numbers,
                                    std::uint32_t lane) {
  std::uint32_t kept = 0;
  for (std::uint32_t base = 0; base < count; base += 32) {
    const bool keep = base + lane < count && numbers[u16_at(postings + 4 * (base + lane))] != kDroppedNumber;
    kept += static_cast<std::uint32_t>(__popc(__ballot_sync(kFullWarp, keep)));
  }
  return kept;
}

__device__ void insert_group(const TreesOnDevice& trees, const SliceOnDevice& slice, const GroupOnDevice& group,
                             TermRecord* records, std::uint32_t lane) {
  constexpr std::uint32_t kHeaderBytes = 6, kPostingBytes = 4;
  WarpTree tree(trees, lane);
  for (std::uint32_t at = group.begin; at < group.end;) {
    const std::byte* const header = slice.bytes + at;
    const std::uint32_t suffix_bytes = u16_at(header), count = u32_at(header + 2);
    const std::byte* const suffix = header + kHeaderBytes;
    const std::byte* const postings = suffix + suffix_bytes;
    at += kHeaderBytes + suffix_bytes + count * kPostingBytes;
    const std::uint32_t kept = count_kept(postings, count, slice.numbers, lane);
    if (kept == 0) continue;
    const std::uint32_t cached = min(suffix_bytes, 4u);
    const Key key{dictionary::cache_of(reinterpret_cast<const char*>(suffix), cached), suffix + cached,
                  suffix_bytes - cached};
    const std::uint32_t term = tree.find_or_add(group.collection, key);
    if (lane == 0) {
      const std::uint32_t first = trees.postings[term];
      trees.postings[term] = first + kept;
      records[atomicAdd(&trees.used->records, 1u)] = {
          slice.bytes_at + static_cast<std::uint64_t>(postings - slice.bytes), slice.numbers_at, count, term, first, 0};
    }
    __syncwarp();
  }
}

// Mapping: one warp a group. Result: trees and records in device memory. Shared memory: none.
__global__ void __launch_bounds__(kThreads)
    insert_groups(TreesOnDevice trees, SliceOnDevice slice, TermRecord* records) {
  const std::uint32_t lane = lane_of_warp();
  for (;;) {
    std::uint32_t group = 0;
    if (lane == 0) group = atomicAdd(&trees.used->next_group, 1u);
    group = __shfl_sync(kFullWarp, group, 0);
    if (group >= slice.group_count) return;
    insert_group(trees, slice, slice.groups[group], records, lane);
  }
}

}  // namespace

Result<void> insert_terms(const TreesOnDevice& trees, const SliceOnDevice& slice, TermRecord* records,
                          std::uint32_t processors, device::StreamHandle stream) {
  FROND_TRY(
      device::fill_with_zeros(reinterpret_cast<std::byte*>(&trees.used->next_group), sizeof(std::uint32_t), stream));
  const std::uint32_t wanted = (slice.group_count + kThreads / 32 - 1) / (kThreads / 32);
  return device::launch("insert_terms", insert_groups, min(wanted, processors * kBlocksPerProcessor), kThreads, stream,
                        trees, slice, records);
}

}  // namespace frond::indexer::invert::gpu
