#include "tools/import/mapping_schema.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "common/elasticsearch/date_format.h"

namespace frond::tools {
namespace {
using MappingJson = elasticsearch::Json;

constexpr std::size_t kMaxMappingDepth = 20, kMaxNamed = 20;
// Types whose documents another one reads, too.
using ReadAs = std::pair<std::string_view, std::string_view>;
constexpr ReadAs kReadAs[] = {
    {"match_only_text", "text"}, {"wildcard", "keyword"}, {"half_float", "float"}, {"scaled_float", "double"}};
// Members of fields that change neither what is found here nor what values are, whatever they say.
constexpr std::string_view kWithoutEffect =
    "store norms index doc_values fielddata fielddata_frequency_filter eager_global_ordinals index_options term_vector "
    "coerce meta index_phrases index_prefixes ignore_malformed position_increment_gap scaling_factor "
    "time_series_dimension time_series_metric ";

// The first of the formats in which no date can be written and read; empty: none.
std::string unread_format(std::string_view formats) {
  while (!formats.empty()) {
    const std::string_view one = formats.substr(0, formats.find("||"));
    const auto written = elasticsearch::print_date(0, one);
    if (!written || !elasticsearch::parse_date(*written, one, {})) return std::string(one);
    formats.remove_prefix(std::min(one.size() + 2, formats.size()));
  }
  return {};
}

std::string text_in(const MappingJson& json, const char* member, std::string absent = {}) {
  const auto found = json.find(member);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::move(absent);
}

// The fields of an index that Frond has, each by its whole name.
class FieldList {
 public:
  explicit FieldList(MappingJson analysis) : settings_{{"analysis", std::move(analysis)}} {}

  Result<void> add_all(const MappingJson& properties, const std::string& within, std::size_t depth) {
    if (!properties.is_object()) return Error(Code::kInvalid, "the mapping's properties are no object");
    if (depth > kMaxMappingDepth) return Error(Code::kInvalid, "the mapping nests more than 20 times");
    for (const auto& [key, field] : properties.items()) {
      const std::string name = within.empty() ? key : within + "." + key;
      if (!field.is_object()) return Error(Code::kInvalid, "the mapping of field " + name + " is no object");
      if (text_in(field, "type", "object") != "object")
        add(field, name, name);
      else if (field.contains("properties") && field.value("enabled", MappingJson(true)) != false)
        FROND_TRY(add_all(field["properties"], name, depth + 1));
    }
    return {};
  }

  void skip(const std::string& name, const std::string& why) { skipped_.push_back(name + " (" + why + ")"); }

  Result<ImportedMapping> mapping() && {
    auto read = elasticsearch::read_mapping(settings_, {{"properties", properties_}});
    if (!read) return Error(Code::kInvalid, std::move(read).error().reason);
    for (auto& field : read->fields) field.path = paths_.at(field.name);
    std::string settings = elasticsearch::collection_settings(*read);
    return ImportedMapping{{}, std::move(read->fields), std::move(settings), std::move(skipped_)};
  }

 private:
  // `path`: of the member of documents, another one for a multi-field.
  void add(MappingJson field, const std::string& name, const std::string& path) {
    const auto same = std::ranges::find(kReadAs, text_in(field, "type"), &ReadAs::first);
    if (same != std::end(kReadAs)) field["type"] = same->second;
    const bool text = text_in(field, "type") == "text", searched = field.value("index", MappingJson(true)) != false;
    const MappingJson inner = field.value("fields", MappingJson::object());
    field.erase("fields");
    for (std::string_view rest = kWithoutEffect; !rest.empty(); rest.remove_prefix(rest.find(' ') + 1))
      field.erase(std::string(rest.substr(0, rest.find(' '))));
    if (field.value("similarity", MappingJson()) == "BM25") field.erase("similarity");
    const auto& defined = settings_["analysis"].value("analyzer", MappingJson::object());
    if (text && defined.contains("default") && !field.contains("analyzer")) field["analyzer"] = "default";
    if (text && defined.contains("default_search") && !field.contains("search_analyzer"))
      field["search_analyzer"] = "default_search";
    if (searched || !text) keep(std::move(field), name, path, text);
    if (!inner.is_object() || name != path) return;
    for (const auto& [key, one] : inner.items())
      if (one.is_object()) add(one, name + "." + key, path);
  }

  void keep(MappingJson field, const std::string& name, const std::string& path, bool text) {
    auto alone =
        elasticsearch::read_mapping(settings_, {{"properties", {{name, field}}}}, elasticsearch::Origin::kRequest);
    if (!alone) return skip(name, alone.error().reason);
    if (alone->fields[0].type == elasticsearch::Type::kDate)
      if (const auto format = unread_format(alone->fields[0].format); !format.empty())
        return skip(name, "format " + format);
    if (text && analyzer_ && !(alone->analyzer == *analyzer_))
      return skip(name, "analyzer " + alone->fields[0].analyzer + " beside another");
    if (text) analyzer_ = alone->analyzer;
    properties_[name] = std::move(field);
    paths_[name] = path;
  }

  const MappingJson settings_;
  MappingJson properties_ = MappingJson::object();
  std::map<std::string, std::string> paths_;
  std::optional<text::AnalyzerConfig> analyzer_;  // of all text; empty: no text yet
  std::vector<std::string> skipped_;
};

std::string named(const std::vector<std::string>& names) {
  std::string all;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxNamed); ++i) all += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kMaxNamed ? all + ", and " + std::to_string(names.size() - kMaxNamed) + " more" : all;
}

}  // namespace

Result<ImportedMapping> read_mapping(std::string_view answer, bool skip) {
  const MappingJson whole = MappingJson::parse(answer, nullptr, /*allow_exceptions=*/false);
  if (!whole.is_object() || whole.empty()) return Error(Code::kCorrupt, "what is told of the index is no JSON object");
  if (whole.size() > 1)
    return Error(Code::kInvalid,
                 "the name stands for " + std::to_string(whole.size()) + " indices: import one at a time");
  const MappingJson& index = whole.begin().value();
  const auto mappings = index.is_object() ? index.find("mappings") : index.end();
  if (!index.is_object() || mappings == index.end() || !mappings->is_object())
    return Error(Code::kCorrupt, "no mappings are told of the index");
  if (mappings->contains("_source") && (*mappings)["_source"] != MappingJson::object() &&
      (*mappings)["_source"] != MappingJson({{"enabled", true}}))
    return Error(Code::kInvalid, "the index does not keep all of _source, so its documents can't be had");
  const MappingJson* const analysis = elasticsearch::at_path(index, "settings.index.analysis");
  FieldList fields(analysis != nullptr && analysis->is_object() ? *analysis : MappingJson::object());
  if (const auto properties = mappings->find("properties"); properties != mappings->end())
    FROND_TRY(fields.add_all(*properties, "", 0));
  if (const auto runtime = mappings->find("runtime"); runtime != mappings->end() && runtime->is_object())
    for (const auto& [name, field] : runtime->items()) fields.skip(name, "runtime");
  auto mapping = FROND_TRY(std::move(fields).mapping());
  if (!mapping.skipped.empty() && !skip)
    return Error(Code::kInvalid, "these fields have nothing like them here: " + named(mapping.skipped) +
                                     "; with --skip they are in documents' sources only");
  mapping.index = whole.begin().key();
  return mapping;
}

}  // namespace frond::tools
