// Queries of text that is analysed.
#include <algorithm>
#include <cmath>
#include <utility>

#include "broker/elasticsearch/indices/catalogue.h"
#include "broker/elasticsearch/queries/query_dsl.h"
#include "common/base/text.h"
#include "common/elasticsearch/json_body.h"
#include "common/query/limits.h"

namespace frond::broker::elasticsearch {
namespace {

using query::Bool;
using query::Clause;

Clause no_match() { return {query::None()}; }
query::MinimumMatch at_least(std::size_t number) {
  return {query::MinimumMatch::Kind::kCount, static_cast<std::uint32_t>(number)};
}

// What the bodies of the match family say in common.
Expected<QueryReader::TextOptions> options_in(const Json& body, std::string_view query) {
  QueryReader::TextOptions options;
  if (body.contains("operator")) {
    const std::string name = lower_case(text_in(body["operator"]));
    if (name != "and" && name != "or") return illegal_argument("No enum constant Operator." + name);
    options.all = name == "and";
  }
  if (body.contains("minimum_should_match")) options.minimum = text_in(body["minimum_should_match"]);
  if (body.contains("slop")) {
    const double slop = body["slop"].is_string()   ? std::atof(body["slop"].get<std::string>().c_str())
                        : body["slop"].is_number() ? body["slop"].get<double>()
                                                   : -1;
    if (!(slop >= 0 && slop <= 100))
      return slop < 0 ? illegal_argument("No negative slop allowed.") : not_supported("a slop above 100");
    options.slop = static_cast<std::uint32_t>(slop);
  }
  if (body.contains("zero_terms_query")) {
    const std::string name = lower_case(text_in(body["zero_terms_query"]));
    if (name != "none" && name != "all") return parsing_exception("unknown zero_terms_query type [" + name + "]");
    options.zero_terms_all = name == "all";
  }
  options.lenient = is_true(body, "lenient", false);
  options.endings = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(FROND_EXPECT_OK(whole_member(body, "max_expansions", 50)), 1, query::kMaxNearTerms - 1));
  if (body.contains("analyzer")) options.analyzer = text_in(body["analyzer"]);
  if (body.contains("cutoff_frequency"))
    return not_supported("[cutoff_frequency] of a " + std::string(query) + " query");
  if (body["query"].is_structured())
    return parsing_exception("[" + std::string(query) + "] unknown token [" +
                             (body["query"].is_array() ? "START_ARRAY" : "START_OBJECT") + "] after [query]");
  if (body.contains("fuzzy_rewrite")) return not_supported("[fuzzy_rewrite] of a " + std::string(query) + " query");
  if (!body.contains("fuzziness") || body["fuzziness"] == 0 || body["fuzziness"] == "0") return options;
  if (query != "match" && query != "multi_match")
    return not_supported("[fuzziness] of a " + std::string(query) + " query");
  options.fuzzy = {{"fuzziness", body["fuzziness"]}, {"transpositions", is_true(body, "fuzzy_transpositions", true)}};
  for (const char* const name : {"prefix_length", "max_expansions"})
    if (body.contains(name)) options.fuzzy[name] = body[name];
  return options;
}

// Whether the last word of a text is this term also without stems and stop words.
bool ends_plainly(text::AnalyzerConfig config, std::string_view text, const std::string& term) {
  if (config.stemmer == text::Stemmer::kNone && config.stop_words.are_none()) return true;
  config.stemmer = text::Stemmer::kNone;
  config.stop_words = false;
  const auto words = text::Analyzer(config, 0).query_terms(text);
  return !words.empty() && words.back() == term;
}

constexpr std::string_view kMatchMembers =
    "query,operator,minimum_should_match,analyzer,lenient,zero_terms_query,fuzziness,prefix_length,max_expansions,"
    "fuzzy_transpositions,fuzzy_rewrite,auto_generate_synonyms_phrase_query,cutoff_frequency";

}  // namespace

Expected<Clause> QueryReader::words_of(const MappedField& field, const Json& text, const TextOptions& options,
                                       double boost, bool scored) {
  if (field.type != Type::kText) {
    auto clause = options.fuzzy.is_null() ? term_of(field, text, boost, scored)
                                          : fuzzy_of(field, text_in(text), options.fuzzy, boost, scored);
    if (!clause && options.lenient && clause.error().status == 400) return no_match();
    return clause;
  }
  const auto tokens = FROND_EXPECT_OK(tokens_of(text_in(text), options.analyzer));
  if (tokens.empty()) return options.zero_terms_all ? constant(Clause{query::All()}, boost, scored) : no_match();
  std::vector<Clause> each;
  for (const std::string& token : tokens)
    each.push_back(FROND_EXPECT_OK(options.fuzzy.is_null() ? text_term(field, token, boost, scored)
                                                           : fuzzy_of(field, token, options.fuzzy, boost, scored)));
  if (each.size() == 1) return std::move(each.front());
  return combined(std::move(each), options);
}

Expected<Clause> QueryReader::combined(std::vector<Clause> each, const TextOptions& options) {
  Bool made;
  if (options.all) {
    made.must = std::move(each);
    return Clause{std::move(made)};
  }
  if (!options.minimum.empty()) {
    const auto needed = FROND_EXPECT_OK(minimum_of(options.minimum, each.size()));
    if (needed > each.size()) return no_match();
    if (needed > 0) made.minimum = at_least(needed);
  }
  made.should = std::move(each);
  return Clause{std::move(made)};
}

Expected<Clause> QueryReader::phrase_of(const MappedField& field, const Json& text, const TextOptions& options,
                                        bool prefix, double boost, bool scored) {
  if (field.type != Type::kText) {
    if (prefix)
      return not_supported("a phrase prefix over [" + field.name + "], a field of type " +
                           std::string(name_of(field.type)) + ",");
    return words_of(field, text, options, boost, scored);
  }
  if (!options.analyzer.empty() && options.analyzer != field.analyzer) return not_supported("[analyzer] of a phrase");
  const auto tokens = FROND_EXPECT_OK(tokens_of(text_in(text), {}));
  if (tokens.empty()) return options.zero_terms_all ? constant(Clause{query::All()}, boost, scored) : no_match();
  if (tokens.size() == 1 && !prefix) return text_term(field, tokens.front(), boost, scored);
  if (tokens.size() == 1 && field.terms_only) return prefix_of(field, tokens.front(), boost, scored);
  if (field.terms_only)
    return illegal_argument("field:[" + field.name + "] was indexed without position data; cannot run PhraseQuery");
  if (scored && options.slop > 0 && tokens.size() > 1) return not_supported("the score of a phrase with [slop]");
  if (prefix) return phrase_prefix_of(field, text_in(text), tokens, options, boost, scored);
  if (scored) boost *= scope_.made_up(field, tokens);
  return weighted(Clause{query::Phrase{field.column, text_in(text), options.slop}}, boost, scored);
}

// Of the terms that the last word begins Lucene takes the first ones alone.
Expected<Clause> QueryReader::phrase_prefix_of(const MappedField& field, const std::string& text,
                                               std::vector<std::string> tokens, const TextOptions& options,
                                               double boost, bool scored) {
  const auto found = FROND_EXPECT_OK(begun_with(field, tokens.back(), options.endings + 1));
  if (!found || found->terms.empty()) return no_match();
  query::NearTerms endings = *found;
  const bool all = endings.terms.size() <= options.endings;
  // The beginning of a word has so many letters in a clause; these few terms are known all the same.
  const bool short_beginning = query::fixed_characters(tokens.back()) < query::Limits().min_prefix;
  if (!all) endings.terms.pop_back();
  for (const query::NearTerm& ending : endings.terms) scope_.statistics.set({field.column, ending.text}, ending.df);
  const std::string last = std::exchange(tokens.back(), {});
  tokens.pop_back();
  std::vector<Clause> each;
  if (tokens.empty()) {
    for (const query::NearTerm& ending : endings.terms)
      each.push_back(FROND_EXPECT_OK(text_term(field, ending.text, boost, scored)));
  } else if (!ends_plainly(scope_.mapping.analyzer, text, last)) {
    return not_supported("a phrase whose last word, the beginning of others, is a stop word or has a stem,");
  } else if (all && !short_beginning) {
    const auto most = std::ranges::max_element(endings.terms, {}, &query::NearTerm::df);
    if (scored) boost *= scope_.made_up(field, tokens, endings, most->df);
    return weighted(Clause{query::Phrase{field.column, text, options.slop, /*prefix=*/true}}, boost, scored);
  } else if (scope_.mapping.analyzer.stemmer != text::Stemmer::kNone) {
    return not_supported("a phrase of stems whose last word begins more than " + std::to_string(options.endings) +
                         " terms");
  } else {
    std::string before;
    for (const std::string& token : tokens) before.append(token).append(" ");
    for (const query::NearTerm& ending : endings.terms)
      each.push_back(
          FROND_EXPECT_OK(weighted(Clause{query::Phrase{field.column, before + ending.text, options.slop}},
                                   scored ? boost * scope_.made_up(field, tokens, endings, ending.df) : 1, scored)));
  }
  return best(std::move(each), tokens.empty() ? 1 : 0, scored);
}

Expected<Clause> QueryReader::match(const Json& body, const Context& in) {
  const FieldBody of = FROND_EXPECT_OK(field_body(body, "match", "query"));
  FROND_EXPECT_OK(check_members(of.body, "match", kMatchMembers));
  const auto options = FROND_EXPECT_OK(options_in(of.body, "match"));
  const MappedField* const field = scope_.mapping.find(of.field);
  if (field == nullptr)
    return of.field == "_id" || of.field == "_index" ? term({{of.field, of.body["query"]}}, in) : unmapped(of.field);
  return words_of(*field, of.body["query"], options, in.boost * boost_in(of.body), in.scored);
}

Expected<Clause> QueryReader::match_phrase(const Json& body, const Context& in) {
  const FieldBody of = FROND_EXPECT_OK(field_body(body, "match_phrase", "query"));
  FROND_EXPECT_OK(check_members(of.body, "match_phrase", "query,slop,analyzer,zero_terms_query"));
  const auto options = FROND_EXPECT_OK(options_in(of.body, "match_phrase"));
  const MappedField* const field = scope_.mapping.find(of.field);
  return field == nullptr
             ? unmapped(of.field)
             : phrase_of(*field, of.body["query"], options, false, in.boost * boost_in(of.body), in.scored);
}

Expected<Clause> QueryReader::match_phrase_prefix(const Json& body, const Context& in) {
  const FieldBody of = FROND_EXPECT_OK(field_body(body, "match_phrase_prefix", "query"));
  FROND_EXPECT_OK(check_members(of.body, "match_phrase_prefix", "query,slop,analyzer,max_expansions,zero_terms_query"));
  const auto options = FROND_EXPECT_OK(options_in(of.body, "match_phrase_prefix"));
  const MappedField* const field = scope_.mapping.find(of.field);
  return field == nullptr ? unmapped(of.field)
                          : phrase_of(*field, of.body["query"], options, true, in.boost * boost_in(of.body), in.scored);
}

Expected<Clause> QueryReader::match_bool_prefix(const Json& body, const Context& in) {
  const FieldBody of = FROND_EXPECT_OK(field_body(body, "match_bool_prefix", "query"));
  FROND_EXPECT_OK(check_members(of.body, "match_bool_prefix",
                                "query,operator,minimum_should_match,analyzer,fuzziness,prefix_length,max_expansions,"
                                "fuzzy_transpositions,fuzzy_rewrite"));
  if (FROND_EXPECT_OK(whole_member(of.body, "max_expansions", 50)) != 50)
    return not_supported("[max_expansions] of a match_bool_prefix query");
  const auto options = FROND_EXPECT_OK(options_in(of.body, "match_bool_prefix"));
  const MappedField* const field = scope_.mapping.find(of.field);
  if (field == nullptr) return unmapped(of.field);
  const double boost = in.boost * boost_in(of.body);
  return bool_prefix_of(*field, of.body["query"], options, boost, in.scored);
}

// The last word is the beginning of others, if nothing stands behind it.
Expected<Clause> QueryReader::bool_prefix_of(const MappedField& field, const Json& query, const TextOptions& options,
                                             double boost, bool scored) {
  const std::string text = text_in(query);
  if (field.type == Type::kKeyword) return prefix_of(field, text, boost, scored);
  if (field.type != Type::kText) return words_of(field, query, options, boost, scored);
  const auto tokens = FROND_EXPECT_OK(tokens_of(text, options.analyzer));
  if (tokens.empty()) return no_match();
  std::size_t end = 0;
  for (auto span = text::Analyzer::next_token(text, 0); span.end > span.begin;
       span = text::Analyzer::next_token(text, span.end))
    end = span.end;
  const bool ends = options.analyzer.empty() ? end < text.size() : text.ends_with(' ');
  std::vector<Clause> each;
  for (std::size_t i = 0; i + (ends ? 0 : 1) < tokens.size(); ++i)
    each.push_back(FROND_EXPECT_OK(text_term(field, tokens[i], boost, scored)));
  if (!ends) each.push_back(FROND_EXPECT_OK(prefix_of(field, tokens.back(), boost, scored)));
  if (each.size() == 1) return std::move(each.front());
  return combined(std::move(each), options);
}

Expected<Clause> QueryReader::multi_match(const Json& body, const Context& in) {
  FROND_EXPECT_OK(
      check_members(body, "multi_match",
                    "query,fields,type,operator,minimum_should_match,analyzer,lenient,zero_terms_query,fuzziness,"
                    "prefix_length,max_expansions,fuzzy_transpositions,fuzzy_rewrite,slop,tie_breaker,"
                    "auto_generate_synonyms_phrase_query,cutoff_frequency"));
  if (!body.contains("query") || body["query"].is_null())
    return parsing_exception("No text specified for multi_match query");
  auto options = FROND_EXPECT_OK(options_in(body, "multi_match"));
  const std::string type = body.contains("type") ? text_in(body["type"]) : "best_fields", text = text_in(body["query"]);
  const bool all_fields = names_all_fields(body);
  options.lenient = is_true(body, "lenient", all_fields);
  auto fields = FROND_EXPECT_OK(fields_of(all_fields ? Json("*") : body["fields"]));
  if (!options.fuzzy.is_null() && type != "best_fields" && type != "most_fields")
    return illegal_argument("Fuzziness not allowed for type [" + type + "]");
  const double boost = in.boost * boost_in(body);
  const double tie = FROND_EXPECT_OK(tie_breaker_in(body, type == "most_fields" || type == "bool_prefix" ? 1.0 : 0.0));
  if (type == "cross_fields") return cross_fields(fields, text, options, tie, boost, in.scored);
  if (!is_listed("best_fields,most_fields,phrase,phrase_prefix,bool_prefix", type))
    return parsing_exception("failed to parse [multi_match] query type [" + type + "]. unknown type.");
  std::vector<Clause> each;
  for (const auto& [field, weight] : fields) {
    auto clause = type == "bool_prefix" ? bool_prefix_of(*field, body["query"], options, boost * weight, in.scored)
                  : type.starts_with("phrase")
                      ? phrase_of(*field, text, options, type == "phrase_prefix", boost * weight, in.scored)
                      : words_of(*field, text, options, boost * weight, in.scored);
    if (!clause) {
      if (options.lenient && clause.error().status == 400) continue;
      return clause;
    }
    each.push_back(*std::move(clause));
  }
  return best(std::move(each), tie, in.scored);
}

// Fields of text together, and one other beside them: that is how they are analysed.
Expected<Clause> QueryReader::cross_fields(const std::vector<WeightedField>& fields, const std::string& text,
                                           const TextOptions& options, double tie_breaker, double boost, bool scored) {
  std::vector<WeightedField> texts, others;
  for (const WeightedField& one : fields) (one.field->type == Type::kText ? texts : others).push_back(one);
  if (others.size() > 1) return not_supported("[cross_fields] over several fields that are no text");
  std::vector<Clause> groups;
  if (!texts.empty()) groups.push_back(FROND_EXPECT_OK(blended(texts, text, options, tie_breaker, boost, scored)));
  for (const auto& [field, weight] : others) {
    auto clause = words_of(*field, text, options, boost * weight, scored);
    if (!clause && options.lenient && clause.error().status == 400) continue;
    groups.push_back(FROND_EXPECT_OK(std::move(clause)));
  }
  return best(std::move(groups), tie_breaker, scored);
}

// Each term in any of the fields, with the document frequency of the one where it is most frequent.
Expected<Clause> QueryReader::blended(const std::vector<WeightedField>& fields, const std::string& text,
                                      const TextOptions& options, double tie_breaker, double boost, bool scored) {
  std::vector<Clause> each;
  for (const std::string& token : FROND_EXPECT_OK(tokens_of(text, options.analyzer))) {
    std::vector<Clause> of;
    std::uint64_t most = 0;
    if (scored)
      for (const auto& [field, weight] : fields)
        most = std::max(most, scope_.statistics.documents(field->column, token));
    for (const auto& [field, weight] : fields) {
      double blended = boost * weight;
      if (scored) {
        const std::uint64_t all = scope_.statistics.documents({}, {}),
                            own = scope_.statistics.documents(field->column, token);
        if (own == 0) continue;
        // As Lucene blends: where it is less frequent it counts as one document more frequent than anywhere.
        blended *= idf(all, own < most ? most + 1 : most) / idf(all, own);
      }
      of.push_back(FROND_EXPECT_OK(text_term(*field, token, blended, scored)));
    }
    each.push_back(FROND_EXPECT_OK(best(std::move(of), tie_breaker, scored)));
  }
  if (each.empty()) return no_match();
  return combined(std::move(each), options);
}

}  // namespace frond::broker::elasticsearch
