#include "leaf/warm/asked_terms.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/scratch_folder.h"

namespace frond::leaf::warm {
namespace {

TEST(AskedTerms, AreMergedTheMostOftenAskedFirst) {
  const auto all = merged({{"old", 8}, {"both", 4}}, {{"new", 3}, {"both", 3}, {"a", 4}});
  EXPECT_EQ(all, (std::vector<AskedTerm>{{"both", 5}, {"a", 4}, {"old", 4}, {"new", 3}}));
  EXPECT_TRUE(merged({}, {}).empty());
}

TEST(AskedTerms, AreBoundedInNumberAndBytes) {
  std::vector<AskedTerm> many, large;
  for (std::size_t i = 0; i < 3 * kMaxAskedTerms; ++i) many.push_back({std::to_string(i), static_cast<float>(i)});
  const auto kept = merged({}, many);
  ASSERT_EQ(kept.size(), kMaxAskedTerms);
  EXPECT_EQ(kept.front().term, std::to_string(3 * kMaxAskedTerms - 1));
  for (std::size_t i = 0; i < 2000; ++i) large.push_back({std::to_string(i) + std::string(10'000, 'x'), 1});
  const ByteBuffer bytes = to_bytes(merged({}, large));
  EXPECT_LE(bytes.size(), kMaxAskedBytes);
  EXPECT_TRUE(from_bytes(bytes));
}

TEST(AskedTerms, AreReadAsTheyWereWritten) {
  const support::ScratchFolder folder;
  const std::vector<AskedTerm> terms = {{std::string("a\0b\n", 4), 2.5F}, {"", 1}, {"größe", 0}};
  ASSERT_TRUE(write_asked(folder / "ASKED", terms));
  EXPECT_EQ(*read_asked(folder / "ASKED"), terms);
  EXPECT_EQ(read_asked(folder / "none"), Code::kNotFound);
}

TEST(AskedTerms, AreRefusedWhenTheirBytesAreDamaged) {
  const ByteBuffer good = to_bytes({{"one", 1}, {"two", 2}});
  for (std::size_t i = 0; i < good.size(); ++i) {
    ByteBuffer bad = good;
    bad[i] ^= std::byte{0x10};
    EXPECT_EQ(from_bytes(bad), Code::kCorrupt) << i;
    EXPECT_EQ(from_bytes(ByteView(good).first(i)), Code::kCorrupt) << i;
  }
  const support::ScratchFolder folder;
  std::ofstream(folder / "ASKED") << "anything";
  const auto read = read_asked(folder / "ASKED");
  ASSERT_EQ(read, Code::kCorrupt);
  EXPECT_NE(read.error().message().find("ASKED"), std::string::npos);
}

}  // namespace
}  // namespace frond::leaf::warm
