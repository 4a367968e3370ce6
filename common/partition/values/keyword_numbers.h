#pragma once
// Numbers for the keywords of a column, in their order, that hold for all of a partition: chunks have dictionaries of
// their own (value_column.h), so what counts a keyword over all chunks would look it up for each of them.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "common/partition/values/value_column.h"

namespace frond::partition {

// Immutable; any thread. Does not keep the column alive.
class KeywordNumbers {
 public:
  // Of memory, at most: 4 bytes for each word of each chunk, 12 for each distinct one.
  static std::size_t most_bytes(const ValueColumn& column);
  // Merges the chunks' dictionaries: a few comparisons for each of their words; then counts all values. Null: `stop`,
  // which is asked now and then, said so. `column` is one of keywords.
  static std::shared_ptr<const KeywordNumbers> of(const ValueColumn& column, const std::function<bool()>& stop);

  std::uint32_t size() const { return static_cast<std::uint32_t>(words_.size()); }  // distinct keywords
  // By the chunk's codes.
  std::span<const std::uint32_t> of_chunk(std::uint32_t chunk) const {
    return std::span(numbers_).subspan(begins_[chunk], begins_[chunk + 1] - begins_[chunk]);
  }
  std::string_view word(const ValueColumn& column, std::uint32_t number) const {
    return column.chunk(words_[number].chunk).word(words_[number].code);
  }
  // How many documents of the partition have the keyword, and have any.
  std::uint32_t documents(std::uint32_t number) const { return documents_[number]; }
  std::uint32_t documents_with_any() const { return documents_with_any_; }
  std::size_t bytes() const;

 private:
  struct Place {
    std::uint32_t chunk = 0, code = 0;
  };
  bool count_documents(const ValueColumn& column, const std::function<bool()>& stop);

  std::vector<std::uint32_t> numbers_;  // of the chunks, one behind the other …
  std::vector<std::size_t> begins_;     // … where that of a chunk begins, and one more
  std::vector<Place> words_;            // by number: one of the chunks that have it
  std::vector<std::uint32_t> documents_;
  std::uint32_t documents_with_any_ = 0;
};

}  // namespace frond::partition
