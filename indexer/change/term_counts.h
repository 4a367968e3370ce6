#pragma once
// How many documents have each term, of documents whose tokens come one by one.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace frond::indexer::change {

// One thread. Memory: the terms, and about 50 bytes for each.
class TermCounts {
 public:
  // A token of the document at hand.
  void add_token(std::string_view term);
  std::uint64_t tokens() const { return tokens_; }  // of the document at hand
  std::uint64_t digest() const { return digest_; }  // partition::TermDigests' of these
  // Ends the document at hand: it counts for each of its terms, whose number is returned; or it does not count.
  std::uint64_t keep_document();
  void drop_document();

  // The same for so many documents that have the term.
  void add_documents(std::string_view term, std::uint64_t documents);
  void add_all(const TermCounts& others);
  // All terms that some document has, in byte order. The terms are valid until the next call of another method.
  std::vector<std::pair<std::string_view, std::uint64_t>> in_order() const;

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::size_t begin = 0;  // in text_
    std::uint32_t bytes = 0;
    std::uint32_t last = 0;  // the last document that has it, by its number here
    std::uint64_t documents = 0;
  };
  static constexpr std::uint32_t kNone = 0xffffffff;

  Entry& find_or_add(std::string_view term, std::uint64_t hash);
  void grow();
  std::string_view term_of(const Entry& entry) const { return {text_.data() + entry.begin, entry.bytes}; }

  std::vector<std::uint32_t> slots_;  // places in entries_; a power of two
  std::vector<Entry> entries_;
  std::string text_;
  // Of the document at hand.
  std::uint32_t number_ = 1;
  std::uint64_t tokens_ = 0, digest_ = 0;
  std::vector<std::uint32_t> terms_;  // places in entries_, each once
};

}  // namespace frond::indexer::change
