#include "common/partition/terms/change_file.h"

#include <gtest/gtest.h>

#include "tests/support/scratch_folder.h"
#include "tests/support/small_partition.h"

namespace frond::partition {
namespace {

using Terms = std::map<std::string, std::int64_t>;

class AFileOfChanges : public testing::Test {
 protected:
  ChangesPtr write(const std::string& name, const HiddenByPartition& hidden, const Terms& terms,
                   const TermTotals& totals = {}) {
    const auto writer = ChangeWriter::create(folder_ / name, hidden).value();
    for (const auto& [term, by] : terms) EXPECT_TRUE(writer->add_term(term, by));
    EXPECT_TRUE(writer->finish(totals));
    return Changes::open(folder_ / name).value();
  }
  static Terms terms_of(const Changes& changes) {
    Terms terms;
    const auto cursor = changes.terms();
    while (cursor->next().value()) terms[std::string(cursor->term())] = cursor->by();
    return terms;
  }
  support::ScratchFolder folder_;
};

TEST_F(AFileOfChanges, GivesBackWhatWasWritten) {
  const auto changes = write("1.changes.sst", {{"g1-p0", {0, 1, 7}}, {"g1-p1", {5}}},
                             {{"apple", 3}, {"pear", -2}, {"same", 0}}, {7, 9, 12});
  EXPECT_EQ(changes->hidden().size(), 2u);
  EXPECT_EQ(changes->hidden().find("g1-p0")->second, (std::vector<DocId>{0, 1, 7}));
  EXPECT_EQ(changes->by("apple"), 3);
  EXPECT_EQ(changes->by("pear"), -2);
  EXPECT_EQ(changes->by("same"), 0);
  EXPECT_EQ(changes->by("hidden/g1-p0"), 0);
  EXPECT_EQ(changes->totals(), (TermTotals{7, 9, 12}));
  EXPECT_EQ(terms_of(*changes), (Terms{{"apple", 3}, {"pear", -2}}));
  EXPECT_TRUE(changes->verify_checksums());
}

TEST_F(AFileOfChanges, MayBeEmpty) {
  const auto changes = write("1.changes.sst", {}, {});
  EXPECT_TRUE(changes->hidden().empty());
  EXPECT_TRUE(terms_of(*changes).empty());
}

TEST_F(AFileOfChanges, AddsToTheBase) {
  const auto summary = support::write_partition(support::random_documents(50, 3), folder_ / "files").value();
  ASSERT_TRUE(Partition::ingest(folder_ / "files", summary.files, folder_ / "db", false));
  const std::vector<std::shared_ptr<const Partition>> partitions{Partition::open(folder_ / "db").value()};
  ASSERT_TRUE(write_term_statistics(partitions, folder_ / "base.sst"));
  const auto base = GenerationTerms::open(folder_ / "base.sst").value();
  std::map<std::string, std::uint64_t> wanted;
  ASSERT_TRUE(base->for_each([&](std::string_view term, std::uint64_t df) { return wanted.emplace(term, df).second; }));
  const auto [gone, gone_df] = *wanted.begin();
  const auto [more, more_df] = *std::next(wanted.begin());
  const auto first = write("1.changes.sst", {}, {{"", 0}, {gone, -static_cast<std::int64_t>(gone_df)}, {more, 5}});
  const auto second = write("2.changes.sst", {}, {{more, -1}, {"zzzz", 2}});
  wanted.erase(gone);
  wanted[more] = more_df + 4;
  wanted["zzzz"] = 2;
  const auto terms = changed_terms(base, {first, second});
  for (int again = 0; again < 2; ++again) {
    for (const auto& [term, df] : wanted) EXPECT_EQ(terms->df(term), df) << term;
    EXPECT_EQ(terms->df(gone), Code::kNotFound);
    EXPECT_EQ(terms->df("nowhere"), Code::kNotFound);
  }
  std::map<std::string, std::uint64_t> visited;
  ASSERT_TRUE(
      terms->for_each([&](std::string_view term, std::uint64_t df) { return visited.emplace(term, df).second; }));
  EXPECT_EQ(visited, wanted);
  for (const std::string& from : {std::string("t"), more, std::string("zzz")}) {
    visited.clear();
    ASSERT_TRUE(terms->for_each_from(
        from, [&](std::string_view term, std::uint64_t df) { return visited.emplace(term, df).second; }));
    EXPECT_EQ(visited, (std::map<std::string, std::uint64_t>(wanted.lower_bound(from), wanted.end()))) << from;
  }
  const auto wrong = changed_terms(base, {write("3.changes.sst", {}, {{"never", -1}})});
  EXPECT_EQ(wrong->df("never"), Code::kCorrupt);
  EXPECT_EQ(wrong->for_each([](auto, auto) { return true; }), Code::kCorrupt);
}

TEST_F(AFileOfChanges, HidesADocumentOnce) {
  const std::vector<ChangesPtr> changes{write("1.changes.sst", {{"p", {4, 9}}}, {}),
                                        write("2.changes.sst", {{"p", {2}}, {"q", {4}}}, {})};
  EXPECT_EQ(hidden_documents_of("p", 10, changes).value(), (std::vector<DocId>{2, 4, 9}));
  EXPECT_TRUE(hidden_documents_of("r", 10, changes)->empty());
  EXPECT_EQ(hidden_documents_of("p", 9, changes), Code::kCorrupt);
  const std::vector<ChangesPtr> twice{changes[0], changes[0]};
  EXPECT_EQ(hidden_documents_of("p", 10, twice), Code::kCorrupt);
}

TEST_F(AFileOfChanges, RefusesOtherFiles) {
  EXPECT_EQ(Changes::open(folder_ / "none.sst"), Code::kNotFound);
  support::write_file(folder_ / "rubbish.sst", std::string(5000, 'r'));
  EXPECT_EQ(Changes::open(folder_ / "rubbish.sst"), Code::kCorrupt);
  EXPECT_EQ(ChangeWriter::create(folder_ / "nowhere" / "1.sst", {}), Code::kUnavailable);
}

}  // namespace
}  // namespace frond::partition
