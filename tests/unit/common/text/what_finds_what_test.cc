// A query, a text, and whether AND finds it: with standard, and with standard2 and standard3, both with --fold-accents.
// Stemmer and stop words as the collection of that language would have them. The page
// docs/measurements/analyzer-and-quality.md has the sums; FROND_SHOW_TABLE=1 prints the table.
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
  Stemmer stemmer;  // of the others; standard has Porter
  const char *query, *text;
  bool standard, standard2, standard3;
};

constexpr Case kCases[] = {
    {"English", Stemmer::kPorter, "don't", "they don’t know", false, true, true},
    {"English", Stemmer::kPorter, "obrien", "Flann O’Brien", false, true, true},
    {"English", Stemmer::kPorter, "O'Brien", "Flann O’Brien", false, true, true},
    {"English", Stemmer::kPorter, "cooperation", "co\u00adoperation", false, true, true},
    {"English", Stemmer::kPorter, "file", "a ﬁle", false, true, true},
    {"English", Stemmer::kPorter, "3000000", "3,000,000 people", false, true, true},
    {"English", Stemmer::kPorter, "running foxes", "the fox runs", true, true, true},
    {"English", Stemmer::kPorter, "C++", "a letter c", true, false, false},
    {"English", Stemmer::kPorter, "C++", "modern C++, in short", true, true, true},
    {"English", Stemmer::kPorter, "c", "modern C++", true, true, true},
    {"English", Stemmer::kPorter, "C#", "vitamin C", true, false, false},
    {"English", Stemmer::kPorter, ".NET", "a fishing net", true, false, false},
    {"English", Stemmer::kPorter, ".NET", "for .NET", true, true, true},
    {"English", Stemmer::kPorter, "AT&T", "t", true, false, false},
    {"English", Stemmer::kPorter, "AT&T", "from AT&T.", true, true, true},
    {"English", Stemmer::kPorter, "node", "node.js 20", false, true, true},
    {"English", Stemmer::kPorter, "node.js", "Node.js 20", true, true, true},
    {"English", Stemmer::kPorter, "3.11.2", "Python 3.11.2", true, true, true},
    {"English", Stemmer::kPorter, "11", "Python 3.11.2", false, true, true},
    {"English", Stemmer::kPorter, "e-mail", "an E-mail", true, true, true},
    {"English", Stemmer::kPorter, "mail", "an e-mail", true, true, true},
    {"English", Stemmer::kPorter, "user@example.com", "user@example.com", true, true, true},
    {"English", Stemmer::kPorter, "user@example.com", "example.com has a user", true, false, false},
    {"English", Stemmer::kPorter, "example", "user@example.com", false, true, true},
    {"French", Stemmer::kFrench, "école", "à l’école", false, true, true},
    {"French", Stemmer::kFrench, "l'école", "une école", false, true, true},
    {"French", Stemmer::kFrench, "ecole", "école", false, true, true},
    {"French", Stemmer::kFrench, "cheval", "chevaux", false, true, true},
    {"French", Stemmer::kFrench, "œuvre", "oeuvres", false, true, true},
    {"French", Stemmer::kFrench, "le chat", "un chat dort", false, true, true},
    {"Italian", Stemmer::kItalian, "arte", "storia dell'arte", false, true, true},
    {"Italian", Stemmer::kItalian, "città", "le citta", false, true, true},
    {"German", Stemmer::kGerman, "Strasse", "Straße", false, true, true},
    {"German", Stemmer::kGerman, "Häuser", "ein Haus", false, true, true},
    {"German", Stemmer::kGerman, "der Hund", "ein Hund", false, true, true},
    {"German", Stemmer::kGerman, "Muller", "Müller", false, true, true},
    {"Spanish", Stemmer::kSpanish, "canción", "canciones", false, true, true},
    {"Spanish", Stemmer::kSpanish, "la casa", "una casa", false, true, true},
    {"Swedish", Stemmer::kSwedish, "en bok", "boken", false, true, true},
    {"Spanish", Stemmer::kSpanish, "Malaga", "Málaga", false, true, true},
    {"Polish", Stemmer::kNone, "Lodz", "Łódź", false, true, true},
    {"Turkish", Stemmer::kTurkish, "istanbul", "İstanbul", true, true, true},
    {"Russian", Stemmer::kRussian, "собака", "с собаками", false, true, true},
    {"Russian", Stemmer::kRussian, "у собаки", "с собакой", false, true, true},
    {"Russian", Stemmer::kRussian, "елка", "ёлка", false, true, true},
    {"Greek", Stemmer::kGreek, "ελλαδα", "ΕΛΛΆΔΑ", false, true, true},
    {"Greek", Stemmer::kGreek, "Σίσυφος", "ΣΊΣΥΦΟΣ", false, true, true},
    {"Chinese", Stemmer::kNone, "北京", "我在北京工作", true, true, true},
    {"Chinese", Stemmer::kNone, "北京", "京北大道", true, false, false},
    {"Chinese", Stemmer::kNone, "茶", "绿茶好喝", true, true, true},
    {"Chinese", Stemmer::kNone, "数据库", "一个数据库系统", true, true, true},
    {"Chinese", Stemmer::kNone, "iPhone版本", "新iPhone版本", true, true, true},
    {"Japanese", Stemmer::kNone, "東京", "京都の東", true, false, false},
    {"Japanese", Stemmer::kNone, "東京都", "東京都の人口", true, true, true},
    {"Japanese", Stemmer::kNone, "ベース", "データベース", false, true, true},
    {"Japanese", Stemmer::kNone, "カタカナ", "ｶﾀｶﾅ", false, true, true},
    {"Japanese", Stemmer::kNone, "食べる", "食べること", true, true, true},
    {"Korean", Stemmer::kNone, "서울", "서울에서 산다", false, true, true},
    {"Korean", Stemmer::kNone, "서울에서", "서울에서 산다", true, true, true},
    {"Korean", Stemmer::kNone, "물", "물을 마신다", false, true, true},
    {"Korean", Stemmer::kNone, "학교", "고등학교에", false, true, true},
    {"Korean", Stemmer::kNone, "서울", "울산과 서산", false, false, false},
    {"Korean", Stemmer::kNone, "전자", "LG전자가", false, true, true},
    {"Thai", Stemmer::kNone, "ไทย", "ประเทศไทย", false, true, true},
    {"Thai", Stemmer::kNone, "น้ำ", "ดื่มน้ำมาก", false, true, true},
    {"Thai", Stemmer::kNone, "กรุงเทพ", "กรุงเทพมหานคร", false, true, true},
    {"Code", Stemmer::kNone, "connection", "ERROR:connection refused", false, false, true},
    {"Code", Stemmer::kNone, "ERROR:connection", "ERROR:connection refused", true, true, true},
    {"Code", Stemmer::kNone, "ERROR:connection", "a connection error", false, false, false},
    {"Code", Stemmer::kNone, "urine", "standard_labs_albumin_urine", false, false, true},
    {"Code", Stemmer::kNone, "albumin_urine", "standard_labs_albumin_urine", false, false, true},
    {"Code", Stemmer::kNone, "albumin_blood", "standard_labs_albumin_urine", false, false, false},
    {"Code", Stemmer::kNone, "latest", "nginx:latest", false, false, true},
    {"Code", Stemmer::kNone, "nginx:latest", "the latest nginx", false, false, false},
    {"Code", Stemmer::kNone, "http", "import from 'node:http'", false, false, true},
    {"Code", Stemmer::kNone, "init", "def __init__(self):", false, false, true},
    {"Code", Stemmer::kNone, "__init__", "init", false, false, false},
    {"Code", Stemmer::kNone, "size", "MAX_SIZE", false, false, true},
    {"Code", Stemmer::kNone, "max_size", "MAX_SIZE", true, true, true},
    {"Code", Stemmer::kNone, "MAX_SIZE", "the max size", false, false, false},
    {"Code", Stemmer::kNone, "emphasis", "with _emphasis_", false, false, true},
    {"Code", Stemmer::kNone, "vector", "std::vector<int>", true, true, true},
    {"Code", Stemmer::kNone, "org.apache.lucene", "org.apache.lucene.index.IndexWriter", false, false, true},
    {"Code", Stemmer::kNone, "org.apache.lucene.index.IndexWriter", "org.apache.lucene.index.IndexWriter", true, true,
     true},
    {"Code", Stemmer::kNone, "apache.index", "org.apache.lucene.index.IndexWriter", false, false, false},
    {"Code", Stemmer::kNone, "192.168.1", "192.168.1.10", false, false, true},
    {"Code", Stemmer::kNone, "192.168.1.1", "192.168.1.10", false, false, false},
    {"Code", Stemmer::kNone, "192.168.1.1", "192.168.1 168.1.1", false, false, false},
    {"Code", Stemmer::kNone, "example.com", "www.example.com", false, false, true},
    {"Code", Stemmer::kNone, "example.org", "www.example.com", false, false, false},
    {"Code", Stemmer::kNone, "example.com", "user@mail.example.com", false, false, true},
    {"Code", Stemmer::kNone, "element", "getElementById", false, false, false},
    {"Code", Stemmer::kNone, "getElementById", "getElementById", true, true, true},
    {"Code", Stemmer::kNone, "ERROR:timeout", "ERROR：timeout", false, true, true},
    {"Versions", Stemmer::kNone, "1.2.3", "since v1.2.3", false, false, true},
    {"Versions", Stemmer::kNone, "v1.2.3", "since 1.2.3", false, false, true},
    {"Versions", Stemmer::kNone, "1.2.4", "since v1.2.3", false, false, false},
    {"Versions", Stemmer::kNone, "3.11", "Python 3.11.2", false, false, true},
    {"Versions", Stemmer::kNone, "3.12", "Python 3.11.2", false, false, false},
    {"Versions", Stemmer::kNone, "1.2.3", "1.2 and 2.3", false, false, false},
    {"Versions", Stemmer::kNone, "2.5", "v2.5", false, false, true},
    {"Versions", Stemmer::kNone, "v2", "v2.5", false, true, true},
    {"Versions", Stemmer::kNone, "25", "v2.5", false, false, false},
    {"English", Stemmer::kPorter, "usa", "the U.S.A. today", false, false, true},
    {"English", Stemmer::kPorter, "U.S.A.", "the USA today", false, false, true},
    {"English", Stemmer::kPorter, "asu", "the U.S.A. today", false, false, false},
    {"English", Stemmer::kPorter, "nasa", "N.A.S.A.", false, false, true},
    {"English", Stemmer::kPorter, "e.g.", "eg", false, false, true},
    {"English", Stemmer::kPorter, "rock", "rock'n'roll", false, false, true},
    {"English", Stemmer::kPorter, "don", "they don’t know", false, false, false},
    {"Russian", Stemmer::kRussian, "СССР", "в С.С.С.Р.", false, false, true},
    {"Formulas", Stemmer::kNone, "co2", "emissions of CO₂", false, false, true},
    {"Formulas", Stemmer::kNone, "CO₂", "emissions of co2", false, false, true},
    {"Formulas", Stemmer::kNone, "co", "emissions of CO₂", true, true, false},
    {"Formulas", Stemmer::kNone, "H₂O", "h2o", false, false, true},
    {"Formulas", Stemmer::kNone, "h o", "H₂O", true, true, false},
    {"Formulas", Stemmer::kNone, "m2", "50 m²", false, false, true},
    {"Formulas", Stemmer::kNone, "m", "50 m²", true, true, false},
    {"Formulas", Stemmer::kNone, "10", "10² ways", true, true, true},
    {"Formulas", Stemmer::kNone, "102", "10² ways", false, false, false},
    {"Formulas", Stemmer::kNone, "einstein", "by Einstein¹", true, true, true},
    {"Formulas", Stemmer::kNone, "kg", "70 ㎏", false, false, true},
    {"Formulas", Stemmer::kNone, "½", "½ cup", false, false, true},
    {"Formulas", Stemmer::kNone, "1/2", "½ cup", false, false, true},
    {"Formulas", Stemmer::kNone, "1/3", "½ cup", false, false, false},
    {"Formulas", Stemmer::kNone, "2 1/2", "2½ cups", false, false, true},
    {"Formulas", Stemmer::kNone, "21", "2½ cups", false, false, false},
    {"Formulas", Stemmer::kNone, "1", "①②", false, false, true},
    {"Formulas", Stemmer::kNone, "12", "①②", false, false, false},
    {"Formulas", Stemmer::kNone, "20 °C", "20℃", false, false, true},
    {"Formulas", Stemmer::kNone, "20 °F", "20℃", false, false, false},
    {"Formulas", Stemmer::kNone, "C++", "Ｃ＋＋", false, false, true},
    {"Formulas", Stemmer::kNone, "user@example.com", "ｕｓｅｒ＠ｅｘａｍｐｌｅ．ｃｏｍ", false, false, true},
    {"Japanese", Stemmer::kNone, "株式", "㍿", false, false, true},
    {"Japanese", Stemmer::kNone, "令和", "㋿元年", false, false, true},
    {"Symbols", Stemmer::kNone, "🍕", "great 🍕 here", false, false, true},
    {"Symbols", Stemmer::kNone, "🍔", "great 🍕 here", false, false, false},
    {"Symbols", Stemmer::kNone, "👍", "👍🏽", false, false, true},
    {"Symbols", Stemmer::kNone, "👍🏽", "👍", false, false, false},
    {"Symbols", Stemmer::kNone, "❤️", "I ❤ it", false, false, true},
    {"Symbols", Stemmer::kNone, "❤", "I ❤️ it", false, false, true},
    {"Symbols", Stemmer::kNone, "💻", "👩‍💻", false, false, true},
    {"Symbols", Stemmer::kNone, "👩‍💻", "👩 💻", false, false, false},
    {"Symbols", Stemmer::kNone, "🇩🇪", "🇩🇪🇫🇷", false, false, true},
    {"Symbols", Stemmer::kNone, "🇪🇫", "🇩🇪🇫🇷", false, false, false},
    {"Symbols", Stemmer::kNone, "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", false, false, false},
    {"Symbols", Stemmer::kNone, "€", "for 5€", false, false, true},
    {"Symbols", Stemmer::kNone, "₿", "for 5€", false, false, false},
    {"Symbols", Stemmer::kNone, "Photoshop®", "Photoshop", true, true, true},
    {"Symbols", Stemmer::kNone, "®", "Photoshop®", false, false, true},
    {"Symbols", Stemmer::kNone, "iPhone", "iPhone™ 12", true, true, true},
    {"Symbols", Stemmer::kNone, "iphonetm", "iPhone™ 12", false, false, false},
    {"Hebrew", Stemmer::kNone, "צה\"ל", "צה״ל", false, false, true},
    {"Hebrew", Stemmer::kNone, "צה״ל", "צה\"ל", false, false, true},
    {"Hebrew", Stemmer::kNone, "צה\"ל", "צה ל", true, true, false},
    {"Hebrew", Stemmer::kNone, "צה״ל", "ב־צה”ל", false, false, true},
    {"Hebrew", Stemmer::kNone, "צ'יפס", "צ׳יפס", false, false, true},
    {"Hebrew", Stemmer::kNone, "צ׳יפס", "צ’יפס", false, false, true},
    {"Hebrew", Stemmer::kNone, "צ'יפס", "יפס", false, false, false},
    {"Hebrew", Stemmer::kNone, "שלום", "\"שלום\"", true, true, true},
    {"Hebrew", Stemmer::kNone, "רח", "רח׳ הרצל", false, false, true},
    {"Turkish", Stemmer::kTurkish, "istanbul", "İSTANBUL'DA", false, false, true},
    {"Turkish", Stemmer::kTurkish, "ISTANBUL", "İstanbul’a", false, false, true},
    {"Turkish", Stemmer::kTurkish, "ankara", "İSTANBUL'DA", false, false, false},
    {"Turkish", Stemmer::kTurkish, "ışık", "IŞIK", false, true, true},
    {"Turkish", Stemmer::kTurkish, "ırk", "IRK", false, true, true},
    {"Turkish", Stemmer::kTurkish, "kitap", "KİTAPLARIMIZ", false, true, true},
    {"Turkish", Stemmer::kNone, "istanbul", "İSTANBUL'DA", false, false, true},
    {"Turkish", Stemmer::kNone, "ırk", "IRK", false, true, true},
    {"Turkish", Stemmer::kNone, "da", "o'da", false, false, false},
    {"Catalan", Stemmer::kCatalan, "col·lecció", "COL·LECCIÓ", true, true, true},
    {"Catalan", Stemmer::kCatalan, "il·lusions", "una il·lusió", false, true, true},
    {"Catalan", Stemmer::kCatalan, "colleccio", "la col·lecció", false, false, true},
    {"Catalan", Stemmer::kCatalan, "lecció", "la col·lecció", false, false, true},
    {"Catalan", Stemmer::kCatalan, "col·lecció", "la coŀlecció", false, true, true},
    {"Catalan", Stemmer::kCatalan, "colació", "la col·lecció", false, false, false},
    {"Ukrainian", Stemmer::kNone, "об'єкт", "об’єкт", false, true, true},
    {"Ukrainian", Stemmer::kNone, "єкт", "об’єкт", false, false, false},
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
    const auto with = [&](AnalyzerKind kind) {
      return finds({one.stemmer, stop_words, kind, true}, one.query, one.text);
    };
    const bool standard = finds({}, one.query, one.text);
    const bool standard2 = with(AnalyzerKind::kStandard2), standard3 = with(AnalyzerKind::kStandard3);
    EXPECT_EQ(standard, one.standard) << one.query << " in " << one.text << ", standard";
    EXPECT_EQ(standard2, one.standard2) << one.query << " in " << one.text << ", standard2";
    EXPECT_EQ(standard3, one.standard3) << one.query << " in " << one.text << ", standard3";
    const auto word = [](bool found) { return found ? "yes" : "no"; };
    if (show)
      std::printf("| %s | `%s` | `%s` | %s | %s | %s |\n", one.language, one.query, one.text, word(standard),
                  word(standard2), word(standard3));
  }
}

}  // namespace
}  // namespace frond::text
