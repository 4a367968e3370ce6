#pragma once
// A random schema, and random documents of it as JSON and as the oracle has them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "common/schema/json.h"
#include "common/schema/schema_json.h"
#include "common/schema/value.h"
#include "tests/support/oracle_collection.h"
#include "tests/support/vocabulary.h"

namespace frond::queries_test {

using schema::FieldType;

struct RandomDocument {
  std::string id, json;
  support::OracleDocument oracle;
};

class RandomCollection {
 public:
  explicit RandomCollection(std::uint32_t seed)
      : random_(seed),
        impacts_(below(6) == 0),
        analyzer_(make_analyzer()),
        schema_(make_schema()),
        bm25_(impacts_ ? scoring::kImpacts : scoring::Bm25Parameters{0.25 * below(9), 0.25 * below(5)}) {
    vocabulary_.schema = schema_;
    make_words();
    for (const schema::Field& field : schema_.fields) vocabulary_.values.push_back(some_values(field));
    for (int i = 0; i < 12; ++i)
      vocabulary_.tokens.push_back(i % 3 == 0 ? vocabulary_.words[i] : "##t" + std::to_string(i));
    for (std::uint32_t i = 0; i < 40; ++i) vocabulary_.ids.push_back(id_of(i * i));
  }

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  const schema::Schema& schema() const { return schema_; }
  const text::AnalyzerConfig& analyzer() const { return analyzer_; }
  const scoring::Bm25Parameters& bm25() const { return bm25_; }
  const support::Vocabulary& vocabulary() const { return vocabulary_; }
  support::OracleAnalyzers& analyzers() { return analyzers_; }

  static std::string id_of(std::uint32_t number) {
    return (number % 7 == 0 ? "ключ/" : number % 11 == 0 ? "a b&" : "d") + std::to_string(number);
  }

  RandomDocument document(std::uint32_t number) {
    RandomDocument made{id_of(number), {}, {}};
    made.oracle.id = made.id;
    made.oracle.texts.resize(schema_.fields.size());
    made.json = "{\"id\":" + schema::json_string(made.id);
    if (below(4) == 0) {
      const double prior = static_cast<double>(below(1u << (1 + below(16)))) / 1024;
      made.json += ",\"prior\":" + schema::text_of(prior);
      made.oracle.prior = scoring::prior_of(prior);
    }
    for (std::uint32_t field = 0; field < schema_.fields.size(); ++field) add_field(field, made);
    for (const char* const name : {"title", "body"})  // text that the schema need not name
      if (schema_.find(name) == nullptr && (below(3) != 0 || name == std::string("title"))) {
        const std::string text = some_text(6) + " x";
        made.json += ",\"" + std::string(name) + "\":" + schema::json_string(text);
        if (!impacts_) add_plain(analyzers_.of_document("", text), 1, made.oracle);
      }
    made.json += "}";
    return made;
  }

 private:
  template <class T>
  const T& any(const std::vector<T>& all) {
    return all[below(static_cast<std::uint32_t>(all.size()))];
  }

  text::AnalyzerConfig make_analyzer() {
    text::AnalyzerConfig config;
    config.kind = static_cast<text::AnalyzerKind>(below(3));
    config.stemmer = std::array{text::Stemmer::kNone, text::Stemmer::kPorter, text::Stemmer::kEnglish}[below(3)];
    if (config.kind != text::AnalyzerKind::kStandard) {
      config.fold_accents = below(3) == 0;
      if (below(4) == 0) config.stemmer = text::Stemmer::kTurkish;
    }
    config.split_case = config.kind == text::AnalyzerKind::kStandard3 && below(3) == 0;
    config.stop_words = below(2) == 0 ? text::StopWords(true) : *text::StopWords::own({"ca", "bb"});
    if (below(4) == 0) config.stop_words = false;
    return config;
  }

  schema::Schema make_schema() {
    schema::Schema made;
    if (impacts_) {
      made.scorer = schema::Scorer::kImpact;
      schema::Field weights{.name = "vector", .type = FieldType::kWeights};
      if (below(2) == 0) weights.scale = 2.5;
      made.fields.push_back(weights);
      made.fields.push_back({.name = "title"});
    }
    for (const char* const name : {"title", "body", "note", "remark"}) {
      if (impacts_ || below(4) == 0) continue;
      schema::Field field{.name = name};
      field.weight = below(2) == 0 ? 1 : 1 + below(5);
      if (below(12) == 0) field.weight = 100;
      field.positions = below(3) != 0;
      field.field_search = below(3) != 0;
      if (below(4) == 0) field.analyzer = text::kAnalyzerNames[below(3)];
      made.fields.push_back(std::move(field));
    }
    static constexpr FieldType kTypes[] = {FieldType::kKeyword, FieldType::kInteger, FieldType::kFloat,
                                           FieldType::kDate, FieldType::kBoolean};
    static constexpr const char* kNames[] = {"tag", "year", "price", "published", "open"};
    for (std::size_t type = 0; type < std::size(kTypes); ++type)
      for (std::uint32_t more = below(4) == 0 ? 2 : below(5) == 0 ? 0 : 1; more-- > 0;)
        made.fields.push_back({.name = kNames[type] + (more == 0 ? std::string() : "." + std::to_string(more)),
                               .type = kTypes[type],
                               .many = below(2) == 0});
    if (made.fields.empty()) made.fields.push_back({.name = "tag", .type = FieldType::kKeyword, .many = true});
    std::shuffle(made.fields.begin(), made.fields.end(), random_);
    made.source_stored = below(2) == 0;
    return made;
  }

  void make_words() {
    static const std::vector<std::string> kSpecial = {
        "running", "runs", "the",       "don't",    "node.js",     "C++",  "e-mail",         "3.11.2", "Straße",
        "café",    "cafe", "日本語",    "서울에서", "İSTANBUL'DA", "AT&T", "U.S.A.",         "👍",      "getElementById",
        "naïve",   "ﬁne",  "3,000,000", "١٢٣",      "example.com", "½",    "e\u0301t\u00e9", "v1.2.3", "col·lecció"};
    const std::uint32_t letters = 2 + below(4);
    for (std::uint32_t i = 0; i < letters; ++i)
      for (std::uint32_t j = 0; j < 3; ++j)
        vocabulary_.words.push_back({static_cast<char>('a' + i), static_cast<char>('a' + j)});
    while (vocabulary_.words.size() < 12 + below(20)) vocabulary_.words.push_back(any(kSpecial));
    if (below(2) == 0) vocabulary_.words.push_back(std::string(80 + below(400), 'l'));
    while (vocabulary_.words.size() < 14) vocabulary_.words.push_back("w" + std::to_string(below(100)));
  }

  // What JSON may have of a column, extremes included. Without `many` words of one type beside each other.
  std::vector<schema::Value> some_values(const schema::Field& field) {
    std::vector<schema::Value> values;
    const bool far = below(3) == 0;
    for (std::uint32_t i = 2 + below(20); i-- > 0;) switch (field.type) {
        case FieldType::kKeyword: {
          static const std::vector<std::string> kWords = {"",         "a",     "aa",   "ab",       "ab c",
                                                          "Blue Sky", "x/y",   "café", "日本",     "ÿ",
                                                          "a\x01z",   "\"q\"", "a*b?", "12345678", "123456789"};
          values.emplace_back(far && below(6) == 0 ? std::string(1 + below(500), 'k') : any(kWords));
          break;
        }
        case FieldType::kInteger: {
          static const std::vector<std::int64_t> kFar = {INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1, -1, 0,
                                                         1,         1LL << 53};
          values.emplace_back(far ? any(kFar) : std::int64_t{2000} + below(12));
          break;
        }
        case FieldType::kFloat: {
          static const std::vector<double> kFar = {
              1.7976931348623157e308, -1.7976931348623157e308, 5e-324, -5e-324, 0.0, 1e16, 0.1, 1.0 / 3};
          values.emplace_back(far ? any(kFar) : static_cast<double>(below(4000)) / 16 - 100);
          break;
        }
        case FieldType::kDate: {
          static const std::vector<std::string> kTexts = {"2010",
                                                          "2010-05",
                                                          "2010-05-03",
                                                          "2010-12-31T23:59:59.999Z",
                                                          "2011-01-01T00:00:00+02:00",
                                                          "1969-12-31",
                                                          "2000-02-29T12:00:00Z"};
          if (below(3) == 0)
            values.emplace_back(any(kTexts));
          else
            values.emplace_back(std::int64_t{1'262'304'000'000} +
                                std::int64_t{below(far ? 4'000'000'000u : 90'000'000u)} * (far ? 1000 : 997) -
                                (far ? 2'000'000'000'000 : 0));
          break;
        }
        case FieldType::kBoolean:
          values.emplace_back(below(2) == 0);
          break;
        case FieldType::kText:
        case FieldType::kWeights:
          return values;
      }
    return values;
  }

  std::string some_text(std::uint32_t most) {
    std::string text;
    for (std::uint32_t words = below(most + 1); words-- > 0;) {
      // Some words are rare.
      const auto count = static_cast<std::uint32_t>(vocabulary_.words.size());
      text += vocabulary_.words[std::min(below(count), below(count))];
      text += below(9) == 0 ? ", " : below(20) == 0 ? "\n" : " ";
    }
    return text;
  }
  static void add_plain(const std::vector<std::string>& terms, std::uint32_t weight, support::OracleDocument& to) {
    for (const std::string& term : terms) to.plain.add(term, weight);
  }
  void add_field(std::uint32_t number, RandomDocument& to) {
    const schema::Field& field = schema_.fields[number];
    const bool needed = field.name == "title";  // a document has some text
    if (!needed && below(5) == 0) return;
    const std::string name = ",\"" + field.name + "\":";
    if (field.type == FieldType::kText) {
      const std::string text = some_text(field.name == "body" ? below(30) == 0 ? 400 : 20 : 5) + (needed ? "x" : "");
      to.json += name + schema::json_string(text);
      if (impacts_) return;
      const auto& terms = analyzers_.of_document(field.name, text);
      add_plain(terms, field.weight, to.oracle);
      if (field.field_search)
        for (const std::string& term : terms) to.oracle.texts[number].add(term, 1);
      if (field.positions) to.oracle.texts[number].places = analyzers_.sequence(field.name, text);
    } else if (field.type == FieldType::kWeights) {
      add_weights(field, name, to);
    } else if (!vocabulary_.values[number].empty()) {
      add_values(number, name, to);
    }
  }
  void add_weights(const schema::Field& field, const std::string& name, RandomDocument& to) {
    std::set<std::string> tokens;
    for (std::uint32_t i = below(10); i-- > 0;) tokens.insert(any(vocabulary_.tokens));
    to.json += name + "{";
    for (const std::string& token : tokens) {
      const double weight = static_cast<double>(below(below(4) == 0 ? 4000 : 40)) / 8;
      to.json += (to.json.back() == '{' ? "" : ",") + schema::json_string(token) + ":" + schema::text_of(weight);
      const auto impact = static_cast<std::uint32_t>(std::min(std::floor(weight * field.scale + 0.5), 255.0));
      if (impact != 0) to.oracle.plain.counts[token] += impact;
    }
    to.json += "}";
  }
  void add_values(std::uint32_t number, const std::string& name, RandomDocument& to) {
    const schema::Field& field = schema_.fields[number];
    std::uint32_t count = field.many ? below(4) : below(6) == 0 ? 0 : 1;
    if (field.many && below(40) == 0) count = 30;
    std::vector<schema::Value> typed;
    std::string list;
    for (std::uint32_t i = 0; i < count; ++i) {
      const schema::Value& raw = any(vocabulary_.values[number]);
      list += (list.empty() ? "" : ",") + schema::json_scalar(raw);
      typed.push_back(*schema::typed_value(field.type, raw, schema::Reading::kStrict));
    }
    to.json += name + (count == 1 ? list : count == 0 ? "null" : "[" + list + "]");
    std::sort(typed.begin(), typed.end());
    typed.erase(std::unique(typed.begin(), typed.end()), typed.end());
    if (!typed.empty()) to.oracle.values[number] = std::move(typed);
  }

  std::mt19937 random_;
  const bool impacts_;
  const text::AnalyzerConfig analyzer_;
  const schema::Schema schema_;
  const scoring::Bm25Parameters bm25_;
  support::Vocabulary vocabulary_;
  support::OracleAnalyzers analyzers_{analyzer_, schema_};
};

}  // namespace frond::queries_test
