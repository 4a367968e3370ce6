// The options of a build that decide what it publishes.
#include <cstdio>

#include "common/schema/schema_json.h"
#include "common/text/analyzer_config.h"
#include "indexer/build/build.h"
#include "indexer/ingest/formats/formats.h"

namespace frond::indexer {
namespace {

// All of the number: two that differ have different texts.
std::string exactly(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

std::string on_or_off(bool on) { return on ? "on" : "off"; }

// English and none as the flag was before there were others, so that older builds can be gone on with.
std::string named(const text::StopWords& stop_words) {
  if (stop_words.are_none() || stop_words.are_english()) return on_or_off(stop_words.are_english());
  std::string all(stop_words.name());
  for (const std::string& word : stop_words.own_words()) all += " " + word;
  return all;
}

std::string fields_of(const ingest::FieldNames& names) {
  std::string text;
  for (const auto& list : {names.id, names.title, names.body, names.url})
    text += (text.empty() ? "" : "; ") + ingest::quoted(list);
  return text + (names.paths ? " as paths" : "") + (names.join_bodies ? ", joined" : "");
}

}  // namespace

std::vector<std::pair<std::string, std::string>> deciding_options(const BuildOptions& options) {
  const pipeline::InvertOptions& invert = options.invert;
  const ingest::InputShare& share = invert.read.share;
  std::vector<std::pair<std::string, std::string>> deciding = {
      {"--collection", options.collection},
      {"--format", std::string(invert.format != nullptr ? invert.format->name : ingest::kAutoFormat)},
      {"--hidden", on_or_off(invert.read.hidden)},
      {"--make-ids", on_or_off(invert.parse.make_ids)},
      {"--store-bodies", on_or_off(invert.parse.store_bodies)},
      {"--prior-field", invert.parse.prior_field},
      {"fields", fields_of(ingest::names_or_usual(invert.parse.names.get()))},
      {"--partition", std::to_string(share.index) + "/" + std::to_string(share.count)},
      {"--partitions", std::to_string(invert.partitions)},
      {"--memory-limit", std::to_string(invert.memory.limit)},
      {"--analyzer", std::string(name_of(invert.analyzer.kind))},
      {"--stemmer", std::string(name_of(invert.analyzer.stemmer))},
      {"--stop-words", named(invert.analyzer.stop_words)},
      {"--fold-accents", on_or_off(invert.analyzer.fold_accents)},
      {"--split-case", on_or_off(invert.analyzer.split_case)},
      {"--gpu-texts", on_or_off(invert.memory.text_batch > 0)},  // where lengths are, until they are published
      {"--unreadable-files", invert.read.skip_unreadable ? "skip" : "fail"},
      {"--max-bad-records", std::to_string(invert.max_bad_records)},
      {"--codec", options.codecs.name},
      {"--stored-compression", std::string(name_of(options.stored))},
      {"--order", std::string(name_of(options.order))},
      {"--gpu-order", on_or_off(options.reckons_with_gpu)},  // auto is as off here: it decides nothing
      {"--k1", exactly(options.bm25.k1)},
      {"--b", exactly(options.bm25.b)}};
  // Builds without one, also of earlier versions, do not have it.
  if (options.schema != nullptr) deciding.emplace_back("--schema", schema::schema_text(*options.schema));
  return deciding;
}

}  // namespace frond::indexer
