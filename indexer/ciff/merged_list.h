#pragma once
// One term's postings in a whole generation, by document number: the lists of its partitions, merged.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/partition/partition.h"
#include "common/postings/posting_list.h"
#include "indexer/change/stored_list.h"

namespace frond::indexer::ciff {

struct MergedPosting {
  std::uint32_t document = 0;
  Frequency frequency = 0;
};

// One thread. Holds a block of each partition's list.
class MergedList {
 public:
  // `numbers[p][docid]`: the numbers of partition p's documents, ascending; kNoDoc: hidden, so its postings are passed
  // over. kCorrupt: a list does not open.
  static Result<std::unique_ptr<MergedList>> open(
      std::span<const std::shared_ptr<const partition::Partition>> partitions,
      const std::vector<std::vector<std::uint32_t>>& numbers, std::string_view term);
  // The next posting; no value at the end. kCorrupt.
  Result<std::optional<MergedPosting>> next();
  // Starts again with the first posting.
  Result<void> rewind();

 private:
  struct Part {
    Part(change::StoredList list, std::span<const std::uint32_t> its_numbers)
        : stored(std::move(list)), numbers(its_numbers) {}
    change::StoredList stored;
    std::span<const std::uint32_t> numbers;
    std::uint32_t block = 0, size = 0, at = 0;  // the next block to decode; of the one at hand
    std::array<std::uint32_t, postings::kBlockLength> docids{}, frequencies{};
  };
  struct Head {
    std::uint32_t document;
    std::size_t part;
    friend bool operator>(const Head& a, const Head& b) { return a.document > b.document; }
  };
  Result<void> advance(std::size_t part);

  std::vector<std::unique_ptr<Part>> parts_;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;
};

}  // namespace frond::indexer::ciff
