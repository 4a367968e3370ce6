#include "common/repository/manifest_analyzer.h"

#include <string>
#include <utility>
#include <vector>

namespace frond::repository {
namespace {

using nlohmann::json;

// true: English; false: none; a language; or a list of words.
text::StopWords read_stop_words(Members& members) {
  const json* const value = members.find("stop_words");
  if (value != nullptr && value->is_string()) {
    const auto name = value->get<std::string>();
    const auto known = text::StopWords::named(name);
    if (!known) members.fail("stop_words", "is '" + name + "', of which this version has no stop words");
    return known.value_or(false);
  }
  if (value == nullptr || !value->is_array()) return members.flag("stop_words");
  std::vector<std::string> words;
  for (const json& word : *value) {
    if (!word.is_string()) members.fail("stop_words", "has something that is no string");
    words.push_back(word.is_string() ? word.get<std::string>() : std::string());
  }
  auto own = text::StopWords::own(std::move(words));
  if (!own) members.fail("stop_words", "cannot be used: " + own.error().message());
  return own ? *std::move(own) : text::StopWords(false);
}

json stop_words_to_json(const text::StopWords& stop_words) {
  if (stop_words.are_none() || stop_words.are_english())
    return stop_words.are_english();  // as older versions know them
  if (!stop_words.are_own()) return stop_words.name();
  json words = json::array();
  for (const std::string& word : stop_words.own_words()) words.push_back(word);
  return words;
}

}  // namespace

text::AnalyzerConfig read_analyzer(Members members) {
  const std::string name =
      members.has("name") ? members.text("name") : std::string(name_of(text::AnalyzerKind::kStandard));
  const auto kind = text::analyzer_named(name);
  if (!kind)
    members.fail("name", "is '" + name + "', which is no analyzer of this version: " + listed(text::kAnalyzerNames));
  const std::string stemmer_name = members.text("stemmer");
  const auto stemmer = text::stemmer_named(stemmer_name);
  if (!stemmer)
    members.fail("stemmer",
                 "is '" + stemmer_name + "', which is no stemmer of this version: " + listed(text::kStemmerNames));
  text::AnalyzerConfig analyzer{stemmer.value_or(text::Stemmer::kNone), read_stop_words(members),
                                kind.value_or(text::AnalyzerKind::kStandard)};
  if (members.has("fold_accents")) analyzer.fold_accents = members.flag("fold_accents");
  if (members.has("split_case")) analyzer.split_case = members.flag("split_case");
  if (!is_valid(analyzer))
    members.fail("name", "is '" + name + "', which has no such stemmer, folding of accents or splitting of words");
  return is_valid(analyzer) ? analyzer : text::AnalyzerConfig();
}

json analyzer_to_json(const text::AnalyzerConfig& analyzer) {
  json made = {{"stemmer", name_of(analyzer.stemmer)}, {"stop_words", stop_words_to_json(analyzer.stop_words)}};
  if (analyzer.kind == text::AnalyzerKind::kStandard) return made;
  made["name"] = name_of(analyzer.kind);
  made["fold_accents"] = analyzer.fold_accents;
  if (analyzer.kind == text::AnalyzerKind::kStandard3) made["split_case"] = analyzer.split_case;
  return made;
}

}  // namespace frond::repository
