#pragma once
// The terms of all trie collections in byte order, given the terms of each collection in order. Used by the
// dictionaries, each of which has a Cursor over a collection: done(), suffix(), value(), advance().
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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
    if (cursor_.done())
      load();
    else
      set_head();
  }
  bool before(const CollectionSequence& other) const {
    return head_ != other.head_ ? head_ < other.head_ : term() < other.term();
  }

 private:
  // The sequences meet mostly at different heads.
  void set_head() {
    std::uint32_t head = 0;
    unsigned bytes = 0;
    for (const char c : prefix()) head = head << 8 | static_cast<unsigned char>(c), ++bytes;
    for (const char c : cursor_.suffix().substr(0, sizeof head - bytes))
      head = head << 8 | static_cast<unsigned char>(c), ++bytes;
    head_ = bytes == 0 ? 0 : head << 8 * (sizeof head - bytes);
  }
  std::string term() const { return std::string(prefix()).append(cursor_.suffix()); }
  void load() {
    for (; next_ < end_ && cursor_.done(); ++next_) {
      cursor_ = cursor_of_(static_cast<TrieCollection>(next_));
      prefix_ = TriePrefix(static_cast<TrieCollection>(next_));
    }
    if (!cursor_.done()) set_head();
  }

  CursorOf& cursor_of_;
  std::size_t next_, end_;
  TriePrefix prefix_;
  Cursor cursor_;           // a default Cursor is done
  std::uint32_t head_ = 0;  // the first four bytes of the term, as a number that sorts as they do
};

// All terms in byte order, one after the other: three sequences of collections, each in order when its collections are
// taken one after the other. cursor_of(collection) gives a Cursor.
template <class Cursor, class CursorOf>
class TermsInOrder {
 public:
  explicit TermsInOrder(CursorOf cursor_of)
      : cursor_of_(std::move(cursor_of)),
        sequences_{Sequence(cursor_of_, 0, kFirstNumber), Sequence(cursor_of_, kFirstNumber, kFirstTriple),
                   Sequence(cursor_of_, kFirstTriple, kTrieCollections)} {}
  TermsInOrder(const TermsInOrder&) = delete;
  TermsInOrder& operator=(const TermsInOrder&) = delete;

  // Moves to the next term, at first to the first one. False: there is none.
  bool next() {
    if (least_ != nullptr) least_->advance();
    least_ = nullptr;
    for (Sequence& sequence : sequences_)
      if (!sequence.done() && (least_ == nullptr || sequence.before(*least_))) least_ = &sequence;
    return least_ != nullptr;
  }
  // Of the term at hand.
  std::string_view prefix() const { return least_->prefix(); }
  std::string_view suffix() const { return least_->cursor().suffix(); }
  decltype(auto) value() const { return least_->cursor().value(); }

 private:
  using Sequence = CollectionSequence<Cursor, CursorOf>;
  CursorOf cursor_of_;
  std::array<Sequence, 3> sequences_;
  Sequence* least_ = nullptr;
};

// Calls visit(std::string_view prefix, std::string_view suffix, Value&) for every term, in byte order of the whole
// terms, until a call gives false.
template <class Cursor, class CursorOf, class Visit>
void visit_in_order(CursorOf cursor_of, Visit&& visit) {
  TermsInOrder<Cursor, CursorOf> terms(std::move(cursor_of));
  while (terms.next() && visit(terms.prefix(), terms.suffix(), terms.value())) {
  }
}

}  // namespace frond::indexer::dictionary
