#pragma once
// The terms of all trie collections in byte order, given the terms of each collection in order. Used by the
// dictionaries, each of which has a Cursor over a collection: done(), suffix(), value(), advance().
#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "indexer/dictionary/trie.h"

namespace frond::indexer::dictionary {

// The terms of collections [begin, end), one collection after the other. `cursor_of(collection)` is called once each.
template <class Cursor, class CursorOf>
class CollectionSequence {
 public:
  CollectionSequence(CursorOf& cursor_of, std::size_t begin, std::size_t end)
      : cursor_of_(cursor_of), next_(begin), end_(end), prefix_(0) {
    load();
  }
  bool done() const { return cursor_.done(); }
  std::string_view prefix() const { return prefix_.text(); }
  Cursor& cursor() { return cursor_; }
  void advance() {
    cursor_.advance();
    if (cursor_.done()) load();
  }
  bool before(const CollectionSequence& other) const {
    const std::array<char, 4> a = head(), b = other.head();
    const int order = std::memcmp(a.data(), b.data(), a.size());
    return order != 0 ? order < 0 : term() < other.term();
  }

 private:
  // The first bytes of the term; the sequences meet mostly at different ones.
  std::array<char, 4> head() const {
    std::array<char, 4> bytes{};
    const std::string_view first = prefix(), rest = cursor_.suffix();
    const std::size_t n = first.copy(bytes.data(), bytes.size());
    rest.copy(bytes.data() + n, bytes.size() - n);
    return bytes;
  }
  std::string term() const { return std::string(prefix()).append(cursor_.suffix()); }
  void load() {
    for (; next_ < end_ && cursor_.done(); ++next_) {
      cursor_ = cursor_of_(static_cast<TrieCollection>(next_));
      prefix_ = TriePrefix(static_cast<TrieCollection>(next_));
    }
  }

  CursorOf& cursor_of_;
  std::size_t next_, end_;
  TriePrefix prefix_;
  Cursor cursor_;  // a default Cursor is done
};

// Calls visit(std::string_view prefix, std::string_view suffix, Value&) for every term, in byte order of the whole
// terms, until a call gives false.
template <class Cursor, class CursorOf, class Visit>
void visit_in_order(CursorOf cursor_of, Visit&& visit) {
  // Three sequences of collections, each in order when its collections are taken one after the other.
  using Sequence = CollectionSequence<Cursor, CursorOf>;
  std::array<Sequence, 3> sequences = {Sequence(cursor_of, 0, kFirstNumber),
                                       Sequence(cursor_of, kFirstNumber, kFirstTriple),
                                       Sequence(cursor_of, kFirstTriple, kTrieCollections)};
  for (;;) {
    Sequence* least = nullptr;
    for (Sequence& sequence : sequences)
      if (!sequence.done() && (least == nullptr || sequence.before(*least))) least = &sequence;
    if (least == nullptr) return;
    if (!visit(least->prefix(), least->cursor().suffix(), least->cursor().value())) return;
    least->advance();
  }
}

}  // namespace frond::indexer::dictionary
