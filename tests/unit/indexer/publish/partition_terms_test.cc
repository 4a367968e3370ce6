// Statistics that each partition's thread kept are, merged, those of all lists.
#include "indexer/publish/term_statistics.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "common/partition/terms/term_statistics.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::publish {
namespace {

using support::ScratchFolder;
using Counts = std::map<std::string, std::uint64_t>;
constexpr std::uint64_t kEnough = std::uint64_t{64} << 20;

struct Expected {
  Counts terms;
  partition::TermTotals totals;
  void add(const std::string& term, const std::vector<Frequency>& frequencies) {
    terms[term] += frequencies.size();
    totals.postings += frequencies.size();
    for (const Frequency frequency : frequencies) totals.occurrences += frequency;
    totals.terms = terms.size();
  }
};

// Terms that share long and short beginnings, and some that are longer than a block.
std::string made_up_term(std::mt19937& random) {
  std::string term = "term" + std::to_string(random() % 20'000);
  if (random() % 3 == 0) term = term.substr(4);
  if (random() % 1000 == 0) term += std::string(5000, 'x');
  return term;
}

// Gives partition p the lists of `lists`, in groups that may end within a list.
void put_all(PartitionTerms& kept, std::size_t p, const std::map<std::string, std::vector<Frequency>>& lists,
             std::mt19937& random) {
  PostingGroup group;
  for (const auto& [term, frequencies] : lists) {
    bool first = true;
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      group.docids.push_back(static_cast<DocId>(i));
      group.frequencies.push_back(frequencies[i]);
      const bool last = i + 1 == frequencies.size();
      if (!last && random() % 8 != 0) continue;
      group.pieces.push_back({term, group.docids.size(), std::exchange(first, false), last});
      if (random() % 5 == 0) kept.put(p, std::exchange(group, {}));
    }
  }
  kept.put(p, group);
}

TEST(PartitionTerms, AreThoseOfAllPartitions) {
  for (const std::size_t partitions : {2u, 3u, 17u}) {
    SCOPED_TRACE(partitions);
    PartitionTerms kept(partitions, kEnough);
    Expected expected;
    std::vector<std::map<std::string, std::vector<Frequency>>> lists(partitions);
    for (std::size_t p = 0; p < partitions; ++p) {
      std::mt19937 random(static_cast<unsigned>(p));
      if (p == 1) continue;  // it has no term
      for (int i = 0; i < 9000; ++i) lists[p][made_up_term(random)] = std::vector<Frequency>(1 + random() % 4, 7);
      for (const auto& [term, frequencies] : lists[p]) expected.add(term, frequencies);
    }
    {
      std::vector<std::jthread> threads;
      for (std::size_t p = 0; p < partitions; ++p)
        threads.emplace_back([&, p] {
          std::mt19937 random(static_cast<unsigned>(p));
          put_all(kept, p, lists[p], random);
        });
    }
    EXPECT_GT(kept.bytes(), partitions * 10'000);
    const ScratchFolder folder;
    TaskPool pool("packer", 3);
    const auto terms = TermsWriter::create(folder / "terms", 2).value();
    ASSERT_TRUE(kept.merge(pool, *terms).value());
    const TermsFile file = terms->finish().value();
    EXPECT_EQ(file.totals, expected.totals);
    Counts stored;
    ASSERT_TRUE(partition::GenerationTerms::open(file.path).value()->for_each([&](std::string_view term, auto df) {
      stored[std::string(term)] = df;
      return true;
    }));
    EXPECT_TRUE(stored == expected.terms);
  }
}

TEST(PartitionTerms, AreNoneWhereNoPartitionHasAny) {
  const ScratchFolder folder;
  PartitionTerms kept(2, kEnough);
  TaskPool pool("packer", 1);
  const auto terms = TermsWriter::create(folder / "terms", 1).value();
  EXPECT_TRUE(kept.merge(pool, *terms).value());
  EXPECT_EQ(terms->finish().value().totals, partition::TermTotals());
}

TEST(PartitionTerms, AreDroppedWhereThereAreTooMany) {
  std::mt19937 random(1);
  std::map<std::string, std::vector<Frequency>> lists;
  for (int i = 0; i < 9000; ++i) lists[made_up_term(random)] = {1};
  PartitionTerms kept(2, 20'000);
  put_all(kept, 0, lists, random);
  put_all(kept, 1, lists, random);
  EXPECT_LT(kept.bytes(), 40'000u) << "what goes on to come is not kept";
  const ScratchFolder folder;
  TaskPool pool("packer", 1);
  const auto terms = TermsWriter::create(folder / "terms", 1).value();
  EXPECT_FALSE(kept.merge(pool, *terms).value());
}

}  // namespace
}  // namespace frond::indexer::publish
