// Keywords that are like a pattern or a word, of all values that documents have; words of text, of the dictionary.
#include <algorithm>
#include <optional>

#include "broker/elasticsearch/indices/catalogue.h"
#include "broker/elasticsearch/queries/lucene_regexp.h"
#include "broker/elasticsearch/queries/query_dsl.h"
#include "common/base/text.h"
#include "common/elasticsearch/json_body.h"
#include "common/text/utf8.h"

namespace frond::broker::elasticsearch {
namespace {

using query::Clause;

constexpr std::size_t kMaxLike = 1024;  // values that match
constexpr std::size_t kMaxFuzzyLetters = 200;

// Letters inserted, removed, replaced, and, if `swaps`, two next to each other swapped, each letter once at most.
std::size_t distance(const std::vector<char32_t>& a, const std::vector<char32_t>& b, bool swaps) {
  std::vector<std::vector<std::size_t>> row(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        row[i][j] = i + j;
        continue;
      }
      row[i][j] = std::min({row[i - 1][j] + 1, row[i][j - 1] + 1, row[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (swaps && i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[i][j] = std::min(row[i][j], row[i - 2][j - 2] + 1);
    }
  return row[a.size()][b.size()];
}

// What all that a pattern matches begins with; of texts in small letters.
std::string beginning_of(const std::string& regexp, bool folds) {
  if (regexp.find('|') != regexp.npos) return {};
  std::size_t end = 0;
  while (end < regexp.size() && (text::is_ascii_letter_or_digit(regexp[end]) || regexp[end] < 0)) ++end;
  // The last letter is there as often as the sign behind it says.
  if (end < regexp.size() && end > 0 && std::string_view("?*+{").find(regexp[end]) != std::string_view::npos) {
    do --end;
    while (end > 0 && (regexp[end] & '\xc0') == '\x80');
  }
  const std::string beginning = regexp.substr(0, end);
  return folds ? lower_case(beginning) : beginning;
}

}  // namespace

Expected<std::size_t> edits_of(const Json& fuzziness, std::size_t letters) {
  if (fuzziness.is_null() || fuzziness.is_structured())
    return parsing_exception("unexpected token [" + dumped(fuzziness).substr(0, 100) + "] after [fuzziness]");
  const std::string text = lower_case(text_in(fuzziness));
  if (const auto number = number_in<double>(trimmed(text)); number && *number >= 0)
    return static_cast<std::size_t>(std::min(*number, 2.0));
  std::optional<unsigned> low = 3, high = 6;
  if (text.starts_with("auto:")) {
    const std::string_view numbers = std::string_view(text).substr(5);
    const std::size_t comma = std::min(numbers.find(','), numbers.size());
    low = number_in<unsigned>(numbers.substr(0, comma));
    high = number_in<unsigned>(numbers.substr(std::min(comma + 1, numbers.size())));
  } else if (text != "auto") {
    low.reset();
  }
  if (!low || !high) return illegal_argument("Invalid fuzziness value: " + text_in(fuzziness).substr(0, 100));
  if (*low > *high)
    return illegal_argument(
        "fuzziness wrongly configured, must be: lowDistance > 0, highDistance > 0 and "
        "lowDistance <= highDistance");
  return letters < *low ? 0 : letters < *high ? 1 : 2;
}

Expected<Clause> QueryReader::keyword_like(const MappedField& field, const std::string& regexp, bool folds,
                                           double boost, bool scored) {
  const LuceneRegexp pattern = FROND_EXPECT_OK(LuceneRegexp::parse(regexp, folds));
  const std::vector<std::string>* const words = scope_.statistics.words(field.column);
  query::Terms like{field.column, {}};
  if (words != nullptr)
    for (const std::string& word : *words) {
      scope_.pattern_steps += (word.size() + 1) * pattern.states();
      if (scope_.pattern_steps > kMaxPatternSteps) return not_supported("a query whose patterns take so long");
      if (pattern.matches(word)) like.values.emplace_back(word);
    }
  if (like.values.size() > kMaxLike)
    return not_supported("a pattern that more than " + std::to_string(kMaxLike) + " values match");
  return constant(like.values.empty() ? Clause{query::None()} : Clause{std::move(like)}, boost, scored);
}

Expected<Clause> QueryReader::regexp(const Json& body, const Context& in) {
  const FieldBody of = FROND_EXPECT_OK(field_body(body, "regexp", "value"));
  FROND_EXPECT_OK(check_members(of.body, "regexp", "value,flags,flags_value,case_insensitive,max_determinized_states"));
  const std::string flags = FROND_EXPECT_OK(text_member(of.body, "flags", "ALL"));
  std::string names = lower_case(flags);
  std::ranges::replace(names, '|', ',');
  for (const auto one : split_list(names))
    if (!is_listed("all,anystring,complement,empty,intersection,interval,none", one))
      return illegal_argument("Unknown regexp flag [" + std::string(one.substr(0, 100)) + "]");
  const MappedField* const field = scope_.mapping.find(of.field);
  if (field == nullptr) return unmapped(of.field);
  if (!of.body["value"].is_string()) return parsing_exception("[regexp] must be a text");
  const std::string pattern = of.body["value"];
  if (flags != "ALL" && pattern.find_first_of("#@~&<\"") != pattern.npos)
    return not_supported("[flags] " + flags.substr(0, 100) + " of a regexp query");
  return regexp_of(*field, pattern, is_true(of.body, "case_insensitive", false), in.boost * boost_in(of.body),
                   in.scored);
}

Expected<Clause> QueryReader::regexp_of(const MappedField& field, const std::string& regexp, bool folds, double boost,
                                        bool scored) {
  if (field.has_words() && !field.column.empty()) return keyword_like(field, regexp, folds, boost, scored);
  if (!field.has_positions())
    return illegal_argument("Can only use regexp queries on keyword and text fields - not on [" + field.name +
                            "] which is of type [" + std::string(name_of(field.type)) + "]");
  const LuceneRegexp pattern = FROND_EXPECT_OK(LuceneRegexp::parse(regexp, folds));
  const std::string beginning = beginning_of(regexp, folds);
  const auto found = FROND_EXPECT_OK(begun_with(field, beginning, query::kMaxNearTerms));
  if (!found) return Clause{query::None()};
  if (found->terms.size() == query::kMaxNearTerms)
    return not_supported("a regular expression of text whose beginning [" + beginning + "] " +
                         std::to_string(query::kMaxNearTerms) + " terms have");
  query::Terms like{field.column, {}};
  for (const query::NearTerm& one : found->terms) {
    scope_.pattern_steps += (one.text.size() + 1) * pattern.states();
    if (scope_.pattern_steps > kMaxPatternSteps) return not_supported("a query whose patterns take so long");
    if (pattern.matches(one.text)) like.values.emplace_back(one.text);
  }
  return constant(like.values.empty() ? Clause{query::None()} : Clause{std::move(like)}, boost, scored);
}

Expected<Clause> QueryReader::text_range(const MappedField& field, const query::Range& range, double boost,
                                         bool scored) {
  std::string beginning;
  if (range.from && range.to) {
    const auto &from = std::get<std::string>(range.from->value), &to = std::get<std::string>(range.to->value);
    beginning.assign(from.begin(), std::ranges::mismatch(from, to).in1);
    while (!text::is_utf8(beginning)) beginning.pop_back();
  }
  const auto found = FROND_EXPECT_OK(begun_with(field, beginning, query::kMaxNearTerms));
  if (!found) return Clause{query::None()};
  if (found->terms.size() == query::kMaxNearTerms)
    return not_supported("a range over the terms of [" + field.name + "] whose ends begin with [" + beginning +
                         "], as " + std::to_string(query::kMaxNearTerms) + " terms do,");
  query::Terms inside{field.column, {}};
  for (const query::NearTerm& one : found->terms)
    if (is_in(range, one.text)) inside.values.emplace_back(one.text);
  return constant(inside.values.empty() ? Clause{query::None()} : Clause{std::move(inside)}, boost, scored);
}

Expected<std::optional<query::NearTerms>> QueryReader::begun_with(const MappedField& field,
                                                                  const std::string& beginning, std::uint32_t most) {
  if (beginning.size() > query::kMaxNearWordBytes) return not_supported("the beginning of a word of so many letters");
  const query::NearTerms* const found =
      scope_.statistics.near({.field = field.column, .word = beginning, .edits = query::kAnyEnding, .most = most});
  if (found == nullptr) return std::optional<query::NearTerms>();
  if (!found->whole) return not_supported("the beginning [" + beginning + "] of so many terms");
  query::NearTerms all = *found;
  if (all.df > 0 && !beginning.empty()) all.terms.insert(all.terms.begin(), {beginning, all.df, 0});
  if (all.terms.size() > most) all.terms.resize(most);
  return std::optional(std::move(all));
}

Expected<Clause> QueryReader::fuzzy(const Json& body, const Context& in) {
  const FieldBody of = FROND_EXPECT_OK(field_body(body, "fuzzy", "value"));
  FROND_EXPECT_OK(
      check_members(of.body, "fuzzy", "value,fuzziness,prefix_length,max_expansions,transpositions,rewrite"));
  if (of.body.contains("rewrite")) return not_supported("[rewrite] of a fuzzy query");
  const MappedField* const field = scope_.mapping.find(of.field);
  if (field == nullptr) return unmapped(of.field);
  const Json& value = of.body["value"];
  return fuzzy_of(*field, text_in(value), of.body, in.boost * boost_in(of.body), in.scored);
}

Expected<Clause> QueryReader::fuzzy_of(const MappedField& field, const std::string& word, const Json& options,
                                       double boost, bool scored) {
  if ((field.type != Type::kText && field.type != Type::kKeyword) || field.column.empty())
    return illegal_argument("Can only use fuzzy queries on keyword and text fields - not on [" + field.name +
                            "] which is of another type");
  Fuzziness how;
  how.edits = FROND_EXPECT_OK(edits_of(options.value("fuzziness", Json("AUTO")), code_points(word).size()));
  const auto same = FROND_EXPECT_OK(whole_member(options, "prefix_length", 0)),
             most = FROND_EXPECT_OK(whole_member(options, "max_expansions", 50));
  if (same < 0) return illegal_argument("prefixLength cannot be negative.");
  if (most < 1) return illegal_argument("maxExpansions must be positive.");
  how.same_letters = static_cast<std::size_t>(std::min<std::int64_t>(same, kMaxFuzzyLetters));
  how.most = static_cast<std::size_t>(std::min<std::int64_t>(most, static_cast<std::int64_t>(kMaxLike)));
  how.swaps = is_true(options, "transpositions", true);
  return field.has_positions() ? fuzzy_text(field, word, how, boost, scored)
                               : fuzzy_keyword(field, word, how, boost, scored);
}

// As many of the nearest words as max_expansions says, each scored by its nearness, as if all were as frequent as the
// most frequent.
Expected<Clause> QueryReader::fuzzy_text(const MappedField& field, const std::string& word, const Fuzziness& how,
                                         double boost, bool scored) {
  if (how.edits == 0) return text_term(field, word, boost, scored);
  if (word.empty()) return Clause{query::None()};
  if (word.size() > query::kMaxNearWordBytes) return not_supported("a fuzzy word of so many letters");
  if (how.most > query::kMaxNearTerms)
    return not_supported("more than " + std::to_string(query::kMaxNearTerms) + " [max_expansions] of text");
  const query::NearTerms* const found =
      scope_.statistics.near({.field = field.column,
                              .word = word,
                              .edits = static_cast<std::uint32_t>(how.edits),
                              .swaps = how.swaps,
                              .same_letters = static_cast<std::uint32_t>(how.same_letters),
                              .most = static_cast<std::uint32_t>(how.most)});
  if (found == nullptr) return Clause{query::None()};
  if (!found->whole) return not_supported("a fuzzy word for which so many are looked at: [prefix_length] leaves fewer");
  std::vector<query::NearTerm> near;
  if (found->df > 0) near.push_back({word, found->df, 0});
  near.insert(near.end(), found->terms.begin(), found->terms.end());
  if (near.size() > how.most) near.resize(how.most);
  std::uint64_t most_frequent = 0;
  for (const query::NearTerm& one : near) most_frequent = std::max(most_frequent, one.df);
  const std::uint64_t documents = scored ? scope_.statistics.documents(field.column, {}) : 0;
  const std::size_t letters = code_points(word).size();
  std::vector<Clause> any;
  for (const query::NearTerm& one : near) {
    const double nearness = query::nearness(one.edits, letters, code_points(one.text).size());
    if (nearness < 0) continue;
    scope_.statistics.set({field.column, one.text}, one.df);
    const double blended = scored ? idf(documents, most_frequent) / idf(documents, one.df) : 1;
    any.push_back(FROND_EXPECT_OK(text_term(field, one.text, boost * nearness * blended, scored)));
  }
  return any.empty()       ? Clause{query::None()}
         : any.size() == 1 ? std::move(any.front())
                           : Clause{query::Bool{.should = std::move(any)}};
}

// Likewise; where it scores only one value may match.
Expected<Clause> QueryReader::fuzzy_keyword(const MappedField& field, const std::string& word, const Fuzziness& how,
                                            double boost, bool scored) {
  const std::vector<char32_t> letters = code_points(word);
  if (letters.size() > kMaxFuzzyLetters) return not_supported("a fuzzy word of so many letters");
  const auto [edits, same, most, swaps] = how;
  const std::vector<std::string>* const words = scope_.statistics.words(field.column);
  if (words == nullptr) return Clause{query::None()};
  std::vector<std::pair<double, std::string>> near;
  for (const std::string& one : *words) {
    const std::vector<char32_t> other = code_points(one);
    if (other.size() > letters.size() + edits || other.size() + edits < letters.size()) continue;
    const std::size_t begin = std::min(same, letters.size());
    if (other.size() < begin ||
        !std::equal(letters.begin(), letters.begin() + static_cast<std::ptrdiff_t>(begin), other.begin()))
      continue;
    scope_.pattern_steps += (letters.size() + 1) * (other.size() + 1);
    if (scope_.pattern_steps > kMaxPatternSteps) return not_supported("a query whose fuzzy words take so long");
    const std::size_t away = distance(letters, other, swaps);
    if (away > edits || std::min(letters.size(), other.size()) == 0) continue;
    near.emplace_back(1 - static_cast<double>(away) / static_cast<double>(std::min(letters.size(), other.size())), one);
  }
  std::ranges::stable_sort(near, [](const auto& a, const auto& b) { return a.first > b.first; });
  if (near.size() > most) near.resize(most);
  query::Bool any;
  for (const auto& [nearness, one] : near)
    any.should.push_back(FROND_EXPECT_OK(keyword_term(field, one, boost * nearness, scored)));
  if (scored && near.size() > 1) return not_supported("the score of a fuzzy query that several values match");
  return any.should.empty()       ? Clause{query::None()}
         : any.should.size() == 1 ? any.should.front()
                                  : Clause{std::move(any)};
}

}  // namespace frond::broker::elasticsearch
