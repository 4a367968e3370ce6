// Postings of more slices than threads have at a time: none is missing, whatever pieces they come in.
#include "indexer/invert/gpu/text/run_slices.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "indexer/invert/gpu/text/terms/sorted_terms.h"
#include "tests/support/run_postings.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::invert::gpu {
namespace {

constexpr std::uint32_t kTerms = 4000;
constexpr DocumentNumber kBase = 10;

TEST(RunSlices, HaveEveryPosting) {
  for (const std::uint32_t threads : {1u, 3u, 20u}) {
    SCOPED_TRACE(threads);
    std::mt19937 random(threads);
    TermNumbers names;
    for (std::uint32_t i = 0; i < kTerms; ++i) ASSERT_EQ(names.number_of("t" + std::to_string(i)), i);
    std::vector<std::uint32_t> totals(kTerms);
    for (std::uint32_t& total : totals) total = random() % 3 == 0 ? 0 : random() % (random() % 100 == 0 ? 70'000 : 300);
    Crew alone(1);
    const std::vector<std::uint32_t> in_order = gpu::in_order(names, totals, alone);
    support::RunPostings expected;
    std::vector<std::uint32_t> numbers;
    std::vector<Frequency> frequencies;
    for (const std::uint32_t term : in_order) {
      std::uint32_t number = 0;
      for (std::uint32_t i = 0; i < totals[term]; ++i) {
        number += random() % 4;  // 0: another part of the same document
        numbers.push_back(number);
        frequencies.push_back(1 + random() % 5);
        expected[std::string(names.term(term))][static_cast<DocId>(kBase + number)] += frequencies.back();
      }
    }
    ASSERT_GT(numbers.size(), 20 * RunSlices::kSlicePostings);
    const support::ScratchFolder folder;
    std::vector<runs::RunFile> made;
    {
      const TermOrder order{in_order, totals};
      RunSlices sliced(folder.path(), "run", 1, runs::kFramePayloadBytes, kBase, threads, names, order);
      SliceFiller slices(order, RunSlices::kSlicePostings,
                         [&](runs::PostingSlice slice) { return sliced.add(std::move(slice)); });
      for (std::size_t at = 0; at < numbers.size();) {
        const std::size_t some = std::min<std::size_t>(1 + random() % 200'000, numbers.size() - at);
        ASSERT_TRUE(slices.add(std::span(numbers).subspan(at, some), std::span(frequencies).subspan(at, some)));
        at += some;
      }
      ASSERT_TRUE(sliced.finish(made));
    }
    std::vector<std::filesystem::path> paths;
    paths.reserve(made.size());
    for (const runs::RunFile& run : made) paths.push_back(run.path);
    EXPECT_LE(paths.size(), std::min(threads, RunSlices::kMaxThreads));  // one that came late has written none
    EXPECT_EQ(support::read_run_postings(paths, 0), expected);
  }
}

}  // namespace
}  // namespace frond::indexer::invert::gpu
