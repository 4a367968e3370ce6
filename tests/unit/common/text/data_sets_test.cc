// On real text in several languages, find_terms() finds what find_terms_plainly() does, and the prefix of a term is
// that of all its tokens. Reads the files below $FROND_DATA, else ../shared/data, and those that $FROND_TEXTS names,
// separated by ":"; skipped if there are none.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <unordered_set>

#include "common/text/snippets/term_matches.h"

namespace frond::text {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files() {
  std::vector<fs::path> all;
  const char* const data = std::getenv("FROND_DATA");
  const fs::path folder(data ? data : "../shared/data");
  for (const char* set : {"scifact", "cacm", "cisi", "medquad", "languages", "queries"}) {
    std::error_code none;
    for (fs::recursive_directory_iterator at(folder / set, none), end; at != end; at.increment(none))
      if (at->is_regular_file()) all.push_back(at->path());
  }
  std::sort(all.begin(), all.end());
  const char* const more = std::getenv("FROND_TEXTS");
  std::istringstream names(more ? more : "");
  for (std::string name; std::getline(names, name, ':');) all.emplace_back(name);
  return all;
}

class DataSets : public testing::TestWithParam<AnalyzerConfig> {};

TEST_P(DataSets, HaveTheSameMatchesByBothPaths) {
  Analyzer analyzer(GetParam());
  Analyzer finder(GetParam());  // used while the other one is in analyze()
  std::mt19937_64 random(11);
  std::unordered_set<std::string> tokens;
  std::vector<std::string> some(1000);  // terms of the lines before
  std::size_t lines = 0, matches = 0;
  for (const fs::path& file : files()) {
    std::ifstream in(file, std::ios::binary);
    for (std::string line; std::getline(in, line); ++lines) {
      analyzer.analyze(line, [&](std::string_view term, TokenSpan where) {
        const auto [token, fresh] = tokens.emplace(line, where.begin, where.end - where.begin);
        if (!fresh && random() % 16 != 0) return;
        const std::vector<std::string> itself{std::string(term)};
        some[random() % some.size()] = term;
        if (!fresh) return;
        const auto matches_of_it = find_terms(finder, *token, itself);
        ASSERT_EQ(matches_of_it, find_terms_plainly(finder, *token, itself)) << *token << ", " << file;
        // Some spans are others when nothing stands around them.
        const bool has_itself = !matches_of_it.empty() || analyzer.config().kind != AnalyzerKind::kStandard;
        ASSERT_TRUE(has_itself) << *token << ", " << file;
      });
      ASSERT_FALSE(HasFatalFailure());
      std::vector<std::string> terms;
      for (std::size_t i = 1 + random() % 5; i > 0; --i) terms.push_back(some[random() % some.size()]);
      const auto found = find_terms(analyzer, line, terms);
      ASSERT_EQ(found, find_terms_plainly(analyzer, line, terms)) << file << ", line " << line;
      matches += found.size();
    }
  }
  std::printf("%zu lines, %zu distinct tokens, %zu matches\n", lines, tokens.size(), matches);
}
INSTANTIATE_TEST_SUITE_P(Analyzers, DataSets,
                         testing::Values(AnalyzerConfig{Stemmer::kNone}, AnalyzerConfig{Stemmer::kPorter},
                                         AnalyzerConfig{Stemmer::kEnglish},
                                         AnalyzerConfig{Stemmer::kPorter, true, AnalyzerKind::kStandard2},
                                         AnalyzerConfig{Stemmer::kEnglish, true, AnalyzerKind::kStandard2, true},
                                         AnalyzerConfig{Stemmer::kPorter, true, AnalyzerKind::kStandard3},
                                         AnalyzerConfig{Stemmer::kNone, false, AnalyzerKind::kStandard3, true, true}),
                         [](const auto& one) {
                           return std::string(name_of(one.param.kind)) + "_" + std::string(name_of(one.param.stemmer));
                         });

}  // namespace
}  // namespace frond::text

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (frond::text::files().empty()) {
    std::printf("skipped: no data sets\n");
    return 77;
  }
  return RUN_ALL_TESTS();
}
