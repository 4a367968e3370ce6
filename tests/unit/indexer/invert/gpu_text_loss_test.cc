// A device that fails or hangs at any operation of a run: the inverter says so, or no posting and no length is missing.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "indexer/invert/gpu/text/gpu_text_inverter.h"
#include "tests/support/cuda_on_host/failures.h"
#include "tests/support/run_postings.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::invert::gpu {
namespace {

struct Expected {
  support::RunPostings postings;
  std::map<DocumentNumber, std::uint32_t> lengths;
};

// Documents of which one is longer than a batch, so that runs and batches end in the middle of it.
DocumentTexts texts_of(DocumentNumber first, std::size_t documents, Expected& expected) {
  DocumentTexts texts;
  for (std::uint32_t document = 0; document < documents; ++document) {
    std::string body;
    const DocumentNumber number = first + document;
    for (std::size_t i = 0; i < (document == 1 ? 2000u : 12u); ++i) {
      const std::string term =
          (i % 7 == 3 ? "t\xc3\xa9rm" : "term") + std::to_string((first + document * 5 + i) % 1900);
      body += term + " ";
      ++expected.postings[term][static_cast<DocId>(number)];
      ++expected.lengths[number];
    }
    texts.add("", body);
  }
  return texts;
}

class GpuTextInverterWithoutItsDevice : public testing::TestWithParam<cuda_on_host::Failure> {};

TEST_P(GpuTextInverterWithoutItsDevice, LeavesNothingOutUnlessItSaysSo) {
  bool survived = false;
  std::uint64_t operations = 0, noticed = 0;
  for (; !survived && operations < 5000;
       operations += operations < 40 ? GetParam().step(operations) : 17 * GetParam().stride) {
    const support::ScratchFolder folder;
    Expected expected, got;
    std::vector<std::filesystem::path> runs;
    const cuda_on_host::Failing failing(GetParam(), operations + 1);
    Result<void> outcome;
    {
      GpuTextInverter inverter({.inverter = {.folder = folder.path(),
                                             .label = "text",
                                             .budget = [] { return std::uint64_t{1} << 30; },
                                             .gpu = {.bytes = 560 << 10}},
                                .analyzer = {.stemmer = text::Stemmer::kNone},
                                .take_length =
                                    [&](DocumentNumber number, std::uint32_t terms) {
                                      EXPECT_TRUE(got.lengths.emplace(number, terms).second) << number;
                                      return Result<void>();
                                    },
                                .max_text = 4096});
      const auto flush = [&]() -> Result<void> {
        FROND_TRY(inverter.give_lengths());
        EXPECT_EQ(got.lengths, expected.lengths) << operations;
        for (const runs::RunFile& run : FROND_TRY(inverter.flush())) runs.push_back(run.path);
        return {};
      };
      for (DocumentNumber first = 0; first < 24 && outcome; first += 4) {
        std::vector<DocumentNumber> numbers{first, first + 1, first + 2, first + 3};
        outcome = inverter.invert(texts_of(first, 4, expected), numbers);
        if (first == 8 && outcome) outcome = flush();
      }
      if (outcome) outcome = flush();
    }
    survived = !failing.happened();
    if (!outcome) {
      EXPECT_EQ(outcome, Code::kDevice) << outcome.error().message();
      EXPECT_FALSE(survived);
      ++noticed;
      continue;
    }
    got.postings = support::read_run_postings(runs, 0);
    ASSERT_EQ(got.postings, expected.postings) << "after " << operations;
    ASSERT_EQ(got.lengths, expected.lengths) << "after " << operations;
    if (survived) {
      EXPECT_GT(runs.size(), 2u) << "no run ends in the middle of a document";
    }
  }
  EXPECT_TRUE(survived) << "more than " << operations << " operations";
  EXPECT_GT(noticed, 20u);  // the others in a destructor
}
INSTANTIATE_TEST_SUITE_P(Failures, GpuTextInverterWithoutItsDevice, testing::ValuesIn(cuda_on_host::kFailures),
                         cuda_on_host::name_of);

}  // namespace
}  // namespace frond::indexer::invert::gpu
