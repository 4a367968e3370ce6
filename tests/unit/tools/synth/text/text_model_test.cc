// Words, documents and chunks of made-up text.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <unordered_set>

#include "tools/synth/random.h"
#include "tools/synth/text/text_chunk.h"
#include "tools/synth/text/word_frequencies.h"

namespace frond::tools::synth {
namespace {

std::string spelled(const Speller& speller, std::uint64_t word) {
  std::array<char, 2 * Speller::kMaxWordBytes> buffer;
  return {buffer.data(), speller.put(word, buffer.data())};
}
bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

TEST(WordFrequencies, AreFittedToTheCountsOfEachCollection) {
  for (const TextProfile& profile : text_profiles()) {
    const auto tokens = static_cast<double>(profile.tokens), terms = static_cast<double>(profile.terms);
    const auto fitted = WordFrequencies::fitted(tokens, terms, kRepeats);
    EXPECT_NEAR(fitted.expected_terms(tokens, kRepeats) / terms, 1, 1e-3) << profile.name;
    EXPECT_GT(fitted.tail_exponent(), 1.3) << profile.name;
    EXPECT_LT(fitted.tail_exponent(), 2.2) << profile.name;
  }
}

TEST(WordFrequencies, GrowTheVocabularyAsExpectedForever) {
  const WordFrequencies frequencies(1.55);
  Random random(7);
  std::unordered_set<std::uint64_t> terms;
  std::uint64_t tokens = 0, the = 0, words = 0;
  double before = 0;
  for (const std::uint64_t end : {100'000, 1'000'000, 10'000'000}) {
    for (; words < end; ++words) {
      const std::uint64_t a = random.next(), b = random.next(), word = frequencies.word_of(a, b);
      the += word == 0 ? 1 : 0;
      if (is_stop_word(word)) continue;
      ++tokens;
      terms.insert(word);
    }
    const auto found = static_cast<double>(terms.size());
    EXPECT_NEAR(found / frequencies.expected_terms(static_cast<double>(tokens), 0), 1, 0.02) << end;
    EXPECT_GT(found, 3 * before) << end;  // Heaps: 10 to the power of 0.6 is 4
    before = found;
  }
  EXPECT_NEAR(static_cast<double>(the) / static_cast<double>(words) / frequencies.head_probability(0), 1, 0.01);
  EXPECT_NEAR(frequencies.stop_share(), 0.3, 0.02);
}

TEST(Speller, SpellsDifferentWordsDifferently) {
  const WordFrequencies frequencies(1.55);
  const Speller speller(frequencies, {.numbers = 0.04, .non_ascii = 0.02}, 3);
  std::unordered_set<std::string> seen;
  Random random(5);
  const auto add = [&](std::uint64_t word) {
    std::string text = spelled(speller, word);
    ASSERT_LE(text.size(), Speller::kMaxWordBytes);
    std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    EXPECT_TRUE(seen.insert(text).second) << word << " is spelled " << text;
  };
  for (std::uint64_t word = 0; word < 200'000; ++word) add(word);
  for (std::uint64_t base = 1u << 20; base < WordFrequencies::kWords / 2; base *= 2)
    for (std::uint64_t i = 0; i < 1000; ++i) add(base + i * (base / 1000) + random.next() % (base / 1000));
}

TEST(Speller, KeepsTheSharesOfNumbersAndForeignWords) {
  const WordFrequencies frequencies(1.55);
  for (const auto& [numbers, non_ascii] : {std::pair{0.0, 0.0}, {0.04, 0.005}, {0.2, 0.1}}) {
    const Speller speller(frequencies, {.numbers = numbers, .non_ascii = non_ascii}, 3);
    Random random(11);
    constexpr int kDrawn = 1'000'000;
    int digits = 0, foreign = 0;
    for (int i = 0; i < kDrawn; ++i) {
      const std::uint64_t a = random.next(), b = random.next();
      const std::string text = spelled(speller, frequencies.word_of(a, b));
      digits += text[0] >= '0' && text[0] <= '9' ? 1 : 0;
      foreign += is_ascii(text) ? 0 : 1;
    }
    EXPECT_NEAR(digits, numbers * kDrawn, 0.2 * numbers * kDrawn);
    EXPECT_NEAR(foreign, non_ascii * kDrawn, 0.2 * non_ascii * kDrawn);
  }
}

TEST(TextChunk, HasTheLengthsOfItsCollection) {
  for (const TextProfile& profile : text_profiles()) {
    const TextModel model(profile, Markup::kJsonLines, {}, 9);
    TextChunk chunk;
    std::vector<double> tokens;
    for (std::uint64_t number = 0; number < 32; ++number) {
      make_chunk(model, number, chunk);
      EXPECT_GE(chunk.text.size(), kChunkBytes);
      EXPECT_EQ(chunk.documents.back().end, chunk.text.size());
      for (const auto& document : chunk.documents) tokens.push_back(document.tokens);
    }
    std::sort(tokens.begin(), tokens.end());
    const double mean = std::accumulate(tokens.begin(), tokens.end(), 0.0) / static_cast<double>(tokens.size());
    EXPECT_NEAR(mean / (static_cast<double>(profile.tokens) / static_cast<double>(profile.documents)), 1, 0.05);
    EXPECT_NEAR(tokens[tokens.size() / 2] / mean, std::exp(-0.5), 0.05) << "log-normal of sigma 1";
  }
}

TEST(TextChunk, HasPagesOfTheCollectionsSize) {
  for (const TextProfile& profile : text_profiles()) {
    const TextModel model(profile, profile.boilerplate == 0 ? Markup::kJsonLines : Markup::kHtml, {}, 9);
    TextChunk chunk;
    double bytes = 0, documents = 0;
    for (std::uint64_t number = 0; number < 64; ++number) {
      make_chunk(model, number, chunk);
      bytes += static_cast<double>(chunk.text.size());
      documents += static_cast<double>(chunk.documents.size());
    }
    EXPECT_NEAR(bytes / documents / (static_cast<double>(profile.bytes) / static_cast<double>(profile.documents)), 1,
                0.06)
        << profile.name;
  }
}

TEST(TextChunk, DependsOnSeedAndNumberOnly) {
  const TextModel model(text_profiles()[0], Markup::kHtml, {}, 1), other(text_profiles()[0], Markup::kHtml, {}, 2);
  const auto text = [](const TextModel& from, std::uint64_t number, TextChunk& chunk) {
    make_chunk(from, number, chunk);
    return std::string(chunk.text.data(), chunk.text.size());
  };
  TextChunk used, fresh;
  const std::string five = text(model, 5, used);
  EXPECT_NE(five, text(model, 6, used));
  EXPECT_NE(five, text(other, 5, used));
  EXPECT_EQ(five, text(model, 5, used));
  EXPECT_EQ(five, text(model, 5, fresh));
}

}  // namespace
}  // namespace frond::tools::synth
