// The vector path finds what cutting the whole text finds.
#include "common/text/snippets/term_matches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "common/text/snippets/wanted_words.h"
#include "tests/support/instruction_sets.h"

namespace frond::text {
namespace {

void expect_the_same(Analyzer& analyzer, std::string_view text, std::span<const std::string> terms) {
  const auto expected = find_terms_plainly(analyzer, text, terms), found = find_terms(analyzer, text, terms);
  for (std::size_t i = 0; i < std::max(found.size(), expected.size()); ++i) {
    const TokenSpan missing = i < expected.size() ? expected[i].where : found[i].where;
    ASSERT_TRUE(i < found.size() && i < expected.size() && found[i] == expected[i])
        << text << "\nbyte " << missing.begin << ": " << text.substr(missing.begin, missing.end - missing.begin);
  }
}

// Pieces that meet at random: words, what joins and separates them, other scripts, bytes that are no UTF-8, long words.
std::string random_text(std::mt19937_64& random, std::size_t pieces) {
  static const std::vector<std::string> kPieces = {"fox",
                                                   "\u0130",
                                                   "\u212A",
                                                   "kitkit",
                                                   "ink",
                                                   "\u0130nki",
                                                   "\u212Aitk",
                                                   "nationki",
                                                   "Foxes",
                                                   "fo",
                                                   "f",
                                                   "den",
                                                   "dying",
                                                   "die",
                                                   "o'clock",
                                                   "u.s.",
                                                   "3.14",
                                                   "3,000",
                                                   "_fox",
                                                   "fox_",
                                                   "été",
                                                   "狐狸",
                                                   "き",
                                                   "\xcc\x81",
                                                   "ﬁx",
                                                   "ΑΒΓ",
                                                   "\xff",
                                                   "\xe2\x80",
                                                   "’s",
                                                   "'s",
                                                   "x",
                                                   " ",
                                                   " ",
                                                   " ",
                                                   " ",
                                                   " ",
                                                   "\n",
                                                   "\t",
                                                   ", ",
                                                   ". ",
                                                   "-",
                                                   "/",
                                                   ":",
                                                   ".",
                                                   ",",
                                                   "'",
                                                   "_",
                                                   std::string(1, '\0'),
                                                   "lorem ipsum dolor sit amet ",
                                                   std::string(70, 'q'),
                                                   std::string(250, 'z')};
  std::string text;
  for (std::size_t i = 0; i < pieces; ++i) text += kPieces[random() % kPieces.size()];
  return text;
}

TEST(TermMatches, AreThoseOfTheWholeTextCutIntoTokens) {
  Analyzer stemming({}), plain({.stemmer = Stemmer::kNone});
  support::with_every_instruction_set([&](const char* name) {
    SCOPED_TRACE(name);
    std::mt19937_64 random(7);
    for (int round = 0; round < 4000; ++round) {
      const std::string text = random_text(random, random() % 60);
      std::vector<std::string> terms;
      for (std::size_t i = 0, count = round % 11 == 0 ? 20 : random() % 3; i <= count; ++i) {
        const auto all = stemming.terms(round % 2 == 0 ? random_text(random, 4) : text);
        if (!all.empty()) terms.push_back(all[random() % all.size()]);
      }
      if (round % 7 == 0) terms.emplace_back();
      expect_the_same(stemming, text, terms);
      expect_the_same(plain, text, terms);
    }
  });
}

// What standard2 has rules for, and what meets it.
const std::vector<std::string> kPieces = {"node.js",
                                          "Node",
                                          "js",
                                          "user@example.com",
                                          "example",
                                          "@",
                                          "AT&T",
                                          "&",
                                          "T",
                                          "C++",
                                          "++",
                                          "#",
                                          "C#",
                                          "c",
                                          ".NET",
                                          "net",
                                          ".",
                                          "O'Brien",
                                          "o'",
                                          "brien",
                                          "obrien",
                                          "l'",
                                          "L’",
                                          "qu'il",
                                          "école",
                                          "ecole",
                                          "E\u0301cole",
                                          "don't",
                                          "don’t",
                                          "'s",
                                          "’s",
                                          "3,000,000",
                                          "3000000",
                                          "3,000",
                                          "3000",
                                          ",000",
                                          "3",
                                          "1,2",
                                          "3.11.2",
                                          "11",
                                          "e-mail",
                                          "-",
                                          "_",
                                          "北京",
                                          "京",
                                          "北",
                                          "市。",
                                          "、",
                                          "データ",
                                          "か\u3099",
                                          "が",
                                          "ﾃﾞｰﾀ",
                                          "서울",
                                          "에서",
                                          "서",
                                          "\u1109\u1165",
                                          "ไทย",
                                          "น้ำ",
                                          "собаками",
                                          "СОБАКА",
                                          "ёлка",
                                          "Ё",
                                          "й",
                                          "и\u0306",
                                          "Straße",
                                          "STRASSE",
                                          "ﬁle",
                                          "file",
                                          "\u00ad",
                                          "co\u00adop",
                                          "ＷＩＤＥ",
                                          "wide",
                                          "\u212A",
                                          "\u0130",
                                          "\xff",
                                          "\xe5\x8c",
                                          "\u200d",
                                          "\ufe0f",
                                          "\u0301",
                                          "“",
                                          "”",
                                          "—",
                                          "(",
                                          "/",
                                          "x",
                                          " ",
                                          " ",
                                          " ",
                                          " ",
                                          "\n",
                                          ", ",
                                          ". ",
                                          ":",
                                          "foxes",
                                          "fox",
                                          "Ω",
                                          "ς",
                                          "ΣΊΣΥΦΟΣ",
                                          "ERROR:fox",
                                          "my_fox",
                                          "myFox",
                                          "U.S.A",
                                          "usa",
                                          "v1.2.3",
                                          "1.2.3",
                                          "CO₂",
                                          "fox²",
                                          "½",
                                          "㎏",
                                          "㍿",
                                          "℃",
                                          "①",
                                          "👍🏽",
                                          "👍",
                                          "👩‍💻",
                                          "🇩🇪",
                                          "🇩",
                                          "❤️",
                                          "€",
                                          "°",
                                          "®",
                                          "צה",
                                          "ל",
                                          "\"",
                                          "”",
                                          "׳",
                                          "İstanbul'da",
                                          "ırk",
                                          "IRK",
                                          "rock'n",
                                          "col·lecció",
                                          "coŀl",
                                          "·",
                                          "：",
                                          "lorem ipsum dolor ",
                                          std::string(70, 'q'),
                                          std::string(250, 'z')};
std::string random_text_of_spans(std::mt19937_64& random, std::size_t pieces) {
  std::string text;
  for (std::size_t i = 0; i < pieces; ++i) text += kPieces[random() % kPieces.size()];
  return text;
}

TEST(TermMatches, OfSpansAreThoseOfTheWholeTextCutIntoSpans) {
  std::vector<std::unique_ptr<Analyzer>> analyzers;
  for (const Stemmer stemmer :
       {Stemmer::kNone, Stemmer::kPorter, Stemmer::kEnglish, Stemmer::kCatalan, Stemmer::kTurkish})
    for (const bool odd : {false, true})
      analyzers.push_back(std::make_unique<Analyzer>(AnalyzerConfig{
          stemmer, stemmer == Stemmer::kEnglish, AnalyzerKind::kStandard3, odd, odd != (stemmer == Stemmer::kPorter)}));
  for (const Stemmer stemmer : {Stemmer::kNone, Stemmer::kPorter, Stemmer::kEnglish, Stemmer::kFrench,
                                Stemmer::kRussian, Stemmer::kGerman, Stemmer::kIndonesian})
    analyzers.push_back(std::make_unique<Analyzer>(
        AnalyzerConfig{stemmer, stemmer == Stemmer::kEnglish, AnalyzerKind::kStandard2, analyzers.size() % 2 == 1}));
  support::with_every_instruction_set([&](const char* name) {
    SCOPED_TRACE(name);
    std::mt19937_64 random(9);
    for (int round = 0; round < 40000; ++round) {
      Analyzer& analyzer = *analyzers[random() % analyzers.size()];
      SCOPED_TRACE(name_of(analyzer.config().stemmer));
      const std::string text = random_text_of_spans(random, random() % 60);
      std::vector<std::string> terms;
      for (std::size_t i = 0, count = round % 11 == 0 ? 20 : random() % 3; i <= count; ++i) {
        const auto all = analyzer.terms(round % 2 == 0 ? random_text_of_spans(random, 4) : text);
        if (!all.empty()) terms.push_back(all[random() % all.size()]);
      }
      expect_the_same(analyzer, text, terms);
      if (HasFatalFailure()) return;
    }
  });
}

TEST(TermMatches, OfSpansAreFoundPastTheFirstScan) {
  Analyzer analyzer({.kind = AnalyzerKind::kStandard3});
  const std::string filler = "- " + std::string(63, 'q') + " ";
  std::string text;
  for (std::size_t before = 0; before < 3 * kScanBytes; before += 61) {
    text.resize(before, ' ');
    for (const char* word :
         {"O'Brien", "北京", "naïve", "3,000,000", "user@example.com", "👍🏽", "U.S.A.", "CO₂", "½", "צה\"ל"}) {
      std::string all = text;
      all.append(word).append(filler);
      const std::vector<std::string> terms = analyzer.query_terms(word);
      expect_the_same(analyzer, all, terms);
      EXPECT_FALSE(find_terms(analyzer, all, terms).empty());
    }
  }
}

TEST(TermMatches, AreFoundInPiecesOfWordsThatAreTooLong) {
  Analyzer analyzer({.stemmer = Stemmer::kNone});
  for (std::size_t before = 0; before < 130; ++before) {
    const std::string text = std::string(before, ' ') + std::string(kMaxTokenBytes, 'z') + "fox and more";
    expect_the_same(analyzer, text, std::vector<std::string>{"fox"});
    EXPECT_EQ(find_terms(analyzer, text, std::vector<std::string>{"fox"}).size(), 1u);
  }
}

TEST(TermMatches, AreNoneWithoutTerms) {
  Analyzer analyzer({});
  EXPECT_TRUE(find_terms(analyzer, "the fox", {}).empty());
  EXPECT_TRUE(find_terms(analyzer, "the fox", std::vector<std::string>{""}).empty());
  EXPECT_TRUE(find_terms(analyzer, "", std::vector<std::string>{"fox"}).empty());
}

TEST(PrefixScan, FindsTriplesByteForByte) {
  support::with_every_instruction_set([&](const char* name) {
    SCOPED_TRACE(name);
    std::mt19937_64 random(3);
    for (std::size_t size = 1; size < kScanBytes + 400; size += 1 + size / 16) {
      std::string text(size, ' ');
      for (char& c : text) c = static_cast<char>(random() % 50 == 0 ? random() : 'a' + random() % 3);
      std::vector<ByteTriple> triples(1 + random() % 11);
      for (ByteTriple& triple : triples)
        for (std::size_t i = 0; i < triple.at.size(); ++i) {
          triple.bytes[i] = static_cast<std::uint8_t>('a' + random() % (i == 0 ? 4 : 3));
          triple.at[i] = static_cast<std::uint8_t>(random() % (kMaxReach + 1));
        }
      const std::size_t from = size > kScanBytes ? random() % 300 : 0;
      const std::size_t part = std::min(kScanBytes, size - from);
      ScanBits bits, high_bits;
      bits.fill(~std::uint64_t{0});
      high_bits.fill(~std::uint64_t{0});
      const bool some_high = find_triples(text, from, triples, bits, high_bits);
      const auto folded = [&](std::size_t at) {
        return at < size ? static_cast<unsigned char>(text[at]) | 0x20 : 0x20;
      };
      const auto any = [&](std::size_t at) {
        return std::ranges::any_of(triples, [&](const ByteTriple& triple) {
          return folded(at + triple.at[0]) == triple.bytes[0] && folded(at + triple.at[1]) == triple.bytes[1] &&
                 folded(at + triple.at[2]) == triple.bytes[2];
        });
      };
      const bool high = std::any_of(text.begin() + static_cast<std::ptrdiff_t>(from),
                                    text.begin() + static_cast<std::ptrdiff_t>(from + part),
                                    [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
      ASSERT_TRUE(some_high || !high);
      std::vector<std::uint16_t> expected;
      for (std::size_t i = 0; i < (part + 63) / 64 * 64; ++i) {
        if (i < part && any(from + i)) expected.push_back(static_cast<std::uint16_t>(i));
        ASSERT_EQ((high_bits[i / 64] >> i % 64 & 1) != 0,
                  i < part && static_cast<unsigned char>(text[from + i]) >= 0x80)
            << i;
      }
      ScanPlaces places;
      const auto found = places_of(bits, (part + 63) / 64, places);
      ASSERT_TRUE(std::ranges::equal(found, expected));
    }
  });
}

}  // namespace
}  // namespace frond::text
