#include "indexer/change/removed_terms.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/ranges.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_partition.h"

namespace frond::indexer::change {
namespace {

using partition::PublishedPartition;

constexpr std::uint32_t kDocuments = 1500;

// Documents whose terms are those of their texts, but of some: another text was stored than was indexed, or none.
std::vector<support::TestDocument> some_documents() {
  std::mt19937 random(5);
  std::vector<support::TestDocument> documents(kDocuments);
  for (std::uint32_t i = 0; i < kDocuments; ++i) {
    auto& document = documents[i];
    document.id = "d" + std::to_string(i);
    for (unsigned n = random() % 40; n > 0; --n) {
      const std::string term = "w" + std::to_string(random() % (1u << random() % 12));
      ++document.terms[term];
      ++document.length;
      (n % 4 == 0 ? document.title : document.body) += term + " ";
    }
    if (i % 50 == 7) document.body += "one more token";
    if (i % 50 == 8 && !document.body.empty()) document.body[1] = 'x';  // as many tokens
    if (i % 50 == 9) document.body.clear();
  }
  return documents;
}

class RemovedTermsOf : public testing::Test {
 protected:
  static text::AnalyzerConfig analyzer() {
    text::AnalyzerConfig config;
    config.stemmer = text::Stemmer::kNone;
    return config;
  }
  std::unique_ptr<const PublishedPartition> partition(bool digests) {
    const auto folder = folder_ / (digests ? "with" : "without");
    summary_ = support::write_partition(documents_, folder, 0.4, digests).value();
    return PublishedPartition::open(folder, summary_.files).value();
  }
  // Expects of `removed`, to which `docids` were added, what the documents' terms say.
  void expect(RemovedTerms& removed, const RemovedTerms::Counts& counts, const std::vector<DocId>& docids) {
    std::map<std::string, std::int64_t> terms, got;
    std::uint64_t tokens = 0, postings = 0;
    for (const DocId docid : docids) {
      for (const auto& [term, frequency] : documents_[docid].terms) ++terms[term];
      tokens += documents_[docid].length;
      postings += documents_[docid].terms.size();
    }
    EXPECT_EQ(counts.tokens, tokens);
    EXPECT_EQ(counts.postings, postings);
    std::vector<TermCounts> all;
    all.push_back(removed.take_documents());
    const auto cursor = terms_of(std::move(all));
    while (cursor->next().value()) EXPECT_TRUE(got.emplace(cursor->term(), cursor->by()).second);
    EXPECT_EQ(got, terms);
  }
  static std::vector<DocId> every(DocId step) {
    std::vector<DocId> docids;
    for (DocId docid = 3; docid < kDocuments; docid += step) docids.push_back(docid);
    return docids;
  }
  support::ScratchFolder folder_;
  partition::PartitionSummary summary_;  // of the last partition()
  const std::vector<support::TestDocument> documents_ = some_documents();
};

// With step 1 there are so many that all lists are read.
TEST_F(RemovedTermsOf, APartitionAreThoseOfItsListsHoweverTheyAreVerified) {
  for (const bool digests : {true, false}) {
    const auto published = partition(digests);
    for (const DocId step : {1u, 2u, 13u, 5000u}) {
      SCOPED_TRACE(std::string(digests ? "with" : "without") + " digests, every " + std::to_string(step));
      RemovedTerms removed(analyzer());
      const auto counts = removed.add(*published, every(step));
      ASSERT_TRUE(counts) << counts.error().message();
      expect(removed, *counts, every(step));
    }
  }
}

TEST_F(RemovedTermsOf, APartitionAreTheSameWhereFewAreHeld) {
  for (const bool digests : {true, false}) {
    for (const DocId step : {1u, 2u}) {
      const auto published = partition(digests);
      RemovedTerms removed(analyzer(), folder_.path(), /*held=*/4000);
      const auto counts = removed.add(*published, every(step));
      ASSERT_TRUE(counts) << counts.error().message();
      EXPECT_GT(removed.documents().runs(), 0u);
      expect(removed, *counts, every(step));
    }
  }
}

TEST_F(RemovedTermsOf, ADocumentThatItsTextDoesNotTellAreLeftToTheLists) {
  const auto published = partition(true);
  support::Ranges ranges(folder_ / "with");
  const auto ranged = partition::RangedPartition::open("with", summary_, ranges.reader());
  RemovedTerms removed(analyzer());
  std::vector<DocId> unknown;
  auto counts = removed.add_told(*ranged, every(2), unknown).value();
  EXPECT_GT(unknown.size(), 20u);
  EXPECT_LT(unknown.size(), every(2).size() / 10);
  const auto rest = removed.add(*published, unknown).value();
  counts.tokens += rest.tokens;
  counts.postings += rest.postings;
  expect(removed, counts, every(2));
  unknown.clear();
  partition(false);
  support::Ranges without(folder_ / "without");
  EXPECT_EQ(
      removed.add_told(*partition::RangedPartition::open("without", summary_, without.reader()), every(2), unknown)
          ->tokens,
      0u);
  EXPECT_EQ(unknown, every(2)) << "without digests, no text tells";
}

TEST_F(RemovedTermsOf, SeveralPartitionsAddUp) {
  const auto with = partition(true), without = partition(false);
  RemovedTerms removed(analyzer()), alone(analyzer());
  const auto first = removed.add(*with, every(9)).value(), second = removed.add(*without, every(9)).value();
  const auto counts = alone.add(*with, every(9)).value();
  EXPECT_EQ(first.postings, second.postings);
  const auto twice = removed.documents().in_order(), once = alone.documents().in_order();
  ASSERT_EQ(twice.size(), once.size());
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(twice[i].second, 2 * once[i].second) << once[i].first;
  expect(alone, counts, every(9));
}

TEST_F(RemovedTermsOf, NoDocumentsAreNone) {
  RemovedTerms removed(analyzer());
  const auto counts = removed.add(*partition(true), {}).value();
  expect(removed, counts, {});
}

}  // namespace
}  // namespace frond::indexer::change
