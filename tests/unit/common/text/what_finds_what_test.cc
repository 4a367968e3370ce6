// A query, a text, and whether AND finds it: with standard, and with standard2 and --fold-accents. Stemmer and stop
// words as the collection of that language would have them. The page docs/measurements/2026-11-23-analyzer.md shows the
// table; FROND_SHOW_TABLE=1 prints it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/text/analyzer.h"

namespace frond::text {
namespace {

struct Case {
  const char* language;
  Stemmer stemmer;  // of standard2; standard has Porter
  const char *query, *text;
  bool before, after;
};

constexpr Case kCases[] = {
    {"English", Stemmer::kPorter, "don't", "they don’t know", false, true},
    {"English", Stemmer::kPorter, "obrien", "Flann O’Brien", false, true},
    {"English", Stemmer::kPorter, "O'Brien", "Flann O’Brien", false, true},
    {"English", Stemmer::kPorter, "cooperation", "co\u00adoperation", false, true},
    {"English", Stemmer::kPorter, "file", "a ﬁle", false, true},
    {"English", Stemmer::kPorter, "3000000", "3,000,000 people", false, true},
    {"English", Stemmer::kPorter, "running foxes", "the fox runs", true, true},
    {"English", Stemmer::kPorter, "C++", "a letter c", true, false},
    {"English", Stemmer::kPorter, "C++", "modern C++, in short", true, true},
    {"English", Stemmer::kPorter, "c", "modern C++", true, true},
    {"English", Stemmer::kPorter, "C#", "vitamin C", true, false},
    {"English", Stemmer::kPorter, ".NET", "a fishing net", true, false},
    {"English", Stemmer::kPorter, ".NET", "for .NET", true, true},
    {"English", Stemmer::kPorter, "AT&T", "t", true, false},
    {"English", Stemmer::kPorter, "AT&T", "from AT&T.", true, true},
    {"English", Stemmer::kPorter, "node", "node.js 20", false, true},
    {"English", Stemmer::kPorter, "node.js", "Node.js 20", true, true},
    {"English", Stemmer::kPorter, "3.11.2", "Python 3.11.2", true, true},
    {"English", Stemmer::kPorter, "11", "Python 3.11.2", false, true},
    {"English", Stemmer::kPorter, "e-mail", "an E-mail", true, true},
    {"English", Stemmer::kPorter, "mail", "an e-mail", true, true},
    {"English", Stemmer::kPorter, "user@example.com", "user@example.com", true, true},
    {"English", Stemmer::kPorter, "user@example.com", "example.com has a user", true, false},
    {"English", Stemmer::kPorter, "example", "user@example.com", false, true},
    {"French", Stemmer::kFrench, "école", "à l’école", false, true},
    {"French", Stemmer::kFrench, "l'école", "une école", false, true},
    {"French", Stemmer::kFrench, "ecole", "école", false, true},
    {"French", Stemmer::kFrench, "cheval", "chevaux", false, true},
    {"French", Stemmer::kFrench, "œuvre", "oeuvres", false, true},
    {"French", Stemmer::kFrench, "le chat", "un chat dort", false, true},
    {"Italian", Stemmer::kItalian, "arte", "storia dell'arte", false, true},
    {"Italian", Stemmer::kItalian, "città", "le citta", false, true},
    {"German", Stemmer::kGerman, "Strasse", "Straße", false, true},
    {"German", Stemmer::kGerman, "Häuser", "ein Haus", false, true},
    {"German", Stemmer::kGerman, "der Hund", "ein Hund", false, true},
    {"German", Stemmer::kGerman, "Muller", "Müller", false, true},
    {"Spanish", Stemmer::kSpanish, "canción", "canciones", false, true},
    {"Spanish", Stemmer::kSpanish, "la casa", "una casa", false, true},
    {"Swedish", Stemmer::kSwedish, "en bok", "boken", false, true},
    {"Spanish", Stemmer::kSpanish, "Malaga", "Málaga", false, true},
    {"Polish", Stemmer::kNone, "Lodz", "Łódź", false, true},
    {"Turkish", Stemmer::kTurkish, "istanbul", "İstanbul", true, true},
    {"Russian", Stemmer::kRussian, "собака", "с собаками", false, true},
    {"Russian", Stemmer::kRussian, "у собаки", "с собакой", false, true},
    {"Russian", Stemmer::kRussian, "елка", "ёлка", false, true},
    {"Greek", Stemmer::kGreek, "ελλαδα", "ΕΛΛΆΔΑ", false, true},
    {"Greek", Stemmer::kGreek, "Σίσυφος", "ΣΊΣΥΦΟΣ", false, true},
    {"Chinese", Stemmer::kNone, "北京", "我在北京工作", true, true},
    {"Chinese", Stemmer::kNone, "北京", "京北大道", true, false},
    {"Chinese", Stemmer::kNone, "茶", "绿茶好喝", true, true},
    {"Chinese", Stemmer::kNone, "数据库", "一个数据库系统", true, true},
    {"Chinese", Stemmer::kNone, "iPhone版本", "新iPhone版本", true, true},
    {"Japanese", Stemmer::kNone, "東京", "京都の東", true, false},
    {"Japanese", Stemmer::kNone, "東京都", "東京都の人口", true, true},
    {"Japanese", Stemmer::kNone, "ベース", "データベース", false, true},
    {"Japanese", Stemmer::kNone, "カタカナ", "ｶﾀｶﾅ", false, true},
    {"Japanese", Stemmer::kNone, "食べる", "食べること", true, true},
    {"Korean", Stemmer::kNone, "서울", "서울에서 산다", false, true},
    {"Korean", Stemmer::kNone, "서울에서", "서울에서 산다", true, true},
    {"Korean", Stemmer::kNone, "물", "물을 마신다", false, true},
    {"Korean", Stemmer::kNone, "학교", "고등학교에", false, true},
    {"Korean", Stemmer::kNone, "서울", "울산과 서산", false, false},
    {"Korean", Stemmer::kNone, "전자", "LG전자가", false, true},
    {"Thai", Stemmer::kNone, "ไทย", "ประเทศไทย", false, true},
    {"Thai", Stemmer::kNone, "น้ำ", "ดื่มน้ำมาก", false, true},
    {"Thai", Stemmer::kNone, "กรุงเทพ", "กรุงเทพมหานคร", false, true},
};

bool finds(const AnalyzerConfig& config, std::string_view query, std::string_view text) {
  Analyzer analyzer(config, 10);
  const std::vector<std::string> asked = analyzer.query_terms(query), has = analyzer.terms(text);
  return !asked.empty() &&
         std::ranges::all_of(asked, [&](const std::string& t) { return std::ranges::find(has, t) != has.end(); });
}

TEST(WhatFindsWhat, IsAsTheTableSays) {
  const bool show = std::getenv("FROND_SHOW_TABLE") != nullptr;
  for (const Case& one : kCases) {
    const StopWords stop_words =
        one.stemmer == Stemmer::kPorter ? StopWords(true) : StopWords::named(name_of(one.stemmer)).value_or(false);
    const bool before = finds({}, one.query, one.text);
    const bool after = finds({one.stemmer, stop_words, AnalyzerKind::kStandard2, true}, one.query, one.text);
    EXPECT_EQ(before, one.before) << one.query << " in " << one.text << ", standard";
    EXPECT_EQ(after, one.after) << one.query << " in " << one.text << ", standard2";
    if (show)
      std::printf("| %s | `%s` | `%s` | %s | %s |\n", one.language, one.query, one.text, before ? "yes" : "no",
                  after ? "yes" : "no");
  }
}

}  // namespace
}  // namespace frond::text
