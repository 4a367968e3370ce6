#include "indexer/write/collection_settings.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "indexer/build/collection_defaults.h"

namespace frond::indexer::write {
namespace {
using nlohmann::json;

Error wrong(const std::string& member, const std::string& what) { return Error(Code::kInvalid, member + ": " + what); }

Result<std::string> text_of(const std::string& name, const json& value) {
  if (!value.is_string()) return wrong(name, "a text is needed");
  return value.get<std::string>();
}
Result<double> number_of(const std::string& name, const json& value, double most) {
  if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= most))
    return wrong(name, "a number from 0 to " + std::to_string(static_cast<int>(most)) + " is needed");
  return value.get<double>();
}
Result<bool> switch_of(const std::string& name, const json& value) {
  if (!value.is_boolean()) return wrong(name, "true or false is needed");
  return value.get<bool>();
}
// What a name stands for; `why`: it stands for nothing.
template <class T>
Result<T> known(const std::string& name, std::optional<T> named, const std::string& why) {
  return named ? Result<T>(*std::move(named)) : Result<T>(wrong(name, why));
}

Result<text::StopWords> stop_words_of(const std::string& asked, text::Stemmer stemmer) {
  if (asked == "on" || asked == "off") return text::StopWords(asked == "on");
  if (asked == "auto") return usual_stop_words(stemmer);
  return known("stop_words", text::StopWords::named(asked),
               "'" + asked.substr(0, 100) + "' is none of auto, on, off and the languages");
}

// Of one member; `stop_words` as asked.
Result<void> take(const std::string& name, const json& value, CollectionSettings& to, std::string& stop_words) {
  if (name == "analyzer") {
    const auto kind = text::analyzer_named(FROND_TRY(text_of(name, value)));
    to.analyzer.kind = FROND_TRY(known(name, kind, "is none of standard3, standard2 and standard"));
  } else if (name == "stemmer") {
    const auto stemmer = text::stemmer_named(FROND_TRY(text_of(name, value)));
    to.analyzer.stemmer = FROND_TRY(known(name, stemmer, "there is no such stemmer"));
  } else if (name == "stop_words") {
    stop_words = FROND_TRY(text_of(name, value));
  } else if (name == "fold_accents") {
    to.analyzer.fold_accents = FROND_TRY(switch_of(name, value));
  } else if (name == "split_case") {
    to.analyzer.split_case = FROND_TRY(switch_of(name, value));
  } else if (name == "k1") {
    to.bm25.k1 = FROND_TRY(number_of(name, value, scoring::kMaxK1));
  } else if (name == "b") {
    to.bm25.b = FROND_TRY(number_of(name, value, 1));
  } else if (name == "codec") {
    auto choice = codec::codec_choice_named(FROND_TRY(text_of(name, value)));
    if (!choice) return std::move(choice).error().within(name);
    to.codecs = *std::move(choice);
  } else if (name == "stored_compression") {
    const auto choice = partition::stored_compression_named(FROND_TRY(text_of(name, value)));
    to.stored = FROND_TRY(known(name, choice, "is none of " + std::string(partition::kStoredCompressionNames)));
  } else {
    return wrong(name.substr(0, 100), "there is no such member");
  }
  return {};
}

}  // namespace

Result<CollectionSettings> settings_from_json(std::string_view text) {
  CollectionSettings to;
  to.analyzer.kind = kNewCollectionAnalyzer;
  to.bm25 = kNewCollectionBm25;
  std::string stop_words = "auto";
  if (!text.empty()) {
    const json members = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!members.is_object()) return Error(Code::kInvalid, "the body is no JSON object");
    for (const auto& [name, value] : members.items()) FROND_TRY(take(name, value, to, stop_words));
  }
  if (to.analyzer.split_case && to.analyzer.kind != text::AnalyzerKind::kStandard3)
    return wrong("split_case", "needs analyzer standard3");
  if (!is_valid(to.analyzer))
    return wrong(to.analyzer.fold_accents ? "fold_accents" : "stemmer", "needs analyzer standard2 or standard3");
  to.analyzer.stop_words = FROND_TRY(stop_words_of(stop_words, to.analyzer.stemmer));
  return to;
}

}  // namespace frond::indexer::write
