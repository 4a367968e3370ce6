#include "indexer/build/collection_kind.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "common/base/lines.h"
#include "common/files/read.h"
#include "common/schema/json.h"
#include "common/schema/schema_json.h"
#include "common/text/analyzer.h"
#include "common/text/stop_words.h"
#include "common/text/utf8.h"

namespace frond::indexer {
namespace {

using nlohmann::json;

Error wrong(const std::string& member, const std::string& what) { return Error(Code::kInvalid, member + ": " + what); }

std::string shown(const std::string& value) { return "'" + value.substr(0, 100) + "' is none of "; }

// Words separated by white space. What follows a | is a comment, as in Snowball's lists, and so is a line that begins
// with #. Each must be one term of `config`, or it would stop nothing.
Result<text::StopWords> stop_words_in(const std::string& path, text::AnalyzerConfig config) {
  constexpr std::size_t kMaxFile = 1 << 20;
  const std::string content = FROND_TRY(files::read_input(path, kMaxFile));
  config.stop_words = false;
  config.stemmer = text::Stemmer::kNone;
  text::Analyzer analyzer(config, 1);
  std::vector<std::string> words;
  Lines lines(content);
  while (const auto next = lines.next()) {
    if (next->starts_with('#')) continue;
    std::string_view line = next->substr(0, next->find('|'));
    constexpr std::string_view kSpaces = " \t\r";
    while (true) {
      const std::size_t begin = line.find_first_not_of(kSpaces);
      if (begin == std::string_view::npos) break;
      line.remove_prefix(begin);
      const std::string_view word = line.substr(0, line.find_first_of(kSpaces));
      line.remove_prefix(word.size());
      if (const std::size_t terms = analyzer.query_terms(word).size(); terms != 1)
        return Error(Code::kInvalid, path + ", line " + std::to_string(lines.number()) + ": '" +
                                         text::repaired_utf8(word) + "' is " +
                                         (terms == 0 ? "no word" : "more than one word"));
      words.emplace_back(word);
    }
  }
  auto own = text::StopWords::own(std::move(words));
  if (!own) return std::move(own).error().within(path);
  return own;
}

Result<text::StopWords> stop_words_of(const std::string& asked, const text::AnalyzerConfig& config, bool files) {
  if (asked == "on" || asked == "off") return text::StopWords(asked == "on");
  if (asked == "auto") {  // the stemmer's language; English where it has none
    if (config.stemmer <= text::Stemmer::kEnglish) return text::StopWords(true);
    return text::StopWords::named(name_of(config.stemmer)).value_or(text::StopWords(false));
  }
  if (const auto known = text::StopWords::named(asked)) return *known;
  std::error_code unknown;
  if (files && (std::filesystem::is_regular_file(asked, unknown) || asked.starts_with("/dev/")))
    return stop_words_in(asked, config);
  return Error(Code::kInvalid,
               shown(asked) + "auto|" + languages_with_stop_words() + "|on|off" + (files ? ", and no file" : ""));
}

// Sets one member.
Result<void> take(const std::string& name, const json& value, CollectionNames& to) {
  const std::pair<std::string_view, std::string*> texts[] = {{"analyzer", &to.analyzer},
                                                             {"stemmer", &to.stemmer},
                                                             {"stop_words", &to.stop_words},
                                                             {"codec", &to.codec},
                                                             {"stored_compression", &to.stored_compression}};
  const std::pair<std::string_view, bool*> switches[] = {{"fold_accents", &to.fold_accents},
                                                         {"split_case", &to.split_case}};
  for (const auto& [member, text] : texts) {
    if (name != member) continue;
    if (!value.is_string()) return wrong(name, "a text is needed");
    *text = value.get<std::string>();
    return {};
  }
  for (const auto& [member, on] : switches) {
    if (name != member) continue;
    if (!value.is_boolean()) return wrong(name, "true or false is needed");
    *on = value.get<bool>();
    return {};
  }
  if (name != "k1" && name != "b") return wrong(name.substr(0, 100), "there is no such member");
  const double most = name == "b" ? 1 : scoring::kMaxK1;
  if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= most))
    return wrong(name, "a number from 0 to " + std::to_string(static_cast<int>(most)) + " is needed");
  (name == "b" ? to.b : to.k1) = value.get<double>();
  return {};
}

Result<std::shared_ptr<const schema::Schema>> buildable(schema::Schema schema) {
  for (const schema::Field& field : schema.fields) {
    if (schema.scorer == schema::Scorer::kImpact && field.type == schema::FieldType::kText &&
        (field.positions || field.field_search || field.weight != 1 || !field.analyzer.empty()))
      return Error(Code::kInvalid, "field '" + field.name +
                                       "': text beside weights is shown, not searched, so it has no positions, "
                                       "field_search, weight or analyzer");
    if (!field.stored)
      return Error(Code::kInvalid, "field '" + field.name +
                                       "': \"stored\": false is not built by this version; the text of every field is "
                                       "stored");
  }
  return std::make_shared<const schema::Schema>(std::move(schema));
}

}  // namespace

std::string more_stemmers() {
  std::string all;
  for (const std::string_view name : text::kStemmerNames)
    if (text::stemmer_named(name) > text::Stemmer::kEnglish) all += (all.empty() ? "" : "|") + std::string(name);
  return all;
}

std::string languages_with_stop_words() {
  std::string all;
  for (const text::StopWordList& list : text::stop_word_lists())
    all += (all.empty() ? "" : "|") + std::string(list.language);
  return all;
}

Result<CollectionKind> kind_of(const CollectionNames& names, bool flags) {
  const auto named = [flags](std::string member) {
    if (!flags) return member;
    std::ranges::replace(member, '_', '-');
    return "--" + member;
  };
  CollectionKind kind;
  text::AnalyzerConfig& analyzer = kind.analyzer;
  const auto rules = text::analyzer_named(names.analyzer);
  if (!rules) return wrong(named("analyzer"), shown(names.analyzer) + "standard3, standard2 and standard");
  const auto stemmer = text::stemmer_named(names.stemmer);
  if (!stemmer) return wrong(named("stemmer"), shown(names.stemmer) + "porter|english|none|" + more_stemmers());
  analyzer = {*stemmer, false, *rules, names.fold_accents, names.split_case};
  const std::string needs = " needs " + named("analyzer");
  if (names.split_case && *rules != text::AnalyzerKind::kStandard3)
    return Error(Code::kInvalid, named("split_case") + needs + " standard3");
  if (!is_valid(analyzer))
    return Error(Code::kInvalid, (names.fold_accents ? named("fold_accents") : named("stemmer") + " " + names.stemmer) +
                                     needs + " standard2 or standard3");
  auto stop_words = stop_words_of(names.stop_words, analyzer, flags);
  if (!stop_words) return std::move(stop_words).error().within(named("stop_words"));
  analyzer.stop_words = *std::move(stop_words);
  auto codecs = codec::codec_choice_named(names.codec);
  if (!codecs) return std::move(codecs).error().within(named("codec"));
  kind.codecs = *std::move(codecs);
  const auto stored = partition::stored_compression_named(names.stored_compression);
  if (!stored)
    return wrong(named("stored_compression"),
                 shown(names.stored_compression) + std::string(partition::kStoredCompressionNames));
  kind.stored = *stored;
  kind.bm25 = {names.k1.value_or(kNewCollectionBm25.k1), names.b.value_or(kNewCollectionBm25.b)};
  return kind;
}

Result<std::shared_ptr<const schema::Schema>> schema_from_text(std::string_view text) {
  return buildable(FROND_TRY(schema::parse_schema(text)));
}

Result<void> expect_parameters_of(const schema::Schema& schema, const CollectionNames& names, bool flags) {
  if (schema.scorer != schema::Scorer::kImpact || (!names.k1 && !names.b)) return {};
  return wrong(std::string(flags ? "--" : "") + (names.k1 ? "k1" : "b"),
               "it is of BM25, and the scorer of these documents is impact: leave it out");
}

Result<void> expect_own_texts(const schema::Schema& schema, const ingest::FieldNames& names) {
  for (const schema::Field& field : schema.fields) {
    if (field.type != schema::FieldType::kText || ingest::is_title_or_body(field)) continue;
    for (const auto& [whose, what] : {std::pair(&names.title, "title"), std::pair(&names.body, "body")})
      if (std::ranges::find(*whose, field.name) != whose->end())
        return Error(Code::kInvalid, "field '" + field.name + "': records have their " + what +
                                         " there; a schema has it as '" + what + "'");
  }
  return {};
}

// Fields have an order, which nlohmann's objects have not.
Result<std::shared_ptr<const schema::Schema>> schema_in_json(std::string_view object) {
  const schema::Json body = FROND_TRY(schema::parse_json(object));
  const auto* const members = body.object();
  if (members == nullptr) return Error(Code::kInvalid, "the body is no JSON object");
  const auto found = std::ranges::find(*members, "schema", &schema::Json::Member::name);
  if (found == members->end()) return std::shared_ptr<const schema::Schema>();
  auto schema = schema::read_schema(found->value);
  if (!schema) return std::move(schema).error().within("schema");
  auto made = FROND_TRY(buildable(*std::move(schema)));
  FROND_TRY(expect_own_texts(*made, ingest::usual_field_names()));
  return made;
}

Result<CollectionKind> kind_from_json(std::string_view text) {
  CollectionNames names;
  std::shared_ptr<const schema::Schema> schema;
  if (!text.empty()) {
    const json members = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!members.is_object()) return Error(Code::kInvalid, "the body is no JSON object");
    for (const auto& [name, value] : members.items()) {
      if (name == "schema")
        schema = FROND_TRY(schema_in_json(text));
      else
        FROND_TRY(take(name, value, names));
    }
  }
  CollectionKind kind = FROND_TRY(kind_of(names, /*flags=*/false));
  if (schema != nullptr) FROND_TRY(expect_parameters_of(*schema, names, /*flags=*/false));
  kind.schema = std::move(schema);
  return kind;
}

}  // namespace frond::indexer
