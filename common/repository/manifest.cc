#include "common/repository/manifest.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>

#include "common/base/nesting.h"
#include "common/base/text.h"
#include "common/partition/file_checksum.h"
#include "common/repository/manifest_members.h"
#include "common/schema/schema_json.h"
#include "common/tls/digest.h"

namespace frond::repository {
namespace {
using nlohmann::json;

constexpr std::string_view kFormat = "frond-manifest-1";
// As the first, with members of `analyzer` that earlier versions do not know. They must refuse such a manifest, since
// they would analyze queries by other rules than the documents.
constexpr std::string_view kAnalyzerFormat = "frond-manifest-2";
// As the second, with hidden documents or document frequencies in several files: earlier versions would count wrongly.
constexpr std::string_view kChangedFormat = "frond-manifest-3";
// As the third, with a partition whose documents have static priors: earlier versions would rank without them.
constexpr std::string_view kPriorFormat = "frond-manifest-4";
// As the fourth, of a collection with a schema: earlier versions would take its documents' values for other arrays.
constexpr std::string_view kSchemaFormat = "frond-manifest-5";
constexpr std::size_t kMaxPartitions = 65536;
constexpr std::size_t kMaxDepth = 16;  // ours is 6 deep; deeper would recurse in dump()

// What the checksum is of: no spaces, members in byte order, numbers as short as they read back the same.
std::string canonical(const json& manifest) { return manifest.dump(-1, ' ', false, json::error_handler_t::replace); }

json file_to_json(const PartitionFile& file) {
  return {{"name", file.name}, {"bytes", file.bytes}, {"xxh3", file.xxh3}};
}

json partition_to_json(const PartitionEntry& entry) {
  const auto& s = entry.summary;
  json files = json::array();
  for (const auto& file : s.files) files.push_back(file_to_json(file));
  json made = {{"id", entry.id},
               {"base", entry.base},
               {"stride", entry.stride},
               {"documents", s.documents},
               {"tokens", s.tokens},
               {"terms", s.terms},
               {"postings", s.postings},
               {"built_average_length", s.built_average_length},
               {"list_bytes",
                {{"docids", s.docid_bytes},
                 {"frequencies", s.frequency_bytes},
                 {"index", s.index_bytes},
                 {"bounds", s.bound_bytes},
                 {"headers", s.header_bytes}}},
               {"files", std::move(files)}};
  if (!s.field_tokens.empty()) made["field_tokens"] = s.field_tokens;
  if (entry.hidden.documents > 0)
    made["hidden"] = {
        {"documents", entry.hidden.documents}, {"tokens", entry.hidden.tokens}, {"postings", entry.hidden.postings}};
  if (entry.hidden.documents > 0 && !entry.hidden.field_tokens.empty())
    made["hidden"]["field_tokens"] = entry.hidden.field_tokens;
  return made;
}

std::string digest_from(Members& members) {
  auto digest = members.text("xxh3");
  if (digest.size() != 32 || digest.find_first_not_of("0123456789abcdef") != std::string::npos)
    members.fail("xxh3", "is not 32 hexadecimal digits");
  return digest;
}

PartitionFile file_from(Members members) {
  PartitionFile file{members.safe_name("name"), members.number("bytes"), {}};
  file.xxh3 = digest_from(members);
  return file;
}

// The member `field_tokens`; empty: there is none.
partition::FieldTokens field_tokens_from(Members& members) {
  partition::FieldTokens tokens;
  if (!members.has("field_tokens")) return tokens;
  for (const json& number : members.array("field_tokens")) {
    if (!number.is_number_unsigned() || number.get<std::uint64_t>() > kMaxNumber ||
        tokens.size() == schema::kMaxFields) {
      members.fail("field_tokens", "has something that is no number of tokens of a field");
      return {};
    }
    tokens.push_back(number.get<std::uint64_t>());
  }
  return tokens;
}

InputFiles input_from(Members members) {
  InputFiles input{members.number("files"), members.number("bytes"), {}};
  input.xxh3 = digest_from(members);
  return input;
}

PartitionEntry partition_from(Members members, std::string& error) {
  PartitionEntry entry;
  entry.id = members.safe_name("id");
  entry.base = members.number("base");
  entry.stride = members.number("stride");
  if (entry.stride == 0) members.fail("stride", "is 0");
  auto& s = entry.summary;
  s.documents = members.number("documents");
  if (s.documents >= kNoDoc) members.fail("documents", "is more than a partition holds");
  if (entry.stride >= kNoDoc || entry.base > kMaxNumber / 2 || s.documents * entry.stride > kMaxNumber / 2)
    members.fail("base", "makes ordinals too large");
  s.tokens = members.number("tokens");
  s.terms = members.number("terms");
  s.postings = members.number("postings");
  s.built_average_length = members.real("built_average_length");
  auto bytes = members.object("list_bytes");
  s.docid_bytes = bytes.number("docids");
  s.frequency_bytes = bytes.number("frequencies");
  s.index_bytes = bytes.number("index");
  s.bound_bytes = bytes.number("bounds");
  s.header_bytes = bytes.number("headers");
  s.field_tokens = field_tokens_from(members);
  if (members.has("hidden")) {
    auto hidden = members.object("hidden");
    entry.hidden = {hidden.number("documents"), hidden.number("tokens"), hidden.number("postings"),
                    field_tokens_from(hidden)};
    if (entry.hidden.documents > s.documents || entry.hidden.tokens > s.tokens || entry.hidden.postings > s.postings)
      members.fail("hidden", "is more than the partition has");
  }
  std::set<std::string> names;
  for (const auto& file : members.array("files")) {
    s.files.push_back(file_from({file, members.path() + "files[" + std::to_string(s.files.size()) + "].", error}));
    if (!names.insert(s.files.back().name).second) members.fail("files", "names a file twice");
    if (!members.ok()) break;
  }
  return entry;
}

void read_bm25(Members members, Manifest& manifest) {
  manifest.bm25 = {members.real("k1"), members.real("b")};
  if (scoring::are_impacts(manifest.bm25)) return;  // read_schema() says whether they are
  if (!(manifest.bm25.k1 >= 0 && manifest.bm25.k1 <= scoring::kMaxK1)) members.fail("k1", "is out of range");
  if (!(manifest.bm25.b >= 0 && manifest.bm25.b <= 1)) members.fail("b", "is out of range");
}

void check_totals(Members& members, const Manifest& manifest) {
  std::uint64_t documents = 0, tokens = 0, postings = 0;
  partition::FieldTokens field_tokens(manifest.field_tokens.size());
  std::set<std::string_view> ids;
  for (const auto& partition : manifest.partitions) {
    if (!ids.insert(partition.id).second) members.fail("partitions", "names " + partition.id + " twice");
    documents += partition.summary.documents - partition.hidden.documents;
    tokens += partition.summary.tokens - partition.hidden.tokens;
    postings += partition.summary.postings - partition.hidden.postings;
    auto in_fields = partition.summary.field_tokens;
    if (!partition::take_field_tokens(in_fields, partition.hidden.field_tokens))
      members.fail("partitions", "has hidden tokens of fields that " + partition.id + " does not have");
    partition::add_field_tokens(field_tokens, in_fields);
    const auto is_too_much = [](std::uint64_t sum) { return sum > kMaxNumber; };
    if (is_too_much(tokens) || is_too_much(postings) || std::ranges::any_of(field_tokens, is_too_much))
      return members.fail("partitions", "have sums above 2^62");  // soon they would begin at 0 again
    if (partition.hidden.documents > 0 && manifest.changes.empty())
      members.fail("changes", "are missing: " + partition.id + " has hidden documents");
  }
  if (documents != manifest.statistics.documents) members.fail("statistics.documents", "is not the partitions' sum");
  if (tokens != manifest.statistics.tokens) members.fail("statistics.tokens", "is not the partitions' sum");
  if (postings != manifest.postings) members.fail("statistics.postings", "is not the partitions' sum");
  if (field_tokens != manifest.field_tokens) members.fail("field_tokens", "are not the partitions' sums");
}

// Whether a file is "<n>.<ending>", of this generation or an earlier one.
bool is_named(const PartitionFile& file, std::string_view ending, Generation latest) {
  Generation number = 0;
  const char* const end = file.name.data() + file.name.size();
  const auto [rest, failed] = std::from_chars(file.name.data(), end, number);
  return failed == std::errc() && number > 0 && number <= latest &&
         std::to_string(number) + std::string(ending) == file.name && rest != end;
}

// Members that tell how the generation differs from the one that its term statistics were written for.
void read_changes(Members& members, Manifest& manifest, std::string& error) {
  for (const auto& file : members.array("changes")) {
    const std::string path = "manifest.changes[" + std::to_string(manifest.changes.size()) + "].";
    manifest.changes.push_back(file_from({file, path, error}));
    if (manifest.changes.size() > kMaxChanges) members.fail("changes", "are too many");
    if (members.ok() && !is_named(manifest.changes.back(), ".changes.sst", manifest.generation))
      members.fail("changes", "has a name that is no generation's");
    for (std::size_t i = 0; i + 1 < manifest.changes.size(); ++i)
      if (manifest.changes[i].name == manifest.changes.back().name) members.fail("changes", "names a file twice");
    if (!members.ok()) return;
  }
}

// `checksum` was compared: 32 hexadecimal digits.
ContentId content_of(std::string_view checksum) {
  ContentId content = 0;
  std::from_chars(checksum.data(), checksum.data() + 2 * sizeof content, content, 16);
  return content == 0 ? 1 : content;
}

bool has_priors(const Manifest& manifest) {
  return std::ranges::any_of(manifest.partitions, [](const auto& entry) { return entry.summary.has_priors(); });
}

// Of a collection with a schema.
void read_schema(Members& members, Manifest& manifest) {
  manifest.schema = members.text("schema");
  const auto schema = schema::parse_schema(manifest.schema);
  if (!schema) return members.fail("schema", "is none: " + schema.error().message());
  if (!members.has("field_tokens")) return members.fail("field_tokens", "is missing");
  manifest.field_tokens = field_tokens_from(members);
  if (manifest.field_tokens.size() != schema->fields.size())
    members.fail("field_tokens", "are not one for each field of the schema");
  if (scoring::are_impacts(manifest.bm25) != (schema->scorer == schema::Scorer::kImpact))
    members.fail("bm25", "is not that of the schema's scorer");
}

Manifest read_manifest(const json& document, std::string& error) {
  Members members(document, "manifest.", error);
  Manifest manifest;
  const std::string format = members.text("format");
  static constexpr std::string_view kFormats[] = {kFormat, kAnalyzerFormat, kChangedFormat, kPriorFormat,
                                                  kSchemaFormat};
  if (std::ranges::find(kFormats, format) == std::end(kFormats))
    members.fail("format", "is none of " + listed(kFormats));
  const bool has_schema = format == kSchemaFormat;
  const bool may_be_changed = format == kChangedFormat || format == kPriorFormat || has_schema;
  manifest.generation = members.number("generation");
  if (manifest.generation == 0) members.fail("generation", "is 0");
  manifest.previous = members.number("previous");
  manifest.collection = members.safe_name("collection");
  manifest.created = members.text("created");
  manifest.codec = members.text("codec");
  if (members.has("stored_compression")) {
    const std::string name = members.text("stored_compression");
    if (const auto stored = partition::stored_compression_named(name))
      manifest.stored = *stored;
    else
      members.fail("stored_compression", "is none of " + std::string(partition::kStoredCompressionNames));
  }
  if (members.has("order")) manifest.order = members.safe_name("order");
  if (members.has("input")) manifest.input = input_from(members.object("input"));
  if (members.has("log_sequence")) manifest.log_sequence = members.number("log_sequence");
  if (members.has("log_id")) manifest.log_id = members.safe_name("log_id");
  manifest.analyzer = read_analyzer(members.object("analyzer"));
  read_bm25(members.object("bm25"), manifest);
  auto statistics = members.object("statistics");
  manifest.statistics = {statistics.number("documents"), statistics.number("tokens")};
  manifest.terms = statistics.number("terms");
  manifest.postings = statistics.number("postings");
  manifest.term_statistics = file_from(members.object("term_statistics"));
  if (may_be_changed) read_changes(members, manifest, error);
  if (has_schema)
    read_schema(members, manifest);
  else if (scoring::are_impacts(manifest.bm25))
    members.fail("bm25", "is that of impacts, which need a schema");
  const Generation latest = manifest.generation;
  if (may_be_changed ? !is_named(manifest.term_statistics, ".terms.sst", latest)
                     : manifest.term_statistics.name != std::to_string(latest) + ".terms.sst")
    members.fail("term_statistics.name", "is not the generation's");
  const auto& partitions = members.array("partitions");
  if (partitions.size() > kMaxPartitions) members.fail("partitions", "are too many");
  for (const auto& partition : partitions) {
    if (!members.ok()) break;
    const auto path = "manifest.partitions[" + std::to_string(manifest.partitions.size()) + "].";
    manifest.partitions.push_back(partition_from({partition, path, error}, error));
  }
  if (members.ok()) check_totals(members, manifest);
  if (members.ok() && !has_schema && has_priors(manifest) != (format == kPriorFormat))
    members.fail("format", "is not that of the partitions, by their files of priors");
  return manifest;
}
}  // namespace

bool is_safe_name(std::string_view name) { return frond::is_safe_name(name); }

namespace {
json manifest_json(const Manifest& m) {
  const bool changed =
      !m.changes.empty() || m.term_statistics.name != std::to_string(m.generation) + std::string(".terms.sst");
  const bool priors = has_priors(m);
  const std::string_view format = !m.schema.empty()                                  ? kSchemaFormat
                                  : priors                                           ? kPriorFormat
                                  : changed                                          ? kChangedFormat
                                  : m.analyzer.kind == text::AnalyzerKind::kStandard ? kFormat
                                                                                     : kAnalyzerFormat;
  json partitions = json::array();
  for (const auto& entry : m.partitions) partitions.push_back(partition_to_json(entry));
  json manifest = {{"format", format},
                   {"generation", m.generation},
                   {"previous", m.previous},
                   {"collection", m.collection},
                   {"created", m.created},
                   {"codec", m.codec},
                   {"analyzer", analyzer_to_json(m.analyzer)},
                   {"bm25", {{"k1", m.bm25.k1}, {"b", m.bm25.b}}},
                   {"statistics",
                    {{"documents", m.statistics.documents},
                     {"tokens", m.statistics.tokens},
                     {"terms", m.terms},
                     {"postings", m.postings}}},
                   {"term_statistics", file_to_json(m.term_statistics)},
                   {"partitions", std::move(partitions)}};
  if (!m.schema.empty()) {
    manifest["schema"] = m.schema;
    manifest["field_tokens"] = m.field_tokens;
  }
  if (changed || priors || !m.schema.empty()) {
    json changes = json::array();
    for (const auto& file : m.changes) changes.push_back(file_to_json(file));
    manifest["changes"] = std::move(changes);
  }
  if (m.stored != partition::StoredCompression::kSmall) manifest["stored_compression"] = name_of(m.stored);
  if (!m.order.empty()) manifest["order"] = m.order;
  if (m.log_sequence > 0) manifest["log_sequence"] = m.log_sequence;
  if (!m.log_id.empty()) manifest["log_id"] = m.log_id;
  if (!m.input.xxh3.empty())
    manifest["input"] = {{"files", m.input.files}, {"bytes", m.input.bytes}, {"xxh3", m.input.xxh3}};
  return manifest;
}

std::string text_to_sign(const json& manifest, const json& sha256) {
  const auto digest = [](const json& value) { return tls::hex_of(tls::sha256(canonical(value))); };
  return "frond-manifest-signature-1\n" + digest(manifest) + "\n" + digest(sha256) + "\n";
}
}  // namespace

std::string text_to_sign(const Manifest& manifest) {
  return text_to_sign(manifest_json(manifest), json(manifest.signature->sha256));
}

std::string to_json(const Manifest& m) {
  const json manifest = manifest_json(m);
  json document = {{"manifest", manifest}, {"xxh3", partition::xxh3_hex(as_bytes(canonical(manifest)))}};
  if (m.signature) document["signature"] = signature_to_json(*m.signature);
  return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<Manifest> manifest_from_json(std::string_view text) {
  if (text.size() > kMaxManifestBytes) return Error(Code::kCorrupt, "manifest: larger than 16 MiB");
  if (!nests_within(text, kMaxDepth)) return Error(Code::kCorrupt, "manifest: nested too deeply");
  try {
    const json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!document.is_object()) return Error(Code::kCorrupt, "manifest: not a JSON object");
    const auto manifest = document.find("manifest"), checksum = document.find("xxh3");
    if (manifest == document.end() || checksum == document.end() || !checksum->is_string())
      return Error(Code::kCorrupt, "manifest: no 'manifest' or no 'xxh3'");
    if (partition::xxh3_hex(as_bytes(canonical(*manifest))) != checksum->get<std::string>())
      return Error(Code::kCorrupt, "manifest: its checksum is wrong");
    std::string error;
    Manifest read = read_manifest(*manifest, error);
    if (const auto signature = document.find("signature"); signature != document.end()) {
      read.signature = read_signature(Members(*signature, "signature.", error));
      read.signature->text = text_to_sign(*manifest, json(read.signature->sha256));
    }
    if (!error.empty()) return Error(Code::kCorrupt, error);
    read.content = content_of(checksum->get_ref<const std::string&>());
    return read;
  } catch (const std::exception& thrown) {  // a string that is not UTF-8, or no memory
    return Error(Code::kCorrupt, std::string("manifest: ") + thrown.what());
  }
}

}  // namespace frond::repository
