// What the bodies of queries have in common: their members as they are read.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "broker/elasticsearch/indices/catalogue.h"
#include "broker/elasticsearch/queries/query_dsl.h"
#include "common/base/text.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {

using query::Clause;

Expected<std::size_t> minimum_of(const std::string& text, std::size_t count) {
  const auto one = [&](std::string_view of) -> Expected<std::int64_t> {
    const bool percent = of.ends_with('%');
    const std::string digits(percent ? of.substr(0, of.size() - 1) : of);
    char* end = nullptr;
    const long number = std::strtol(digits.c_str(), &end, 10);
    if (digits.empty() || *end != '\0' || std::labs(number) > 1'000'000)
      return illegal_argument("For input string: \"" + std::string(of.substr(0, 100)) + "\"");
    const auto all = static_cast<std::int64_t>(count);
    if (!percent) return number < 0 ? all + number : number;
    const std::int64_t part = std::labs(number) * all / 100;
    return number < 0 ? all - part : part;
  };
  std::int64_t needed = static_cast<std::int64_t>(count);
  if (text.find('<') == text.npos) {
    const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
    needed = FROND_EXPECT_OK(one(text.substr(begin, text.find_last_not_of(' ') + 1 - begin)));
  } else {
    for (std::size_t at = text.find_first_not_of(' '); at != text.npos; at = text.find_first_not_of(' ', at)) {
      const std::size_t end = std::min(text.find(' ', at), text.size()), sign = text.find('<', at);
      if (sign >= end) return illegal_argument("illegal minimum_should_match [" + text.substr(0, 100) + "]");
      const auto above = FROND_EXPECT_OK(one(text.substr(at, sign - at)));
      if (static_cast<std::int64_t>(count) <= above) break;
      needed = FROND_EXPECT_OK(one(text.substr(sign + 1, end - sign - 1)));
      at = end;
    }
  }
  return static_cast<std::size_t>(std::max<std::int64_t>(needed, 0));
}

Expected<double> tie_breaker_in(const Json& body, double otherwise) {
  if (!body.contains("tie_breaker")) return otherwise;
  const Json& tie = body["tie_breaker"];
  const auto number = tie.is_string() ? number_in<double>(tie.get_ref<const std::string&>()) : std::nullopt;
  if (!tie.is_number() && !number) return illegal_argument("For input string: \"" + text_in(tie).substr(0, 100) + "\"");
  return number ? *number : tie.get<double>();
}

Expected<void> check_members(const Json& body, std::string_view query, std::string_view names) {
  const auto known = split_list(names);
  for (const auto& [key, value] : body.items()) {
    if (key == "boost") {
      FROND_EXPECT_OK(check_boost(value));
      continue;
    }
    if (key == "_name") return not_supported("[_name] of a query");
    if (std::ranges::find(known, key) == known.end())
      return parsing_exception("[" + std::string(query) + "] query does not support [" + key + "]");
    if (key == "fuzziness") FROND_EXPECT_OK(edits_of(value, 0));
  }
  return {};
}

Expected<void> check_boost(const Json& boost) {
  char* end = nullptr;
  const std::string text = boost.is_string() ? boost.get<std::string>() : "";
  const double value = boost.is_number() ? boost.get<double>() : std::strtod(text.c_str(), &end);
  if (!boost.is_number() && (text.empty() || *end != '\0'))
    return parsing_exception("[boost] must be a number, but is [" + dumped(boost).substr(0, 100) + "]");
  if (!std::isfinite(value) || value < 0)
    return illegal_argument("negative [boost] are not allowed in [" + dumped(boost).substr(0, 100) + "]");
  return {};
}

double boost_in(const Json& body) {
  const auto found = body.find("boost");
  if (found == body.end()) return 1;
  if (found->is_number()) return *found;
  return found->is_string() ? std::strtod(found->get_ref<const std::string&>().c_str(), nullptr) : 1;
}

bool names_all_fields(const Json& body) {
  const auto found = body.find("fields");
  return found == body.end() || found->empty() || *found == "*" || *found == Json{"*"};
}

Json fuzzy_members(const Json& body) {
  Json made = Json::object();
  for (const auto& [name, as] : {std::pair("fuzziness", "fuzziness"),
                                 {"fuzzy_max_expansions", "max_expansions"},
                                 {"fuzzy_prefix_length", "prefix_length"},
                                 {"fuzzy_transpositions", "transpositions"}})
    if (body.contains(name)) made[as] = body[name];
  return made;
}

Expected<Clause> with_minimum(Clause clause, const Json& body) {
  auto* const any = clause.as<query::Bool>();
  if (!body.contains("minimum_should_match") || any == nullptr || any->should.empty()) return clause;
  const auto needed = FROND_EXPECT_OK(minimum_of(text_in(body["minimum_should_match"]), any->should.size()));
  if (needed > any->should.size()) return Clause{query::None()};
  if (needed > 0)
    any->minimum = query::MinimumMatch{query::MinimumMatch::Kind::kCount, static_cast<std::uint32_t>(needed)};
  return clause;
}

Expected<Clause> QueryReader::unmapped(const std::string& field) const {
  if (field == "_source" || field == "_version")
    return ApiError{.type = "query_shard_exception", .reason = "The " + field + " field is not searchable"};
  if (field == "_seq_no" || field == "_primary_term" || field == "_field_names" || field == "_routing" ||
      field == "_ignored")
    return not_supported("a query of [" + field + "]");
  return Clause{query::None()};
}

Expected<bool> all_words(const Json& body) {
  const std::string name = FROND_EXPECT_OK(text_member(body, "default_operator", "or"));
  if (name == "and" || name == "AND") return true;
  if (name != "or" && name != "OR") return illegal_argument("No enum constant Operator." + name.substr(0, 100));
  return false;
}

bool is_true(const Json& body, const char* name, bool absent) {
  const auto found = body.find(name);
  if (found == body.end()) return absent;
  return *found == true || *found == "true" || *found == "";
}

Expected<FieldBody> field_body(const Json& body, std::string_view query, std::string_view value) {
  FieldBody found;
  for (const auto& [key, inside] : body.items()) {
    if (key == "boost" || key == "_name") continue;
    if (!found.field.empty())
      return parsing_exception("[" + std::string(query) + "] query doesn't support multiple fields, found [" +
                               found.field + "] and [" + key + "]");
    found.field = key;
    if (inside.is_array()) return parsing_exception("[" + std::string(query) + "] query does not support arrays");
    found.body = inside.is_object() ? inside : Json{{std::string(value), inside}};
  }
  if (found.field.empty()) return illegal_argument("[" + std::string(query) + "] fieldName is null or empty");
  if (body.contains("boost") && !found.body.contains("boost")) found.body["boost"] = body["boost"];
  const auto text = found.body.find(std::string(value));
  if (text == found.body.end() || text->is_null())
    return illegal_argument("[" + std::string(query) + "] No text specified for text query: value cannot be null");
  return found;
}

}  // namespace frond::broker::elasticsearch
