#pragma once
// The terms of some trie collections, each with a Value: a B-tree for each collection (Wei and JaJa 2011, III.B,
// III.D.1; btree_node.h). Terms are inserted on the way down: a full node is split before it is entered, so a parent
// always has room. A little slower than the hash table (hash_dictionary.h), and in order at any time.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "indexer/dictionary/arena.h"
#include "indexer/dictionary/btree_node.h"
#include "indexer/dictionary/collection_order.h"
#include "indexer/dictionary/trie.h"

namespace frond::indexer::dictionary {

// The terms of a B-tree in order. Takes kTermBytes for each. Tree has node(NodeRef), rest_of(node, place), which is the
// string behind a term's four bytes, and value(node, place). It is not changed meanwhile.
template <class Tree>
class BTreeOrder {
 public:
  static constexpr std::size_t kTermBytes = 8;
  BTreeOrder() = default;
  BTreeOrder(const Tree& tree, NodeRef root) : tree_(&tree) {
    places_.reserve(terms_below(tree, root));
    if (root != kNoNode) add_below(root);
  }
  std::size_t size() const { return places_.size(); }
  // A term without its collection's prefix; in `scratch`.
  std::string_view suffix(std::size_t place, std::string& scratch) const {
    const auto [ref, of] = places_[place];
    const BTreeNode& here = tree_->node(ref);
    scratch.clear();
    for (int shift = 24; shift >= 0; shift -= 8)
      if (const auto byte = static_cast<char>(here.caches[of] >> shift & 0xff); byte != 0) scratch += byte;
    return scratch += tree_->rest_of(here, of);
  }
  // How many terms a node has, and those below it.
  static std::size_t terms_below(const Tree& tree, NodeRef ref) {
    if (ref == kNoNode) return 0;
    const BTreeNode& here = tree.node(ref);
    std::size_t terms = here.terms;
    for (std::uint32_t i = 0; here.leaf == 0 && i <= here.terms; ++i) terms += terms_below(tree, here.children[i]);
    return terms;
  }
  decltype(auto) value(std::size_t place) const {
    return tree_->value(tree_->node(places_[place].node), places_[place].place);
  }

 private:
  struct Place {
    NodeRef node;
    std::uint32_t place;
  };
  void add_below(NodeRef ref) {
    const BTreeNode& here = tree_->node(ref);
    for (std::uint32_t i = 0; i < here.terms; ++i) {
      if (here.leaf == 0) add_below(here.children[i]);
      places_.push_back({ref, i});
    }
    if (here.leaf == 0) add_below(here.children[here.terms]);
  }
  const Tree* tree_ = nullptr;
  std::vector<Place> places_;
};

// One thread. Value: trivially copyable, starts as Value{}.
template <class Value>
class BTreeDictionary {
  static_assert(std::is_trivially_copyable_v<Value> && alignof(Value) <= Arena::kUnit);

 public:
  // The most memory, with the arena's, that a byte of a token group takes (parse/token_groups.h): a term of 10 bytes in
  // a collection of its own has a node of 512. The bytes of a group that are added between two looks at the budget.
  static constexpr std::uint64_t kGrowth = 64;
  static constexpr std::size_t kSliceBytes = std::size_t{8} << 10;

  // Values and strings lie in `arena`. Call clear() before the arena's.
  explicit BTreeDictionary(Arena& arena) : arena_(arena), roots_(kTrieCollections, kNoNode) {}

  // The value of a term. `suffix` is the term without the collection's prefix, at most 65,535 bytes, without a NUL. The
  // value keeps its address until clear().
  Value& find_or_add(TrieCollection collection, std::string_view suffix) {
    const Key key = key_of(suffix);
    NodeRef& root = roots_[collection];
    if (root == kNoNode) root = add_node(true);
    if (node(root).terms == kMaxNodeTerms) grow_root(root);
    for (NodeRef at = root;;) {
      BTreeNode& here = node(at);
      Rank rank = rank_of(here, key);
      if (rank.found) return value(here, rank.place);
      if (here.leaf != 0) return insert(here, rank.place, key);
      if (node(here.children[rank.place]).terms == kMaxNodeTerms) {
        split_child(at, rank.place);
        rank = rank_of(node(at), key);  // the term that moved up may be the one, or before it
        if (rank.found) return value(node(at), rank.place);
      }
      at = node(at).children[rank.place];
    }
  }

  // Calls visit(std::string_view prefix, std::string_view suffix, Value&) for every term, in byte order of the whole
  // terms, until a call gives false.
  template <class Visit>
  void for_each_in_order(Visit&& visit) {
    visit_in_order<Ordered>([this](TrieCollection collection) { return order(collection); },
                            std::forward<Visit>(visit));
  }
  // The same of one collection, by place. Any thread.
  using Ordered = BTreeOrder<BTreeDictionary>;
  Ordered order(TrieCollection collection) const { return Ordered(*this, roots_[collection]); }
  std::size_t terms_of(TrieCollection collection) const { return Ordered::terms_below(*this, roots_[collection]); }

  std::uint64_t terms() const { return terms_; }
  // Bytes of the nodes; strings and values are the arena's.
  std::size_t table_bytes() const { return chunks_.size() * sizeof(Chunk) + roots_.size() * sizeof(NodeRef); }
  // The bytes by which the tree and its arena grow at once, and those that for_each_in_order() takes.
  std::size_t growth_bytes() const { return sizeof(Chunk) + Arena::kBlockBytes + Ordered::kTermBytes * terms_; }
  void clear() {
    chunks_.clear();
    roots_.assign(kTrieCollections, kNoNode);
    nodes_ = 0;
    terms_ = 0;
  }

 private:
  friend BTreeOrder<BTreeDictionary>;
  static constexpr std::size_t kChunkNodes = 64;
  using Chunk = std::array<BTreeNode, kChunkNodes>;
  struct Key {
    std::uint32_t cache;
    std::string_view rest;  // behind the four bytes
  };
  struct Rank {
    std::uint32_t place;  // terms of the node before the key
    bool found;           // whether the next one is the key
  };

  static Key key_of(std::string_view suffix) {
    const std::size_t cached = std::min<std::size_t>(4, suffix.size());
    return {cache_of(suffix.data(), cached), suffix.substr(cached)};
  }
  BTreeNode& node(NodeRef ref) const { return (*chunks_[ref / kChunkNodes])[ref % kChunkNodes]; }
  Value& value(const BTreeNode& of, std::uint32_t place) const { return *arena_.template as<Value>(of.values[place]); }
  std::string_view rest_of(const BTreeNode& of, std::uint32_t place) const {
    if (of.strings[place] == kNoRef) return {};
    const std::byte* const at = arena_.at(of.strings[place]);
    std::uint16_t bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    return {reinterpret_cast<const char*>(at) + sizeof bytes, bytes};
  }
  Rank rank_of(const BTreeNode& of, const Key& key) const {
    std::uint32_t place = 0;
    for (const std::uint32_t cache : of.caches) place += cache < key.cache ? 1 : 0;
    for (; of.caches[place] == key.cache && place < of.terms; ++place) {
      const int order = is_longer_than_cache(key.cache) ? rest_of(of, place).compare(key.rest) : 0;
      if (order >= 0) return {place, order == 0};
    }
    return {place, false};
  }

  NodeRef add_node(bool leaf) {
    if (nodes_ % kChunkNodes == 0) chunks_.push_back(std::make_unique<Chunk>());
    BTreeNode& added = node(nodes_);
    added.terms = 0;
    added.leaf = leaf ? 1 : 0;
    for (std::uint32_t& cache : added.caches) cache = kNoCache;
    return nodes_++;
  }

  // `leaf` is not full.
  Value& insert(BTreeNode& leaf, std::uint32_t place, const Key& key) {
    ArenaRef string = kNoRef;
    if (!key.rest.empty()) {
      const auto bytes = static_cast<std::uint16_t>(key.rest.size());
      FROND_CHECK(key.rest.size() <= 0xffff);
      string = arena_.allocate(sizeof bytes + bytes);
      std::memcpy(arena_.at(string), &bytes, sizeof bytes);
      std::memcpy(arena_.at(string) + sizeof bytes, key.rest.data(), bytes);
    }
    const ArenaRef value_ref = arena_.allocate(sizeof(Value));
    auto* const made = new (arena_.at(value_ref)) Value{};
    open(leaf, place);
    leaf.caches[place] = key.cache;
    leaf.strings[place] = string;
    leaf.values[place] = value_ref;
    ++terms_;
    return *made;
  }
  // Moves the terms from `place` on up by one, and the children behind them.
  static void open(BTreeNode& in, std::uint32_t place) {
    const std::size_t bytes = (in.terms - place) * sizeof(std::uint32_t);
    std::memmove(in.caches + place + 1, in.caches + place, bytes);
    std::memmove(in.strings + place + 1, in.strings + place, bytes);
    std::memmove(in.values + place + 1, in.values + place, bytes);
    if (in.leaf == 0) std::memmove(in.children + place + 2, in.children + place + 1, bytes);
    ++in.terms;
  }

  void grow_root(NodeRef& root) {
    const NodeRef top = add_node(false);
    node(top).children[0] = root;
    root = top;
    split_child(top, 0);
  }
  // Splits child `place`, which is full, of `parent`, which is not: its middle term moves up.
  void split_child(NodeRef parent, std::uint32_t place) {
    constexpr std::uint32_t kHalf = kMinNodeTerms;
    const NodeRef child = node(parent).children[place];
    const NodeRef added = add_node(node(child).leaf != 0);
    BTreeNode &up = node(parent), &low = node(child), &high = node(added);
    std::memcpy(high.caches, low.caches + kHalf + 1, kHalf * sizeof(std::uint32_t));
    std::memcpy(high.strings, low.strings + kHalf + 1, kHalf * sizeof(std::uint32_t));
    std::memcpy(high.values, low.values + kHalf + 1, kHalf * sizeof(std::uint32_t));
    if (low.leaf == 0) std::memcpy(high.children, low.children + kHalf + 1, (kHalf + 1) * sizeof(NodeRef));
    high.terms = kHalf;
    low.terms = kHalf;
    open(up, place);
    up.caches[place] = low.caches[kHalf];
    up.strings[place] = low.strings[kHalf];
    up.values[place] = low.values[kHalf];
    up.children[place + 1] = added;
    for (std::uint32_t i = kHalf; i < kMaxNodeTerms; ++i) low.caches[i] = kNoCache;
  }

  Arena& arena_;
  std::vector<NodeRef> roots_;  // by collection
  std::vector<std::unique_ptr<Chunk>> chunks_;
  NodeRef nodes_ = 0;
  std::uint64_t terms_ = 0;
};

}  // namespace frond::indexer::dictionary
