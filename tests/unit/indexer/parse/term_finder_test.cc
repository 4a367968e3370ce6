// The terms of a text, found with tables, are those of an analyzer that takes one token after the other.
#include "indexer/parse/term_finder.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace frond::indexer::parse {
namespace {

using Terms = std::map<std::string, std::uint64_t>;

Terms terms_of(const TokenGroups& tokens) {
  Terms terms;
  for (const TokenGroup& group : tokens.groups) {
    const ByteView bytes = tokens.of(group);
    for (const std::byte* at = bytes.data(); at != bytes.data() + bytes.size();) {
      const GroupedTerm term = GroupedTerm::read(at);
      at = term.end();
      std::uint64_t& occurrences =
          terms[std::string(dictionary::TriePrefix(group.collection).text()).append(term.suffix)];
      for (std::uint32_t i = 0; i < term.postings; ++i) occurrences += term.frequency(i);
    }
  }
  return terms;
}

std::string word(std::mt19937& random) {
  const std::vector<std::string> letters = {"a", "b", "C", "d", "9", "ж", "Ж", "é"};
  const std::size_t usual = random() % 4 == 0 ? letters.size() : 5;
  std::string made;
  // Some are longer than a TokenTable has, and some longer than LongTokens has.
  for (std::size_t n = 1 + random() % (random() % 8 == 0 ? 40 : 4); n > 0; --n) made += letters[random() % usual];
  return made;
}

// The tables are small, so that terms are forgotten again and again.
TEST(TermFinder, FindsTheTermsOfAnAnalyzer) {
  for (const text::AnalyzerKind kind :
       {text::AnalyzerKind::kStandard, text::AnalyzerKind::kStandard2, text::AnalyzerKind::kStandard3}) {
    text::AnalyzerConfig config;
    config.kind = kind;
    config.split_case = kind == text::AnalyzerKind::kStandard3;
    text::Analyzer analyzer(config);
    TokenGrouper grouper(std::size_t{1} << 16, kMinTableBits);
    TermFinder finder(config, kMinTableBits, grouper);
    std::mt19937 random(7);
    const std::vector<std::string> stops = {" ", ", ", ". ", " the ", "'", ".", " it's ",  "@", " C++ ",
                                            "&", "_",  ":",  "½",     "²", "👍", " U.S.A ", "™"};
    std::vector<std::string> often;
    often.reserve(60);
    for (int i = 0; i < 60; ++i) often.push_back(word(random));
    for (int round = 0; round < 300; ++round) {
      std::string text;
      for (std::size_t words = random() % 300; words > 0; --words)
        text.append(random() % 3 == 0 ? word(random) : often[random() % often.size()])
            .append(stops[random() % 8 == 0 ? random() % stops.size() : 0]);
      Terms expected;
      std::uint32_t length = 0;
      for (const std::string& term : analyzer.terms(text)) {
        ++expected[term];
        ++length;
      }
      grouper.begin_document(0);
      ASSERT_EQ(finder.add(text), length) << "round " << round;
      TokenGroups tokens;
      grouper.finish(tokens);
      ASSERT_EQ(terms_of(tokens), expected) << "round " << round;
    }
    EXPECT_GT(grouper.epoch(), 10u) << "terms were forgotten";
  }
}

}  // namespace
}  // namespace frond::indexer::parse
