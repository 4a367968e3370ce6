// simple_query_string: + | - "" * ~ ( ), each if its flag is set, read from the left; whatever is odd is text.
#include <algorithm>
#include <charconv>

#include "broker/elasticsearch/indices/catalogue.h"
#include "broker/elasticsearch/queries/query_dsl.h"
#include "common/base/text.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {
namespace {

using query::Bool;
using query::Clause;

constexpr std::size_t kMaxSimpleDepth = 20;

enum Flag : unsigned {
  kAnd = 1,
  kNot = 2,
  kOr = 4,
  kPrefix = 8,
  kPhrase = 16,
  kPrecedence = 32,
  kEscape = 64,
  kWhitespace = 128,
  kFuzzy = 256,
  kNear = 512,
  kAllFlags = 1023
};
constexpr std::pair<std::string_view, unsigned> kFlagNames[] = {{"all", kAllFlags},
                                                                {"and", kAnd},
                                                                {"escape", kEscape},
                                                                {"fuzzy", kFuzzy},
                                                                {"near", kNear},
                                                                {"none", 0},
                                                                {"not", kNot},
                                                                {"or", kOr},
                                                                {"phrase", kPhrase},
                                                                {"precedence", kPrecedence},
                                                                {"prefix", kPrefix},
                                                                {"slop", kNear},
                                                                {"whitespace", kWhitespace}};

// "OR|AND", or a number; the first of "ALL" and "NONE" is all that counts.
Expected<unsigned> flags_of(const Json& body) {
  const Json& json = body["flags"];
  if (json.is_number()) return static_cast<unsigned>(FROND_EXPECT_OK(whole_member(body, "flags", 0))) & kAllFlags;
  std::string names = lower_case(text_in(json));
  if (names.empty()) return kAllFlags;
  std::ranges::replace(names, '|', ',');
  unsigned flags = 0;
  for (const auto name : split_list(names)) {
    const auto known = std::ranges::find(kFlagNames, name, &std::pair<std::string_view, unsigned>::first);
    if (known == std::end(kFlagNames))
      return illegal_argument("Unknown simple_query_string flag [" + std::string(name.substr(0, 100)) + "]");
    if (name == "all" || name == "none") return known->second;
    flags |= known->second;
  }
  return flags;
}

struct SimpleSettings {
  std::vector<QueryReader::WeightedField> fields;
  QueryReader::TextOptions text;
  Json fuzzy = Json::object();  // of words with '~'
  unsigned flags = kAllFlags;
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
      if (is(')', kPrecedence) && depth > 1) break;
      if (is('-', kNot)) {
        ++at_;
        ++negations;
        continue;
      }
      const bool all = is('+', kAnd), sign = all || is('|', kOr), quoted = is('"', kPhrase);
      if (sign || is_space() || is(')', kPrecedence)) {
        ++at_;
        if (sign && current == Sign::kNone && top) current = all ? Sign::kAnd : Sign::kOr;
        negations = 0;
        continue;
      }
      const std::size_t before = at_;
      auto branch = FROND_EXPECT_OK(one(depth));
      if (branch) {
        if (negations % 2 == 1) branch = FROND_EXPECT_OK(without(*std::move(branch)));
        if (!top) {
          top = std::move(branch);
          top_is_bool = false;
        } else {
          if (current == Sign::kNone) current = settings_.text.all ? Sign::kAnd : Sign::kOr;
          const bool both_needed = current == Sign::kAnd;
          if (!top_is_bool || previous != current) {
            Bool made;
            (both_needed ? made.must : made.should).push_back(*std::move(top));
            top = Clause{std::move(made)};
            top_is_bool = true;
          }
          auto& both = *top->as<Bool>();
          (both_needed ? both.must : both.should).push_back(*std::move(branch));
          previous = current;
        }
      }
      if (branch || !quoted || at_ > before + 1) current = Sign::kNone;  // a quote that isn't closed is passed over
      negations = 0;
    }
    return top;
  }

 private:
  bool is(char c, unsigned flag) const { return text_[at_] == c && (settings_.flags & flag) != 0; }
  bool is_space() const {
    return std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos &&
           (settings_.flags & kWhitespace) != 0;
  }
  bool ends_word() const {
    return is('"', kPhrase) || is('|', kOr) || is('+', kAnd) || is('(', kPrecedence) || is(')', kPrecedence) ||
           is_space();
  }

  Expected<Clause> without(Clause clause) {
    Bool made;
    made.must.push_back(FROND_EXPECT_OK(reader_.constant(Clause{query::All()}, settings_.boost, settings_.scored)));
    made.must_not.push_back(std::move(clause));
    return Clause{std::move(made)};
  }

  Expected<std::optional<Clause>> one(std::size_t depth) {
    if (is('(', kPrecedence)) {
      ++at_;
      auto inside = FROND_EXPECT_OK(parse(depth + 1));
      if (at_ < text_.size()) ++at_;
      return inside;
    }
    return is('"', kPhrase) ? phrase() : word();
  }

  Expected<std::optional<Clause>> phrase() {
    const std::size_t begin = ++at_;
    std::string text;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (is('\\', kEscape) && at_ + 1 < text_.size()) ++at_;
      text += text_[at_];
    }
    if (at_ >= text_.size()) {
      at_ = begin;
      return std::optional<Clause>();
    }
    ++at_;
    if (at_ == begin + 1) return std::optional<Clause>();
    QueryReader::TextOptions options = settings_.text;
    const bool near = at_ + 1 < text_.size() && is('~', kNear);
    const auto slop = near ? number_behind_tilde() : 0;
    if (slop > 100) return not_supported("a slop above 100");
    options.slop = slop;
    if (!near && at_ < text_.size() && is('~', kNear)) ++at_;
    return in_fields(0, [&](const MappedField& field, double boost) {
      return reader_.phrase_of(field, text, options, false, boost, settings_.scored);
    });
  }

  Expected<std::optional<Clause>> word() {
    std::string word;
    bool prefix = false;
    std::optional<std::uint32_t> edits;
    while (at_ < text_.size() && !ends_word()) {
      if (is('~', kFuzzy) && !word.empty()) {
        edits = std::min(number_behind_tilde(), std::uint32_t{2});
        break;
      }
      prefix = is('*', kPrefix) && !word.empty();
      if (is('\\', kEscape)) {
        prefix = false;
        if (++at_ == text_.size()) break;
      }
      word += text_[at_++];
    }
    if (word.empty()) return std::optional<Clause>();
    if (edits.value_or(0) > 0) {
      Json fuzzy = settings_.fuzzy;
      fuzzy["fuzziness"] = *edits;
      return in_fields(1, [&](const MappedField& field, double boost) {
        return reader_.fuzzy_of(field, terms(field, word), fuzzy, boost, settings_.scored);
      });
    }
    if (prefix && !edits) {
      word.pop_back();
      return in_fields(1, [&](const MappedField& field, double boost) {
        return reader_.prefix_of(field, terms(field, word), boost, settings_.scored);
      });
    }
    return in_fields(1, [&](const MappedField& field, double boost) {
      return reader_.words_of(field, word, settings_.text, boost, settings_.scored);
    });
  }
  std::string terms(const MappedField& field, const std::string& word) const {
    return as_terms(field, word, settings_.text.analyzer);
  }

  // Without one, two; what is no number counts as none.
  std::uint32_t number_behind_tilde() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && !ends_word()) ++at_;
    const std::string_view digits = text_.substr(begin, at_ - begin);
    return digits.empty() ? 2 : number_in<std::uint32_t>(digits).value_or(0);
  }

  template <class Make>
  Expected<std::optional<Clause>> in_fields(double tie_breaker, const Make& make) {
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
    return std::optional<Clause>(FROND_EXPECT_OK(reader_.best(std::move(of), tie_breaker, settings_.scored)));
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
  if (!body.contains("query") || !body["query"].is_primitive() || body["query"].is_null())
    return parsing_exception("[simple_query_string] query text missing");
  if (body.contains("quote_field_suffix")) return not_supported("[quote_field_suffix] of a simple_query_string");
  SimpleSettings settings{.fields = {}, .text = {}, .boost = in.boost * boost_in(body), .scored = in.scored};
  if (body.contains("flags")) settings.flags = FROND_EXPECT_OK(flags_of(body));
  const bool everywhere = names_all_fields(body);
  settings.fields = FROND_EXPECT_OK(fields_of(everywhere ? Json("*") : body["fields"]));
  settings.text.all = FROND_EXPECT_OK(all_words(body));
  settings.text.lenient = is_true(body, "lenient", everywhere);
  settings.fuzzy = fuzzy_members(body);
  settings.text.analyzer = FROND_EXPECT_OK(analyzer_in(body, "simple_query_string"));
  const std::string text = text_in(body["query"]);
  if (text.find_first_not_of(" \t\n\r") != text.npos && text.find_first_not_of(" \t\n\r*") == text.npos &&
      std::ranges::count(text, '*') == 1)
    return constant(Clause{query::All()}, settings.boost, settings.scored);
  auto clause = FROND_EXPECT_OK(SimpleParser(*this, text, settings).parse(1));
  if (!clause) return Clause{query::None()};
  return with_minimum(*std::move(clause), body);
}

}  // namespace frond::broker::elasticsearch
