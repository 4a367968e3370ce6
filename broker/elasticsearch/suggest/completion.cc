#include "broker/elasticsearch/suggest/completion.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "broker/elasticsearch/hits/hit_json.h"
#include "broker/elasticsearch/queries/lucene_regexp.h"
#include "broker/elasticsearch/queries/query_dsl.h"
#include "common/base/text.h"
#include "common/elasticsearch/completion_entry.h"
#include "common/elasticsearch/json_body.h"
#include "common/text/utf8.h"

namespace frond::broker::elasticsearch {
namespace {

constexpr std::size_t kLeastFuzzyLetters = 3;
constexpr std::size_t kMaxCompletions = 16, kMaxCompletionBytes = 256;

// How many edits lie between a word and the nearest beginning of another, at most `edits`; nothing: more.
bool begins_nearly(const std::vector<char32_t>& word, const std::vector<char32_t>& other, std::size_t edits,
                   bool swaps) {
  std::vector<std::vector<std::size_t>> row(word.size() + 1, std::vector<std::size_t>(other.size() + 1));
  for (std::size_t i = 0; i <= word.size(); ++i)
    for (std::size_t j = 0; j <= other.size(); ++j) {
      if (i == 0 || j == 0) {
        row[i][j] = i + j;
        continue;
      }
      row[i][j] =
          std::min({row[i - 1][j] + 1, row[i][j - 1] + 1, row[i - 1][j - 1] + (word[i - 1] == other[j - 1] ? 0 : 1)});
      if (swaps && i > 1 && j > 1 && word[i - 1] == other[j - 2] && word[i - 2] == other[j - 1])
        row[i][j] = std::min(row[i][j], row[i - 2][j - 2] + 1);
    }
  return *std::ranges::min_element(row.back()) <= edits;
}

std::size_t common_letters(const std::vector<char32_t>& a, const std::vector<char32_t>& b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

Expected<CompletionSuggester> read_completion(std::string name, std::string text, bool regexp, const Json& body) {
  if (!body.is_object()) return parsing_exception("[completion] must be an object");
  FROND_EXPECT_OK(check_members(body, "completion", "field,size,skip_duplicates,fuzzy,regex,analyzer,contexts"));
  CompletionSuggester made{.name = std::move(name), .text = std::move(text)};
  made.field = FROND_EXPECT_OK(text_member(body, "field", ""));
  if (made.field.empty()) return parse_exception("the required field option is missing");
  for (const char* const lacking : {"analyzer", "contexts", "regex"})
    if (body.contains(lacking)) return not_supported("[" + std::string(lacking) + "] of a completion suggester");
  const auto size = FROND_EXPECT_OK(whole_member(body, "size", 5));
  if (size < 1) return illegal_argument("size must be positive");
  made.size = static_cast<std::uint32_t>(std::min<std::int64_t>(size, kMaxCompletionHits));
  made.skip_duplicates = is_true(body, "skip_duplicates", false);
  if (regexp) made.kind = CompletionSuggester::Kind::kRegexp;
  const Json fuzzy = body.contains("fuzzy") ? body["fuzzy"] : Json(false);
  if (regexp || fuzzy == false) return made;
  const Json options = fuzzy.is_object() ? fuzzy : Json::object();
  FROND_EXPECT_OK(check_members(options, "fuzzy", "fuzziness,transpositions,min_length,prefix_length"));
  const std::size_t letters = code_points(FROND_EXPECT_OK(compared_form(made.text))).size();
  const auto least = FROND_EXPECT_OK(whole_member(options, "min_length", kLeastFuzzyLetters));
  if (static_cast<std::int64_t>(letters) < least) return made;
  const std::string edits = text_in(options.value("fuzziness", Json("AUTO")));
  if (edits != "AUTO" && edits != "auto" && edits != "0" && edits != "1" && edits != "2")
    return not_supported("[fuzziness] " + edits.substr(0, 100) + " of a completion suggester");
  made.edits = edits.size() == 1 ? static_cast<std::uint32_t>(edits[0] - '0') : letters < 3 ? 0 : letters < 6 ? 1 : 2;
  made.same_letters = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(FROND_EXPECT_OK(whole_member(options, "prefix_length", 1)), 0, 1000));
  made.swaps = is_true(options, "transpositions", true);
  made.kind = CompletionSuggester::Kind::kFuzzy;
  return made;
}

Expected<std::vector<std::string>> matching_entries(const CompletionSuggester& of,
                                                    const std::vector<std::string>& entries, std::size_t& steps) {
  using Kind = CompletionSuggester::Kind;
  std::optional<LuceneRegexp> pattern;
  if (of.kind == Kind::kRegexp) pattern = FROND_EXPECT_OK(LuceneRegexp::parse("(" + of.text + ")@"));
  const std::string begin = FROND_EXPECT_OK(compared_form(of.text));
  const auto letters = code_points(begin);
  std::vector<std::string> matching;
  if (begin.empty() && !pattern) return matching;
  for (const std::string& entry : entries) {
    const std::string_view compared = parts_of(entry).compared;
    bool matches = false;
    if (of.kind == Kind::kPrefix) {
      matches = compared.starts_with(begin);
    } else if (pattern) {
      steps += (compared.size() + 1) * pattern->states();
      matches = pattern->matches(compared);
    } else {
      const auto other = code_points(compared);
      const std::size_t common = common_letters(letters, other);
      steps += (letters.size() + 1) * (other.size() + 1);
      matches = common >= std::min<std::size_t>(of.same_letters, letters.size()) &&
                begins_nearly(letters, other, of.edits, of.swaps);
      if (matches && common + 2 > letters.size())
        return not_supported("a fuzzy completion of what begins alike for so long");
    }
    if (steps > kMaxPatternSteps) return not_supported("completions whose patterns take so long");
    if (matches) matching.push_back(entry);
  }
  if (matching.size() > kMaxCompletionHits)
    return not_supported("a completion that more than " + std::to_string(kMaxCompletionHits) + " inputs begin with");
  return matching;
}

}  // namespace

Expected<std::vector<CompletionSuggester>> take_completions(Json& suggest) {
  std::vector<CompletionSuggester> all;
  if (!suggest.is_object()) return all;
  const std::string usual = FROND_EXPECT_OK(text_member(suggest, "text", ""));
  std::vector<std::string> names;
  for (const auto& [name, body] : suggest.items())
    if (body.is_object() && body.contains("completion")) names.push_back(name);
  if (names.size() > kMaxCompletions)
    return not_supported("more than " + std::to_string(kMaxCompletions) + " completion suggesters");
  for (const std::string& name : names) {
    const Json& body = suggest[name];
    const bool regexp = body.contains("regex");
    const std::string given = FROND_EXPECT_OK(text_member(body, regexp ? "regex" : "prefix", ""));
    std::string text = given.empty() && !regexp ? FROND_EXPECT_OK(text_member(body, "text", usual)) : given;
    if (text.empty()) return illegal_argument("The required text option is missing");
    if (text.size() > kMaxCompletionBytes) return not_supported("a completion of so long a text");
    all.push_back(FROND_EXPECT_OK(read_completion(name, std::move(text), regexp, body["completion"])));
    suggest.erase(name);
  }
  return all;
}

Expected<std::vector<std::vector<std::string>>> completed(const std::vector<CompletionSuggester>& all,
                                                          const Mapping& mapping, Statistics& statistics) {
  std::vector<std::vector<std::string>> matching(all.size());
  std::size_t steps = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const MappedField* const field = mapping.find(all[i].field);
    if (field == nullptr) return illegal_argument("no mapping found for field [" + all[i].field.substr(0, 100) + "]");
    if (field->type != Type::kCompletion)
      return illegal_argument("Field [" + all[i].field + "] is not a completion suggest field");
    if (const auto* const entries = statistics.words(field->column))
      matching[i] = FROND_EXPECT_OK(matching_entries(all[i], *entries, steps));
  }
  return matching;
}

http::SearchParameters search_for(const CompletionSuggester& of, const Mapping& mapping,
                                  const std::vector<std::string>& matching) {
  http::SearchParameters search;
  query::Terms entries{mapping.find(of.field)->column, {}};
  for (const std::string& entry : matching) entries.values.emplace_back(entry);
  search.query = query::Clause{std::move(entries)};
  search.mode = wire::Mode::kOr;
  search.k = kMaxCompletionHits;
  search.fields = 0;
  search.columns = {std::string(http::kSource)};
  return search;
}

Expected<std::vector<CompletionOption>> completion_options(const CompletionSuggester& of,
                                                           const std::vector<std::string>& matching,
                                                           const http::Answer& found, const ShownSource& source,
                                                           const SearchedIndex& index) {
  SearchAsk ask;
  ask.source = source;
  IndexAnswer answer = FROND_EXPECT_OK(read_answer(found, SearchAsk(), index, 1));
  if (answer.total > kMaxCompletionHits) return not_supported("a completion that so many documents begin with");
  const std::set<std::string_view> wanted(matching.begin(), matching.end());
  const auto letters = code_points(FROND_EXPECT_OK(compared_form(of.text)));
  std::vector<CompletionOption> options;
  for (Hit& hit : answer.hits) {
    std::optional<CompletionOption> best;
    for (const Json& json : values_at(Json::parse(hit.source, nullptr, /*allow_exceptions=*/false), of.field))
      for (const std::string& entry : FROND_EXPECT_OK(completion_entries(json))) {
        if (!wanted.contains(entry)) continue;
        const CompletionEntry parts = parts_of(entry);
        CompletionOption one{.input = std::string(parts.input), .compared = std::string(parts.compared), .shown = {}};
        one.score = std::stod(std::string(parts.weight));
        if (of.kind == CompletionSuggester::Kind::kFuzzy) {
          const auto common = static_cast<double>(common_letters(letters, code_points(parts.compared)));
          if (common > 0) one.score = one.score > 0 ? one.score * common : common;
        }
        if (!best || std::tie(best->score, one.compared) < std::tie(one.score, best->compared)) best = std::move(one);
      }
    if (!best) continue;
    hit.score = best->score;
    std::string shown;
    append_hit(shown, hit, ask, index);
    best->shown = Json::parse(shown);
    best->shown["text"] = best->input;
    options.push_back(*std::move(best));
  }
  return options;
}

Json completions_json(const CompletionSuggester& of, std::vector<CompletionOption> options) {
  std::ranges::stable_sort(options, [](const CompletionOption& a, const CompletionOption& b) {
    return std::tie(b.score, a.compared) < std::tie(a.score, b.compared);
  });
  Json shown = Json::array();
  std::set<std::string> seen;
  for (CompletionOption& one : options) {
    if (shown.size() == of.size) break;
    if (of.skip_duplicates && !seen.insert(one.input).second) continue;
    shown.push_back(std::move(one.shown));
  }
  std::size_t units = 0;
  for (const char32_t letter : code_points(of.text)) units += letter > 0xffff ? 2 : 1;
  return Json::array({{{"text", of.text}, {"offset", 0}, {"length", units}, {"options", std::move(shown)}}});
}

}  // namespace frond::broker::elasticsearch
