#include "common/partition/documents/hidden_documents.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace frond::partition {
namespace {

void expect_equal(const HiddenDocuments& hidden, const std::set<DocId>& wanted, std::uint32_t documents) {
  ASSERT_EQ(hidden.count(), wanted.size());
  std::set<DocId> docids;
  for (DocId docid = hidden.next(0); docid != kNoDoc; docid = hidden.next(docid + 1)) docids.insert(docid);
  EXPECT_EQ(docids, wanted);
  for (DocId docid = 0; docid < documents; ++docid) ASSERT_EQ(hidden.contains(docid), wanted.contains(docid)) << docid;
  for (const DocId from : {DocId{0}, documents / 2, documents}) {
    const auto next = wanted.lower_bound(from);
    EXPECT_EQ(hidden.next(from), next == wanted.end() ? kNoDoc : *next);
  }
  EXPECT_EQ(hidden.word(documents / 64 + 1), 0u);
  EXPECT_EQ(hidden.word(1u << 26), 0u);
}

TEST(HiddenDocumentsOfAGeneration, AreThoseOfTheOneBeforeAndMore) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (const std::uint32_t documents : {1u, 64u, 4096u, 4097u, 30'000u}) {
    std::set<DocId> all, first;
    for (std::uint32_t i = 0; i < documents / 9 + 1; ++i) all.insert(random() % documents);
    for (const DocId docid : all)
      if (random() % 2 == 0) first.insert(docid);
    std::vector<DocId> more;
    std::set_difference(all.begin(), all.end(), first.begin(), first.end(), std::back_inserter(more));
    const HiddenDocuments before(documents, std::vector<DocId>(first.begin(), first.end()));
    const auto after = before.with(more);
    expect_equal(before, first, documents);
    expect_equal(*after, all, documents);
    expect_equal(HiddenDocuments(documents, std::vector<DocId>(all.begin(), all.end())), all, documents);
  }
}

TEST(HiddenDocumentsOfAGeneration, MayBeNone) {
  expect_equal(HiddenDocuments(5000, {}), {}, 5000);
  expect_equal(*HiddenDocuments(5000, {}).with({}), {}, 5000);
}

TEST(HiddenDocuments, AreAllButThoseThatAFilterShows) {
  std::mt19937 random(3);
  for (const std::uint32_t documents : {1u, 64u, 100u, 4096u, 9000u}) {
    std::vector<std::uint64_t> shown((documents + 63) / 64);
    for (std::uint64_t& word : shown) word = random() % 3 == 0 ? ~std::uint64_t{0} : random();
    const HiddenDocuments hidden(documents, std::vector<DocId>{documents / 2});
    for (const HiddenDocuments* const besides : {static_cast<const HiddenDocuments*>(nullptr), &hidden}) {
      const auto left_out = HiddenDocuments::all_but(documents, shown, besides);
      std::size_t count = 0;
      for (DocId docid = 0; docid < documents; ++docid) {
        const bool wanted =
            (shown[docid / 64] >> docid % 64 & 1) == 0 || (besides != nullptr && besides->contains(docid));
        EXPECT_EQ(left_out->contains(docid), wanted) << docid << " of " << documents;
        count += wanted ? 1 : 0;
      }
      EXPECT_EQ(left_out->count(), count);
      EXPECT_FALSE(left_out->contains(documents));
    }
  }
}

}  // namespace
}  // namespace frond::partition
