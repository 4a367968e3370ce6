// The language of query_string and of `q`: fields, operators, phrases, ranges, patterns.
#include <algorithm>
#include <cmath>
#include <utility>

#include "broker/elasticsearch/queries/query_dsl.h"
#include "common/base/text.h"
#include "common/elasticsearch/json_body.h"
#include "common/text/utf8.h"

namespace frond::broker::elasticsearch {
namespace {

using query::Bool;
using query::Clause;
using Fields = std::vector<QueryReader::WeightedField>;

constexpr std::size_t kMaxStringDepth = 20;

struct StringSettings {
  Fields fields;  // of what names none
  QueryReader::TextOptions text;
  Json fuzzy = Json::object();  // of words with '~'
  double tie_breaker = 0, boost = 1;
  bool scored = true;
};

enum class Occur { kMust, kShould, kMustNot };
struct Item {
  Occur occur;
  Clause clause;
};

class StringParser {
 public:
  StringParser(QueryReader& reader, std::string_view text, const StringSettings& settings)
      : reader_(reader), text_(text), settings_(settings) {}

  Expected<Clause> parse() {
    auto clause = FROND_EXPECT_OK(group(settings_.fields, 1));
    if (at_ < text_.size()) return failed();
    return clause;
  }

 private:
  // A word of the text, with its escapes taken away.
  struct Word {
    std::string raw, text;  // raw: with `\` before signs
    bool pattern = false;
  };

  ApiError failed() const {
    const std::string reason = "Failed to parse query [" + std::string(text_.substr(0, 500)) + "]";
    return {.type = "query_shard_exception", .reason = reason};
  }
  void skip() { at_ = std::min(text_.find_first_not_of(" \t\n\r", at_), text_.size()); }
  bool at(char c) const { return at_ < text_.size() && text_[at_] == c; }
  // Whether it comes next, behind spaces; they are passed over then.
  bool next_is(char c) {
    const std::size_t next = std::min(text_.find_first_not_of(" \t\n\r", at_), text_.size());
    if (!text_.substr(next).starts_with(c)) return false;
    at_ = next;
    return true;
  }
  bool take(char c) {
    if (!at(c)) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    const std::size_t end = at_ + word.size();
    if (end < text_.size() && text_[end] != ' ' && text_[end] != '(' && text_[end] != '"') return false;
    at_ = end;
    return true;
  }
  bool take_operator(std::string_view word, std::string_view sign) {
    if (take_word(word)) return true;
    const bool found = text_.substr(at_).starts_with(sign);
    at_ += found ? sign.size() : 0;
    return found;
  }
  bool at_operator() {
    const std::size_t back = at_;
    const bool found = take_operator("AND", "&&") || take_operator("OR", "||") || take_word("NOT");
    at_ = back;
    return found;
  }
  static bool is_special(char c) { return std::string_view(" \t\n\r()\":^[]{}~/").find(c) != std::string_view::npos; }

  // `signs`: it may begin with those of clauses.
  Word word(bool signs = false) {
    Word found;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\' && at_ + 1 < text_.size()) {
        found.raw.append(text_.substr(at_, 2));
        found.text += text_[at_ + 1];
        at_ += 2;
        continue;
      }
      if (is_special(c) || (found.raw.empty() && !signs && (c == '+' || c == '-' || c == '!'))) break;
      found.pattern = found.pattern || c == '*' || c == '?';
      found.raw += c;
      found.text += c;
      ++at_;
    }
    return found;
  }

  Expected<Clause> group(const Fields& fields, std::size_t depth) {
    if (depth > kMaxStringDepth) return illegal_argument("the query string is nested too deeply");
    std::vector<Item> items;
    const bool all = settings_.text.all;
    for (skip(); at_ < text_.size() && !at(')'); skip()) {
      enum { kNone, kAnd, kOr } joint = kNone;
      if (take_operator("AND", "&&"))
        joint = kAnd;
      else if (take_operator("OR", "||"))
        joint = kOr;
      if (joint != kNone && items.empty()) return failed();
      skip();
      bool must = take('+');
      const bool must_not = !must && (take('-') || take('!') || take_word("NOT"));
      skip();
      if (at_operator()) return failed();
      if (joint == kAnd && items.back().occur == Occur::kShould) items.back().occur = Occur::kMust;
      if (joint == kOr && all && items.back().occur == Occur::kMust) items.back().occur = Occur::kShould;
      if (!must_not && !must) must = all ? joint != kOr : joint == kAnd;
      const std::size_t before = at_;
      const bool scored = std::exchange(settings_.scored, settings_.scored && !must_not);
      auto clause = FROND_EXPECT_OK(one(fields, depth, !must && !must_not && joint == kNone));
      settings_.scored = scored;
      if (at_ == before) return failed();
      if (clause)
        items.push_back({must_not ? Occur::kMustNot : must ? Occur::kMust : Occur::kShould, *std::move(clause)});
    }
    return together(std::move(items));
  }

  Expected<Clause> together(std::vector<Item> items) {
    if (items.empty()) return Clause{query::None()};
    if (items.size() == 1 && items.front().occur != Occur::kMustNot) return std::move(items.front().clause);
    Bool made;
    for (Item& item : items)
      (item.occur == Occur::kMust     ? made.must
       : item.occur == Occur::kShould ? made.should
                                      : made.must_not)
          .push_back(std::move(item.clause));
    return Clause{std::move(made)};
  }

  // One clause; nothing: it has no terms. `bare`: words that follow it without signs are of the same text. `named`: its
  // fields stand before it.
  Expected<std::optional<Clause>> one(const Fields& fields, std::size_t depth, bool bare, bool named = false) {
    if (take('(')) return grouped(fields, depth);
    if (at('"')) return phrase(fields);
    if (at('[') || at('{')) return range(fields);
    if (at('>') || at('<')) return compared(fields);
    if (take('/')) return regular_expression(fields);
    FROND_EXPECT_OK(reader_.count());
    Word first = word();
    if (first.raw.empty()) return failed();
    if (next_is(':')) {
      if (named || (first.pattern && first.raw != "*" && first.raw.find('\\') == first.raw.npos)) return failed();
      ++at_;
      skip();
      if (first.text == "_exists_") {
        const Word name = word();
        return std::optional(FROND_EXPECT_OK(reader_.exists_of(name.text, settings_.boost, settings_.scored)));
      }
      if (first.text == "*" && take('*'))
        return std::optional(
            FROND_EXPECT_OK(reader_.constant(Clause{query::All()}, settings_.boost, settings_.scored)));
      const auto of = FROND_EXPECT_OK(reader_.fields_of(first.text));
      if (at('>') || at('<')) return compared(of);
      return one(of, depth, /*bare=*/false, /*named=*/true);
    }
    if (bare && !first.pattern && !next_is('^') && !next_is('~')) more_words(first);
    return finished(fields, first);
  }

  // Words that follow are analysed together with the first.
  void more_words(Word& first) {
    for (;;) {
      const std::size_t back = at_;
      skip();
      if (at_operator()) {
        at_ = back;
        return;
      }
      const Word next = word();
      skip();
      if (next.raw.empty() || next.pattern || at(':') || at('^') || at('~') || (at_operator() && !at('N'))) {
        at_ = back;
        return;
      }
      first.raw += " " + next.raw;
      first.text += " " + next.text;
    }
  }

  Expected<double> boost() {
    if (!take('^')) return 1.0;
    const std::size_t begin = at_;
    while (at_ < text_.size() && (text::is_ascii_letter_or_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    const auto value = number_in<double>(text_.substr(begin, at_ - begin));
    if (!value || !std::isfinite(*value)) return failed();
    return *value;
  }

  Expected<std::optional<Clause>> grouped(const Fields& fields, std::size_t depth) {
    skip();
    if (at(')')) return failed();
    auto clause = FROND_EXPECT_OK(group(fields, depth + 1));
    if (!take(')')) return failed();
    const double by = FROND_EXPECT_OK(boost());
    return std::optional(by == 1 || !settings_.scored ? std::move(clause)
                                                      : FROND_EXPECT_OK(reader_.multiplied(std::move(clause), by)));
  }

  Expected<std::optional<Clause>> phrase(const Fields& fields) {
    ++at_;
    std::string text;
    while (at_ < text_.size() && !at('"')) {
      if (at('\\') && at_ + 1 < text_.size()) ++at_;
      text += text_[at_++];
    }
    if (!take('"')) return failed();
    QueryReader::TextOptions options = settings_.text;
    if (take('~')) {
      options.slop = 0;
      while (at_ < text_.size() && text::is_ascii_digit(text_[at_]) && options.slop <= 100)
        options.slop = options.slop * 10 + static_cast<unsigned>(text_[at_++] - '0');
      if (options.slop > 100) return not_supported("a slop above 100");
    }
    const double by = settings_.boost * FROND_EXPECT_OK(boost());
    return in_fields(fields, [&](const MappedField& field, double weight) {
      return reader_.phrase_of(field, text, options, false, by * weight, settings_.scored);
    });
  }

  // Behind the first '/'.
  Expected<std::optional<Clause>> regular_expression(const Fields& fields) {
    std::string regexp;
    for (; at_ < text_.size() && !at('/'); ++at_) {
      if (at('\\') && at_ + 1 < text_.size() && text_[at_ + 1] != '/') regexp += text_[at_];
      if (at('\\') && at_ + 1 < text_.size()) ++at_;
      regexp += text_[at_];
    }
    if (!take('/')) return failed();
    const double by = settings_.boost * FROND_EXPECT_OK(boost());
    return in_fields(fields, [&](const MappedField& field, double weight) {
      return reader_.regexp_of(field, terms(field, regexp), /*folds=*/false, by * weight, settings_.scored);
    });
  }

  Expected<std::optional<Clause>> range(const Fields& fields) {
    const bool from_in = at('[');
    ++at_;
    const std::string from = FROND_EXPECT_OK(bound());
    skip();
    if (!take_word("TO")) return failed();
    const std::string until = FROND_EXPECT_OK(bound());
    Json bounds;
    skip();
    const bool until_in = take(']');
    if (!until_in && !take('}')) return failed();
    if (from != "*") bounds[from_in ? "gte" : "gt"] = from;
    if (until != "*") bounds[until_in ? "lte" : "lt"] = until;
    return ranged(fields, bounds);
  }
  // A text in quotes, or up to a space or the end of the range.
  Expected<std::string> bound() {
    std::string text;
    skip();
    const bool quoted = take('"');
    const std::string_view ends = quoted ? "\"" : " ]}";
    for (; at_ < text_.size() && ends.find(text_[at_]) == ends.npos; ++at_) {
      if (at('\\') && at_ + 1 < text_.size()) ++at_;
      text += text_[at_];
    }
    if (quoted ? !take('"') : text.empty()) return failed();
    return text;
  }
  Expected<std::optional<Clause>> compared(const Fields& fields) {
    const std::string key = std::string(at('>') ? "gt" : "lt") + (text_.substr(at_ + 1).starts_with('=') ? "e" : "");
    at_ += key.size() - 1;
    return ranged(fields, {{key, word(/*signs=*/true).text}});
  }
  Expected<std::optional<Clause>> ranged(const Fields& fields, const Json& bounds) {
    const double by = settings_.boost * FROND_EXPECT_OK(boost());
    return in_fields(fields, [&](const MappedField& field, double weight) {
      Json of = bounds;
      for (Json& end : of) end = terms(field, end);
      return reader_.range_of(field, of, by * weight, settings_.scored);
    });
  }

  // Null: the word is as it is. "~", "~1".
  Expected<Json> fuzziness(const Word& word) {
    if (!take('~')) return Json();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (text::is_ascii_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string edits(text_.substr(begin, at_ - begin));
    if (at_ < text_.size() && text::is_ascii_letter_or_digit(text_[at_])) return failed();
    const auto number = number_in<double>(edits);
    if ((!edits.empty() && !number) || word.pattern || (number && *number > 1 && *number != std::trunc(*number)))
      return not_supported("the fuzzy word [" + word.raw.substr(0, 100) + "~" + edits.substr(0, 100) + "]");
    Json made = settings_.fuzzy;
    if (number) made["fuzziness"] = *number;
    return made;
  }

  Expected<std::optional<Clause>> finished(const Fields& fields, const Word& word) {
    QueryReader::TextOptions text = settings_.text;
    text.fuzzy = FROND_EXPECT_OK(fuzziness(word));
    const double by = settings_.boost * FROND_EXPECT_OK(boost());
    if (!word.pattern || !text.fuzzy.is_null())
      return in_fields(fields, [&](const MappedField& field, double weight) {
        return reader_.words_of(field, word.text, text, by * weight, settings_.scored);
      });
    if (word.raw == "*") {
      if (&fields == &settings_.fields)
        return std::optional(FROND_EXPECT_OK(reader_.constant(Clause{query::All()}, by, settings_.scored)));
      return in_fields(fields, [&](const MappedField& field, double weight) -> Expected<Clause> {
        return reader_.exists_of(field.name, by * weight, settings_.scored);
      });
    }
    const bool prefix = word.raw.ends_with('*') && word.raw.find_first_of("*?\\") == word.raw.size() - 1;
    return in_fields(fields, [&](const MappedField& field, double weight) {
      const std::string pattern = terms(field, word.raw);
      return prefix ? reader_.prefix_of(field, pattern.substr(0, pattern.size() - 1), by * weight, settings_.scored)
                    : reader_.wildcard_of(field, pattern, by * weight, settings_.scored);
    });
  }

  std::string terms(const MappedField& of, const std::string& raw) {
    return as_terms(of, raw, settings_.text.analyzer);
  }

  template <class Make>
  Expected<std::optional<Clause>> in_fields(const Fields& fields, const Make& make) {
    std::vector<Clause> of;
    for (const auto& [field, weight] : fields) {
      FROND_EXPECT_OK(reader_.count());
      Expected<Clause> clause = make(*field, weight);
      if (!clause) {
        if (settings_.text.lenient && clause.error().status == 400) continue;
        return std::move(clause).error();
      }
      if (clause->template as<query::None>() == nullptr || fields.size() == 1) of.push_back(*std::move(clause));
    }
    return std::optional(FROND_EXPECT_OK(reader_.best(std::move(of), settings_.tie_breaker, settings_.scored)));
  }

  QueryReader& reader_;
  const std::string_view text_;
  StringSettings settings_;  // `scored` changes below NOT
  std::size_t at_ = 0;
};

}  // namespace

Expected<Clause> QueryReader::query_string(const Json& body, const Context& in) {
  FROND_EXPECT_OK(check_members(
      body, "query_string",
      "query,default_field,fields,default_operator,minimum_should_match,lenient,analyzer,quote_analyzer,"
      "analyze_wildcard,allow_leading_wildcard,phrase_slop,tie_breaker,type,time_zone,fuzziness,"
      "fuzzy_max_expansions,fuzzy_prefix_length,fuzzy_transpositions,max_determinized_states,rewrite,"
      "enable_position_increments,escape,auto_generate_synonyms_phrase_query,quote_field_suffix,fuzzy_rewrite"));
  if (!body.contains("query") || !body["query"].is_primitive() || body["query"].is_null())
    return parsing_exception("[query_string] must be provided with a [query]");
  for (const char* const name : {"time_zone", "quote_field_suffix", "rewrite", "quote_analyzer"})
    if (body.contains(name)) return not_supported("[" + std::string(name) + "] of a query_string query");
  for (const auto& [name, usual] : {std::pair("escape", false), {"allow_leading_wildcard", true}})
    if (FROND_EXPECT_OK(flag_member(body, name, usual)) != usual)
      return not_supported("[" + std::string(name) + "] of a query_string query");
  StringSettings settings{
      .fields = {}, .text = {}, .fuzzy = Json::object(), .boost = in.boost * boost_in(body), .scored = in.scored};
  const std::string type = FROND_EXPECT_OK(text_member(body, "type", "best_fields"));
  if (type != "best_fields" && type != "most_fields") return not_supported("[type] of a query_string query");
  settings.tie_breaker = FROND_EXPECT_OK(tie_breaker_in(body, type == "most_fields" ? 1 : 0));
  settings.text.all = FROND_EXPECT_OK(all_words(body));
  settings.text.lenient = is_true(body, "lenient", false);
  settings.fuzzy = fuzzy_members(body);
  settings.text.analyzer = FROND_EXPECT_OK(analyzer_in(body, "query_string"));
  if (body.contains("phrase_slop") && body["phrase_slop"].is_number_unsigned())
    settings.text.slop = std::min(body["phrase_slop"].get<std::uint32_t>(), std::uint32_t{100});
  if (body.contains("fields") && (!body["fields"].is_array() || body.contains("default_field")))
    return parsing_exception("[fields] of a query_string query must be a list, without a [default_field]");
  const Json names =
      names_all_fields(body) ? Json(FROND_EXPECT_OK(text_member(body, "default_field", "*"))) : body["fields"];
  if (names == "*" && !body.contains("lenient")) settings.text.lenient = true;
  settings.fields = FROND_EXPECT_OK(fields_of(names));
  const std::string text = text_in(body["query"]);
  return with_minimum(FROND_EXPECT_OK(StringParser(*this, text, settings).parse()), body);
}

}  // namespace frond::broker::elasticsearch
