// Term statistics of more terms than a section has: the same bytes by any number of threads, found from everywhere.
#include "common/partition/terms/term_sections.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/files/read.h"
#include "common/partition/files/rocks.h"
#include "common/partition/terms/term_statistics.h"
#include "tests/support/scratch_folder.h"

namespace frond::partition {
namespace {

constexpr std::uint64_t kTerms = 3 * kSectionTerms + 5;
constexpr std::size_t kMadeUpBytes = 8 << 10;  // RocksDB's properties of a section: identities, times

class TermSections : public testing::Test {
 protected:
  static std::string term(std::uint64_t number) { return "t" + std::to_string(100'000'000 + number); }
  static std::uint64_t df(std::uint64_t number) { return 1 + number % 1000; }
  static TermTotals totals(std::uint64_t terms) { return {terms, terms * 2000, terms * 2000}; }

  Result<void> write(const std::string& name, std::uint64_t terms, std::uint32_t threads) {
    return guarded(name, [&]() -> Result<void> {
      auto out = FROND_TRY(TermSectionsWriter::create(scratch_ / name, threads));
      for (std::uint64_t i = 0; i < terms; ++i) FROND_TRY(out.put(term(i), df(i)));
      if (threads % 2 == 0) FROND_TRY(out.end(totals(terms)));  // or finish() does it
      return out.finish(totals(terms));
    });
  }
  std::string bytes_of(const std::string& name) {
    return files::read_text(scratch_ / name, std::size_t{64} << 20).value();
  }
  std::vector<TermSection> sections_of(const std::string& bytes) {
    const std::uint64_t directory = sections_bytes(as_bytes(bytes), bytes.size()).value();
    if (directory == 0) return {};
    return decode_sections(as_bytes(bytes).last(directory), bytes.size()).value();
  }
  support::ScratchFolder scratch_;
};

TEST_F(TermSections, KeepEveryTerm) {
  ASSERT_TRUE(write("t.sst", kTerms, 3).has_value());
  const auto terms = GenerationTerms::open(scratch_ / "t.sst").value();
  EXPECT_EQ(terms->totals(), totals(kTerms));
  std::uint64_t next = 0;
  EXPECT_TRUE(terms
                  ->for_each([&](std::string_view found, std::uint64_t of) {
                    EXPECT_EQ(found, term(next));
                    EXPECT_EQ(of, df(next));
                    return ++next < kTerms || found == term(kTerms - 1);
                  })
                  .has_value());
  EXPECT_EQ(next, kTerms);
  EXPECT_TRUE(terms->verify_checksums().has_value());
  EXPECT_TRUE(terms->check_files().has_value());
  const auto reader = terms->reader();
  for (std::uint64_t i = 0; i < kTerms; i += i % kSectionTerms < 2 || i % kSectionTerms > kSectionTerms - 3 ? 1 : 97) {
    ASSERT_EQ(terms->df(term(i)), df(i)) << i;
    ASSERT_EQ(reader->df(term(i)), df(i)) << i;
  }
  for (const std::string& other : {std::string(), std::string("a"), term(kSectionTerms) + "0", std::string("u")}) {
    EXPECT_EQ(terms->df(other), Code::kNotFound) << other;
    EXPECT_EQ(reader->df(other), std::uint64_t{0}) << other;
  }
}

TEST_F(TermSections, AreCutAtTheSameTermsByAnyNumberOfThreads) {
  ASSERT_TRUE(write("one.sst", kTerms, 1).has_value());
  const std::string one = bytes_of("one.sst");
  const auto expected = sections_of(one);
  ASSERT_EQ(expected.size(), 4u);
  for (const std::uint32_t threads : {0u, 2u, 9u}) {
    ASSERT_TRUE(write("many.sst", kTerms, threads).has_value());
    const std::string many = bytes_of("many.sst");
    const auto sections = sections_of(many);
    ASSERT_EQ(sections.size(), expected.size());
    for (std::size_t i = 0; i < sections.size(); ++i) {
      EXPECT_EQ(sections[i].first_term, term(i * kSectionTerms));
      const auto begin = static_cast<std::size_t>(expected[i].offset);
      const auto bytes = static_cast<std::size_t>(expected[i].bytes);
      const std::size_t same = bytes - std::min(bytes, kMadeUpBytes);
      EXPECT_EQ(many.substr(static_cast<std::size_t>(sections[i].offset), same), one.substr(begin, same)) << threads;
    }
  }
}

TEST_F(TermSections, OfOneSectionAreAPlainSstFile) {
  for (const std::uint64_t terms : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{kSectionTerms}}) {
    ASSERT_TRUE(write("t.sst", terms, 2).has_value());
    EXPECT_EQ(sections_bytes(as_bytes(bytes_of("t.sst")), bytes_of("t.sst").size()), std::uint64_t{0}) << terms;
    EXPECT_EQ(GenerationTerms::open(scratch_ / "t.sst").value()->totals(), totals(terms));
  }
  ASSERT_TRUE(write("t.sst", kSectionTerms + 1, 2).has_value());
  EXPECT_EQ(sections_of(bytes_of("t.sst")).size(), 2u);
}

TEST_F(TermSections, EndWhereTheirTextIsLong) {
  ASSERT_TRUE(guarded("t", [&]() -> Result<void> {
                auto out = FROND_TRY(TermSectionsWriter::create(scratch_ / "t.sst", 1));
                for (std::uint64_t i = 0; i < 4096; ++i) FROND_TRY(out.put(term(i) + std::string(1000, 'x'), 1));
                return out.finish(totals(4096));
              }).has_value());
  EXPECT_EQ(sections_of(bytes_of("t.sst")).size(), 2u);
}

TEST_F(TermSections, RefuseTermsThatDoNotAscend) {
  for (const std::uint64_t at : {std::uint64_t{5}, std::uint64_t{kSectionTerms}}) {
    const auto written = guarded("t", [&]() -> Result<void> {
      auto out = FROND_TRY(TermSectionsWriter::create(scratch_ / "t.sst", 2));
      for (std::uint64_t i = 0; i < at; ++i) FROND_TRY(out.put(term(i), 1));
      FROND_TRY(out.put(term(at - 1), 1));
      return out.finish(totals(at + 1));
    });
    EXPECT_EQ(written, Code::kInvalid) << at;
  }
}

TEST_F(TermSections, HaveTheDirectoryOfTheFormatPage) {
  const std::vector<TermSection> sections{{"a", 0, 1000}, {"b", 1000, 300}};
  ByteBuffer directory;
  encode_sections(sections, directory);
  std::string hex;
  for (const std::byte byte : directory) {
    hex.push_back("0123456789abcdef"[static_cast<unsigned>(byte) >> 4]);
    hex.push_back("0123456789abcdef"[static_cast<unsigned>(byte) & 15]);
  }
  EXPECT_EQ(hex, "02e8070161ac0201620900000000000000307de595f7df91024652545345435431");
}

TEST_F(TermSections, AreNotReadWhereTheirDirectoryIsDamaged) {
  ASSERT_TRUE(write("t.sst", kSectionTerms + 1, 2).has_value());
  const std::string whole = bytes_of("t.sst");
  const std::size_t directory = sections_bytes(as_bytes(whole), whole.size()).value();
  for (std::size_t i = whole.size() - directory; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    const auto bytes = sections_bytes(as_bytes(damaged), damaged.size());
    if (bytes && *bytes > 0) {
      EXPECT_EQ(decode_sections(as_bytes(damaged).last(*bytes), damaged.size()).error().code(), Code::kCorrupt) << i;
    }
    support::write_file(scratch_ / "damaged.sst", damaged);
    EXPECT_EQ(GenerationTerms::open(scratch_ / "damaged.sst").error().code(), Code::kCorrupt) << i;
  }
  for (std::size_t left = 0; left <= directory; ++left) {
    support::write_file(scratch_ / "short.sst", whole.substr(0, left));
    EXPECT_EQ(GenerationTerms::open(scratch_ / "short.sst").error().code(), Code::kCorrupt) << left;
  }
}

TEST_F(TermSections, TellWhenTheirFileIsCutShort) {
  ASSERT_TRUE(write("t.sst", kTerms, 2).has_value());
  const auto terms = GenerationTerms::open(scratch_ / "t.sst").value();
  std::filesystem::resize_file(scratch_ / "t.sst", 4096);
  EXPECT_EQ(terms->df(term(2 * kSectionTerms)), Code::kCorrupt);
  EXPECT_EQ(terms->intact(), Code::kCorrupt);
  EXPECT_EQ(terms->check_files(), Code::kCorrupt);
}

}  // namespace
}  // namespace frond::partition
