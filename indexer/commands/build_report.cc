#include "indexer/commands/build_report.h"
#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/schema/schema_json.h"
#include "indexer/ingest/formats/formats.h"
#include "indexer/pipeline/memory.h"

namespace frond::indexer {
namespace {

constexpr double kMegabyte = 1e6;

template <class... Values>
std::string print(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

// The parts of list blobs, by name.
constexpr std::pair<const char*, std::uint64_t partition::PartitionSummary::*> kListParts[] = {
    {"docids", &partition::PartitionSummary::docid_bytes},
    {"frequencies", &partition::PartitionSummary::frequency_bytes},
    {"index", &partition::PartitionSummary::index_bytes},
    {"bounds", &partition::PartitionSummary::bound_bytes},
    {"headers", &partition::PartitionSummary::header_bytes}};

// Bits a posting: of each of these, of all, and of all files of the partitions.
std::array<double, std::size(kListParts) + 2> bits_a_posting(const repository::Manifest& manifest) {
  std::array<double, std::size(kListParts) + 2> bits{};
  std::uint64_t postings = 0;
  for (const auto& entry : manifest.partitions) {
    postings += entry.summary.postings;
    for (std::size_t i = 0; i < std::size(kListParts); ++i) {
      const auto bytes = static_cast<double>(entry.summary.*kListParts[i].second);
      bits[i] += 8 * bytes;
      bits[std::size(kListParts)] += 8 * bytes;
    }
    for (const auto& file : entry.summary.files) bits.back() += 8 * static_cast<double>(file.bytes);
  }
  for (double& part : bits) part = postings == 0 ? 0 : part / static_cast<double>(postings);
  return bits;
}

double megabytes_a_second(const BuildSummary& summary) {
  return summary.total_seconds > 0 ? static_cast<double>(summary.inverted.bytes) / kMegabyte / summary.total_seconds
                                   : 0;
}

// "12 titles were cut …: corpus.jsonl: record 3, …"; empty if there were none.
std::string shortened_text(const std::string& what, const ingest::Tally& tally) {
  if (tally.count == 0) return {};
  std::string text = std::to_string(tally.count) + " " + what + ": ";
  for (std::size_t i = 0; i < tally.examples.size(); ++i) text += (i == 0 ? "" : ", ") + tally.examples[i];
  return text + (tally.count > tally.examples.size() ? ", …\n" : "\n");
}

// "files skipped: 3", and a line for each reason; empty if there are none.
std::string skipped_text(const std::string& what, const ingest::Skipped& skipped) {
  if (skipped.total() == 0) return {};
  std::string text = what + " skipped: " + std::to_string(skipped.total()) + "\n";
  for (std::size_t i = 0; i < ingest::kSkipReasons; ++i) {
    const auto reason = static_cast<ingest::SkipReason>(i);
    const std::string why = std::string(name_of(reason)) + " (" + std::string(ingest::meaning_of(reason)) + ")";
    const std::string line = shortened_text(why, skipped.by_reason()[i]);
    if (!line.empty()) text += "  " + line;
  }
  return text;
}

// The numbers of files read and skipped, and of fields that were too long.
std::string input_text(const pipeline::InvertedDocuments& in) {
  std::string text;
  const auto formats = ingest::source_formats();
  for (std::size_t i = 0; i < in.files_read.size(); ++i)
    if (in.files_read[i] > 0)
      text += (text.empty() ? "files read: " : ", ") + std::to_string(in.files_read[i]) + " " +
              std::string(formats[i]->name);
  if (!text.empty()) text += "\n";
  text += skipped_text("files", in.skipped) + skipped_text("records", in.skipped_records);
  text += shortened_text("titles longer than 1,024 bytes were cut; what follows is in the text", in.titles_cut);
  text += shortened_text("URLs longer than 2,048 bytes were left out", in.urls_dropped);
  text += shortened_text("records were not UTF-8, and decoded, or their wrong bytes replaced by U+FFFD", in.not_utf8);
  text += shortened_text("documents have values that are none of their column's type, and were left out",
                         in.values_left_out);
  text += shortened_text("documents have weights above 255, which count as 255; a \"scale\" in the schema avoids it",
                         in.impacts_cut);
  return text;
}

// The formats whose records have no columns, though the schema has some. Empty: there are none.
std::string without_columns_text(const BuildSummary& summary) {
  const auto schema = schema::parse_schema(summary.manifest.schema);
  if (!schema || std::ranges::none_of(schema->fields, [](const auto& field) { return is_column(field.type); }))
    return {};
  std::string names;
  const auto formats = ingest::source_formats();
  for (std::size_t i = 0; i < summary.inverted.files_read.size(); ++i)
    if (summary.inverted.files_read[i] > 0 && !formats[i]->has_names)
      names += (names.empty() ? "" : ", ") + std::string(formats[i]->name);
  if (names.empty()) return {};
  return "documents of these formats have no values in the schema's columns: " + names + "\n";
}

// How long the rest of the input takes at the speed so far: ", 3 min left". Empty: there is nothing to tell it from.
std::string left_text(std::uint64_t done, std::uint64_t total, double seconds) {
  constexpr double kMinute = 60, kHour = 3600, kToTell = 2;
  if (done == 0 || done > total || seconds < kToTell) return {};
  const double left = seconds * static_cast<double>(total - done) / static_cast<double>(done);
  if (left < 2 * kMinute) return print(", %.0f s left", left);
  if (left < 2 * kHour) return print(", %.0f min left", left / kMinute);
  return print(", %.1f h left", left / kHour);
}

nlohmann::ordered_json tally_json(const ingest::Tally& tally) {
  return {{"count", tally.count}, {"examples", tally.examples}};
}

nlohmann::ordered_json files_json(const ingest::FilesRead& files) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const auto formats = ingest::source_formats();
  for (std::size_t i = 0; i < files.size(); ++i)
    if (files[i] > 0) json[std::string(formats[i]->name)] = files[i];
  return json;
}

nlohmann::ordered_json skipped_json(const ingest::Skipped& skipped) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < ingest::kSkipReasons; ++i)
    if (skipped.by_reason()[i].count > 0)
      json[std::string(name_of(static_cast<ingest::SkipReason>(i)))] = tally_json(skipped.by_reason()[i]);
  return json;
}

}  // namespace

std::string generation_text(const repository::Manifest& m) {
  return "generation " + std::to_string(m.generation) + " of " + m.collection + ": " +
         std::to_string(m.partitions.size()) + " partitions, " + std::to_string(m.statistics.documents) +
         " documents, " + std::to_string(m.terms) + " terms, " + std::to_string(m.postings) + " postings";
}

std::string progress_text(const BuildProgress& progress, double seconds) {
  using Stage = BuildProgress::Stage;
  const Stage stage = progress.stage;
  const auto documents = static_cast<unsigned long long>(progress.invert.documents);
  if (stage == Stage::kInvert) {
    const double bytes = static_cast<double>(progress.invert.bytes);
    std::string text = print("indexing: %llu documents, %.1f MB, %.1f MB/s", documents, bytes / kMegabyte,
                             bytes / kMegabyte / std::max(seconds, 0.001));
    if (const std::uint64_t total = progress.invert.stored_total; total > 0)
      text += print(", %.0f %% of the input",
                    100.0 * static_cast<double>(progress.invert.stored_bytes) / static_cast<double>(total)) +
              left_text(progress.invert.stored_bytes, total, seconds);
    return text;
  }
  if (stage == Stage::kOrder) return print("ordering %llu documents", documents);
  if (stage == Stage::kWrite)
    return print("writing partitions: %llu of %llu documents",
                 static_cast<unsigned long long>(progress.documents_written), documents);
  return stage == Stage::kPublish ? "publishing" : "done";
}

std::string summary_text(const BuildSummary& summary) {
  const repository::Manifest& m = summary.manifest;
  const pipeline::InvertedDocuments& in = summary.inverted;
  const auto bits = bits_a_posting(m);
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  std::string text = print(
      "generation %llu of %s (codec %s, order %s): %zu partitions, %llu documents, %llu tokens, %llu terms, %llu "
      "postings\n",
      number(m.generation), m.collection.c_str(), m.codec.c_str(), m.order.c_str(), m.partitions.size(),
      number(m.statistics.documents), number(m.statistics.tokens), number(m.terms), number(m.postings));
  if (in.resumed_documents > 0)
    text += print("of these, %llu documents were inverted by a build that was killed\n", number(in.resumed_documents));
  if (summary.added > 0)
    text +=
        print("added: %llu documents, of which %llu replace others\n", number(summary.added), number(summary.replaced));
  text += print("refused: %llu bad records, %llu duplicate ids\n", number(in.bad_records), number(in.duplicates));
  text += input_text(in) + without_columns_text(summary);
  text += print(
      "%.1f MB in %.1f s: %.1f MB/s (indexing %.1f s, ordering %.1f s, writing partitions %.1f s, publishing %.1f s)\n",
      static_cast<double>(in.bytes) / kMegabyte, summary.total_seconds, megabytes_a_second(summary),
      summary.invert_seconds, summary.order_seconds, summary.write_seconds, summary.publish_seconds);
  text += print(
      "processor seconds while indexing: read %.1f, parse %.1f, number %.1f, spool %.1f, invert %.1f; %llu runs, %.1f "
      "MB\n",
      in.read_seconds, in.parse_seconds, in.sequence_seconds, in.spool_seconds, in.invert_seconds, number(in.runs),
      static_cast<double>(in.run_bytes) / kMegabyte);
  text += print("processor seconds while writing: merge runs %.1f; of the whole process: %.1f\n", summary.merge_seconds,
                pipeline::process_seconds());
  text += print(
      "bits a posting: docIDs %.2f, frequencies %.2f, index %.2f, bounds %.2f, headers %.2f, all %.2f; with "
      "stored fields %.2f\n",
      bits[0], bits[1], bits[2], bits[3], bits[4], bits[5], bits[6]);
  text += print("peak memory %.1f MiB", static_cast<double>(pipeline::peak_resident_bytes()) / (1 << 20));
  return text;
}

std::string summary_json(const BuildSummary& summary) {
  const repository::Manifest& m = summary.manifest;
  const pipeline::InvertedDocuments& in = summary.inverted;
  const auto bits = bits_a_posting(m);
  nlohmann::ordered_json json = {{"generation", m.generation},
                                 {"collection", m.collection},
                                 {"codec", m.codec},
                                 {"order", m.order},
                                 {"partitions", m.partitions.size()},
                                 {"documents", m.statistics.documents},
                                 {"tokens", m.statistics.tokens},
                                 {"terms", m.terms},
                                 {"postings", m.postings},
                                 {"resumed_documents", in.resumed_documents},
                                 {"added", summary.added},
                                 {"replaced", summary.replaced},
                                 {"bad_records", in.bad_records},
                                 {"duplicate_ids", in.duplicates},
                                 {"files_read", files_json(in.files_read)},
                                 {"files_skipped", in.skipped.total()},
                                 {"skipped", skipped_json(in.skipped)},
                                 {"records_skipped", in.skipped_records.total()},
                                 {"skipped_records", skipped_json(in.skipped_records)},
                                 {"titles_cut", tally_json(in.titles_cut)},
                                 {"urls_dropped", tally_json(in.urls_dropped)},
                                 {"not_utf8", tally_json(in.not_utf8)},
                                 {"values_left_out", tally_json(in.values_left_out)},
                                 {"impacts_cut", tally_json(in.impacts_cut)},
                                 {"bytes", in.bytes},
                                 {"megabytes_per_second", megabytes_a_second(summary)},
                                 {"seconds",
                                  {{"total", summary.total_seconds},
                                   {"index", summary.invert_seconds},
                                   {"order", summary.order_seconds},
                                   {"write", summary.write_seconds},
                                   {"publish", summary.publish_seconds}}},
                                 {"processor_seconds",
                                  {{"read", in.read_seconds},
                                   {"parse", in.parse_seconds},
                                   {"number", in.sequence_seconds},
                                   {"spool", in.spool_seconds},
                                   {"invert", in.invert_seconds},
                                   {"merge", summary.merge_seconds},
                                   {"process", pipeline::process_seconds()}}},
                                 {"runs", in.runs},
                                 {"run_bytes", in.run_bytes},
                                 {"peak_memory_bytes", pipeline::peak_resident_bytes()}};
  for (std::size_t i = 0; i < std::size(kListParts); ++i) json["bits_per_posting"][kListParts[i].first] = bits[i];
  json["bits_per_posting"]["all"] = bits[5];
  json["bits_per_posting"]["files"] = bits[6];
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace frond::indexer
