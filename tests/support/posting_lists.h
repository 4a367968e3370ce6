#pragma once
// Lists for tests of codecs and postings: awkward cases, and random lists from a seed.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/codec/list_codec.h"

namespace frond::support {

struct NumberList {
  std::string name;
  std::vector<std::uint32_t> numbers;
};

// A copy with exactly the slack that readers may rely on, so that a sanitizer reports every access beyond it.
class SlackBytes {
 public:
  explicit SlackBytes(ByteView bytes)
      : memory_(std::make_unique<std::byte[]>(bytes.size() + codec::kReadSlack)), size_(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), memory_.get());
    // Slack is readable; its contents are arbitrary.
    std::fill_n(memory_.get() + size_, codec::kReadSlack, std::byte{0xa5});
  }
  ByteView view() const { return {memory_.get(), size_}; }
  std::byte& operator[](std::size_t at) { return memory_[at]; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_;
};

inline std::uint32_t random_below(std::mt19937& random, std::uint32_t bound) {
  return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random);
}

// Strictly ascending docIDs whose gaps need up to `width` bits; fewer than `count` if they would reach kNoDoc.
inline std::vector<DocId> random_docids(std::mt19937& random, std::uint32_t count, unsigned width) {
  std::vector<DocId> docids;
  std::uint64_t docid = ~std::uint64_t{0};
  while (docids.size() < count) {
    const std::uint64_t gap = width ? random() & (~std::uint32_t{0} >> (32 - width)) : 0;
    docid += gap + 1;
    if (docid >= kNoDoc) break;
    docids.push_back(static_cast<DocId>(docid));
  }
  return docids;
}
inline std::vector<Frequency> random_frequencies(std::mt19937& random, std::size_t count, unsigned width) {
  std::vector<Frequency> frequencies(count);
  for (Frequency& frequency : frequencies) {
    frequency = 1 + (width ? random() & (~std::uint32_t{0} >> (32 - width)) : 0);
    if (frequency == 0) frequency = 0xffffffff;
  }
  return frequencies;
}

// Sizes near the length of a block and of a checkpoint.
inline const std::vector<std::uint32_t>& awkward_counts() {
  static const std::vector<std::uint32_t> counts = {1,    2,    3,    127,  128,  129,  255,  256, 257,
                                                    1920, 2047, 2048, 2049, 2176, 4095, 4097, 5000};
  return counts;
}

inline std::vector<NumberList> awkward_lists(codec::Numbers kind, std::uint32_t seed) {
  std::mt19937 random(seed);
  const bool docids = kind == codec::Numbers::kDocIds;
  std::vector<NumberList> lists;
  const auto add = [&](std::string name, std::vector<std::uint32_t> numbers) {
    if (!numbers.empty()) lists.push_back({std::move(name), std::move(numbers)});
  };
  for (const std::uint32_t count : awkward_counts())
    for (const unsigned width : {0u, 1u, 7u, 13u})
      add(std::to_string(count) + " of " + std::to_string(width) + " bits",
          docids ? random_docids(random, count, width) : random_frequencies(random, count, width));
  for (unsigned width = 0; width <= 32; ++width)
    add("300 of " + std::to_string(width) + " bits",
        docids ? random_docids(random, 300, width) : random_frequencies(random, 300, width));
  for (unsigned width = 1; width <= 32; ++width) {
    std::vector<std::uint32_t> outlier(200);
    for (std::uint32_t i = 0; i < 200; ++i)
      outlier[i] = docids ? i + (i >= 60 ? 1u << (width - 1) : 0) : (i == 60 ? 1u << (width - 1) : 1);
    add("one of " + std::to_string(width) + " bits", outlier);
  }
  add("the greatest", {docids ? kNoDoc - 1 : 0xffffffff});
  std::vector<std::uint32_t> far(128), all_greatest(300, 0xffffffff);
  for (std::uint32_t i = 0; i < 127; ++i) far[i] = docids ? i : 1;
  far[127] = docids ? kNoDoc - 1 : 0xffffffff;
  add("one far behind", far);
  if (!docids) add("all the greatest", all_greatest);
  add("a million", docids ? random_docids(random, 1u << 20, 11) : random_frequencies(random, 1u << 20, 3));
  return lists;
}

}  // namespace frond::support
