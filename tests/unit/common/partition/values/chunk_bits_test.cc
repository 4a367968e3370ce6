// Vector loops over the codes of a chunk against a look at each document.
#include "common/partition/values/chunk_bits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/instruction_sets.h"

namespace frond::partition {
namespace {

// A chunk whose codes begin anywhere in memory, and end with it, so that a read behind them is found by a sanitizer.
struct CodedChunk {
  std::unique_ptr<std::byte[]> bytes;
  ValueColumn::Chunk chunk;
};

CodedChunk chunk_of(const std::vector<std::uint64_t>& codes, std::uint8_t width, std::size_t shift) {
  const std::size_t size = shift + codes.size() * width;
  CodedChunk made{std::make_unique<std::byte[]>(size), {}};
  made.chunk.documents = made.chunk.values = static_cast<std::uint32_t>(codes.size());
  made.chunk.width = width;
  made.chunk.least = width == 8 ? 0 : 7;
  made.chunk.greatest = made.chunk.least + *std::ranges::max_element(codes);
  made.chunk.codes = made.bytes.get() + shift;
  for (std::size_t i = 0; i < codes.size(); ++i)
    std::memcpy(made.bytes.get() + shift + i * width, &codes[i], width);  // little-endian
  return made;
}

std::vector<std::uint64_t> random_codes(std::size_t count, std::uint8_t width, std::mt19937_64& random) {
  std::vector<std::uint64_t> codes(count);
  const std::uint64_t most = width == 0 ? 0 : ~std::uint64_t{0} >> (64 - 8 * width);
  // Some lie close together, and some at the ends.
  for (std::uint64_t& code : codes) {
    const auto kind = random() % 8;
    code = kind == 0 ? most : kind == 1 ? 0 : kind < 5 ? random() % 9 & most : random() & most;
  }
  return codes;
}

struct Case {
  std::uint8_t width;
  std::size_t documents, shift;
};

template <class Check>
void for_each_case(const char* set, const Check& check) {
  std::mt19937_64 random(11);
  for (const std::uint8_t width : {0, 1, 2, 4, 8})
    for (const std::size_t documents : {1u, 5u, 63u, 64u, 65u, 200u, 1000u, 4095u, 4096u})
      for (const std::size_t shift : {0u, 1u, 3u, 6u}) {
        SCOPED_TRACE(std::string(set) + ", seed 11, width " + std::to_string(width) + ", " + std::to_string(documents) +
                     " documents, at " + std::to_string(shift));
        const auto codes = random_codes(documents, width, random);
        const CodedChunk made = chunk_of(codes, width, shift);
        check(made.chunk, codes, random);
      }
}

template <class Check>
void for_each_case(const Check& check) {
  support::with_every_instruction_set([&](const char* set) { for_each_case(set, check); });
}

TEST(CodesOfAChunk, AreFoundInRangesAsOneByOne) {
  for_each_case([](const ValueColumn::Chunk& chunk, const std::vector<std::uint64_t>& codes, std::mt19937_64& random) {
    const auto words = static_cast<std::uint32_t>((codes.size() + 63) / 64);
    for (int i = 0; i < 12; ++i) {
      const auto bound = [&] { return random() % 2 == 0 ? codes[random() % codes.size()] : random() % 12; };
      const std::uint64_t first = bound(), last = i == 0 ? ~std::uint64_t{0} : bound();
      std::vector<std::uint64_t> slow(words);
      for (std::size_t at = 0; at < codes.size(); ++at)
        slow[at / 64] |= std::uint64_t{first <= codes[at] && codes[at] <= last} << at % 64;
      std::vector<std::uint64_t> found(words, 1);
      find_codes(chunk, 0, words, first, last, found.data());
      ASSERT_EQ(found, slow) << first << " to " << last;
      const auto from = static_cast<std::uint32_t>(random() % words);
      const auto some = static_cast<std::uint32_t>(random() % (words - from + 1));
      found.assign(some, 1);
      find_codes(chunk, from, some, first, last, found.data());
      ASSERT_EQ(found, std::vector(slow.begin() + from, slow.begin() + from + some)) << first << " to " << last;
      if (some != 0) {
        ASSERT_EQ(chunk.codes_between(from, first, last), slow[from]);
      }
    }
  });
}

TEST(CodesOfAChunk, AreTakenOfManyDocumentsAsOneByOne) {
  for_each_case([](const ValueColumn::Chunk& chunk, const std::vector<std::uint64_t>& codes, std::mt19937_64& random) {
    if (chunk.width == 8) return;
    for (const int share : {1, 3, 20, 100}) {
      std::vector<std::uint64_t> documents((codes.size() + 63) / 64);
      std::vector<std::uint32_t> slow;
      for (std::size_t at = 0; at < codes.size(); ++at) {
        if (random() % 100 >= static_cast<std::uint64_t>(share)) continue;
        documents[at / 64] |= std::uint64_t{1} << at % 64;
        slow.push_back(static_cast<std::uint32_t>(codes[at]));
      }
      std::vector<std::uint32_t> taken(slow.size() + kTakeSlack);
      const std::uint32_t count = take_codes(chunk, documents.data(), taken.data());
      ASSERT_EQ(count, slow.size());
      taken.resize(count);
      ASSERT_EQ(taken, slow) << share;
    }
  });
}

}  // namespace
}  // namespace frond::partition
