// Statistics of terms that are written beside the lists are those of the lists.
#include "indexer/publish/term_statistics.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/partition/terms/term_statistics.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::publish {
namespace {

using support::ScratchFolder;
using StoredTerms = std::map<std::string, std::uint64_t>;

StoredTerms stored_in(const std::filesystem::path& file) {
  StoredTerms all;
  const auto terms = partition::GenerationTerms::open(file);
  EXPECT_TRUE(terms) << terms.error().message();
  EXPECT_TRUE((*terms)->for_each([&](std::string_view term, std::uint64_t df) {
    all[std::string(term)] = df;
    return true;
  }));
  return all;
}

struct Piece {
  std::string term;
  std::vector<Frequency> frequencies;
  bool first = true, last = true;
};
PostingGroup group_of(const std::vector<Piece>& pieces) {
  PostingGroup group;
  for (const Piece& piece : pieces) {
    for (const Frequency frequency : piece.frequencies) {
      group.docids.push_back(static_cast<DocId>(group.docids.size()));
      group.frequencies.push_back(frequency);
    }
    group.pieces.push_back({piece.term, group.docids.size(), piece.first, piece.last});
  }
  return group;
}

TEST(TermsWriter, AddsUpAListThatGoesOnInTheNextGroups) {
  const ScratchFolder folder;
  const auto terms = TermsWriter::create(folder / "terms", 2).value();
  ASSERT_TRUE(terms->put(group_of({{"a", {1}}, {"b", {2, 3}, true, false}})));
  ASSERT_TRUE(terms->put(group_of({{"b", {4, 4, 4}, false, false}})));
  ASSERT_TRUE(terms->put(group_of({{"b", {5}, false, true}, {"c", {1, 1}}})));
  const TermsFile file = terms->finish().value();
  EXPECT_EQ(file.path, folder / "terms");
  EXPECT_EQ(file.totals, (partition::TermTotals{.terms = 3, .postings = 9, .occurrences = 25}));
  EXPECT_EQ(stored_in(file.path), (StoredTerms{{"a", 1}, {"b", 6}, {"c", 2}}));
}

TEST(TermsWriter, HaveAFileWithoutAny) {
  const ScratchFolder folder;
  const TermsFile file = TermsWriter::create(folder / "terms", 1).value()->finish().value();
  EXPECT_EQ(file.totals, partition::TermTotals());
  EXPECT_TRUE(stored_in(file.path).empty());
}

TEST(TermsWriter, SayWhereTheyCannotBeWritten) {
  const auto terms = TermsWriter::create("/dev/null/terms", 1);
  ASSERT_FALSE(terms);
  EXPECT_EQ(terms.error().code(), Code::kUnavailable);
}

}  // namespace
}  // namespace frond::indexer::publish
