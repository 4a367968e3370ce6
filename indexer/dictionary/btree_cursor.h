#pragma once
// The terms of a B-tree in order.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "indexer/dictionary/btree_node.h"

namespace frond::indexer::dictionary {

// A term of a node without its collection's prefix. Tree as below.
template <class Tree>
void append_suffix(const Tree& tree, const BTreeNode& of, std::uint32_t place, std::string& to) {
  for (int shift = 24; shift >= 0; shift -= 8)
    if (const auto byte = static_cast<char>(of.caches[place] >> shift & 0xff); byte != 0) to += byte;
  to += tree.rest_of(of, place);
}

// Tree has node(NodeRef), rest_of(node, place) (the string behind a term's four bytes), and value(node, place). It is
// not changed meanwhile. A default cursor is done.
template <class Tree>
class BTreeCursor {
 public:
  BTreeCursor() = default;
  BTreeCursor(Tree& tree, NodeRef root) : tree_(&tree) {
    if (root == kNoNode) return;
    descend(root);
    load();
  }
  bool done() const { return depth_ == 0; }
  std::string_view suffix() const { return suffix_; }
  decltype(auto) value() const { return tree_->value(tree_->node(path_[depth_ - 1].node), path_[depth_ - 1].place); }
  void advance() {
    Step& step = path_[depth_ - 1];
    const BTreeNode& here = tree_->node(step.node);
    ++step.place;
    if (here.leaf == 0) descend(here.children[step.place]);
    while (depth_ > 0 && path_[depth_ - 1].place == tree_->node(path_[depth_ - 1].node).terms) --depth_;
    if (depth_ > 0) load();
  }

 private:
  struct Step {
    NodeRef node;
    std::uint32_t place;  // of the next term
  };
  static constexpr std::size_t kMaxHeight = 9;  // 16 children or more: 2^32 terms have 8 levels below the root
  void descend(NodeRef ref) {
    for (;; ref = tree_->node(ref).children[0]) {
      FROND_CHECK(depth_ < kMaxHeight);
      path_[depth_++] = {ref, 0};
      if (tree_->node(ref).leaf != 0) return;
    }
  }
  void load() {
    const Step& step = path_[depth_ - 1];
    const BTreeNode& here = tree_->node(step.node);
    suffix_.clear();
    append_suffix(*tree_, here, step.place, suffix_);
  }

  Tree* tree_ = nullptr;
  std::array<Step, kMaxHeight> path_{};
  std::size_t depth_ = 0;
  std::string suffix_;
};

}  // namespace frond::indexer::dictionary
