// Postings of all partitions, split, of a device or of inverters: each partition has its own, in pieces of a segment.
#include "indexer/publish/split_postings.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <utility>

#include "common/postings/posting_list.h"
#include "indexer/invert/cpu_inverter.h"
#include "indexer/invert/partition_runs.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::publish {
namespace {

using Postings = std::map<std::string, std::vector<std::pair<DocId, Frequency>>>;

// Slices of made-up postings.
class MadeUp final : public runs::PostingSlices {
 public:
  // totals: postings of each term; parts of a document are counted apart.
  MadeUp(unsigned seed, std::uint64_t first, std::vector<std::size_t> totals)
      : first_(first), totals_(std::move(totals)), random_(seed) {
    for (std::size_t i = 0; i < totals_.size(); ++i) names_.push_back("t" + std::to_string(1'000'000 + i));
  }
  Result<void> read(std::size_t slice_postings, const std::function<Result<void>(runs::PostingSlice)>& take) override {
    for (std::size_t at = 0; at < totals_.size();) {
      if (fails_at <= at) return Error(Code::kDevice, "lost");
      runs::PostingSlice slice;
      slice.first = at;
      for (; at < totals_.size() && slice.numbers.size() < slice_postings; ++at) add(at, slice);
      slice.end = at;
      FROND_TRY(take(std::move(slice)));
    }
    return {};
  }
  std::uint64_t first_document() const override { return first_; }
  std::uint64_t postings() const override { return 0; }
  std::uint64_t memory_bytes() const override { return 0; }
  std::string_view term(std::size_t place) const override { return names_[place]; }
  std::size_t postings_of(std::size_t place) const override { return totals_[place]; }

  std::size_t fails_at = ~std::size_t{0};
  std::map<std::string, std::map<std::uint64_t, Frequency>> given;  // by term and document

 private:
  void add(std::size_t place, runs::PostingSlice& slice) {
    std::uint32_t number = random_() % 3;
    for (std::size_t i = 0; i < totals_[place]; ++i, number += random_() % 4) {
      slice.numbers.push_back(number);
      slice.frequencies.push_back(1 + random_() % 3);
      given[names_[place]][first_ + number] += slice.frequencies.back();
    }
  }
  const std::uint64_t first_;
  const std::vector<std::size_t> totals_;
  std::vector<std::string> names_;
  std::mt19937 random_;
};

std::vector<std::unique_ptr<Groups>> queues(std::uint32_t partitions) {
  std::vector<std::unique_ptr<Groups>> made;
  for (std::uint32_t p = 0; p < partitions; ++p) made.push_back(std::make_unique<Groups>(std::size_t{1} << 20));
  return made;
}

// What comes out of a queue until it is closed.
Postings taken_from(Groups& queue) {
  Postings all;
  std::string open;
  while (const auto group = queue.pop({})) {
    EXPECT_FALSE((*group)->pieces.empty());
    std::size_t at = 0;
    for (const PostingGroup::Piece& piece : (*group)->pieces) {
      EXPECT_EQ(piece.first, open.empty());
      EXPECT_TRUE(open.empty() || open == piece.term);
      EXPECT_TRUE(piece.last || piece.end - at == postings::kSegmentPostings);
      EXPECT_TRUE(piece.end > at && piece.end - at <= postings::kSegmentPostings);
      auto& postings = all[piece.term];
      for (; at < piece.end; ++at) postings.emplace_back((*group)->docids[at], (*group)->frequencies[at]);
      open = piece.last ? std::string() : piece.term;
    }
    EXPECT_EQ(at, (*group)->docids.size());
  }
  EXPECT_TRUE(open.empty());
  return all;
}

// The file has the terms of `given` and nothing else.
void expect_terms(const TermsFile& file, const std::map<std::string, std::map<std::uint64_t, Frequency>>& given) {
  std::map<std::string, std::uint64_t> expected, stored;
  partition::TermTotals totals;
  for (const auto& [term, documents] : given) {
    expected[term] = documents.size();
    ++totals.terms;
    totals.postings += documents.size();
    for (const auto& [document, frequency] : documents) totals.occurrences += frequency;
  }
  const auto opened = partition::GenerationTerms::open(file.path);
  ASSERT_TRUE(opened) << opened.error().message();
  ASSERT_TRUE((*opened)->for_each([&](std::string_view term, std::uint64_t df) {
    stored[std::string(term)] = df;
    return true;
  }));
  EXPECT_TRUE(stored == expected);
  EXPECT_EQ((*opened)->totals(), totals);
  EXPECT_EQ(file.totals, totals);
}

TEST(SplitPostings, GivesEachPartitionItsOwn) {
  for (const std::uint32_t partitions : {1u, 2u, 3u, 16u}) {
    SCOPED_TRACE(partitions);
    std::mt19937 random(partitions);
    std::vector<std::size_t> totals(3000);
    for (std::size_t& total : totals) total = 1 + random() % (random() % 50 == 0 ? 5000 : 9);
    totals[17] = totals[2999] = 3 * postings::kSegmentPostings;  // more than a segment in one partition
    totals[18] = postings::kSegmentPostings;
    MadeUp made(partitions, partitions == 2 ? (std::uint64_t{1} << 32) - 500 : 1000, totals);
    auto to = queues(partitions);
    TaskPool pool("packer", 3);
    const support::ScratchFolder folder;
    const auto terms = TermsWriter::create(folder / "terms", 2).value();
    std::vector<Postings> got(partitions);
    {
      std::vector<std::jthread> threads;
      for (std::uint32_t p = 0; p < partitions; ++p) threads.emplace_back([&, p] { got[p] = taken_from(*to[p]); });
      SplitPostings split(to, terms.get(), pool, 1 << 20, {});
      const auto done = split_slices(made, split);
      ASSERT_TRUE(done) << done.error().message();
    }
    expect_terms(terms->finish().value(), made.given);
    std::vector<Postings> expected(partitions);
    for (const auto& [term, documents] : made.given)
      for (const auto& [document, frequency] : documents)
        expected[document % partitions][term].emplace_back(static_cast<DocId>(document / partitions), frequency);
    EXPECT_TRUE(got == expected);
  }
}

// The postings of `documents` documents from `first` on, held by an inverter. Its terms begin with `label`.
std::unique_ptr<invert::InMemoryPostings> held_by_inverter(
    const std::string& label, std::uint64_t first, std::uint32_t documents,
    std::map<std::string, std::map<std::uint64_t, Frequency>>& given) {
  std::mt19937 random(documents);
  invert::HashInverter inverter("/nonexistent", "i", 1, [] { return std::uint64_t{1} << 30; });
  for (std::uint32_t begin = 0; begin < documents; begin += 1000) {
    parse::TokenGrouper grouper;
    parse::TokenGroups groups;
    std::vector<invert::DocumentNumber> numbers;
    for (std::uint32_t n = begin; n < std::min(begin + 1000, documents); ++n) {
      grouper.begin_document(static_cast<std::uint32_t>(numbers.size()));
      numbers.push_back(first + n);
      const auto add = [&](const std::string& term) {
        grouper.add(term);
        ++given[term][first + n];
      };
      if (n % 5 != 0) add(label);  // more than a segment in a partition
      for (std::size_t count = random() % (documents < 10'000 ? 9 : 2); count > 0; --count)
        add(label + std::to_string(random() % 5000));
    }
    grouper.finish(groups);
    EXPECT_TRUE(inverter.invert(groups, groups.groups, numbers));
  }
  return inverter.take_postings();
}

TEST(SplitInMemory, GiveEachPartitionItsOwn) {
  for (const std::uint32_t partitions : {2u, 3u, 16u}) {
    SCOPED_TRACE(partitions);
    const std::uint64_t first = partitions == 2 ? (std::uint64_t{1} << 32) - 500 : 1000;
    std::map<std::string, std::map<std::uint64_t, Frequency>> given;
    std::vector<std::unique_ptr<invert::InMemoryPostings>> held;
    for (const char* const label : {"alpha", "alphabetic", "alphabet", "9", "b"})
      held.push_back(held_by_inverter(label, first,
                                      held.empty() && partitions == 2 ? 3 * postings::kSegmentPostings : 3000, given));
    held.push_back(held_by_inverter("none", first, 0, given));
    auto to = queues(partitions);
    TaskPool pool("packer", 3);
    const support::ScratchFolder folder;
    const auto terms = TermsWriter::create(folder / "terms", 2).value();
    std::vector<Postings> got(partitions);
    {
      std::vector<std::jthread> threads;
      for (std::uint32_t p = 0; p < partitions; ++p) threads.emplace_back([&, p] { got[p] = taken_from(*to[p]); });
      SplitPostings split(to, terms.get(), pool, 1 << 20, {});
      const auto done = split_in_memory(held, pool, split);
      ASSERT_TRUE(done) << done.error().message();
    }
    expect_terms(terms->finish().value(), given);
    std::vector<Postings> expected(partitions);
    for (const auto& [term, documents] : given)
      for (const auto& [document, frequency] : documents)
        expected[document % partitions][term].emplace_back(static_cast<DocId>(document / partitions), frequency);
    EXPECT_TRUE(got == expected);
  }
}

TEST(SplitInMemory, StopWhereNobodyTakesThem) {
  std::map<std::string, std::map<std::uint64_t, Frequency>> given;
  std::vector<std::unique_ptr<invert::InMemoryPostings>> held;
  held.push_back(held_by_inverter("a", 0, 300'000, given));
  auto to = queues(2);
  TaskPool pool("packer", 2);
  std::stop_source stop;
  Result<void> done;
  {
    const std::jthread splitting([&] {
      SplitPostings split(to, nullptr, pool, 1 << 20, stop.get_token());
      done = split_in_memory(held, pool, split);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  }
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), Code::kUnavailable);
}

// So many terms that an error comes long before all are read. The threads that put them in order must not wait then.
TEST(SplitInMemory, SayWhyTermsCannotBeWritten) {
  std::vector<std::unique_ptr<invert::InMemoryPostings>> held;
  for (int i = 0; i < 2; ++i) {  // both have the same terms
    invert::HashInverter inverter("/nonexistent", "i", 1, [] { return std::uint64_t{1} << 30; });
    parse::TokenGrouper grouper;
    parse::TokenGroups groups;
    std::vector<invert::DocumentNumber> numbers;
    for (std::uint32_t n = 0; n < 4'000; ++n) {
      grouper.begin_document(n);
      numbers.push_back(n);
      for (std::uint32_t t = 0; t < 100; ++t) grouper.add("t" + std::to_string(n * 100 + t));
    }
    grouper.finish(groups);
    ASSERT_TRUE(inverter.invert(groups, groups.groups, numbers));
    held.push_back(inverter.take_postings());
  }
  auto to = queues(2);
  TaskPool pool("packer", 2);
  const support::ScratchFolder folder;
  const auto terms = TermsWriter::create(folder / "terms", 1).value();
  std::stop_source stop;
  std::vector<std::jthread> readers;
  readers.reserve(to.size());
  for (const auto& queue : to)
    readers.emplace_back([&] {
      while (queue->pop(stop.get_token())) {
      }
    });
  SplitPostings split(to, terms.get(), pool, 1 << 20, {});
  const auto done = split_in_memory(held, pool, split);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), Code::kInvalid) << done.error().message();
  stop.request_stop();
}

// One that has much for each partition must not keep one partition busy while the others wait.
TEST(SplitPostings, GoToThePartitionsInTurn) {
  constexpr std::size_t kGroups = 5;
  std::vector<std::vector<PostingGroup>> groups(2);
  for (auto& its : groups) {
    its.resize(kGroups);
    for (PostingGroup& group : its) group.bytes = std::size_t{1} << 20;  // as much as a queue has
  }
  groups[1].resize(kGroups - 2);
  auto to = queues(2);
  std::stop_source stop;
  TaskPool pool("packer", 1);
  const std::jthread giver([&] {
    SplitPostings split(to, nullptr, pool, 1, stop.get_token());
    EXPECT_TRUE(split.add(1, [&groups] { return SplitSlice{std::move(groups), {}, {}}; }));
    EXPECT_TRUE(split.finish());
  });
  for (std::size_t i = 0; i < kGroups; ++i)
    for (std::size_t p = 0; p < (i < kGroups - 2 ? 2u : 1u); ++p) {
      std::optional<Group> taken;
      for (int tries = 0; tries < 1000 && !(taken = to[p]->try_pop()); ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (!taken) stop.request_stop();
      ASSERT_TRUE(taken) << i << ", " << p;
    }
}

TEST(SplitPostings, LeavesQueuesOpenWhenTheDeviceFails) {
  MadeUp made(1, 0, std::vector<std::size_t>(5000, 100));
  made.fails_at = 3000;
  auto to = queues(2);
  TaskPool pool("packer", 2);
  std::stop_source stop;
  std::vector<std::jthread> readers;
  readers.reserve(to.size());
  std::atomic<int> ended = 0;
  for (const auto& queue : to)
    readers.emplace_back([&] {
      while (queue->pop(stop.get_token())) {
      }
      ended += stop.stop_requested() ? 1 : 0;
    });
  SplitPostings split(to, nullptr, pool, 1 << 20, {});
  const auto done = split_slices(made, split);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), Code::kDevice);
  stop.request_stop();
  readers.clear();
  EXPECT_EQ(ended, 2);  // none was told that it has all
}

TEST(SplitPostings, StopsWhereNobodyTakesThem) {
  MadeUp made(2, 0, std::vector<std::size_t>(20'000, 100));
  auto to = queues(2);
  TaskPool pool("packer", 2);
  std::stop_source stop;
  Result<void> done;
  {
    const std::jthread splitting([&] {
      SplitPostings split(to, nullptr, pool, 1 << 20, stop.get_token());
      done = split_slices(made, split);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  }
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), Code::kUnavailable);
}

}  // namespace
}  // namespace frond::indexer::publish
