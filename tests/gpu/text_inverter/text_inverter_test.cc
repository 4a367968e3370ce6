// The inverter of texts on the GPU has the postings and lengths of the one on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "common/device/runtime.h"
#include "indexer/invert/cpu_text_inverter.h"
#include "indexer/invert/gpu/text/device/device_text.h"
#include "indexer/invert/gpu/text/gpu_text_inverter.h"
#include "tests/gpu/text_inverter/random_texts.h"
#include "tests/support/run_postings.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::invert::gpu {
namespace {

struct Batch {
  DocumentTexts texts;
  std::vector<DocumentNumber> numbers;
};

struct Inverted {
  std::vector<support::RunPostings> partitions;
  std::map<DocumentNumber, std::uint32_t> lengths;
  std::size_t runs = 0;
  std::uint64_t most_memory = 0;  // after any batch
};

struct How {
  std::uint32_t partitions = 2;
  std::uint64_t device_bytes = std::uint64_t{32} << 20;
  std::uint64_t budget = std::uint64_t{1} << 30;
  std::uint64_t max_text = std::uint64_t{1} << 20;
  text::AnalyzerConfig analyzer{};
  std::vector<int> more_devices{};
};

template <class Kind>
Inverted inverted(const std::vector<Batch>& batches, const How& how) {
  const support::ScratchFolder folder;
  Inverted all;
  std::vector<std::vector<std::filesystem::path>> paths(how.partitions);
  {
    Kind inverter({.inverter = {.folder = folder.path(),
                                .label = "text",
                                .partitions = how.partitions,
                                .budget = [most = how.budget] { return most; },
                                .gpu = {.bytes = how.device_bytes, .more_devices = how.more_devices}},
                   .analyzer = how.analyzer,
                   .take_length =
                       [&](DocumentNumber number, std::uint32_t terms) {
                         EXPECT_TRUE(all.lengths.emplace(number, terms).second) << "two lengths of " << number;
                         return Result<void>();
                       },
                   .max_text = how.max_text});
    for (std::size_t i = 0; i < batches.size(); ++i) {
      const auto taken = inverter.invert(batches[i].texts, batches[i].numbers);
      EXPECT_TRUE(taken) << taken.error().message();
      all.most_memory = std::max(all.most_memory, inverter.memory_bytes());
      if (i + 1 != batches.size() && i != batches.size() / 2) continue;
      const auto runs = inverter.flush();
      EXPECT_TRUE(runs) << runs.error().message();
      all.runs += runs->size();
      for (const runs::RunFile& run : *runs) paths[run.partition].push_back(run.path);
    }
  }
  for (std::uint32_t p = 0; p < how.partitions; ++p) all.partitions.push_back(support::read_run_postings(paths[p], p));
  return all;
}

// in_form: as standard3 has texts.
std::vector<Batch> random_batches(std::mt19937& random, std::size_t batches, std::size_t documents, std::size_t words,
                                  unsigned oddness, bool in_form = false) {
  std::vector<Batch> all(batches);
  text::CutForm form;
  DocumentNumber next = 5;
  for (Batch& batch : all)
    for (std::size_t i = random() % (documents + 1); i > 0; --i) {
      const auto some = [&] { return random() % 8 == 0 ? 0 : random() % words; };
      const std::string title = support::random_text(random, some() / 8, oddness);
      batch.texts.add(title, support::random_text(random, some(), oddness), in_form ? &form : nullptr);
      batch.numbers.push_back(random() % 10 == 0 ? kDropped : next++);
    }
  return all;
}

// Returns the number of runs.
std::size_t expect_what_the_cpu_finds(const std::vector<Batch>& batches, const How& how) {
  const Inverted cpu = inverted<CpuTextInverter>(batches, how), gpu = inverted<GpuTextInverter>(batches, how);
  EXPECT_EQ(gpu.lengths, cpu.lengths);
  EXPECT_EQ(gpu.partitions, cpu.partitions);
  return gpu.runs;
}

// Words of one's own: some of those that random texts have.
text::StopWords words_of_texts(unsigned oddness) {
  std::mt19937 random(77);
  text::Analyzer analyzer({text::Stemmer::kNone, false, text::AnalyzerKind::kStandard2});
  std::vector<std::string> words;
  for (std::string& term : analyzer.terms(support::random_text(random, 1500, oddness)))
    if (words.size() < 300 && term.size() < 40 && random() % 3 == 0) words.push_back(std::move(term));
  return *text::StopWords::own(std::move(words));
}

text::AnalyzerConfig standard2() { return {.kind = text::AnalyzerKind::kStandard2}; }
text::AnalyzerConfig standard3(text::Stemmer stemmer, bool split_case) {
  return {.stemmer = stemmer, .kind = text::AnalyzerKind::kStandard3, .split_case = split_case};
}

TEST(GpuTextInverter, FindsWhatTheCpuFindsInPlainText) {
  std::mt19937 random(1);
  expect_what_the_cpu_finds(random_batches(random, 4, 40, 300, 0), {});
}

TEST(GpuTextInverter, FindsWhatTheCpuFindsInOddText) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    How how{.partitions = 1 + seed % 3};
    if (seed % 2 == 0) how.analyzer = standard2();
    if (seed == 3) how.analyzer.stemmer = text::Stemmer::kNone;
    if (seed == 5) how.analyzer.stop_words = false;
    if (seed == 6 || seed == 7) how.analyzer.stop_words = words_of_texts(10 * seed);
    expect_what_the_cpu_finds(random_batches(random, 3, 20, 200, 10 * seed), how);
  }
}

// Batches of 4 KiB at most, so that each device has some; where memory is short, runs are written and terms forgotten
// while other devices have batches whose tokens were sought.
TEST(GpuTextInverter, FindsWhatTheCpuFindsOnSeveralDevices) {
  const int there = device::count_devices();
  for (unsigned seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    How how{.device_bytes = seed % 3 == 0 ? std::uint64_t{32} << 20 : std::uint64_t{560} << 10, .max_text = 4096};
    for (unsigned device = 0; device < 1 + seed % 3; ++device)
      how.more_devices.push_back(static_cast<int>(device + 1) % there);
    if (seed % 2 == 0) how.analyzer = standard2();
    const std::size_t runs = expect_what_the_cpu_finds(random_batches(random, 6, 100, 250, 10 * seed), how);
    EXPECT_EQ(runs > 2 * how.partitions, seed % 3 != 0) << runs;
  }
}

TEST(GpuTextInverter, FindsWhatTheCpuFindsByTheRulesOfStandard3) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const text::Stemmer stemmer = seed % 4 == 0 ? text::Stemmer::kTurkish : text::Stemmer::kPorter;
    expect_what_the_cpu_finds(random_batches(random, 3, 20, 200, 10 * seed, true),
                              {.partitions = 1 + seed % 3, .analyzer = standard3(stemmer, seed % 2 == 0)});
  }
}

// Every two characters around an apostrophe, the first one behind none, one and two others.
TEST(GpuTextInverter, FindsWhatTheCpuFindsAroundApostrophes) {
  for (const std::string apostrophe : {"'", "\u2019"})
    for (const text::AnalyzerConfig& analyzer :
         {text::AnalyzerConfig{}, standard2(), standard3(text::Stemmer::kPorter, false),
          standard3(text::Stemmer::kNone, true), standard3(text::Stemmer::kTurkish, false)}) {
      Batch batch;
      text::CutForm form;
      for (char before = 1; before > 0; ++before) {
        const bool is_digit = before >= '0' && before <= '9';
        std::string all;
        for (const std::string front : {"", is_digit ? "1" : "x", is_digit ? "12" : "xy"})
          for (char behind = 1; behind > 0; ++behind)
            for (const std::size_t times : {1u, 3u})
              all += front + before + apostrophe + std::string(times, behind) + " ";
        batch.texts.add("", all, analyzer.kind == text::AnalyzerKind::kStandard3 ? &form : nullptr);
        batch.numbers.push_back(static_cast<DocumentNumber>(before));
      }
      expect_what_the_cpu_finds({std::move(batch)}, {.analyzer = analyzer});
    }
}

TEST(GpuTextInverter, CutsDocumentsThatAreLongerThanABatch) {
  for (const text::AnalyzerConfig& analyzer :
       {text::AnalyzerConfig{}, standard2(), standard3(text::Stemmer::kPorter, false)}) {
    std::mt19937 random(7);
    std::vector<Batch> batches =
        random_batches(random, 3, 12, 3000, 15, analyzer.kind == text::AnalyzerKind::kStandard3);
    batches[1].texts.add("a word that does not end", std::string(9000, 'z') + std::string(6000, '.') + "end");
    batches[1].numbers.push_back(batches[1].numbers.back() == kDropped ? 1000 : batches[1].numbers.back() + 1);
    for (DocumentNumber& number : batches[2].numbers) number += number == kDropped ? 0 : 2000;
    expect_what_the_cpu_finds(batches, {.max_text = 4096, .analyzer = analyzer});
  }
}

TEST(GpuTextInverter, WritesMoreRunsWhereTheDevicesMemoryIsSmall) {
  std::mt19937 random(9);
  EXPECT_GT(
      expect_what_the_cpu_finds(random_batches(random, 40, 30, 600, 5), {.partitions = 1, .device_bytes = 2 << 20}),
      4u);
}

TEST(GpuTextInverter, WritesMoreRunsWhereTheBudgetIsSmall) {
  std::mt19937 random(10);
  EXPECT_GT(expect_what_the_cpu_finds(random_batches(random, 30, 60, 3000, 5), {.partitions = 1, .budget = 1 << 20}),
            2u);
}

// However much memory there is, so that a build of any length takes little of it.
TEST(GpuTextInverter, DropsTextsThatTheDeviceHas) {
  std::mt19937 random(10);
  const std::vector<Batch> batches = random_batches(random, 50, 60, 3000, 5);
  std::uint64_t texts = 0;
  for (const Batch& batch : batches) texts += batch.texts.bytes.size();
  How how{.partitions = 1, .max_text = 64 << 10};
  EXPECT_LT(inverted<GpuTextInverter>(batches, how).most_memory, texts);  // most of it is terms
  how.budget = 6 << 20;
  EXPECT_EQ(expect_what_the_cpu_finds(batches, how), 2u) << "one each flush";
}

TEST(GpuTextInverter, EmptiesTheDictionaryWhereItIsFull) {
  std::mt19937 random(11);
  std::vector<Batch> batches;
  DocumentNumber next = 0;
  for (int b = 0; b < 12; ++b) {
    Batch& batch = batches.emplace_back();
    for (int i = 0; i < 10; ++i) {
      std::string text;
      for (int words = 0; words < 400; ++words) text += std::to_string(random()) + (words % 9 == 0 ? "\xc3\xa9 " : " ");
      batch.texts.add("numbers", text);
      batch.numbers.push_back(next++);
    }
  }
  expect_what_the_cpu_finds(batches, {.device_bytes = 2 << 20});
}

TEST(GpuTextInverter, SaysThatTheDevicesMemoryIsTooSmall) {
  std::mt19937 random(12);
  const Batch batch = random_batches(random, 1, 20, 100, 10)[0];
  GpuTextInverter inverter(
      {.inverter = {.budget = [] { return std::uint64_t{1} << 30; }, .gpu = {.bytes = 100 << 10}}});
  EXPECT_EQ(inverter.invert(batch.texts, batch.numbers), Code::kDevice);
}

TEST(GpuTextInverter, TakesNothing) {
  expect_what_the_cpu_finds({Batch{}}, {});
  Batch dropped;
  dropped.texts.add("a", "b");
  dropped.numbers.push_back(kDropped);
  Batch empty;
  for (DocumentNumber number = 0; number < 3; ++number) {
    empty.texts.add("", "");
    empty.numbers.push_back(number);
  }
  expect_what_the_cpu_finds({dropped, empty, dropped}, {});
}

TEST(DeviceText, ComparesBytesWhereHashesAreEqual) {
  for (const std::uint32_t hash_mask : {0u, 3u, 0xffu}) {
    auto device = DeviceText::create({.device_bytes = 8 << 20, .hash_mask = hash_mask});
    ASSERT_TRUE(device) << device.error().message();
    std::mt19937 random(13);
    TextTerms terms({.stemmer = text::Stemmer::kNone, .stop_words = false}, /*threads=*/3);
    for (int batch = 0; batch < 3; ++batch) {
      const std::size_t side = batch % 2;
      std::string text = support::random_text(random, 500, 0) + "\n";
      std::map<std::string, std::uint32_t> expected;
      {
        TextTerms plain({.stemmer = text::Stemmer::kNone, .stop_words = false});
        std::vector<std::uint32_t> all;
        plain.cut_all(text, all);
        for (const std::uint32_t term : all) ++expected[std::string(plain.term(term))];
      }
      const TextPlace filled = (*device)->places().fill(side).value();
      std::copy(text.begin(), text.end(), filled.text.begin());
      filled.piece_begins[0] = 0;
      filled.piece_numbers[0] = 7;
      ASSERT_TRUE((*device)->places().send(side, static_cast<std::uint32_t>(text.size()), 1));
      const BatchTokens found = (*device)->find(side, side).value();
      EXPECT_EQ(found.turned_away, 0u);
      std::vector<std::uint32_t> answer, places, chunk_terms;
      terms.find(found.new_keys, answer);
      ASSERT_TRUE((*device)->learn(side, answer));
      EXPECT_EQ((*device)->tokens(), terms.size()) << "a token twice";
      TextPieces pieces;
      pieces.put(text, 7, /*is_pinned=*/false);
      terms.cut(pieces, found.chunks, places, chunk_terms);
      ASSERT_TRUE((*device)->add(side, places, chunk_terms, terms.size()));
      const std::vector<std::uint32_t> totals = (*device)->run().totals(terms.size()).value();
      std::vector<std::uint32_t> all_frequencies;
      const std::vector<std::uint32_t> order = terms.in_order(totals);
      ASSERT_TRUE((*device)->run().read(order, totals, [&](auto numbers, auto frequencies) {
        for (const std::uint32_t number : numbers) EXPECT_EQ(number, 7u);
        all_frequencies.insert(all_frequencies.end(), frequencies.begin(), frequencies.end());
        return Result<void>();
      }));
      std::map<std::string, std::uint32_t> got;
      std::size_t at = 0;
      for (const std::uint32_t term : order)
        for (const std::size_t end = at + totals[term]; at < end; ++at)
          got[std::string(terms.term(term))] += all_frequencies.at(at);
      EXPECT_EQ(got, expected) << "mask " << hash_mask;
      ASSERT_TRUE((*device)->run().clear());
    }
  }
}

// Texts in large pages are copied by the device from where they are, others are put together first.
TEST(GpuTextInverter, TakesTextsFromLargePages) {
  const parse::RetainedLargePages kept(2 * parse::kLargePage);
  std::mt19937 random(23);
  const std::size_t small = 30'000, large = parse::kLargePiece + 50'000;
  for (const unsigned oddness : {0u, 30u}) {
    std::vector<Batch> batches;
    DocumentNumber next = 5;
    for (const std::size_t bytes : {large, small, large, small, small}) {
      Batch& batch = batches.emplace_back();
      while (batch.texts.bytes.size() < bytes) {
        batch.texts.add("", support::random_text(random, random() % 3000, oddness));
        batch.numbers.push_back(random() % 10 == 0 ? kDropped : next++);
      }
    }
    expect_what_the_cpu_finds(batches, {.max_text = 400'000});
  }
}

// With many new tokens and chunks, threads share the work. Terms may have other numbers, and nothing else differs.
TEST(TextTerms, AreTheSameByManyThreads) {
  std::mt19937 random(17);
  const std::string text = support::random_text(random, 60'000, 20) + "\n";
  std::vector<TokenKey> keys;
  std::vector<HostChunk> chunks;
  for (int i = 0; i < 40'000; ++i) {
    TokenKey key{};
    const std::string token = "the" + std::to_string(random() % 30'000);
    std::memcpy(&key, token.data() + (i % 3 == 0 ? 3 : 0), token.size() - (i % 3 == 0 ? 3 : 0));
    keys.push_back(key);
  }
  for (std::uint32_t at = 0; at < text.size(); ++at)
    if (text[at] == ' ' && at + 1 < text.size() && text[at + 1] != ' ') chunks.push_back({at + 1, 0});
  ASSERT_GT(chunks.size(), 3000u);
  TextPieces pieces;
  pieces.put(text, 0, /*is_pinned=*/false);
  const auto found_by = [&](std::uint32_t threads) {
    TextTerms terms({}, threads);
    std::vector<std::uint32_t> answer, places, chunk_terms;
    terms.find(keys, answer);
    terms.cut(pieces, chunks, places, chunk_terms);
    EXPECT_EQ(places.size(), chunks.size() + 1);
    EXPECT_EQ(places.back(), chunk_terms.size());
    std::vector<std::string> all;
    const auto put = [&](std::uint32_t term) {
      all.push_back(term == kDroppedTerm ? "" : std::string(terms.term(term)));
    };
    for (const std::uint32_t term : answer) put(term);
    for (std::size_t i = 0; i + 1 < places.size(); ++i) {
      all.push_back("chunk of " + std::to_string(places[i + 1] - places[i]));
      for (std::uint32_t at = places[i]; at < places[i + 1]; ++at) put(chunk_terms[at]);
    }
    std::vector<std::uint32_t> totals(terms.size(), 1);
    totals[0] = 0;
    const std::string without(terms.term(0));
    std::set<std::string> sorted;
    for (std::uint32_t term = 0; term < terms.size(); ++term) EXPECT_TRUE(sorted.emplace(terms.term(term)).second);
    sorted.erase(without);
    std::vector<std::string> order;
    for (const std::uint32_t term : terms.in_order(totals)) order.emplace_back(terms.term(term));
    EXPECT_EQ(order, std::vector<std::string>(sorted.begin(), sorted.end()));
    terms.clear();
    EXPECT_EQ(terms.size(), 0u);
    return all;
  };
  const std::vector<std::string> expected = found_by(1);
  for (const std::uint32_t threads : {2u, 5u, 16u}) EXPECT_EQ(found_by(threads), expected) << threads;
}

}  // namespace
}  // namespace frond::indexer::invert::gpu
