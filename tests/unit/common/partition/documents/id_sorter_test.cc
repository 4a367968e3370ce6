#include "common/partition/documents/id_sorter.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/support/scratch_folder.h"

namespace frond::partition {
namespace {

constexpr std::uint32_t kSeed = 5;

void expect_order(IdSorter& sorter, const std::map<std::string, DocId>& expected) {
  auto at = expected.begin();
  const auto done = sorter.finish([&](std::string_view id, DocId docid) -> Result<void> {
    EXPECT_EQ(id, at->first);
    EXPECT_EQ(docid, at->second);
    ++at;
    return {};
  });
  EXPECT_TRUE(done.has_value()) << done.error().message();
  EXPECT_EQ(at, expected.end()) << "seed " << kSeed;
}

TEST(AnIdSorter, VisitsInByteOrderWhetherItSpillsOrNot) {
  const support::ScratchFolder scratch;
  for (const std::size_t memory : {64u << 10, 16u << 20}) {
    std::mt19937 random(kSeed);
    IdSorter sorter(scratch / "scratch", memory);
    std::map<std::string, DocId> expected;
    for (DocId docid = 0; docid < 40000; ++docid) {
      std::string id = "id" + std::to_string(random());
      if (docid % 1000 == 0) id += std::string(60000, 'x');  // longer than the merge's buffers
      if (!expected.emplace(id, docid).second) continue;
      ASSERT_TRUE(sorter.add(id, docid).has_value());
    }
    EXPECT_EQ(sorter.runs() > 0, memory < (1u << 20));
    expect_order(sorter, expected);
    EXPECT_TRUE(std::filesystem::is_empty(scratch.path())) << "the scratch file has no name";
  }
}

TEST(AnIdSorter, SortsIdsThatBeginWithTheSameBytes) {
  const support::ScratchFolder scratch;
  const std::string common = "https://example.org/";
  for (const bool with_another : {false, true}) {
    IdSorter sorter(scratch / "scratch", 1 << 20);
    std::map<std::string, DocId> expected;
    const auto add = [&](const std::string& id) {
      const auto docid = static_cast<DocId>(expected.size());
      if (!expected.emplace(id, docid).second) return;
      ASSERT_TRUE(sorter.add(id, docid).has_value());
    };
    if (with_another) add("http");
    std::mt19937 random(kSeed);
    for (const std::string& some : {std::string(), std::string(1, '\0'), std::string("\xff"), std::string("01234567")})
      for (std::size_t i = 0; i < 300; ++i)
        add(common + some + std::string(i % 12, 'a' + i % 3) + std::to_string(random() % 50));
    add(common);
    expect_order(sorter, expected);
  }
}

TEST(AnIdSorter, NamesAnIdThatCameTwice) {
  const support::ScratchFolder scratch;
  for (const std::size_t memory : {4u << 10, 1u << 20}) {
    IdSorter sorter(scratch / "scratch", memory);
    for (DocId docid = 0; docid < 2000; ++docid)
      ASSERT_TRUE(sorter.add("id" + std::to_string(docid == 1999 ? 7 : docid), docid).has_value());
    const auto done = sorter.finish([](auto, auto) -> Result<void> { return {}; });
    ASSERT_FALSE(done.has_value());
    EXPECT_NE(done.error().message().find("'id7' of documents 7 and 1999"), std::string::npos)
        << done.error().message();
  }
}

TEST(AnIdSorter, NamesTheScratchFileItCannotWrite) {
  IdSorter sorter("/nonexistent/folder/scratch", 1 << 10);
  Result<void> last;
  for (DocId docid = 0; docid < 2000 && last; ++docid) last = sorter.add("id" + std::to_string(docid), docid);
  EXPECT_EQ(last, Code::kUnavailable);
  EXPECT_NE(last.error().message().find("/nonexistent/folder/scratch"), std::string::npos);
}

}  // namespace
}  // namespace frond::partition
