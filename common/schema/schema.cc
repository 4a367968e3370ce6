#include "common/schema/schema.h"

#include <algorithm>
#include <iterator>

#include "common/schema/nearest_names.h"
#include "common/text/analyzer_config.h"
#include "common/text/utf8.h"

namespace frond::schema {
namespace {

constexpr std::string_view kTakenNames[] = {"id",    "url",         "source",  "snippet",
                                            "score", "score_fixed", "ordinal", "sort"};

Error invalid(const Field& field, std::string_view member, const std::string& what) {
  return {Code::kInvalid, "fields." + field.name + (member.empty() ? "" : "." + std::string(member)) + " " + what};
}
std::string shown(bool flag) { return flag ? "true" : "false"; }

Result<void> check_type(const Field& field) {
  const auto other = [&](std::string_view member) {
    return invalid(field, member, "is no member of a field of type " + std::string(name_of(field.type)));
  };
  const Field usual;
  if (field.many && !is_column(field.type)) return other("many");
  if (field.type != FieldType::kText) {
    if (field.weight != usual.weight) return other("weight");
    if (field.positions) return other("positions");
    if (field.field_search) return other("field_search");
    if (!field.stored) return other("stored");
    if (!field.analyzer.empty()) return other("analyzer");
  }
  if (field.type != FieldType::kWeights && field.scale != usual.scale) return other("scale");
  return {};
}

Result<void> check_field(const Field& field) {
  if (!is_field_name(field.name))
    return Error(Code::kInvalid, "fields has the name " + quote(field.name) +
                                     ": a name has 1 to 64 letters, digits, '_', '-' and '.', a letter first, and is "
                                     "not id, url, source or snippet");
  FROND_TRY(check_type(field));
  if (field.weight < 1 || field.weight > kMaxFieldWeight)
    return invalid(field, "weight",
                   "is " + std::to_string(field.weight) + ", not from 1 to " + std::to_string(kMaxFieldWeight));
  if (!(field.scale > 0 && field.scale <= kMaxScale))
    return invalid(field, "scale", "is " + text_of(field.scale) + ", not above 0 and at most " + text_of(kMaxScale));
  if (!field.analyzer.empty() && !text::analyzer_named(field.analyzer))
    return invalid(field, "analyzer",
                   "is " + quote(field.analyzer) + nearest_hint(field.analyzer, text::kAnalyzerNames));
  return {};
}

// What differs between a field's two declarations.
Result<void> check_unchanged(const Field& old, const Field& wanted) {
  const auto changed = [&](std::string_view member, const std::string& before, const std::string& now) {
    return invalid(old, member, "would change from " + before + " to " + now + "; a schema may only gain fields");
  };
  if (old.type != wanted.type)
    return changed("type", std::string(name_of(old.type)), std::string(name_of(wanted.type)));
  if (old.many != wanted.many) return changed("many", shown(old.many), shown(wanted.many));
  if (old.weight != wanted.weight) return changed("weight", std::to_string(old.weight), std::to_string(wanted.weight));
  if (old.positions != wanted.positions) return changed("positions", shown(old.positions), shown(wanted.positions));
  if (old.field_search != wanted.field_search)
    return changed("field_search", shown(old.field_search), shown(wanted.field_search));
  if (old.stored != wanted.stored) return changed("stored", shown(old.stored), shown(wanted.stored));
  if (old.analyzer != wanted.analyzer) return changed("analyzer", quote(old.analyzer), quote(wanted.analyzer));
  if (old.scale != wanted.scale) return changed("scale", text_of(old.scale), text_of(wanted.scale));
  return {};
}

}  // namespace

const Field* Schema::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

bool Schema::has_positions() const { return std::ranges::any_of(fields, &Field::positions); }

std::vector<std::string_view> Schema::names() const {
  std::vector<std::string_view> all;
  for (const Field& field : fields) all.push_back(field.name);
  return all;
}

bool is_field_name(std::string_view name) {
  const auto allowed = [](char c) { return text::is_ascii_letter_or_digit(c) || c == '_' || c == '-' || c == '.'; };
  return !name.empty() && name.size() <= kMaxFieldNameBytes && text::is_ascii_letter(name[0]) &&
         std::ranges::all_of(name, allowed) && std::ranges::find(kTakenNames, name) == std::end(kTakenNames);
}

Result<void> check(const Schema& schema) {
  if (schema.fields.size() > kMaxFields)
    return Error(Code::kInvalid, "fields has " + std::to_string(schema.fields.size()) + " fields, more than " +
                                     std::to_string(kMaxFields));
  const Field* weights = nullptr;
  for (const Field& field : schema.fields) {
    FROND_TRY(check_field(field));
    if (schema.find(field.name) != &field) return invalid(field, "", "is there twice");
    if (field.type != FieldType::kWeights) continue;
    if (weights != nullptr)
      return invalid(field, "type", "is weights, as that of '" + weights->name + "' is; there can be only one");
    weights = &field;
  }
  if (weights != nullptr && schema.scorer != Scorer::kImpact)
    return invalid(*weights, "type", "is weights, which needs \"scorer\": \"impact\"");
  if (weights == nullptr && schema.scorer == Scorer::kImpact)
    return Error(Code::kInvalid, "scorer is impact, which needs a field of type weights");
  return {};
}

Result<void> check_extends(const Schema& old, const Schema& wanted) {
  for (const Field& field : old.fields) {
    const Field* const now = wanted.find(field.name);
    if (now == nullptr) return invalid(field, "", "would be gone; a schema may only gain fields");
    FROND_TRY(check_unchanged(field, *now));
  }
  if (old.source_stored != wanted.source_stored)
    return Error(Code::kInvalid, std::string("source would change from ") + (old.source_stored ? "stored" : "none") +
                                     " to " + (wanted.source_stored ? "stored" : "none"));
  if (old.scorer != wanted.scorer)
    return Error(Code::kInvalid,
                 "scorer would change to " + std::string(kScorerNames[static_cast<std::size_t>(wanted.scorer)]));
  return {};
}

Result<Schema> extended(const Schema& old, Schema wanted) {
  FROND_TRY(check_extends(old, wanted));
  std::ranges::stable_sort(wanted.fields, {}, [&](const Field& field) {
    return std::ranges::find(old.fields, field.name, &Field::name) - old.fields.begin();
  });
  return wanted;
}

Error unknown_field(const Schema& schema, std::string_view name) {
  return {Code::kInvalid,
          "field " + quote(std::string(name)) + " is not in the schema" + nearest_hint(name, schema.names())};
}

}  // namespace frond::schema
