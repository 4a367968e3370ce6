// Batches of intersections on the device: every method finds what std::set_intersection finds.
#include "tools/papers/intersect/intersector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/docid_lists.h"

namespace frond::tools::papers {
namespace {

using support::Random;

struct Lists {
  std::uint32_t documents = 0;
  std::vector<std::vector<DocId>> lists;
};

Lists random_lists(std::uint64_t seed, std::uint32_t documents, std::span<const std::uint32_t> counts) {
  Random random(seed);
  Lists made{documents, {}};
  for (const std::uint32_t count : counts)
    made.lists.push_back(random.below(2) ? support::uniform_docids(random, count, documents)
                                         : support::clustered_docids(random, count, documents));
  return made;
}

QuerySet random_queries(std::uint64_t seed, std::size_t count, std::uint32_t lists, std::uint32_t max_terms) {
  Random random(seed);
  QuerySet queries;
  std::vector<std::uint32_t> all(lists);
  for (std::uint32_t l = 0; l < lists; ++l) all[l] = l;
  for (std::size_t q = 0; q < count; ++q) {
    const auto terms = 1 + random.below(std::min(max_terms, lists));
    for (std::size_t t = 0; t < terms; ++t) std::swap(all[t], all[t + random.below(lists - t)]);
    queries.add(std::span(all).first(terms));
  }
  return queries;
}

std::vector<DocId> wanted(const Lists& lists, std::span<const std::uint32_t> query) {
  std::vector<const std::vector<DocId>*> chosen;
  for (const std::uint32_t list : query) chosen.push_back(&lists.lists[list]);
  std::sort(chosen.begin(), chosen.end(), [](const auto* a, const auto* b) { return a->size() < b->size(); });
  return support::intersection_of(chosen);
}

// Checks the answers of all queries, with several batches in progress.
void check_all(Method method, const Lists& lists, const QuerySet& queries, const IntersectorOptions& options,
               std::uint64_t seed) {
  const auto index = DeviceIndex::create(method, lists.lists, lists.documents, 2);
  ASSERT_TRUE(index.has_value()) << index.error().message();
  auto intersector = Intersector::create(*index, options);
  ASSERT_TRUE(intersector.has_value()) << intersector.error().message();
  std::size_t started = 0, answered = 0;
  while (answered < queries.size()) {
    while (started < queries.size() && intersector->under_way() < intersector->slots()) {
      const auto took = intersector->submit(queries, started);
      ASSERT_TRUE(took.has_value()) << took.error().message();
      ASSERT_GT(*took, 0u);
      started += *took;
    }
    const auto answers = intersector->collect();
    ASSERT_TRUE(answers.has_value()) << answers.error().message();
    ASSERT_EQ(answers->first_query, answered);
    for (std::size_t q = 0; q < answers->queries(); ++q) {
      const auto got = answers->of(q);
      ASSERT_EQ(std::vector(got.begin(), got.end()), wanted(lists, queries[answered + q]))
          << name_of(method) << " seed " << seed << " query " << answered + q;
    }
    answered += answers->queries();
  }
  EXPECT_EQ(answered, queries.size());
}

class EveryMethodOnTheDevice : public testing::TestWithParam<Method> {};

TEST_P(EveryMethodOnTheDevice, AnswersQueriesOfListsOfEveryLengthInOneBatch) {
  const std::uint64_t seed = 8201;
  const std::uint32_t counts[] = {0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257, 511, 513, 1000, 3000, 3900};
  const Lists lists = random_lists(seed, 4000, counts);
  check_all(GetParam(), lists, random_queries(seed, 150, std::size(counts), 5), {.slots = 3}, seed);
}

TEST_P(EveryMethodOnTheDevice, CutsQueriesIntoBatchesByTheThreshold) {
  const std::uint64_t seed = 8202;
  const std::uint32_t counts[] = {5, 40, 90, 200, 300, 450, 700};
  const Lists lists = random_lists(seed, 900, counts);
  check_all(GetParam(), lists, random_queries(seed, 60, std::size(counts), 3), {.threshold = 500, .slots = 2}, seed);
}

TEST_P(EveryMethodOnTheDevice, AnswersForEqualAndForDisjointLists) {
  Lists lists{2000, std::vector<std::vector<DocId>>(4)};
  for (DocId docid = 0; docid < 2000; ++docid) {
    lists.lists[docid % 2].push_back(docid);
    lists.lists[2].push_back(docid);
    if (docid % 2 == 0) lists.lists[3].push_back(docid);
  }
  QuerySet queries;
  for (const std::vector<std::uint32_t>& query : {std::vector<std::uint32_t>{0, 1}, {0, 3}, {0, 2, 3}, {2}, {1, 3, 2}})
    queries.add(query);
  check_all(GetParam(), lists, queries, {.slots = 3}, 0);
}

TEST_P(EveryMethodOnTheDevice, FindsItsWayInALongList) {
  const std::uint64_t seed = 8203;
  const std::uint32_t counts[] = {700, 5000, 1u << 20};
  const Lists lists = random_lists(seed, 3u << 20, counts);
  QuerySet queries;
  queries.add(std::vector<std::uint32_t>{2, 0});
  queries.add(std::vector<std::uint32_t>{1, 2});
  queries.add(std::vector<std::uint32_t>{0, 1, 2});
  check_all(GetParam(), lists, queries, {.slots = 3}, seed);
}

INSTANTIATE_TEST_SUITE_P(Table, EveryMethodOnTheDevice, testing::ValuesIn(all_methods().begin(), all_methods().end()),
                         [](const auto& named) {
                           std::string name = name_of(named.param);
                           for (char& c : name) c = c == '-' || c == ':' ? '_' : c;
                           return name;
                         });

TEST(Intersector, RefusesAQueryOfMoreListsThanItCanTake) {
  const std::uint32_t counts[] = {10, 20};
  const Lists lists = random_lists(8204, 100, counts);
  const auto index = DeviceIndex::create({Kind::kBinary, 0}, lists.lists, lists.documents, 1);
  ASSERT_TRUE(index.has_value());
  auto intersector = Intersector::create(*index, {.slots = 1});
  ASSERT_TRUE(intersector.has_value());
  QuerySet queries;
  queries.add(std::vector<std::uint32_t>(kMaxQueryLists + 1, 0));
  EXPECT_EQ(intersector->submit(queries, 0), Code::kInvalid);
  EXPECT_EQ(intersector->under_way(), 0u);
}

}  // namespace
}  // namespace frond::tools::papers
