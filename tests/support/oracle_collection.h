#pragma once
// A collection as its documents are, without an index: their words in order, how often each is there, and values; and
// the statistics that scores need. Everything is counted document by document.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/schema/schema.h"
#include "common/scoring/bm25.h"
#include "common/scoring/prior.h"
#include "common/text/analyzer.h"
#include "common/text/word_sequence.h"

namespace frond::support {

// Terms of texts, by the analyzers of a collection. Remembers them. One thread.
class OracleAnalyzers {
 public:
  OracleAnalyzers(text::AnalyzerConfig config, const schema::Schema& schema)
      : config_(std::move(config)), schema_(schema) {}

  using Words = std::vector<std::string>;
  // `field`: a text field's name, or "" for the collection's analyzer.
  const Words& of_query(const std::string& field, const std::string& text) {
    return known(field, text, 'q', [&](text::Analyzer& by) { return by.query_terms(text); });
  }
  const Words& of_document(const std::string& field, const std::string& text) {
    return known(field, text, 'd', [&](text::Analyzer& by) { return by.terms(text); });
  }
  // In order; "" is a gap.
  const Words& sequence(const std::string& field, const std::string& text) {
    return known(field, text, 's', [&](text::Analyzer& by) { return in_order(by, text); });
  }
  // The same two without a stemmer and stop words.
  const Words& plain_terms(const std::string& field, const std::string& text) {
    return known(field, text, 'p', [&](text::Analyzer& by) { return by.query_terms(text); });
  }
  const Words& plain_sequence(const std::string& field, const std::string& text) {
    return known(field, text, 'o', [&](text::Analyzer& by) { return in_order(by, text); });
  }

 private:
  static Words in_order(text::Analyzer& by, const std::string& text) {
    Words words;
    text::WordSequence().for_each(by, text, [&](std::string_view term) { words.emplace_back(term); });
    return words;
  }
  const Words& known(const std::string& field, const std::string& text, char how,
                     const std::function<Words(text::Analyzer&)>& make) {
    const auto [at, is_new] = known_.try_emplace(field + '\0' + how + text);
    if (is_new) at->second = make(analyzer(field, how == 'p' || how == 'o'));
    return at->second;
  }
  text::Analyzer& analyzer(const std::string& field, bool plain) {
    auto& made = made_[{field, plain}];
    if (made != nullptr) return *made;
    text::AnalyzerConfig config = config_;
    const schema::Field* const of = schema_.find(field);
    if (of != nullptr && !of->analyzer.empty()) config = text::field_analyzer(config, of->analyzer);
    if (plain) {
      config.stemmer = text::Stemmer::kNone;
      config.stop_words = false;
    }
    made = std::make_unique<text::Analyzer>(config, /*cache_bits=*/0);
    return *made;
  }

  const text::AnalyzerConfig config_;
  const schema::Schema& schema_;
  std::map<std::pair<std::string, bool>, std::unique_ptr<text::Analyzer>> made_;
  std::unordered_map<std::string, Words> known_;
};

struct OracleDocument {
  struct Text {
    std::vector<std::string> places;              // "": a gap
    std::map<std::string, std::uint32_t> counts;  // of each term
    std::uint32_t length = 0;
    void add(const std::string& term, std::uint32_t times) {
      counts[term] += times;
      length += times;
    }
  };
  std::string id;
  std::vector<Text> texts;                                     // by field
  Text plain;                                                  // all text together, by weight; or impacts
  std::map<std::uint32_t, std::vector<schema::Value>> values;  // by field; typed, ascending, different
  scoring::Prior prior = 0;
};

class OracleCollection {
 public:
  static constexpr std::uint32_t kPlain = ~0u;  // in place of a field

  // In the collection's order.
  OracleCollection(const schema::Schema& schema, std::vector<OracleDocument> documents)
      : schema_(schema), documents_(std::move(documents)) {
    for (const OracleDocument& document : documents_) {
      count(kPlain, document.plain);
      for (std::uint32_t field = 0; field < schema_.fields.size(); ++field) count(field, document.texts[field]);
    }
  }

  const schema::Schema& schema() const { return schema_; }
  const std::vector<OracleDocument>& documents() const { return documents_; }
  // Of a field, or of all text.
  static const OracleDocument::Text& text(const OracleDocument& document, std::uint32_t field) {
    return field == kPlain ? document.plain : document.texts[field];
  }
  std::uint64_t df(std::uint32_t field, const std::string& term) const {
    const auto of = dfs_.find(field);
    if (of == dfs_.end()) return 0;
    const auto at = of->second.find(term);
    return at == of->second.end() ? 0 : at->second;
  }
  scoring::CollectionStatistics statistics(std::uint32_t field) const {
    const auto at = tokens_.find(field);
    return {documents_.size(), at == tokens_.end() ? 0 : at->second};
  }
  // Calls visit(term, df).
  void for_each_term(std::uint32_t field, const std::function<void(const std::string&, std::uint64_t)>& visit) const {
    const auto of = dfs_.find(field);
    if (of == dfs_.end()) return;
    for (const auto& [term, df] : of->second) visit(term, df);
  }

 private:
  void count(std::uint32_t field, const OracleDocument::Text& text) {
    tokens_[field] += text.length;
    for (const auto& [term, times] : text.counts) ++dfs_[field][term];
  }

  const schema::Schema& schema_;
  const std::vector<OracleDocument> documents_;
  std::map<std::uint32_t, std::unordered_map<std::string, std::uint64_t>> dfs_;
  std::map<std::uint32_t, std::uint64_t> tokens_;
};

}  // namespace frond::support
