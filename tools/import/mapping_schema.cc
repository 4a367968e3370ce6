#include "tools/import/mapping_schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "common/schema/schema.h"
#include "common/text/utf8.h"

namespace frond::tools {
namespace {
using Json = nlohmann::ordered_json;
using Kind = ImportedField::Kind;

constexpr std::size_t kMaxMappingDepth = 20, kMaxNamed = 20;
constexpr std::pair<std::string_view, Kind> kMappedTypes[] = {
    {"text", Kind::kText},        {"match_only_text", Kind::kText},
    {"keyword", Kind::kKeyword},  {"wildcard", Kind::kKeyword},
    {"long", Kind::kInteger},     {"integer", Kind::kInteger},
    {"short", Kind::kInteger},    {"byte", Kind::kInteger},
    {"double", Kind::kFloat},     {"float", Kind::kFloat},
    {"half_float", Kind::kFloat}, {"scaled_float", Kind::kFloat},
    {"boolean", Kind::kBoolean},  {"date", Kind::kDate}};
constexpr std::string_view kSchemaTypes[] = {"text", "keyword", "integer", "float", "boolean", "date"};
// What Frond reads of dates; "strict_date_optional_time||epoch_millis" has two of them.
constexpr std::string_view kDateFormats =
    "strict_date_optional_time,date_optional_time,epoch_millis,epoch_second,strict_date,date,strict_date_time,"
    "date_time,yyyy-MM-dd,strict_date_optional_time_nanos";
// Members of fields that are read here, or change neither what is found nor what values are.
constexpr std::string_view kMembers =
    "type,fields,analyzer,format,ignore_above,store,norms,index,doc_values,fielddata,fielddata_frequency_filter,"
    "eager_global_ordinals,index_options,term_vector,coerce,meta,index_phrases,index_prefixes,ignore_malformed,"
    "position_increment_gap,scaling_factor,time_series_dimension,time_series_metric";
// Records have their text or their id by these names.
constexpr std::string_view kOtherUses = "contents,text,content,passage,pid,docid,doc_id";

// Whether it stands in a list between commas.
bool is_one_of(std::string_view names, std::string_view name) {
  const auto whole = "," + std::string(names) + ",";
  return name.find(',') == name.npos && whole.find("," + std::string(name) + ",") != whole.npos;
}

// The name that a field of the index has in the schema.
std::string column_of(std::string_view name, Kind kind) {
  const bool own_text = name == "title" || name == "body";
  const bool other = is_one_of(kOtherUses, name) || name.starts_with("f.");
  if (own_text ? kind == Kind::kText : schema::is_field_name(name) && !other) return std::string(name);
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out = "f.";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (text::is_ascii_letter_or_digit(c) || c == '_' || c == '.')
      out += c;
    else
      out.append("-").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
  }
  return out;
}

// The first format that Frond does not read; empty: none.
std::string unread_format(std::string_view formats) {
  while (!formats.empty()) {
    const auto end = std::min(formats.find("||"), formats.size());
    if (!is_one_of(kDateFormats, formats.substr(0, end))) return std::string(formats.substr(0, end));
    formats.remove_prefix(std::min(end + 2, formats.size()));
  }
  return {};
}

class MappingReader {
 public:
  ImportedMapping mapping;
  std::string analyzer;  // of all text; empty: no text yet
  Json analyzers;        // that the index's settings define; null: none

  Result<void> read(const Json& properties, const std::string& within, std::size_t depth) {
    if (!properties.is_object()) return Error(Code::kInvalid, "the mapping's properties are no object");
    if (depth > kMaxMappingDepth) return Error(Code::kInvalid, "the mapping nests more than 20 times");
    for (const auto& [key, field] : properties.items()) {
      const std::string name = within.empty() ? key : within + "." + key;
      if (!field.is_object()) return Error(Code::kInvalid, "the mapping of field " + name + " is no object");
      FROND_TRY(read_field(field, name, name, depth));
    }
    return {};
  }

 private:
  static std::string text_in(const Json& json, const char* member, std::string absent = {}) {
    const auto found = json.find(member);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::move(absent);
  }
  void skip(const std::string& name, const std::string& why) { mapping.skipped.push_back(name + " (" + why + ")"); }

  Result<void> read_field(const Json& field, const std::string& name, const std::string& path, std::size_t depth) {
    const bool has_inner = field.contains("properties");
    const std::string type = text_in(field, "type", "object");
    if (type == "object") {
      const bool read_inner = has_inner && field.value("enabled", Json(true)) != false;
      return read_inner ? read(field["properties"], name, depth + 1) : Result<void>();
    }
    const auto known = std::ranges::find(kMappedTypes, type, &std::pair<std::string_view, Kind>::first);
    if (known == std::end(kMappedTypes)) {
      skip(name, type);
      return {};
    }
    add(field, name, path, known->second);
    if (const auto more = field.find("fields"); more != field.end() && more->is_object())
      for (const auto& [key, inner] : more->items()) FROND_TRY(read_field(inner, name + "." + key, path, depth + 1));
    return {};
  }

  void add(const Json& field, const std::string& name, const std::string& path, Kind kind) {
    ImportedField imported{path, column_of(name, kind), kind};
    if (!schema::is_field_name(imported.column)) return skip(name, "a name of more than 64 bytes");
    std::string used;
    if (kind == Kind::kText) {
      if (field.value("index", Json(true)) == false) return;
      used = text_in(field, "analyzer", analyzers.contains("default") ? "default" : "standard");
      if ((used != "standard" && used != "english") || analyzers.contains(used)) return skip(name, "analyzer " + used);
      if (!field.contains("search_analyzer") && analyzers.contains("default_search"))
        return skip(name, "analyzer default_search");
      if (!analyzer.empty() && used != analyzer) return skip(name, "analyzer " + used + " beside " + analyzer);
    }
    for (const auto& [member, value] : field.items()) {
      const bool same = (member == "search_analyzer" || member == "search_quote_analyzer") && value == used;
      if (!is_one_of(kMembers, member) && !same && !(member == "similarity" && value == "BM25"))
        return skip(name, member);
    }
    if (kind == Kind::kDate) {
      const std::string formats = text_in(field, "format");
      if (const auto unread = unread_format(formats); !unread.empty()) return skip(name, "format " + unread);
      imported.in_seconds = formats.find("epoch_second") < formats.find("epoch_millis");  // the first one counts
    }
    if (kind == Kind::kText) analyzer = used;
    const auto above = field.find("ignore_above");
    if (above != field.end() && above->is_number_unsigned()) imported.ignore_above = above->get<std::size_t>();
    mapping.fields.push_back(std::move(imported));
  }
};

std::string settings_of(const MappingReader& reader) {
  Json fields = Json::object();
  for (const ImportedField& field : reader.mapping.fields) {
    Json& one = fields[field.column] = {{"type", kSchemaTypes[static_cast<std::size_t>(field.kind)]}};
    if (field.kind == Kind::kText)
      one.update({{"positions", true}, {"field_search", true}});
    else
      one["many"] = true;
  }
  const bool english = reader.analyzer == "english";
  return Json({{"analyzer", "standard3"},
               {"stemmer", english ? "porter" : "none"},
               {"stop_words", english ? "on" : "off"},
               {"k1", 1.2},
               {"b", 0.75},
               {"schema", {{"fields", std::move(fields)}, {"source", "stored"}}}})
      .dump();
}

std::string named(const std::vector<std::string>& names) {
  std::string all;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxNamed); ++i) all += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kMaxNamed ? all + ", and " + std::to_string(names.size() - kMaxNamed) + " more" : all;
}

}  // namespace

Result<ImportedMapping> read_mapping(std::string_view answer, bool skip) {
  const Json whole = Json::parse(answer, nullptr, /*allow_exceptions=*/false);
  if (!whole.is_object() || whole.empty()) return Error(Code::kCorrupt, "what is told of the index is no JSON object");
  if (whole.size() > 1)
    return Error(Code::kInvalid,
                 "the name stands for " + std::to_string(whole.size()) + " indices: import one at a time");
  const Json& index = whole.begin().value();
  const auto mappings = index.is_object() ? index.find("mappings") : index.end();
  if (!index.is_object() || mappings == index.end() || !mappings->is_object())
    return Error(Code::kCorrupt, "no mappings are told of the index");
  if (mappings->contains("_source") && (*mappings)["_source"] != Json::object() &&
      (*mappings)["_source"] != Json({{"enabled", true}}))
    return Error(Code::kInvalid, "the index does not keep all of _source, so its documents can't be had");
  MappingReader reader;
  reader.mapping.index = whole.begin().key();
  reader.analyzers = index.value(Json::json_pointer("/settings/index/analysis/analyzer"), Json());
  if (const auto properties = mappings->find("properties"); properties != mappings->end())
    FROND_TRY(reader.read(*properties, "", 0));
  if (const auto runtime = mappings->find("runtime"); runtime != mappings->end() && runtime->is_object())
    for (const auto& [name, field] : runtime->items()) reader.mapping.skipped.push_back(name + " (runtime)");
  if (!reader.mapping.skipped.empty() && !skip)
    return Error(Code::kInvalid, "these fields have nothing like them here: " + named(reader.mapping.skipped) +
                                     "; with --skip they are in documents' sources only");
  reader.mapping.settings = settings_of(reader);
  return std::move(reader.mapping);
}

}  // namespace frond::tools
