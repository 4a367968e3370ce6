#pragma once
// The terms of all trie collections in byte order, given those of each collection in order. Used by the dictionaries,
// each of which has an Ordered of a collection: size(), std::string_view suffix(place, std::string& scratch), and
// value(place). A default Ordered is empty.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "indexer/dictionary/trie.h"

namespace frond::indexer::dictionary {

// The terms of collections [begin, end), one collection after the other. `order(collection)` is called once each.
template <class Ordered, class Order>
class CollectionSequence {
 public:
  CollectionSequence(Order& order, std::size_t begin, std::size_t end)
      : order_(order), next_(begin), end_(end), prefix_(0) {
    load();
  }
  bool done() const { return at_ == terms_.size(); }
  std::string_view prefix() const { return prefix_.text(); }
  std::string_view suffix() const { return suffix_; }
  decltype(auto) value() const { return terms_.value(at_); }
  void advance() {
    ++at_;
    load();
  }
  bool before(const CollectionSequence& other) const {
    return head_ != other.head_ ? head_ < other.head_ : term() < other.term();
  }

 private:
  std::string term() const { return std::string(prefix()).append(suffix_); }
  void load() {
    for (; done() && next_ < end_; ++next_) {
      terms_ = order_(static_cast<TrieCollection>(next_));
      prefix_ = TriePrefix(static_cast<TrieCollection>(next_));
      at_ = 0;
    }
    if (done()) return;
    suffix_ = terms_.suffix(at_, scratch_);
    // The sequences meet mostly at different heads.
    std::uint32_t head = 0;
    unsigned bytes = 0;
    for (const char c : prefix()) head = head << 8 | static_cast<unsigned char>(c), ++bytes;
    for (const char c : suffix_.substr(0, sizeof head - bytes))
      head = head << 8 | static_cast<unsigned char>(c), ++bytes;
    head_ = bytes == 0 ? 0 : head << 8 * (sizeof head - bytes);
  }

  Order& order_;
  std::size_t next_, end_;
  TriePrefix prefix_;
  Ordered terms_;  // of the collection at hand
  std::size_t at_ = 0;
  std::string scratch_;
  std::string_view suffix_;
  std::uint32_t head_ = 0;  // the first four bytes of the term, as a number that sorts as they do
};

// Calls visit(std::string_view prefix, std::string_view suffix, Value&) for every term, in byte order of the whole
// terms, until a call gives false. There are three sequences of collections, each in order when its collections are
// taken one after the other. order(collection) gives an Ordered.
template <class Ordered, class Order, class Visit>
void visit_in_order(Order order, Visit&& visit) {
  using Sequence = CollectionSequence<Ordered, Order>;
  std::array<Sequence, 3> sequences{Sequence(order, 0, kFirstNumber), Sequence(order, kFirstNumber, kFirstTriple),
                                    Sequence(order, kFirstTriple, kTrieCollections)};
  for (;;) {
    Sequence* least = nullptr;
    for (Sequence& sequence : sequences)
      if (!sequence.done() && (least == nullptr || sequence.before(*least))) least = &sequence;
    if (least == nullptr || !visit(least->prefix(), least->suffix(), least->value())) return;
    least->advance();
  }
}

}  // namespace frond::indexer::dictionary
