// Queries of values: terms, ranges, patterns.
#include <algorithm>
#include <cmath>
#include <limits>

#include "broker/elasticsearch/indices/catalogue.h"
#include "broker/elasticsearch/queries/lucene_regexp.h"
#include "broker/elasticsearch/queries/query_dsl.h"
#include "common/base/text.h"
#include "common/elasticsearch/date_format.h"
#include "common/elasticsearch/document.h"
#include "common/elasticsearch/json_body.h"
#include "common/text/unicode.h"
#include "common/text/utf8.h"

namespace frond::broker::elasticsearch {
namespace {

// Patterns of keywords that begin with one letter or none are looked for among all values (--min-prefix).
bool begins_shortly(std::string_view beginning) { return code_points(beginning).size() < 2; }

using query::Clause;

Clause nothing() { return {query::None()}; }

ApiError failed_query(const ApiError& cause) {
  return {.type = "query_shard_exception",
          .reason = "failed to create query: " + cause.reason,
          .cause = cause_json(cause),
          .root_type = "query_shard_exception"};
}

// Fields that every document has.
bool is_of_all(std::string_view name) {
  return name == "_id" || name == "_index" || name == "_source" || name == "_seq_no" || name == "_version" ||
         name == "_primary_term";
}

// A bound of whole numbers, from a number that may have a fraction. Nothing: nothing is inside it.
std::optional<query::Bound> whole_bound(const Json& json, bool lower, bool inclusive) {
  if (json.is_number_integer() && !(json.is_number_unsigned() && json.get<std::uint64_t>() > 0x7fffffffffffffff))
    return query::Bound{json.get<std::int64_t>(), inclusive};
  const double value = json, whole = lower ? std::ceil(value) : std::floor(value);
  constexpr double kEnd = 9223372036854775808.0;
  using Limits = std::numeric_limits<std::int64_t>;
  if (whole >= kEnd) return lower ? std::nullopt : std::optional(query::Bound{Limits::max()});
  if (whole < -kEnd) return lower ? std::optional(query::Bound{Limits::min()}) : std::nullopt;
  return query::Bound{static_cast<std::int64_t>(whole), inclusive || whole != value};
}

Expected<Json> whole_or_real(const MappedField& field, const Json& json) {
  Json number = json;
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    number = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (!number.is_number() && text.find_first_of("xX") == text.npos && !text.empty() && *end == '\0' &&
        std::isfinite(value))
      number = value;
  }
  if (number.is_number()) {
    const double end = field.type == Type::kInteger ? 0x1p31 : 0x1p63;
    const bool inside = number.is_number_unsigned() ? number.get<std::uint64_t>() < static_cast<std::uint64_t>(end)
                                                    : number.get<double>() < end && number.get<double>() >= -end;
    if (!is_whole(field.type) || inside) return number;
    return failed_query(
        illegal_argument("Value [" + text_in(json) + "] is out of range for a " + std::string(name_of(field.type))));
  }
  return failed_query({.type = "number_format_exception",
                       .reason = "For input string: \"" + text_in(json) + "\" of field [" + field.name + "]"});
}

}  // namespace

Expected<Clause> QueryReader::text_term(const MappedField& field, const std::string& token, double boost, bool scored) {
  if (token.empty() || token.size() > text::kMaxTokenBytes) return nothing();
  if (field.terms_only) return keyword_term(field, token, boost, scored);
  if (scored) boost *= scope_.made_up(field, {token});
  return weighted(Clause{query::Terms{field.column, {token}}}, boost, scored);
}

Expected<Clause> QueryReader::keyword_term(const MappedField& field, const std::string& word, double boost,
                                           bool scored) {
  if (word.size() > schema::kMaxKeywordBytes) return nothing();
  return value_term(field, word, word, boost, scored);
}

Expected<Clause> QueryReader::value_term(const MappedField& field, schema::Value value, const std::string& word,
                                         double boost, bool scored) {
  Clause clause{query::Terms{field.column, {std::move(value)}}};
  if (!scored) return constant(std::move(clause), 1, false);
  const std::uint64_t with = scope_.statistics.documents(field.column, word);
  if (with == 0) return nothing();
  // Each value is a text of one word, and a document as long as it has values: on average that counts.
  const std::uint64_t documents = scope_.statistics.documents(field.column, {});
  const auto& [k1, b] = scope_.mapping.bm25;
  const double share = static_cast<double>(documents) /
                       static_cast<double>(std::max(scope_.statistics.values(field.column), std::uint64_t{1}));
  const double score = idf(documents, with) * (k1 + 1) / (1 + k1 * (1 - b + b * share));
  return constant(std::move(clause), boost * score, scored);
}

Expected<Clause> QueryReader::in_index(const std::string& pattern, double boost, bool scored) {
  return matches_pattern(pattern, scope_.index) ? constant(Clause{query::All()}, boost, scored) : nothing();
}

Expected<Clause> QueryReader::term_of(const MappedField& field, const Json& value, double boost, bool scored) {
  const std::string text = text_in(value);
  if (field.name == "_id") return constant(Clause{query::Ids{{text}}}, boost, scored);
  if (field.name == "_index") return in_index(text, boost, scored);
  if (field.type == Type::kBoolean && text.empty())
    return failed_query(illegal_argument("Can't parse boolean value [], expected [true] or [false]"));
  if (field.type == Type::kText) return text_term(field, text, boost, scored);
  if (field.type == Type::kKeyword) return keyword_term(field, text, boost, scored);
  if (field.type == Type::kDate) return range_of(field, {{"gte", value}, {"lte", value}}, boost, scored);
  if (is_number(field.type)) {
    const Json number = FROND_EXPECT_OK(whole_or_real(field, value));
    if (is_whole(field.type)) {
      const auto bound = whole_bound(number, true, true);
      if (!bound || (number.is_number_float() && std::trunc(number.get<double>()) != number.get<double>()))
        return nothing();
      return constant(Clause{query::Terms{field.column, {bound->value}}}, boost, scored);
    }
  }
  const auto typed = value_of(field, value);
  if (!typed) return failed_query(typed.error());
  if (!*typed) return nothing();
  if (field.type != Type::kBoolean) return constant(Clause{query::Terms{field.column, {**typed}}}, boost, scored);
  return value_term(field, **typed, std::get<bool>(**typed) ? "true" : "false", boost, scored);
}

Expected<Clause> QueryReader::term(const Json& body, const Context& in) {
  for (const auto& [key, value] : body.items())
    if (value.is_array()) return parsing_exception("[term] query does not support array of values");
  const FieldBody of = FROND_EXPECT_OK(field_body(body, "term", "value"));
  FROND_EXPECT_OK(check_members(of.body, "term", "value,case_insensitive"));
  const Json& value = of.body["value"];
  if (!value.is_primitive()) return parsing_exception("[term] query does not support [" + dumped(value) + "]");
  const double boost = in.boost * boost_in(of.body);
  const std::string text = text_in(value);
  if (of.field == "_id") return constant(Clause{query::Ids{{text}}}, boost, in.scored);
  if (of.field == "_index") return in_index(text, boost, in.scored);
  const MappedField* const field = scope_.mapping.find(of.field);
  if (field == nullptr) return unmapped(of.field);
  if (!is_true(of.body, "case_insensitive", false)) return term_of(*field, value, boost, in.scored);
  if (field->has_words()) return keyword_like(*field, escaped_regexp(text), /*folds=*/true, boost, in.scored);
  if (!field->has_positions())
    return failed_query(illegal_argument("[" + field->name + "] field which is of type [" +
                                         std::string(name_of(field->type)) +
                                         "], does not support case insensitive term queries"));
  return constant(FROND_EXPECT_OK(text_term(*field, lower_case(text), 1, /*scored=*/false)), boost, in.scored);
}

Expected<Clause> QueryReader::terms(const Json& body, const Context& in) {
  const Json* values = nullptr;
  std::string name;
  for (const auto& [key, value] : body.items()) {
    if (key == "boost") FROND_EXPECT_OK(check_boost(value));
    if (key == "boost" || key == "value_type") continue;
    if (key == "_name") return not_supported("[_name] of a query");
    if (values != nullptr) return parsing_exception("[terms] query does not support multiple fields");
    if (value.is_object()) return not_supported("a terms query with a lookup");
    if (!value.is_array()) return parsing_exception("[terms] query does not support [" + key + "]");
    name = key;
    values = &value;
  }
  if (values == nullptr)
    return parsing_exception(
        "[terms] query requires a field name, followed by array of terms or a document lookup specification");
  const double boost = in.boost * boost_in(body);
  if (name == "_id") {
    query::Ids ids;
    for (const Json& one : *values) ids.ids.push_back(text_in(one));
    return constant(ids.ids.empty() ? nothing() : Clause{std::move(ids)}, boost, in.scored);
  }
  if (name == "_index") {
    const bool any = std::ranges::any_of(*values, [&](const Json& one) {
      return one.is_string() && matches_pattern(one.get<std::string>(), scope_.index);
    });
    return constant(any ? Clause{query::All()} : nothing(), boost, in.scored);
  }
  const MappedField* const field = scope_.mapping.find(name);
  if (field == nullptr) return unmapped(name);
  if (values->empty()) return nothing();
  query::Bool any;
  for (const Json& one : *values) {
    if (!one.is_primitive() || one.is_null())
      return illegal_argument("[terms] query does not support [" + dumped(one) + "]");
    any.should.push_back(FROND_EXPECT_OK(term_of(*field, one, 1, /*scored=*/false)));
  }
  return constant(Clause{std::move(any)}, boost, in.scored);
}

Expected<Clause> QueryReader::range_of(const MappedField& field, const Json& bounds, double boost, bool scored) {
  if (field.column.empty())
    return failed_query(
        illegal_argument("Field [" + field.name + "] of type [" + field.name + "] does not support range queries"));
  const std::string format = FROND_EXPECT_OK(text_member(bounds, "format", field.format)),
                    zone = FROND_EXPECT_OK(text_member(bounds, "time_zone", "Z"));
  const bool from_in = FROND_EXPECT_OK(flag_member(bounds, "include_lower", true)),
             to_in = FROND_EXPECT_OK(flag_member(bounds, "include_upper", true));
  DateReading reading;
  reading.now_ms = scope_.now_ms;
  if (field.type == Type::kDate) reading.zone = FROND_EXPECT_OK(zone_named(zone));
  query::Range range{field.column, {}, {}};
  for (const auto& [key, value] : bounds.items()) {
    const bool lower = key == "gte" || key == "gt" || key == "from", upper = key == "lte" || key == "lt" || key == "to";
    if ((!lower && !upper) || value.is_null()) continue;
    if (!value.is_primitive()) return parsing_exception("[range] query does not support [" + key + "] of this type");
    const bool inclusive = key == "from" ? from_in : key == "to" ? to_in : key.ends_with('e');
    std::optional<query::Bound> bound;
    if (field.type == Type::kDate) {
      reading.round_up = lower != inclusive;  // of gt and lte the whole time counts
      const std::string text = text_in(value);
      const auto ms = parse_date_math(text, format, reading);
      if (!ms) return failed_query(ms.error());
      bound = query::Bound{*ms, inclusive};
    } else if (field.type == Type::kBoolean) {
      const std::string text = text_in(value);
      if (text != "true" && text != "false")
        return failed_query(
            illegal_argument("Can't parse boolean value [" + text.substr(0, 100) + "], expected [true] or [false]"));
      bound = query::Bound{text == "true", inclusive};
    } else if (field.has_words() || field.has_positions()) {
      bound = query::Bound{text_in(value).substr(0, schema::kMaxKeywordBytes), inclusive};
    } else {
      const Json number = FROND_EXPECT_OK(whole_or_real(field, value));
      if (is_whole(field.type)) {
        bound = whole_bound(number, lower, inclusive);
        if (!bound) return nothing();
      } else {
        const double real = field.type == Type::kFloat ? as_float(number) : number.get<double>();
        if (!std::isfinite(real))
          return failed_query(
              illegal_argument("[float] supports only finite values, but got [" + text_in(value) + "]"));
        bound = query::Bound{real, inclusive};
      }
    }
    (lower ? range.from : range.to) = std::move(bound);
  }
  if (!range.from && !range.to) return constant(Clause{query::Exists{field.column}}, boost, scored);
  if (field.has_positions()) return text_range(field, range, boost, scored);
  if (field.type != Type::kBoolean) return constant(Clause{std::move(range)}, boost, scored);
  if (is_in(range, false) != is_in(range, true)) return term_of(field, is_in(range, true), boost, scored);
  return is_in(range, true) ? constant(Clause{query::Exists{field.column}}, boost, scored) : nothing();
}

Expected<Clause> QueryReader::range(const Json& body, const Context& in) {
  std::string name;
  Json bounds;
  for (const auto& [key, value] : body.items()) {
    if (key == "boost") {
      FROND_EXPECT_OK(check_boost(value));
      continue;
    }
    if (key == "_name") return not_supported("[_name] of a query");
    if (!name.empty())
      return parsing_exception("[range] query doesn't support multiple fields, found [" + name + "] and [" + key + "]");
    if (!value.is_object()) return parsing_exception("[range] query does not support [" + key + "]");
    name = key;
    bounds = value;
  }
  if (name.empty()) return illegal_argument("[range] field name is null or empty");
  FROND_EXPECT_OK(
      check_members(bounds, "range", "gte,gt,lte,lt,from,to,include_lower,include_upper,format,time_zone,relation"));
  const double boost = in.boost * boost_in(bounds.contains("boost") ? bounds : body);
  const MappedField* const field = scope_.mapping.find(name);
  if (field == nullptr && (name == "_id" || name == "_index"))
    return failed_query(illegal_argument("Field [" + name + "] of type [" + name + "] does not support range queries"));
  return field == nullptr ? unmapped(name) : range_of(*field, bounds, boost, in.scored);
}

Expected<Clause> QueryReader::exists_of(std::string_view pattern, double boost, bool scored) {
  if (is_of_all(pattern)) return constant(Clause{query::All()}, boost, scored);
  const std::string below = std::string(pattern) + ".";
  const bool object = scope_.mapping.is_object(pattern);
  query::Bool any;
  for (const MappedField& field : scope_.mapping.fields)
    if (object ? field.name.starts_with(below) : matches_pattern(pattern, field.name))
      any.should.push_back({query::Exists{field.column}});
  if (any.should.empty()) return nothing();
  return constant(any.should.size() == 1 ? std::move(any.should.front()) : Clause{std::move(any)}, boost, scored);
}

Expected<Clause> QueryReader::exists(const Json& body, const Context& in) {
  FROND_EXPECT_OK(check_members(body, "exists", "field"));
  if (!body.contains("field") || !body["field"].is_string())
    return parsing_exception("[exists] must be provided with a [field]");
  return exists_of(body["field"].get<std::string>(), in.boost * boost_in(body), in.scored);
}

Expected<Clause> QueryReader::ids(const Json& body, const Context& in) {
  FROND_EXPECT_OK(check_members(body, "ids", "values"));
  query::Ids ids;
  const Json values = body.contains("values") ? body["values"] : Json::array();
  for (const Json& one : values.is_array() ? values : Json::array({values})) {
    if (!one.is_primitive() || one.is_null())
      return parsing_exception("Illegal value for id, expecting a string or number, got: " + dumped(one));
    ids.ids.push_back(text_in(one));
  }
  if (ids.ids.empty()) return nothing();
  return constant(Clause{std::move(ids)}, in.boost * boost_in(body), in.scored);
}

Expected<Clause> QueryReader::prefix_of(const MappedField& field, const std::string& text, double boost, bool scored) {
  if (field.name == "_index") return in_index(text + "*", boost, scored);
  if ((field.type != Type::kKeyword && field.type != Type::kText) || field.name == "_id")
    return failed_query(illegal_argument("Can only use prefix queries on keyword, text and wildcard fields - not on [" +
                                         field.name + "] which is of type [" + std::string(name_of(field.type)) + "]"));
  if (text.empty()) return exists_of(field.name, boost, scored);
  if (field.has_positions()) {
    // Terms are in small letters; a beginning with other signs may go over several of them here.
    if (text::small_letters(text) != text) return nothing();
    if (!std::ranges::all_of(text, [](char c) { return text::is_ascii_letter_or_digit(c) || c < 0; }))
      return not_supported("the prefix [" + text + "] of text");
  }
  if (field.has_words() && begins_shortly(text))
    return keyword_like(field, escaped_regexp(text) + "@", /*folds=*/false, boost, scored);
  return constant(Clause{query::Prefix{field.column, text}}, boost, scored);
}

Expected<Clause> QueryReader::prefix(const Json& body, const Context& in) {
  const FieldBody of = FROND_EXPECT_OK(field_body(body, "prefix", "value"));
  FROND_EXPECT_OK(check_members(of.body, "prefix", "value,rewrite,case_insensitive"));
  if (of.body.contains("rewrite")) return not_supported("[rewrite] of a prefix query");
  const MappedField* const field = scope_.mapping.find(of.field);
  if (field == nullptr)
    return of.field == "_index" ? in_index(text_in(of.body["value"]) + "*", in.boost * boost_in(of.body), in.scored)
                                : unmapped(of.field);
  const Json& value = of.body["value"];
  if (is_true(of.body, "case_insensitive", false)) {
    if (!field->has_words() || !value.is_string()) return not_supported("[case_insensitive] of a prefix query of text");
    return keyword_like(*field, escaped_regexp(value.get<std::string>()) + "@", /*folds=*/true,
                        in.boost * boost_in(of.body), in.scored);
  }
  return prefix_of(*field, text_in(value), in.boost * boost_in(of.body), in.scored);
}

Expected<Clause> QueryReader::wildcard_of(const MappedField& field, const std::string& pattern, double boost,
                                          bool scored) {
  if (field.name == "_index") return in_index(pattern, boost, scored);
  if ((field.type != Type::kKeyword && field.type != Type::kText) || field.name == "_id")
    return failed_query(
        illegal_argument("Can only use wildcard queries on keyword, text and wildcard fields - not on [" + field.name +
                         "] which is of type [" + std::string(name_of(field.type)) + "]"));
  if (pattern.find_first_not_of('*') == pattern.npos && !pattern.empty()) return exists_of(field.name, boost, scored);
  if (field.has_positions()) {
    if (text::small_letters(pattern) != pattern) return nothing();
    if (!std::ranges::all_of(pattern,
                             [](char c) { return text::is_ascii_letter_or_digit(c) || c == '*' || c == '?' || c < 0; }))
      return not_supported("the pattern [" + pattern + "] of text");
  }
  if (field.has_words() && begins_shortly(pattern.substr(0, pattern.find_first_of("*?"))))
    return keyword_like(field, wildcard_regexp(pattern), /*folds=*/false, boost, scored);
  return constant(Clause{query::Wildcard{field.column, pattern}}, boost, scored);
}

Expected<Clause> QueryReader::wildcard(const Json& body, const Context& in) {
  Json renamed = body;
  for (auto& [key, value] : renamed.items())
    if (value.is_object() && value.contains("wildcard") && !value.contains("value")) {
      value["value"] = value["wildcard"];
      value.erase("wildcard");
    }
  const FieldBody of = FROND_EXPECT_OK(field_body(renamed, "wildcard", "value"));
  FROND_EXPECT_OK(check_members(of.body, "wildcard", "value,rewrite,case_insensitive"));
  if (of.body.contains("rewrite")) return not_supported("[rewrite] of a wildcard query");
  const MappedField* const field = scope_.mapping.find(of.field);
  if (field == nullptr)
    return of.field == "_index" ? in_index(text_in(of.body["value"]), in.boost * boost_in(of.body), in.scored)
                                : unmapped(of.field);
  if (is_true(of.body, "case_insensitive", false)) {
    if (!field->has_words() || !of.body["value"].is_string())
      return not_supported("[case_insensitive] of a wildcard query of text");
    return keyword_like(*field, wildcard_regexp(of.body["value"].get<std::string>()), /*folds=*/true,
                        in.boost * boost_in(of.body), in.scored);
  }
  const Json& value = of.body["value"];
  return wildcard_of(*field, text_in(value), in.boost * boost_in(of.body), in.scored);
}

}  // namespace frond::broker::elasticsearch
