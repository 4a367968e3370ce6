// Analyzers as the settings of an index describe them.
#include <algorithm>
#include <array>

#include "common/elasticsearch/json_body.h"
#include "common/elasticsearch/mapping.h"

namespace frond::elasticsearch {
namespace {

using Config = text::AnalyzerConfig;

// What Elasticsearch drops as English stop words.
constexpr auto kEnglishStopWords = std::to_array<const char*>(
    {"a",   "an",    "and",  "are",   "as",    "at",   "be",   "but", "by",  "for",  "if",
     "in",  "into",  "is",   "it",    "no",    "not",  "of",   "on",  "or",  "such", "that",
     "the", "their", "then", "there", "these", "they", "this", "to",  "was", "will", "with"});

Config plain() {
  Config config;
  config.stemmer = text::Stemmer::kNone;
  config.stop_words = false;
  return config;
}

}  // namespace

Expected<std::vector<std::string>> stop_word_list(const Json& words) {
  std::vector<std::string> list;
  if (words.is_null() || words == "_english_") {
    list.assign(kEnglishStopWords.begin(), kEnglishStopWords.end());
  } else if (words.is_array()) {
    for (const Json& word : words) {
      if (!word.is_string() || word.get_ref<const std::string&>().starts_with('_'))
        return not_supported("this list of stop words");
      list.push_back(word);
    }
  } else if (words != "_none_") {
    return not_supported("this list of stop words");
  }
  return list;
}

namespace {

Expected<text::StopWords> stop_words_of(const Json& words) {
  auto list = FROND_EXPECT_OK(stop_word_list(words));
  if (list.empty()) return text::StopWords(false);
  auto own = text::StopWords::own(std::move(list));
  if (!own) return illegal_argument(own.error().message());
  return *std::move(own);
}

// The filters behind the standard tokenizer, in their order.
Expected<Config> chain(const Json& analysis, const Json& filters, const std::string& name) {
  Config config = plain();
  bool lower = false, possessive = false;
  for (const Json& one : filters.is_array() ? filters : Json::array({filters})) {
    if (!one.is_string()) return not_supported("a filter without a name in analyzer [" + name + "]");
    const Json* const found = at_path(analysis, "filter." + one.get<std::string>());
    const Json own = found != nullptr && found->is_object() ? *found : Json::object();
    const std::string type = FROND_EXPECT_OK(text_member(own, "type", one.get<std::string>())),
                      language = FROND_EXPECT_OK(text_member(own, "language", "english"));
    const bool stems = config.stemmer != text::Stemmer::kNone;
    if (type == "lowercase" && !stems && config.stop_words.are_none()) {
      lower = true;
    } else if (type == "stop" && lower && !stems) {
      config.stop_words = FROND_EXPECT_OK(stop_words_of(own.contains("stopwords") ? own["stopwords"] : Json()));
    } else if (type == "stemmer" && language == "possessive_english" && !stems) {
      possessive = true;
    } else if ((type == "porter_stem" || (type == "stemmer" && language == "english")) && lower && possessive) {
      config.stemmer = text::Stemmer::kPorter;
    } else {
      return not_supported("filter [" + one.get<std::string>() + "] where it stands in analyzer [" + name + "]");
    }
  }
  if (!lower) return not_supported("analyzer [" + name + "] without lowercase");
  if (possessive && config.stemmer == text::Stemmer::kNone)
    return not_supported("analyzer [" + name + "] with possessive_english, but without a stemmer,");
  return config;
}

}  // namespace

Expected<std::optional<Config>> analyzer_named(const Json& analysis, std::string_view name) {
  using Found = std::optional<Config>;
  const std::string shown(name);
  const Json* const own = at_path(analysis, "analyzer." + shown);
  if (own == nullptr || !own->is_object()) {
    if (name == "standard") return Found(plain());
    if (name == "english") {
      Config config = plain();
      config.stemmer = text::Stemmer::kPorter;
      config.stop_words = FROND_EXPECT_OK(stop_words_of(nullptr));
      return Found(std::move(config));
    }
    for (const std::string_view known : {"simple", "whitespace", "keyword", "stop", "pattern", "fingerprint"})
      if (name == known) return not_supported("analyzer [" + shown + "]");
    return Found();
  }
  if (FROND_EXPECT_OK(text_member(*own, "type", "")) == "standard" && !own->contains("max_token_length")) {
    Config config = plain();
    if (own->contains("stopwords")) config.stop_words = FROND_EXPECT_OK(stop_words_of((*own)["stopwords"]));
    return Found(std::move(config));
  }
  if (FROND_EXPECT_OK(text_member(*own, "tokenizer", "")) != "standard" || own->contains("char_filter") ||
      !own->contains("filter"))
    return not_supported("analyzer [" + shown + "], which is not the standard tokenizer and filters,");
  return Found(FROND_EXPECT_OK(chain(analysis, (*own)["filter"], shown)));
}

}  // namespace frond::elasticsearch
