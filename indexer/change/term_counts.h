#pragma once
// How many documents have each term, of documents whose tokens come one by one. What is beyond a limit goes to disk.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/partition/terms/change_file.h"

namespace frond::indexer::change {

// One thread. Moved between threads, not shared.
class TermCounts {
 public:
  // Of `max_bytes`, the terms and kEntryBytes for each, sorted runs are written to `scratch`, a folder; they are
  // unlinked at once. The terms of the document at hand are in memory in any case. Memory: up to three times as much.
  TermCounts(std::filesystem::path scratch, std::size_t max_bytes);
  // All are in memory.
  TermCounts() : TermCounts({}, ~std::size_t{0}) {}

  // A token of the document at hand.
  void add_token(std::string_view term);
  std::uint64_t tokens() const { return tokens_; }  // of the document at hand
  std::uint64_t digest() const { return digest_; }  // partition::TermDigests' of these
  // Ends the document at hand: it counts for each of its terms, whose number is returned; or it does not count.
  std::uint64_t keep_document();
  void drop_document();

  // The same for so many documents that have the term. No document is at hand.
  void add_documents(std::string_view term, std::uint64_t documents);
  // Also what the others have on disk.
  void add_all(TermCounts others);
  // Those in memory that some document has, in byte order. The terms are valid until the next call of another method.
  std::vector<std::pair<std::string_view, std::uint64_t>> in_order() const;
  std::size_t runs() const { return runs_.size(); }  // on disk
  // Whether all runs could be written; if not, no terms are counted any more. kUnavailable.
  const Result<void>& outcome() const { return outcome_; }

 private:
  friend std::unique_ptr<partition::ChangeCursor> terms_of(std::vector<TermCounts> all);
  struct Entry {
    std::uint64_t hash = 0;
    std::size_t begin = 0;  // in text_
    std::uint32_t bytes = 0;
    std::uint32_t last = 0;  // the last document that has it, by its number here
    std::uint64_t documents = 0;
  };
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::size_t kEntryBytes = sizeof(Entry) + 3 * sizeof(std::uint32_t);
  static constexpr std::ptrdiff_t kRunsOfALevel = 8;
  struct Run {
    partition::ChangesPtr terms;
    unsigned level = 0;  // how often it was merged
  };

  Entry& find_or_add(std::string_view term, std::uint64_t hash);
  void grow();
  void spill_beyond_limit();
  Result<void> spill();
  // fill: Result<void>(partition::ChangeWriter&).
  template <class Fill>
  Result<void> write_run(unsigned level, const Fill& fill);
  std::string_view term_of(const Entry& entry) const { return {text_.data() + entry.begin, entry.bytes}; }

  std::filesystem::path scratch_;
  std::size_t max_bytes_;
  std::vector<std::uint32_t> slots_;  // places in entries_; a power of two
  std::vector<Entry> entries_;
  std::string text_;
  std::vector<Run> runs_;  // the merged ones first
  Result<void> outcome_;
  // Of the document at hand.
  std::uint32_t number_ = 1;
  std::uint64_t tokens_ = 0, digest_ = 0;
  std::vector<std::uint32_t> terms_;  // places in entries_, each once
};

// Each term of any of them once, in byte order; by(): how many documents have it. Their outcome() is well.
std::unique_ptr<partition::ChangeCursor> terms_of(std::vector<TermCounts> all);

}  // namespace frond::indexer::change
