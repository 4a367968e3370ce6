// The methods of intersection on the host: each finds exactly the documents of a list, wherever they are.
#include "tools/papers/intersect/methods.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/docid_lists.h"
#include "tools/papers/intersect/list_form.h"
#include "tools/papers/intersect/list_search.h"

namespace frond::tools::papers {
namespace {

using support::Random;

// Calls `with` with an object of the type that searches lists of the kind.
template <class With>
auto searching(Kind kind, With with) {
  switch (kind) {
    case Kind::kInterpolation:
      return with(Interpolation{});
    case Kind::kLinearRegression:
      return with(RegressionBounds{});
    case Kind::kHashSegmentation:
      return with(HashSegmentation{});
    case Kind::kLrc:
      return with(LrcSearch{});
    case Kind::kLrcSeg:
      return with(SegmentSearch<true>{});
    case Kind::kSegLrc:
      return with(SegmentSearch<false>{});
    case Kind::kHsLrc:
      return with(BucketSearch{});
    default:
      return with(BinarySearch{});
  }
}

std::vector<DocId> searched(Method method, const std::vector<DocId>& list, const std::vector<DocId>& wanted,
                            std::uint32_t documents) {
  const ListForm form(method, list, documents);
  const ListView view = form.at(form.bytes().data());
  std::vector<DocId> found;
  searching(method.kind, [&](auto search) {
    for (const DocId docid : wanted)
      if (decltype(search)::holds(view, docid, {0, view.count})) found.push_back(docid);
  });
  return found;
}

class EveryMethod : public testing::TestWithParam<Method> {};

TEST_P(EveryMethod, FindsWhatSetIntersectionFindsOfThousandsOfRandomLists) {
  const std::uint64_t seed = 8101;
  Random random(seed);
  for (int round = 0; round < 1000; ++round) {
    const auto documents = static_cast<std::uint32_t>(1 + random.below(random.below(2) ? 40 : 6000));
    const auto count = static_cast<std::uint32_t>(random.below(documents + 1));
    const auto other = static_cast<std::uint32_t>(random.below(documents + 1));
    const auto list = random.below(2) ? support::uniform_docids(random, count, documents)
                                      : support::clustered_docids(random, count, documents);
    const auto wanted = support::uniform_docids(random, std::min(other, 600u), documents);
    ASSERT_EQ(searched(GetParam(), list, wanted, documents), support::intersection_of({{&list, &wanted}}))
        << "seed " << seed << " round " << round << ", " << list.size() << " of " << documents;
  }
}

TEST_P(EveryMethod, FindsEveryDocumentOfListsOfAwkwardLengthsAndNoneBetween) {
  const std::uint64_t seed = 8102;
  Random random(seed);
  for (const std::uint32_t count : {0u, 1u, 2u, 127u, 128u, 129u, 255u, 256u, 257u, 4097u, 1u << 20}) {
    const std::uint32_t documents = 3 * count + 10;
    std::vector<DocId> asked;  // all documents, or one in thirteen
    for (DocId docid = 0; docid < documents; docid += (count > 5000 ? 13 : 1)) asked.push_back(docid);
    for (const bool clustered : {false, true}) {
      const auto list = clustered ? support::clustered_docids(random, count, documents)
                                  : support::uniform_docids(random, count, documents);
      ASSERT_EQ(searched(GetParam(), list, asked, documents), support::intersection_of({{&list, &asked}}))
          << "seed " << seed << " count " << count;
    }
  }
}

TEST_P(EveryMethod, ReachesTheGreatestDocumentsThereCanBe) {
  const std::uint32_t documents = kNoDoc;
  const std::vector<DocId> list{0, 1, 77, 1u << 31, kNoDoc - 3, kNoDoc - 1};
  EXPECT_EQ(searched(GetParam(), list, list, documents), list);
  EXPECT_TRUE(searched(GetParam(), list, {2, 76, 78, (1u << 31) - 1, kNoDoc - 2}, documents).empty());
  const std::vector<DocId> last{kNoDoc - 2, kNoDoc - 1};
  EXPECT_EQ(searched(GetParam(), last, {0, kNoDoc - 3, kNoDoc - 2, kNoDoc - 1}, documents), last);
}

std::vector<Method> methods_of_the_host() {
  std::vector<Method> methods;
  for (const Method& method : all_methods())
    if (needs_no_kernel(method)) methods.push_back(method);
  return methods;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryMethod, testing::ValuesIn(methods_of_the_host()), [](const auto& named) {
  std::string name = name_of(named.param);
  for (char& c : name) c = c == '-' || c == ':' ? '_' : c;
  return name;
});

// docIDs by position: a kernel's thread reads its document in this way.
TEST_P(EveryMethod, ReadsEveryDocumentByItsPosition) {
  const std::uint64_t seed = 8104;
  Random random(seed);
  for (const std::uint32_t count : {1u, 127u, 128u, 129u, 255u, 256u, 257u, 5000u})
    for (const bool clustered : {false, true}) {
      const auto list = clustered ? support::clustered_docids(random, count, 9 * count)
                                  : support::uniform_docids(random, count, 9 * count);
      const ListForm form(GetParam(), list, 9 * count);
      const ListView view = form.at(form.bytes().data());
      std::vector<DocId> read;
      searching(GetParam().kind, [&](auto search) {
        for (std::uint32_t i = 0; i < view.count; ++i) read.push_back(decltype(search)::docid(view, i));
      });
      ASSERT_EQ(read, list) << "seed " << seed << " count " << count;
    }
}

TEST(Methods, AreNamedByKindOrByKindAndParameter) {
  EXPECT_EQ(name_of({Kind::kHashSegmentation, 16}), "hash-segmentation:16");
  EXPECT_TRUE(is_named({Kind::kHashSegmentation, 16}, "hash-segmentation"));
  EXPECT_TRUE(is_named({Kind::kHashSegmentation, 16}, "hash-segmentation:16"));
  EXPECT_FALSE(is_named({Kind::kHashSegmentation, 16}, "hash-segmentation:32"));
  EXPECT_EQ(name_of({Kind::kBinary, 0}), "binary");
}

TEST(RegressionBounds, AreNarrowForListsThatLieAlongALine) {
  std::vector<DocId> list;
  for (DocId i = 0; i < 10'000; ++i) list.push_back(7 * i + i % 3);
  const ListForm form({Kind::kLinearRegression, 0}, list, 80'000);
  const ListView view = form.at(form.bytes().data());
  EXPECT_LE(view.left + view.right, 4u);
}

TEST(HashSegmentation, HasAsManyDocumentsToABucketAsAsked) {
  const std::uint64_t seed = 8103;
  Random random(seed);
  const auto list = support::uniform_docids(random, 40'000, 1'000'000);
  for (const unsigned bucket : {16u, 256u}) {
    const ListForm form({Kind::kHashSegmentation, bucket}, list, 1'000'000);
    const double mean = 40'000.0 / form.at(form.bytes().data()).parts;
    EXPECT_LE(mean, bucket * 1.1) << "seed " << seed;
    EXPECT_GE(mean, bucket / 4.0) << "seed " << seed;
  }
}

}  // namespace
}  // namespace frond::tools::papers
