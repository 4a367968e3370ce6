#include "broker/elasticsearch/suggest/suggest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "broker/elasticsearch/queries/lucene_regexp.h"
#include "broker/elasticsearch/queries/query_dsl.h"
#include "broker/elasticsearch/search/index_search.h"
#include "common/elasticsearch/json_body.h"
#include "common/text/utf8.h"

namespace frond::broker::elasticsearch {
namespace {

using frond::query::NearTerm;
using frond::query::NearTerms;
using frond::query::NearWord;

constexpr std::size_t kMaxSuggesters = 16;
constexpr std::size_t kMaxShown = 1024;  // words of all texts, also those too short to look for others

Expected<std::uint32_t> whole_between(const Json& body, const char* name, std::uint32_t otherwise, std::int64_t least,
                                      std::int64_t most) {
  const auto value = FROND_EXPECT_OK(whole_member(body, name, otherwise));
  if (value < least || value > most)
    return illegal_argument(std::string(name) + " must be between " + std::to_string(least) + " and " +
                            std::to_string(most));
  return static_cast<std::uint32_t>(value);
}
Expected<double> number_from(const Json& body, const char* name, double otherwise) {
  const auto value = body.find(name);
  if (value == body.end()) return otherwise;
  if (!value->is_number() || !(value->get<double>() >= 0))
    return illegal_argument(std::string(name) + " must be a number from 0");
  return value->get<double>();
}
// Which of `names` a member is, the first if it is missing.
Expected<std::size_t> choice_in(const Json& body, const char* name, std::initializer_list<std::string_view> names) {
  const std::string text = FROND_EXPECT_OK(text_member(body, name, *names.begin()));
  const auto* const found = std::ranges::find(names, text);
  if (found == names.end()) return illegal_argument("Illegal " + std::string(name) + " " + text.substr(0, 100));
  return static_cast<std::size_t>(found - names.begin());
}

Expected<TermSuggester> read_term(const Json& body) {
  FROND_EXPECT_OK(check_members(body, "term",
                                "field,analyzer,size,shard_size,sort,suggest_mode,accuracy,max_edits,prefix_length,"
                                "min_word_length,max_inspections,max_term_freq,min_doc_freq,string_distance"));
  TermSuggester made;
  made.field = FROND_EXPECT_OK(text_member(body, "field", ""));
  if (made.field.empty()) return parse_exception("the required field option is missing");
  made.analyzer = FROND_EXPECT_OK(text_member(body, "analyzer", ""));
  if (FROND_EXPECT_OK(text_member(body, "string_distance", "internal")) != "internal")
    return not_supported("[string_distance] of a term suggester");
  made.by_frequency = FROND_EXPECT_OK(choice_in(body, "sort", {"score", "frequency"})) == 1;
  made.mode = static_cast<TermSuggester::Mode>(
      FROND_EXPECT_OK(choice_in(body, "suggest_mode", {"missing", "popular", "always"})));
  constexpr std::int64_t kMost = 1'000'000;
  made.size = FROND_EXPECT_OK(whole_between(body, "size", 5, 1, kMost));
  made.shard_size = FROND_EXPECT_OK(whole_between(body, "shard_size", std::max(made.size, 5U), 1, kMost));
  made.edits = FROND_EXPECT_OK(whole_between(body, "max_edits", 2, 1, 2));
  made.same_letters = FROND_EXPECT_OK(whole_between(body, "prefix_length", 1, 0, kMost));
  made.least_letters = FROND_EXPECT_OK(whole_between(body, "min_word_length", 4, 1, kMost));
  made.inspections = FROND_EXPECT_OK(whole_between(body, "max_inspections", 5, 1, kMost));
  if (std::uint64_t{made.shard_size} * made.inspections > frond::query::kMaxNearTerms)
    return not_supported("a term suggester whose size (at least 5) times max_inspections is more than " +
                         std::to_string(frond::query::kMaxNearTerms));
  made.accuracy = static_cast<float>(FROND_EXPECT_OK(number_from(body, "accuracy", 0.5)));
  if (made.accuracy > 1) return illegal_argument("accuracy must be between 0 and 1");
  made.most_documents = FROND_EXPECT_OK(number_from(body, "max_term_freq", 0.01));
  const double least = FROND_EXPECT_OK(number_from(body, "min_doc_freq", 0));
  if ((made.most_documents > 1 && std::trunc(made.most_documents) != made.most_documents) ||
      (least > 1 && std::trunc(least) != least))
    return illegal_argument("if a frequency is more than 1 it must be a whole number");
  if (least > 0 && least < 1) return not_supported("[min_doc_freq] below 1 of a term suggester");
  made.least_documents = static_cast<std::uint32_t>(std::min<double>(least, 4e9));
  return made;
}

std::size_t utf16_units(std::string_view text) {
  std::size_t units = 0;
  for (std::size_t at = 0; at < text.size();) {
    const text::CodePoint one = text::decode_utf8(text, at);
    units += one.value != text::kNoCodePoint && one.value > 0xffff ? 2 : 1;
    at += one.bytes;
  }
  return units;
}

std::vector<NearWord> asked_for(const TermSuggester& of, const std::string& column, const std::string& word) {
  std::vector<NearWord> asked;
  if (code_points(word).size() < of.least_letters) return asked;
  NearWord one{.field = column,
               .word = word,
               .edits = of.edits,
               .same_letters = std::max(of.same_letters, of.edits - 1),
               .least_nearness = of.accuracy,
               .least_df = std::uint64_t{of.least_documents} + 1,
               .more_frequent = of.mode == TermSuggester::Mode::kPopular,
               .only_absent = of.mode == TermSuggester::Mode::kMissing,
               .most = of.shard_size * of.inspections};
  if (one.same_letters > of.same_letters) {
    NearWord of_one_edit = one;
    of_one_edit.edits = 1;
    of_one_edit.same_letters = of.same_letters;
    asked.push_back(std::move(of_one_edit));
  }
  asked.push_back(std::move(one));
  return asked;
}

struct SuggestedOption {
  std::string text;
  float score = 0;
  std::uint64_t frequency = 0;
};
void put_options_in_order(std::vector<SuggestedOption>& options, bool by_frequency, std::uint32_t most) {
  std::ranges::sort(options, [&](const SuggestedOption& a, const SuggestedOption& b) {
    if (by_frequency) return std::tie(b.frequency, b.score, a.text) < std::tie(a.frequency, a.score, b.text);
    return std::tie(b.score, b.frequency, a.text) < std::tie(a.score, a.frequency, b.text);
  });
  if (options.size() > most) options.resize(most);
}

// What one index suggests: those with one edit, unless there are enough of these also the best with two.
std::vector<SuggestedOption> suggested_options(const SuggestedWord& word, std::uint64_t documents) {
  std::vector<SuggestedOption> options;
  if (word.found.empty()) return options;
  const TermSuggester& of = *word.suggester;
  const double most = of.most_documents >= 1
                          ? of.most_documents
                          : std::ceil(static_cast<float>(of.most_documents) * static_cast<float>(documents));
  if (static_cast<double>(word.found.back().df) > most) return options;
  const std::size_t inspected = word.asked.back().most, letters = code_points(word.word).size();
  const auto add = [&](const NearTerm& term) {
    const auto same = [&](const SuggestedOption& one) { return one.text == term.text; };
    if (std::ranges::none_of(options, same))
      options.push_back(
          {term.text, frond::query::nearness(term.edits, letters, code_points(term.text).size()), term.df});
  };
  for (const NearTerm& term : word.found.front().terms)
    if (term.edits == 1 && options.size() < inspected) add(term);
  if (options.size() < inspected) {
    const std::vector<NearTerm>& all = word.found.back().terms;
    for (std::size_t i = 0; i < std::min(inspected, all.size()); ++i) add(all[i]);
  }
  put_options_in_order(options, of.by_frequency, of.shard_size);
  return options;
}

}  // namespace

Expected<std::vector<TermSuggester>> read_suggesters(const Json& json) {
  if (!json.is_object()) return parsing_exception("[suggest] must be an object");
  const std::string all_text = FROND_EXPECT_OK(text_member(json, "text", ""));
  std::vector<TermSuggester> made;
  for (const auto& [name, body] : json.items()) {
    if (name == "text") continue;
    if (!body.is_object()) return illegal_argument("[suggest] does not support [" + name.substr(0, 100) + "]");
    const TermSuggester* term = nullptr;
    for (const auto& [key, value] : body.items()) {
      if (key == "text" || key == "prefix" || key == "regex") continue;
      if (key == "phrase") return not_supported("the [phrase] suggester");
      if (key != "term" || !value.is_object())
        return parsing_exception("unknown suggester [" + key.substr(0, 100) + "]");
      if (made.size() == kMaxSuggesters)
        return not_supported("more than " + std::to_string(kMaxSuggesters) + " suggesters");
      term = &made.emplace_back(FROND_EXPECT_OK(read_term(value)));
    }
    if (term == nullptr) return parsing_exception("missing suggestion object");
    made.back().name = name;
    made.back().text = FROND_EXPECT_OK(text_member(body, "text", all_text));
    if (made.back().text.empty()) return illegal_argument("The required text option is missing");
  }
  return made;
}

Expected<std::vector<SuggestedWord>> suggested_words(const std::vector<TermSuggester>& suggesters,
                                                     const Mapping& mapping, text::Analyzer& analyzer) {
  std::vector<SuggestedWord> words;
  std::size_t asked = 0;
  bool too_long = false;
  for (const TermSuggester& one : suggesters) {
    const MappedField* const field = mapping.find(one.field);
    if (field == nullptr) return illegal_argument("no mapping found for field [" + one.field.substr(0, 100) + "]");
    if (!field->has_positions()) return not_supported("a term suggester of a field without a dictionary");
    if (!one.analyzer.empty() && one.analyzer != field->analyzer)
      return not_supported("[analyzer] of a term suggester");
    std::size_t until = 0, units = 0;  // of the text up to there
    analyzer.analyze(one.text, [&](std::string_view term, text::TokenSpan where) {
      too_long = too_long || term.size() > frond::query::kMaxNearWordBytes;
      if (too_long || asked > frond::query::kMaxNearWords || words.size() > kMaxShown) return;
      if (where.begin < until) until = units = 0;
      units += utf16_units(std::string_view(one.text).substr(until, where.begin - until));
      until = where.begin;
      SuggestedWord& word = words.emplace_back();
      word.suggester = &one;
      word.word = term;
      word.offset = units;
      word.length = utf16_units(std::string_view(one.text).substr(where.begin, where.end - where.begin));
      word.asked = asked_for(one, field->column, word.word);
      asked += word.asked.size();
    });
  }
  if (too_long) return not_supported("a suggestion for a word of so many letters");
  if (asked > frond::query::kMaxNearWords)
    return not_supported("a search with suggestions for more than " + std::to_string(frond::query::kMaxNearWords) +
                         " words");
  if (words.size() > kMaxShown)
    return not_supported("a search with suggestions for a text of more than " + std::to_string(kMaxShown) + " words");
  return words;
}

Expected<std::vector<NearTerms>> near_in(const Json& did_you_mean, std::size_t words) {
  std::vector<NearTerms> all;
  const auto listed = did_you_mean.find("words");
  if (listed == did_you_mean.end() || listed->size() != words)
    return unavailable("no leaf has looked the dictionary through");
  for (const Json& word : *listed) {
    NearTerms& found = all.emplace_back();
    found.df = word["documents"];
    found.whole = flag_or(word, "whole", true);
    for (const Json& term : word["like"]) found.terms.push_back({term["word"], term["documents"], term["edits"]});
  }
  return all;
}

Expected<void> take_found(const Json& did_you_mean, std::vector<SuggestedWord>& words) {
  std::size_t asked = 0, next = 0;
  for (const SuggestedWord& word : words) asked += word.asked.size();
  if (asked == 0) return {};
  const auto found = FROND_EXPECT_OK(near_in(did_you_mean, asked));
  for (SuggestedWord& word : words)
    while (word.found.size() < word.asked.size()) word.found.push_back(found[next++]);
  return {};
}

Expected<Json> suggestions_json(const std::vector<TermSuggester>& suggesters, const std::vector<SuggestedIn>& indices,
                                bool typed_keys) {
  Json all = Json::object();
  const auto shown_name = [&](const TermSuggester& one) { return typed_keys ? "term#" + one.name : one.name; };
  for (const TermSuggester& one : suggesters) all[shown_name(one)] = Json::array();
  if (indices.empty()) return all;
  for (std::size_t i = 0; i < indices.front().words.size(); ++i) {
    const SuggestedWord& word = indices.front().words[i];
    std::map<std::string, SuggestedOption> sums;
    for (const SuggestedIn& in : indices) {
      if (i >= in.words.size() || in.words[i].word != word.word)
        return not_supported("suggestions of indices with different analyzers");
      for (const NearTerms& found : in.words[i].found)
        if (!found.whole)
          return not_supported("a suggestion for which so many terms are looked at: [prefix_length] leaves fewer");
      for (const SuggestedOption& one : suggested_options(in.words[i], in.documents)) {
        const auto [sum, is_new] = sums.try_emplace(one.text, one);
        if (!is_new) sum->second.frequency += one.frequency;
      }
    }
    std::vector<SuggestedOption> options;
    for (const auto& [text, one] : sums) options.push_back(one);
    put_options_in_order(options, word.suggester->by_frequency, word.suggester->size);
    Json shown = Json::array();
    for (const SuggestedOption& one : options)
      shown.push_back({{"text", one.text}, {"score", Json::parse(score_text(one.score))}, {"freq", one.frequency}});
    all[shown_name(*word.suggester)].push_back(
        {{"text", word.word}, {"offset", word.offset}, {"length", word.length}, {"options", std::move(shown)}});
  }
  return all;
}

}  // namespace frond::broker::elasticsearch
