// simple_query_string: + | - "" * ( ), read from the left; whatever is odd is text.
#include <algorithm>

#include "broker/elasticsearch/query_dsl.h"
#include "common/base/text.h"
#include "common/elasticsearch/json_body.h"
#include "common/text/utf8.h"

namespace frond::broker::elasticsearch {
namespace {

using query::Bool;
using query::Clause;

constexpr std::size_t kMaxSimpleDepth = 20;

struct SimpleSettings {
  std::vector<QueryReader::WeightedField> fields;
  QueryReader::TextOptions text;
  double boost = 1;
  bool scored = true;
};

class SimpleParser {
 public:
  SimpleParser(QueryReader& reader, std::string_view text, const SimpleSettings& settings)
      : reader_(reader), text_(text), settings_(settings) {}

  // Up to the end, or to a closing parenthesis.
  Expected<std::optional<Clause>> parse(std::size_t depth) {
    if (depth > kMaxSimpleDepth) return illegal_argument("the query is nested too deeply");
    std::optional<Clause> top;
    bool top_is_bool = false;  // made here, so that more can be added
    enum class Sign { kNone, kAnd, kOr } previous = Sign::kNone, current = Sign::kNone;
    std::size_t negations = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
        continue;
      }
      if (c == ')') {
        if (depth > 1) break;
        ++at_;
        continue;
      }
      if (c == '+' || c == '|') {
        ++at_;
        if (current == Sign::kNone && top) current = c == '+' ? Sign::kAnd : Sign::kOr;
        continue;
      }
      if (c == '-') {
        ++at_;
        ++negations;
        continue;
      }
      auto branch = FROND_EXPECT_OK(one(depth));
      if (branch) {
        if (negations % 2 == 1) branch = FROND_EXPECT_OK(without(*std::move(branch)));
        if (!top) {
          top = std::move(branch);
          top_is_bool = false;
        } else {
          if (current == Sign::kNone) current = settings_.text.all ? Sign::kAnd : Sign::kOr;
          const bool all = current == Sign::kAnd;
          if (!top_is_bool || previous != current) {
            Bool made;
            (all ? made.must : made.should).push_back(*std::move(top));
            top = Clause{std::move(made)};
            top_is_bool = true;
          }
          auto& both = *top->as<Bool>();
          (all ? both.must : both.should).push_back(*std::move(branch));
          previous = current;
        }
      }
      current = Sign::kNone;
      negations = 0;
    }
    return top;
  }

 private:
  Expected<Clause> without(Clause clause) {
    Bool made;
    made.must.push_back(FROND_EXPECT_OK(reader_.constant(Clause{query::All()}, settings_.boost, settings_.scored)));
    made.must_not.push_back(std::move(clause));
    return Clause{std::move(made)};
  }

  Expected<std::optional<Clause>> one(std::size_t depth) {
    if (text_[at_] == '(') {
      ++at_;
      auto inside = FROND_EXPECT_OK(parse(depth + 1));
      if (at_ < text_.size()) ++at_;
      return inside;
    }
    if (text_[at_] == '"') {
      const std::size_t end = text_.find('"', at_ + 1);
      if (end == text_.npos) {
        ++at_;
        return std::optional<Clause>();
      }
      const std::string phrase(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      QueryReader::TextOptions options = settings_.text;
      options.slop = FROND_EXPECT_OK(number_behind_tilde());
      return in_fields([&](const MappedField& field, double boost) {
        return reader_.phrase_of(field, phrase, options, false, boost, settings_.scored);
      });
    }
    std::string word;
    while (at_ < text_.size() && std::string_view(" \t\n\r()\"+|").find(text_[at_]) == std::string_view::npos) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      if (text_[at_] == '~') return not_supported("a fuzzy word in a simple_query_string");
      word += text_[at_++];
    }
    if (word.size() > 1 && word.ends_with('*')) {
      word.pop_back();
      return in_fields([&](const MappedField& field, double boost) {
        return reader_.prefix_of(field, field.type == Type::kText ? lower_case(word) : word, boost, settings_.scored);
      });
    }
    return in_fields([&](const MappedField& field, double boost) {
      return reader_.words_of(field, word, settings_.text, boost, settings_.scored);
    });
  }

  Expected<std::uint32_t> number_behind_tilde() {
    std::uint32_t number = 0;
    if (at_ >= text_.size() || text_[at_] != '~') return number;
    for (++at_; at_ < text_.size() && text::is_ascii_digit(text_[at_]) && number <= 100; ++at_)
      number = number * 10 + static_cast<unsigned>(text_[at_] - '0');
    if (number > 100) return not_supported("a slop above 100");
    return number;
  }

  template <class Make>
  Expected<std::optional<Clause>> in_fields(const Make& make) {
    std::vector<Clause> of;
    for (const auto& [field, weight] : settings_.fields) {
      FROND_EXPECT_OK(reader_.count());
      Expected<Clause> clause = make(*field, settings_.boost * weight);
      if (!clause) {
        if (settings_.text.lenient && clause.error().status == 400) continue;
        return std::move(clause).error();
      }
      if (clause->template as<query::None>() == nullptr) of.push_back(*std::move(clause));
    }
    if (of.empty()) return std::optional<Clause>(Clause{query::None()});
    return std::optional<Clause>(FROND_EXPECT_OK(reader_.best(std::move(of), 1, settings_.scored)));
  }

  QueryReader& reader_;
  const std::string_view text_;
  const SimpleSettings& settings_;
  std::size_t at_ = 0;
};

}  // namespace

Expected<Clause> QueryReader::simple_query_string(const Json& body, const Context& in) {
  FROND_EXPECT_OK(
      check_members(body, "simple_query_string",
                    "query,fields,default_operator,minimum_should_match,lenient,analyzer,analyze_wildcard,flags,"
                    "auto_generate_synonyms_phrase_query,fuzzy_max_expansions,fuzzy_prefix_length,fuzzy_transpositions,"
                    "quote_field_suffix"));
  if (!body.contains("query") || !body["query"].is_string())
    return parsing_exception("[simple_query_string] query text missing");
  if (body.value("flags", Json("ALL")) != "ALL" || body.contains("quote_field_suffix"))
    return not_supported("[flags] of a simple_query_string");
  SimpleSettings settings{.fields = {}, .text = {}, .boost = in.boost * boost_in(body), .scored = in.scored};
  const Json names = body.contains("fields") ? body["fields"] : Json("*");
  settings.fields = FROND_EXPECT_OK(fields_of(names));
  settings.text.all = FROND_EXPECT_OK(all_words(body));
  settings.text.lenient = is_true(body, "lenient", names == "*");
  if (body.contains("analyzer") && body["analyzer"].is_string()) settings.text.analyzer = body["analyzer"];
  auto clause = FROND_EXPECT_OK(SimpleParser(*this, body["query"].get_ref<const std::string&>(), settings).parse(1));
  if (!clause) return Clause{query::None()};
  auto* const any = clause->as<Bool>();
  if (body.contains("minimum_should_match") && any != nullptr && !any->should.empty()) {
    const auto needed = FROND_EXPECT_OK(minimum_of(text_in(body["minimum_should_match"]), any->should.size()));
    if (needed > any->should.size()) return Clause{query::None()};
    if (needed > 0)
      any->minimum = query::MinimumMatch{query::MinimumMatch::Kind::kCount, static_cast<std::uint32_t>(needed)};
  }
  return *std::move(clause);
}

}  // namespace frond::broker::elasticsearch
