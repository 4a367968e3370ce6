#pragma once
// Elasticsearch's query DSL as clauses of Frond, for one index. What Frond can't answer exactly is refused by name.
//
// Scores are those of Elasticsearch: boosts and constants are multiplied by a scale where that makes them more exact
// (multiples of 1/256, common/query/factor.h), and printed scores are divided by it. A keyword's term scores its idf,
// which is a constant once two numbers of documents are known: a first reading says which (Statistics).
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/elasticsearch/error.h"
#include "common/elasticsearch/mapping.h"
#include "common/query/clause.h"
#include "common/query/near_words.h"
#include "common/text/analyzer.h"

namespace frond::broker::elasticsearch {

namespace query = frond::query;  // not broker::query

inline constexpr std::size_t kMaxQueryDepth = 30;
inline constexpr std::size_t kMaxReadClauses = 65'536;  // the most that a broker's --max-clauses can be
inline constexpr std::size_t kMaxFieldNames = 100;      // of one list

// Numbers of documents that scores of keywords and of fields together need.
class Statistics {
 public:
  using Key = std::pair<std::string, std::optional<std::string>>;
  // What is known already; nothing: it is not.
  using LookUp = std::function<std::optional<std::uint64_t>(const Key&)>;
  explicit Statistics(LookUp look_up = {}) : look_up_(std::move(look_up)) {}
  // How many documents have the value, or any for an empty one, in this column; a guess while it is not known.
  std::uint64_t documents(const std::string& column, const std::optional<std::string>& value);
  // How many values documents have in this column, of each document different ones.
  std::uint64_t values(const std::string& column) { return documents(column + kOfValues, {}); }
  // Behind a column's name: its number of values is meant.
  static constexpr char kOfValues = '\n';
  // Those that were asked for and are not known.
  std::vector<Key> missing() const;
  void set(const Key& key, std::uint64_t documents) { known_[key] = documents; }
  // All values that documents have in a keyword's column; null: they are not known yet.
  const std::vector<std::string>* words(const std::string& column);
  // Behind a column's name: its values are meant.
  static constexpr char kOfWords = '\t';
  // Whether some of a keyword's values, or words like another, were asked for and are not known.
  bool lacks_words() const;
  void set_words(const Key& key, std::vector<std::string> words) {
    set(key, words.size());
    words_[key.first] = std::move(words);
  }
  // What the dictionary has that is like a word; null: it is not known yet.
  const query::NearTerms* near(const query::NearWord& word);
  // Those that are not known yet; more than kMaxNearWords: too many were asked for.
  std::vector<query::NearWord> missing_near() const;
  void set_near(const query::NearWord& word, query::NearTerms found);

 private:
  LookUp look_up_;
  std::map<std::string, std::vector<std::string>> words_;
  std::map<Key, std::optional<std::uint64_t>> known_;
  std::vector<std::pair<query::NearWord, std::optional<query::NearTerms>>> near_;  // at most kMaxNearWords
};
// ln(1 + (N - n + 0.5) / (n + 0.5))
double idf(std::uint64_t all, std::uint64_t with);

// Everything that is read for one index.
struct QueryScope {
  const Mapping& mapping;
  std::string_view index;
  text::Analyzer& analyzer;  // of the mapping
  Statistics& statistics;
  std::int64_t now_ms = 0;
  std::uint64_t documents = ~std::uint64_t{0};  // at most, of all indices that are searched
  double scale = 1;                             // of scores
  // What a reading with a scale of 1 says of a better one: whether some factor is no multiple of 1/256, and the
  // largest ones.
  bool inexact = false;
  double largest_boost = 1, largest_constant = 1;
  // Which share of all documents has a text field that scores: there N and the average length count these alone, here
  // all. One share for all such fields can be made up for, by other k1 and b and by boosts.
  bool makes_up = true;
  std::size_t clauses = 0;        // of the query that is read
  std::size_t pattern_steps = 0;  // of all that looks at the values of fields: up to kMaxPatternSteps
  std::set<double> shares = {};

  double better_scale() const;
  scoring::Bm25Parameters bm25() const;
  // By what terms of a text field are multiplied for it.
  double made_up(const MappedField& field, const std::vector<std::string>& tokens);
  // … and a phrase of them and an ending: leaves score one, which so many documents have, Lucene all.
  double made_up(const MappedField& field, const std::vector<std::string>& tokens, const query::NearTerms& endings,
                 std::uint64_t scored_df);
};

// Whether the ends, of the same type, have it between them.
template <class T>
bool is_in(const query::Range& range, const T& value) {
  const auto comes_before = [](const T& a, const T& b, bool inclusive) { return a < b || (inclusive && a == b); };
  return (!range.from || comes_before(std::get<T>(range.from->value), value, range.from->inclusive)) &&
         (!range.to || comes_before(value, std::get<T>(range.to->value), range.to->inclusive));
}

class QueryReader {
 public:
  explicit QueryReader(QueryScope& scope) : scope_(scope) {}

  // `boost`: of all that it scores. `scored`: false: only which documents match counts.
  Expected<query::Clause> read(const Json& query, double boost = 1, bool scored = true);
  static bool knows(std::string_view name);

 private:
  using Clause = query::Clause;
  struct Context {
    double boost = 1;
    bool scored = true;
    std::size_t depth = 1;
  };
  using Read = Expected<Clause> (QueryReader::*)(const Json& body, const Context& in);
  struct Kind {
    std::string_view name;
    Read read;
  };
  static const Kind kKinds[];

  Expected<Clause> read(const Json& query, const Context& in);
  // query_compound.cc
  Expected<Clause> bool_query(const Json& body, const Context& in);
  Expected<Clause> dis_max(const Json& body, const Context& in);
  Expected<Clause> constant_score(const Json& body, const Context& in);
  Expected<Clause> boosting(const Json& body, const Context& in);
  Expected<Clause> function_score(const Json& body, const Context& in);
  Expected<Clause> match_all(const Json& body, const Context& in);
  Expected<Clause> match_none(const Json& body, const Context& in);
  Expected<std::vector<Clause>> all_of(const Json& body, const Context& in);
  // query_terms.cc
  Expected<Clause> term(const Json& body, const Context& in);
  Expected<Clause> terms(const Json& body, const Context& in);
  Expected<Clause> range(const Json& body, const Context& in);
  Expected<Clause> exists(const Json& body, const Context& in);
  Expected<Clause> ids(const Json& body, const Context& in);
  Expected<Clause> prefix(const Json& body, const Context& in);
  Expected<Clause> wildcard(const Json& body, const Context& in);
  // query_patterns.cc
  Expected<Clause> regexp(const Json& body, const Context& in);
  Expected<Clause> fuzzy(const Json& body, const Context& in);
  // query_text.cc
  Expected<Clause> match(const Json& body, const Context& in);
  Expected<Clause> match_phrase(const Json& body, const Context& in);
  Expected<Clause> match_phrase_prefix(const Json& body, const Context& in);
  Expected<Clause> match_bool_prefix(const Json& body, const Context& in);
  Expected<Clause> multi_match(const Json& body, const Context& in);
  Expected<Clause> query_string(const Json& body, const Context& in);
  Expected<Clause> simple_query_string(const Json& body, const Context& in);

 public:
  // What the query strings are made of, by field.
  struct TextOptions {
    bool all = false;  // operator
    std::string minimum = {};
    std::uint32_t slop = 0;
    bool lenient = false;  // a value that the field can't have matches nothing
    bool zero_terms_all = false;
    std::string analyzer = {};
    Json fuzzy = nullptr;        // as fuzzy_of() takes them; null: words are as they are
    std::uint32_t endings = 50;  // max_expansions of the beginning of a word
  };
  struct WeightedField {
    const MappedField* field = nullptr;
    double boost = 1;
  };
  Expected<Clause> words_of(const MappedField& field, const Json& text, const TextOptions& options, double boost,
                            bool scored);
  // All of them, any, or as many as the options say.
  static Expected<Clause> combined(std::vector<Clause> each, const TextOptions& options);
  Expected<Clause> phrase_of(const MappedField& field, const Json& text, const TextOptions& options, bool prefix,
                             double boost, bool scored);
  Expected<Clause> prefix_of(const MappedField& field, const std::string& text, double boost, bool scored);
  Expected<Clause> wildcard_of(const MappedField& field, const std::string& pattern, double boost, bool scored);
  // A keyword of which some values match, of at most kMaxFacetSize: for patterns that no list of words is sorted by.
  Expected<Clause> keyword_like(const MappedField& field, const std::string& regexp, bool folds, double boost,
                                bool scored);
  // The terms of a text or keyword field that a regular expression matches.
  Expected<Clause> regexp_of(const MappedField& field, const std::string& regexp, bool folds, double boost,
                             bool scored);
  // Nothing, for a field that isn't mapped. 400, 501: one that Elasticsearch has by itself.
  Expected<Clause> unmapped(const std::string& field) const;
  // Words of a text or keyword field that are like one: `options` has "fuzziness" and so on.
  Expected<Clause> fuzzy_of(const MappedField& field, const std::string& word, const Json& options, double boost,
                            bool scored);
  Expected<Clause> in_index(const std::string& pattern, double boost, bool scored);
  Expected<Clause> term_of(const MappedField& field, const Json& value, double boost, bool scored);
  Expected<Clause> range_of(const MappedField& field, const Json& bounds, double boost, bool scored);
  Expected<Clause> exists_of(std::string_view pattern, double boost, bool scored);
  // "title^3", "author.*"; empty names stand for all fields. `to` gets those that can be searched.
  Expected<std::vector<WeightedField>> fields_of(const Json& names) const;
  Expected<std::vector<std::string>> tokens_of(std::string_view text, const std::string& analyzer);
  // The member "analyzer" of a query string; empty: each field has its own. 400: there is none of that name.
  Expected<std::string> analyzer_in(const Json& body, std::string_view query) const;
  // A clause that scores so much where it matches, and one whose scores are multiplied.
  Expected<Clause> constant(Clause clause, double score, bool scored);
  Expected<Clause> weighted(Clause clause, double boost, bool scored);
  // The clause with all that it scores multiplied, in place of reading it again with another boost.
  Expected<Clause> multiplied(Clause clause, double by);
  // One clause more of the query. 400: it has too many.
  Expected<void> count();
  Expected<void> count(const Clause& clause);  // with those inside it
  // The best of several, and so much of the others.
  Expected<Clause> best(std::vector<Clause> of, double tie_breaker, bool scored);
  const QueryScope& scope() const { return scope_; }

 private:
  Expected<Clause> text_term(const MappedField& field, const std::string& token, double boost, bool scored);
  Expected<Clause> phrase_prefix_of(const MappedField& field, const std::string& text, std::vector<std::string> tokens,
                                    const TextOptions& options, double boost, bool scored);
  // Of the terms of a text field: those that begin as both ends do, of which there may be fewer than kMaxNearTerms.
  Expected<Clause> text_range(const MappedField& field, const query::Range& range, double boost, bool scored);
  // Terms of a text field with this beginning, at most so many in byte order, itself among them; nothing: they are not
  // known yet. 400: there are too many to look at.
  Expected<std::optional<query::NearTerms>> begun_with(const MappedField& field, const std::string& beginning,
                                                       std::uint32_t most);
  struct Fuzziness {
    std::size_t edits = 0, same_letters = 0, most = 0;
    bool swaps = true;
  };
  Expected<Clause> fuzzy_text(const MappedField& field, const std::string& word, const Fuzziness& how, double boost,
                              bool scored);
  Expected<Clause> fuzzy_keyword(const MappedField& field, const std::string& word, const Fuzziness& how, double boost,
                                 bool scored);
  Expected<Clause> keyword_term(const MappedField& field, const std::string& word, double boost, bool scored);
  // Of a keyword or boolean; the word is the value's text.
  Expected<Clause> value_term(const MappedField& field, schema::Value value, const std::string& word, double boost,
                              bool scored);
  Expected<Clause> bool_prefix_of(const MappedField& field, const Json& query, const TextOptions& options, double boost,
                                  bool scored);
  Expected<Clause> blended(const std::vector<WeightedField>& fields, const std::string& text,
                           const TextOptions& options, double tie_breaker, double boost, bool scored);
  Expected<Clause> cross_fields(const std::vector<WeightedField>& fields, const std::string& text,
                                const TextOptions& options, double tie_breaker, double boost, bool scored);

  QueryScope& scope_;
};

// Whether Elasticsearch has a query of that name.
bool is_query(std::string_view name);

// How many of `count` optional clauses "2", "-25%", "3<90%" … ask for. 400: it says nothing of that.
Expected<std::size_t> minimum_of(const std::string& text, std::size_t count);

// Members of a query's object. 400: one that is not among `names`, which stand between commas, or a fuzziness that is
// none.
Expected<void> check_members(const Json& body, std::string_view query, std::string_view names);
Expected<void> check_boost(const Json& boost);
double boost_in(const Json& body);  // REQUIRES: check_boost() of it
// "AUTO", "AUTO:3,6", or a number, of which two is the most and the fraction doesn't count: how many letters of so many
// may be others. 400: it is something else.
Expected<std::size_t> edits_of(const Json& fuzziness, std::size_t letters);
// Of query strings: whether their "fields" are all; "fuzzy_prefix_length" and so on as fuzzy_of() takes them.
bool names_all_fields(const Json& body);
// A pattern or an end of a range as the terms of the field are written: the analyzer's filters, without its tokenizer.
std::string as_terms(const MappedField& field, const std::string& text, const std::string& analyzer);
Json fuzzy_members(const Json& body);
Expected<double> tie_breaker_in(const Json& body, double otherwise);
// The clause with the body's "minimum_should_match" of its optional clauses.
Expected<query::Clause> with_minimum(query::Clause clause, const Json& body);
// The one field of {"field": value} or {"field": {…}}, the object with the value in the member `value`.
struct FieldBody {
  std::string field;
  Json body;
};
Expected<FieldBody> field_body(const Json& body, std::string_view query, std::string_view value);
// Whether its "default_operator" is "and". 400: it is no operator.
Expected<bool> all_words(const Json& body);
bool is_true(const Json& body, const char* name, bool absent);

}  // namespace frond::broker::elasticsearch
