#include "indexer/write/collection_settings.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "indexer/collection_defaults.h"

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

Result<text::StopWords> stop_words_of(const std::string& asked, text::Stemmer stemmer) {
  if (asked == "on" || asked == "off") return text::StopWords(asked == "on");
  if (asked == "auto") {
    if (stemmer <= text::Stemmer::kEnglish) return text::StopWords(true);
    return text::StopWords::named(name_of(stemmer)).value_or(text::StopWords(false));
  }
  const auto known = text::StopWords::named(asked);
  if (!known) return wrong("stop_words", "'" + asked.substr(0, 100) + "' is none of auto, on, off and the languages");
  return *known;
}

}  // namespace

Result<CollectionSettings> settings_from_json(std::string_view text) {
  text::AnalyzerConfig analyzer;
  analyzer.kind = kNewCollectionAnalyzer;
  scoring::Bm25Parameters bm25 = kNewCollectionBm25;
  auto stored = partition::StoredCompression::kSmall;
  codec::CodecChoice codecs = *codec::codec_named(codec::kDefaultCodec);
  std::string stop_words = "auto";
  if (!text.empty()) {
    const json members = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!members.is_object()) return Error(Code::kInvalid, "the body is no JSON object");
    for (const auto& [name, value] : members.items()) {
      if (name == "analyzer") {
        const auto kind = text::analyzer_named(FROND_TRY(text_of(name, value)));
        if (!kind) return wrong(name, "is none of standard3, standard2 and standard");
        analyzer.kind = *kind;
      } else if (name == "stemmer") {
        const auto stemmer = text::stemmer_named(FROND_TRY(text_of(name, value)));
        if (!stemmer) return wrong(name, "there is no such stemmer");
        analyzer.stemmer = *stemmer;
      } else if (name == "stop_words") {
        stop_words = FROND_TRY(text_of(name, value));
      } else if (name == "fold_accents") {
        if (!value.is_boolean()) return wrong(name, "true or false is needed");
        analyzer.fold_accents = value.get<bool>();
      } else if (name == "split_case") {
        if (!value.is_boolean()) return wrong(name, "true or false is needed");
        analyzer.split_case = value.get<bool>();
      } else if (name == "k1") {
        bm25.k1 = FROND_TRY(number_of(name, value, scoring::kMaxK1));
      } else if (name == "b") {
        bm25.b = FROND_TRY(number_of(name, value, 1));
      } else if (name == "codec") {
        auto choice = codec::codec_choice_named(FROND_TRY(text_of(name, value)));
        if (!choice) return std::move(choice).error().within(name);
        codecs = *std::move(choice);
      } else if (name == "stored_compression") {
        const auto choice = partition::stored_compression_named(FROND_TRY(text_of(name, value)));
        if (!choice) return wrong(name, "is none of " + std::string(partition::kStoredCompressionNames));
        stored = *choice;
      } else {
        return wrong(name.substr(0, 100), "there is no such member");
      }
    }
  }
  if (analyzer.split_case && analyzer.kind != text::AnalyzerKind::kStandard3)
    return wrong("split_case", "needs analyzer standard3");
  if (!is_valid(analyzer))
    return wrong(analyzer.fold_accents ? "fold_accents" : "stemmer", "needs analyzer standard2 or standard3");
  analyzer.stop_words = FROND_TRY(stop_words_of(stop_words, analyzer.stemmer));
  return CollectionSettings{std::move(analyzer), bm25, std::move(codecs), stored};
}

}  // namespace frond::indexer::write
