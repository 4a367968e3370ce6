#include "common/text/unicode.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "common/text/snippets/snippet.h"
#include "common/text/utf8.h"

namespace frond::text {
namespace {

std::string repeated(std::string_view what, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += what;
  return all;
}

// All places at which clusters begin, and the end, from the pieces that a text is made of.
struct Clusters {
  std::string text;
  std::vector<std::size_t> places{0};
  void add(std::string_view cluster) {
    text += cluster;
    places.push_back(text.size());
  }
};

TEST(Grapheme, IsFoundFromAnyPlace) {
  std::mt19937 random(3);
  const std::vector<std::string> clusters = {"a",
                                             " ",
                                             "e\u0301",
                                             "कि",
                                             "👍🏽",
                                             "👩‍👩‍👧",
                                             "❤️",
                                             "각",
                                             "\u1100\u1161\u11a8",
                                             "🇩🇪",
                                             "น้ำ",
                                             "語",
                                             "я",
                                             "\r\n",
                                             "\n",
                                             "🏴󠁧󠁢󠁥󠁮󠁧󠁿"};
  for (int round = 0; round < 300; ++round) {
    Clusters all;
    for (std::size_t i = random() % 40; i > 0; --i) all.add(clusters[random() % clusters.size()]);
    std::size_t place = 0;
    for (std::size_t at = 0; at <= all.text.size(); ++at) {
      if (utf8_boundary(all.text, at) != at) continue;
      while (place + 1 < all.places.size() && all.places[place + 1] <= at) ++place;
      const bool between = all.places[place] == at;
      if (at > 0 && all.text[at - 1] == '\r') continue;  // white space is folded where it matters
      ASSERT_EQ(cluster_begin(all.text, at), all.places[place]) << all.text << " at " << at;
      ASSERT_EQ(cluster_end(all.text, at), between ? at : all.places[place + 1]) << all.text << " at " << at;
    }
  }
}

TEST(Grapheme, OfAFlagIsFoundInALongRun) {
  const std::string flags = repeated("🇩🇪", 5000);
  EXPECT_EQ(cluster_begin(flags, 20004), 20000u);
  EXPECT_EQ(cluster_end(flags, 20004), 20008u);
  EXPECT_EQ(cluster_end("x" + flags, 20005), 20009u);
}

// So that a place is found in a few steps, wherever it is in whatever text.
TEST(Grapheme, HasAtMost64CodePoints) {
  const std::string long_one = "fox" + repeated("\u0301", 1000);
  const std::size_t end = 2 + 1 + 63 * 2;
  for (const std::size_t at : {std::size_t{3}, std::size_t{5}, end - 2}) {
    EXPECT_EQ(cluster_begin(long_one, at), 2u) << at;
    EXPECT_EQ(cluster_end(long_one, at), end) << at;
  }
  for (const std::size_t at : {end, end + 2, end + 200}) {
    EXPECT_EQ(cluster_begin(long_one, at), at);
    EXPECT_EQ(cluster_end(long_one, at), at);
  }
  const std::string hearts = repeated("\u2764\ufe0f", 500);  // each is a cluster, however many there are
  EXPECT_EQ(cluster_begin(hearts, 2403), 2400u);
  EXPECT_EQ(cluster_end(hearts, 2403), 2406u);
}

TEST(Grapheme, DoesNotHideAWordWithAThousandMarks) {
  Analyzer analyzer({Stemmer::kNone, false, AnalyzerKind::kStandard3, /*fold_accents=*/true});
  for (const int marks : {100, 1000}) {
    const std::string text = "a quick fox" + repeated("\u0301", marks) + " and " + std::string(1000, 'z');
    const std::string shown = snippet(analyzer, text, {{"fox"}}, kSnippetBytes);
    EXPECT_NE(shown.find(std::string(kMatchBegin) + "fox\u0301"), std::string::npos) << shown;
    EXPECT_NE(shown.find(kMatchEnd), std::string::npos) << shown;
    EXPECT_LE(shown.size(), kSnippetBytes + 2 + 6);
  }
}

TEST(Grapheme, IsOneByteThatIsNoUtf8) {
  const std::string text = "\xff\xff\u0301\xe2\x84";
  for (std::size_t at : {0, 1, 4, 5, 6}) EXPECT_EQ(cluster_begin(text, at), at);
}

// Every cut of a snippet is between clusters, wherever the matches are and however much is shown.
TEST(Grapheme, IsNotCutBySnippets) {
  Analyzer analyzer({Stemmer::kNone, false, AnalyzerKind::kStandard3});
  const std::string zalgo = "e" + repeated("\u0301", 40);
  for (const std::string& cluster :
       {std::string("🇩🇪"), std::string("e\u0301"), std::string("कि"), std::string("👩‍👩‍👧"),
        std::string("น้ำ"), std::string("👍🏽"), zalgo})
    for (const char* const needle : {" needle ", "needle", " 🇩🇪 needle "})
      for (const int before : {0, 3, 300})
        for (std::size_t budget = 1; budget < 260; budget += budget < 60 ? 1 : 13) {
          const std::string text = repeated(cluster, before) + needle + repeated(cluster, 300);
          std::string shown = snippet(analyzer, text, analyzer.query_terms("needle"), budget);
          std::erase_if(shown, [](char c) { return c == kMatchBegin[0] || c == kMatchEnd[0]; });
          for (const bool front : {true, false})
            if (front ? shown.starts_with("…") : shown.ends_with("…")) shown.erase(front ? 0 : shown.size() - 3, 3);
          if (shown.empty()) continue;
          const std::size_t at = text.find(shown);
          ASSERT_NE(at, std::string::npos) << shown;
          ASSERT_EQ(cluster_begin(text, at), at) << shown;
          ASSERT_EQ(cluster_begin(text, at + shown.size()), at + shown.size()) << shown;
        }
}

TEST(Grapheme, IsMarkedAsAWhole) {
  Analyzer analyzer({Stemmer::kNone, false, AnalyzerKind::kStandard3});
  EXPECT_EQ(snippet(analyzer, "a 👩‍💻 here", analyzer.query_terms("💻"), 100), "a \x02👩‍💻\x03 here");
  EXPECT_EQ(snippet(analyzer, "a 👍🏽 here", analyzer.query_terms("👍"), 100), "a \x02👍🏽\x03 here");
}

}  // namespace
}  // namespace frond::text
