#include "broker/elasticsearch/queries/query_dsl.h"

#include <algorithm>
#include <cmath>

#include "broker/elasticsearch/indices/catalogue.h"
#include "common/elasticsearch/json_body.h"
#include "common/query/factor.h"
#include "common/text/unicode.h"

namespace frond::broker::elasticsearch {

using query::Clause;

const QueryReader::Kind QueryReader::kKinds[] = {{"bool", &QueryReader::bool_query},
                                                 {"boosting", &QueryReader::boosting},
                                                 {"constant_score", &QueryReader::constant_score},
                                                 {"dis_max", &QueryReader::dis_max},
                                                 {"exists", &QueryReader::exists},
                                                 {"function_score", &QueryReader::function_score},
                                                 {"fuzzy", &QueryReader::fuzzy},
                                                 {"ids", &QueryReader::ids},
                                                 {"match", &QueryReader::match},
                                                 {"match_all", &QueryReader::match_all},
                                                 {"match_bool_prefix", &QueryReader::match_bool_prefix},
                                                 {"match_none", &QueryReader::match_none},
                                                 {"match_phrase", &QueryReader::match_phrase},
                                                 {"match_phrase_prefix", &QueryReader::match_phrase_prefix},
                                                 {"multi_match", &QueryReader::multi_match},
                                                 {"prefix", &QueryReader::prefix},
                                                 {"query_string", &QueryReader::query_string},
                                                 {"range", &QueryReader::range},
                                                 {"regexp", &QueryReader::regexp},
                                                 {"simple_query_string", &QueryReader::simple_query_string},
                                                 {"term", &QueryReader::term},
                                                 {"terms", &QueryReader::terms},
                                                 {"wildcard", &QueryReader::wildcard}};
namespace {
// What Elasticsearch has beside these.
constexpr std::string_view kOtherQueries =
    "terms_set,has_child,has_parent,parent_id,geo_distance,geo_shape,geo_bounding_box,geo_polygon,more_like_this,"
    "script,script_score,percolate,wrapper,pinned,distance_feature,rank_feature,intervals,combined_fields,span_term,"
    "span_near,span_or,span_first,span_not,span_multi,span_containing,span_within,field_masking_span,knn,hybrid,"
    "neural,common,semantic";

ApiError inner(const std::string& reason) { return parsing_exception(reason); }

// What every document has, as fields of query strings.
const MappedField kIdField{.name = "_id", .path = "_id", .type = Type::kKeyword},
    kIndexField{.name = "_index", .path = "_index", .type = Type::kKeyword};

// Analyzers that Elasticsearch has beside Frond's.
constexpr std::string_view kOtherAnalyzers =
    "arabic,armenian,basque,bengali,brazilian,bulgarian,catalan,cjk,czech,danish,dutch,estonian,fingerprint,finnish,"
    "french,galician,german,greek,hindi,hungarian,indonesian,irish,italian,latvian,lithuanian,norwegian,pattern,"
    "persian,portuguese,romanian,russian,snowball,sorani,spanish,swedish,thai,turkish";
}  // namespace

bool is_query(std::string_view name) { return QueryReader::knows(name) || is_listed(kOtherQueries, name); }
bool QueryReader::knows(std::string_view name) {
  return std::ranges::find(kKinds, name, &Kind::name) != std::end(kKinds);
}

std::uint64_t Statistics::documents(const std::string& column, const std::optional<std::string>& value) {
  const auto [known, added] = known_.try_emplace({column, value});
  if (added && look_up_) known->second = look_up_(known->first);
  return known->second.value_or(1);
}
const std::vector<std::string>* Statistics::words(const std::string& column) {
  const auto [known, is_new] = known_.try_emplace({column + kOfWords, {}});
  return known->second ? &words_[column + kOfWords] : nullptr;
}
bool Statistics::lacks_words() const {
  if (std::ranges::any_of(near_, [](const auto& one) { return !one.second; })) return true;
  return std::ranges::any_of(known_,
                             [](const auto& one) { return !one.second && one.first.first.ends_with(kOfWords); });
}
const query::NearTerms* Statistics::near(const query::NearWord& word) {
  for (const auto& [known, found] : near_)
    if (known == word) return found ? &*found : nullptr;
  if (near_.size() <= query::kMaxNearWords) near_.emplace_back(word, std::nullopt);  // one more, and it is refused
  return nullptr;
}
std::vector<query::NearWord> Statistics::missing_near() const {
  std::vector<query::NearWord> all;
  for (const auto& [word, found] : near_)
    if (!found || near_.size() > query::kMaxNearWords) all.push_back(word);
  return all;
}
void Statistics::set_near(const query::NearWord& word, query::NearTerms found) {
  for (auto& [known, of] : near_)
    if (known == word) of = std::move(found);
}
std::vector<Statistics::Key> Statistics::missing() const {
  std::vector<Key> all;
  for (const auto& [key, documents] : known_)
    if (!documents) all.push_back(key);
  return all;
}

double idf(std::uint64_t all, std::uint64_t with) {
  const double n = static_cast<double>(with), rest = static_cast<double>(std::max(all, with)) - n;
  return std::log(1 + (rest + 0.5) / (n + 0.5));
}

double QueryScope::better_scale() const {
  if (!inexact) return 1;
  double found = 1;
  while (found < 32 && found * 2 * largest_boost <= query::kMaxBoost &&
         found * 2 * largest_constant <= query::kMaxConstantScore)
    found *= 2;
  return found;
}

scoring::Bm25Parameters QueryScope::bm25() const {
  scoring::Bm25Parameters made = mapping.bm25;
  if (!makes_up || shares.size() != 1) return made;
  const double length = 1 - made.b + made.b * *shares.begin();
  return {made.k1 * length, length > 0 ? made.b * *shares.begin() / length : 0};
}

double QueryScope::made_up(const MappedField& field, const std::vector<std::string>& tokens) {
  const std::uint64_t all = statistics.documents({}, {}), own = statistics.documents(field.column, {});
  if (all == 0 || own == 0) return 1;
  const double share = static_cast<double>(own) / static_cast<double>(all);
  shares.insert(share);
  if (!makes_up || own >= all) return 1;
  double here = 0, there = 0;
  for (const std::string& token : tokens) {
    const std::uint64_t with = statistics.documents(field.column, token);
    here += idf(all, with);
    there += idf(own, with);
  }
  const double k1 = mapping.bm25.k1, length = 1 - mapping.bm25.b + mapping.bm25.b * share;
  return there / here * (k1 + 1) / (k1 * length + 1);
}

double QueryScope::made_up(const MappedField& field, const std::vector<std::string>& tokens,
                           const query::NearTerms& endings, std::uint64_t scored_df) {
  const std::uint64_t all = statistics.documents({}, {}), own = statistics.documents(field.column, {});
  if (all == 0 || own == 0) return 1;
  const double share = static_cast<double>(own) / static_cast<double>(all);
  shares.insert(share);
  const std::uint64_t counted = makes_up ? own : all;
  double here = 0, there = 0;
  for (const std::string& token : tokens) {
    const std::uint64_t with = statistics.documents(field.column, token);
    here += idf(all, with);
    there += idf(counted, with);
  }
  for (const query::NearTerm& ending : endings.terms) there += idf(counted, ending.df);
  here += idf(all, scored_df);
  const double k1 = mapping.bm25.k1, length = makes_up ? 1 - mapping.bm25.b + mapping.bm25.b * share : 1;
  return there / here * (k1 + 1) / (k1 * length + 1);
}

Expected<Clause> QueryReader::read(const Json& query, double boost, bool scored) {
  scope_.clauses = 0;
  return read(query, Context{boost, scored, 1});
}

Expected<Clause> QueryReader::read(const Json& query, const Context& in) {
  if (in.depth > kMaxQueryDepth)
    return illegal_argument("The nested depth of the query exceeds the maximum nested depth for queries set in [" +
                            std::to_string(kMaxQueryDepth) + "]");
  FROND_EXPECT_OK(count());
  if (!query.is_object()) return inner("[_na_] query malformed, must start with start_object");
  if (query.empty()) return illegal_argument("query malformed, empty clause found");
  const std::string name = query.begin().key();
  if (name == "nested")
    return illegal_argument(
        "[nested] failed to find nested object under path: fields of type nested are not supported");
  const auto kind = std::ranges::find(kKinds, name, &Kind::name);
  if (kind == std::end(kKinds)) {
    if (is_listed(kOtherQueries, name)) return not_supported("[" + name + "] query");
    return inner("unknown query [" + name + "]");
  }
  if (query.size() > 1) return inner("[" + name + "] malformed query, expected [END_OBJECT] but found [FIELD_NAME]");
  const Json& body = query.begin().value();
  if (!body.is_object()) return inner("[" + name + "] query malformed, no start_object after query name");
  Context here = in;
  ++here.depth;
  return (this->*kind->read)(body, here);
}

Expected<Clause> QueryReader::constant(Clause clause, double score, bool scored) {
  FROND_EXPECT_OK(count());
  if (!scored || clause.as<query::None>() != nullptr) return clause;
  const double scaled = score * scope_.scale;
  scope_.largest_constant = std::max(scope_.largest_constant, score);
  if (std::abs(scaled * 256 - std::round(scaled * 256)) > 1e-9) scope_.inexact = true;
  const auto factor = query::factor_of(scaled, query::kMaxConstantScore);
  if (!factor) return not_supported("a constant score of " + schema::text_of(score));
  query::Constant made{{}, *factor};
  made.of.push_back(std::move(clause));
  return Clause{std::move(made)};
}

Expected<Clause> QueryReader::weighted(Clause clause, double boost, bool scored) {
  FROND_EXPECT_OK(count());
  if (!scored) return clause;
  const double scaled = boost * scope_.scale;
  scope_.largest_boost = std::max(scope_.largest_boost, boost);
  if (std::abs(scaled * 256 - std::round(scaled * 256)) > 1e-9) scope_.inexact = true;
  const auto factor = query::factor_of(scaled, query::kMaxBoost);
  if (!factor) return not_supported("a boost of " + schema::text_of(boost) + ", which is not from 0 to 100,");
  return query::boosted(std::move(clause), *factor);
}

Expected<void> QueryReader::count() {
  if (++scope_.clauses <= kMaxReadClauses) return {};
  return ApiError{.type = "too_many_clauses",
                  .reason = "the query has more than " + std::to_string(kMaxReadClauses) + " clauses"};
}

Expected<void> QueryReader::count(const Clause& clause) {
  FROND_EXPECT_OK(count());
  Expected<void> all;
  query::for_each_child(clause, [&](const Clause& one) {
    if (all) all = count(one);
  });
  return all;
}

Expected<Clause> QueryReader::multiplied(Clause clause, double by) {
  const auto each = [&](std::vector<Clause>& of) -> Expected<void> {
    for (Clause& one : of) one = FROND_EXPECT_OK(multiplied(std::move(one), by));
    return {};
  };
  const auto unscored = [&](std::vector<Clause>& of) -> Expected<void> {
    for (const Clause& one : of) FROND_EXPECT_OK(count(one));
    return {};
  };
  if (auto* const both = clause.as<query::Bool>()) {
    for (auto* const scores : {&both->must, &both->should}) FROND_EXPECT_OK(each(*scores));
    for (auto* const matches : {&both->must_not, &both->filter}) FROND_EXPECT_OK(unscored(*matches));
  } else if (auto* const max = clause.as<query::Max>()) {
    FROND_EXPECT_OK(each(max->of));
  } else if (auto* const sure = clause.as<query::Constant>()) {
    FROND_EXPECT_OK(unscored(sure->of));
    return constant(std::move(sure->of.front()), sure->score.value() / scope_.scale * by, true);
  } else if (auto* const boost = clause.as<query::Boost>()) {
    FROND_EXPECT_OK(unscored(boost->of));
    return weighted(std::move(boost->of.front()), boost->by.value() / scope_.scale * by, true);
  } else if (clause.as<query::None>() == nullptr) {
    return weighted(std::move(clause), by / scope_.scale, true);  // of a boost of 1, with the scale
  }
  return clause;
}

Expected<Clause> QueryReader::best(std::vector<Clause> of, double tie_breaker, bool scored) {
  if (of.empty()) return Clause{query::None()};
  if (of.size() == 1) return std::move(of.front());
  if (!scored || tie_breaker == 1) {
    query::Bool any;
    any.should = std::move(of);
    return Clause{std::move(any)};
  }
  const auto tie = query::factor_of(tie_breaker, 1);
  if (!tie) return not_supported("a tie_breaker that is not from 0 to 1");
  return Clause{query::Max{std::move(of), *tie}};
}

Expected<std::vector<QueryReader::WeightedField>> QueryReader::fields_of(const Json& names) const {
  std::vector<WeightedField> found;
  const auto add = [&](const MappedField& field, double boost) {
    for (WeightedField& one : found)
      if (one.field == &field) {
        one.boost *= boost;
        return;
      }
    found.push_back({&field, boost});
  };
  if (names.is_array() && names.size() > kMaxFieldNames)
    return illegal_argument("[fields] has more than " + std::to_string(kMaxFieldNames) + " names");
  for (const Json& one : names.is_array() ? names : Json::array({names})) {
    if (!one.is_string()) return inner("[fields] must be an array of strings");
    std::string name = one;
    double boost = 1;
    if (const std::size_t hat = name.find('^'); hat != name.npos) {
      char* end = nullptr;
      boost = std::strtod(name.c_str() + hat + 1, &end);
      if (*end != '\0' || hat + 1 == name.size())
        return illegal_argument("For input string: \"" + name.substr(hat + 1) + "\"");
      name.resize(hat);
    }
    if (name == "_id" || name == "_index") {
      add(name == "_id" ? kIdField : kIndexField, boost);
      continue;
    }
    if (boost < 0)
      return illegal_argument("negative [boost] are not allowed in [" + one.get<std::string>().substr(0, 100) + "]");
    if (name.find('*') == name.npos) {
      if (const MappedField* const field = scope_.mapping.find(name)) add(*field, boost);
      continue;
    }
    for (const MappedField& field : scope_.mapping.fields)
      if (matches_pattern(name, field.name)) add(field, boost);
  }
  return found;
}

Expected<std::vector<std::string>> QueryReader::tokens_of(std::string_view text, const std::string& analyzer) {
  if (analyzer.empty()) return scope_.analyzer.query_terms(text);
  if (analyzer == "keyword") return text.empty() ? std::vector<std::string>() : std::vector{std::string(text)};
  if (analyzer == "whitespace") {
    std::vector<std::string> all;
    for (std::size_t at = text.find_first_not_of(" \t\r\n"); at != text.npos;) {
      const std::size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
      all.emplace_back(text.substr(at, end - at));
      at = text.find_first_not_of(" \t\r\n", end);
    }
    return all;
  }
  const auto config = FROND_EXPECT_OK(
      analyzer_named(scope_.mapping.analysis, analyzer == "default" ? "standard" : std::string_view(analyzer)));
  if (!config && is_listed(kOtherAnalyzers, analyzer)) return not_supported("the analyzer [" + analyzer + "]");
  if (!config) return illegal_argument("[match] analyzer [" + analyzer + "] not found");
  return text::Analyzer(*config, 0).query_terms(text);
}

Expected<std::string> QueryReader::analyzer_in(const Json& body, std::string_view query) const {
  std::string name = FROND_EXPECT_OK(text_member(body, "analyzer", ""));
  const auto config = analyzer_named(scope_.mapping.analysis, name);
  if (!body.contains("analyzer") || name == "default" || is_listed(kOtherAnalyzers, name) || !config || *config)
    return name;
  return ApiError{.type = "query_shard_exception",
                  .reason = "[" + std::string(query) + "] analyzer [" + name.substr(0, 100) + "] not found"};
}

std::string as_terms(const MappedField& field, const std::string& text, const std::string& analyzer) {
  const bool folds = field.type == Type::kText && analyzer != "keyword" && analyzer != "whitespace";
  return folds ? text::small_letters(text) : text;
}

}  // namespace frond::broker::elasticsearch
