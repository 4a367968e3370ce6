#include "common/schema/inference.h"

#include <algorithm>
#include <utility>

#include "common/base/long_hash.h"
#include "common/schema/date.h"

namespace frond::schema {
namespace {

constexpr std::size_t kHashes = 128;           // of one member
constexpr std::uint64_t kKeywordBytes = 100;   // a longer string is text
constexpr std::uint64_t kKeywordWords = 3;     // on average; more are text
constexpr std::uint64_t kFewDifferent = 1000;  // strings that repeat are keywords, also longer ones
constexpr std::uint64_t kRepetitions = 4;      // … if each is there so often, on average

void keep_smallest(std::set<std::uint64_t>& hashes, std::uint64_t hash) {
  if (hashes.size() == kHashes && hash >= *hashes.rbegin()) return;
  hashes.insert(hash);
  if (hashes.size() > kHashes) hashes.erase(std::prev(hashes.end()));
}

// Of a full set, from how densely its hashes lie (k minimum values).
std::uint64_t different(const std::set<std::uint64_t>& hashes) {
  if (hashes.size() < kHashes) return hashes.size();
  const double share = static_cast<double>(*hashes.rbegin()) * 0x1p-64;  // of all hashes, up to the largest one kept
  return static_cast<std::uint64_t>(std::min(1e18, static_cast<double>(kHashes - 1) / share));
}

std::uint64_t words_of(std::string_view text) {
  std::uint64_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    words += !space && !inside ? 1 : 0;
    inside = !space;
  }
  return words;
}

// "2020-12-31" and longer. A year or a number alone is rarely meant as a date.
bool is_date(std::string_view text) { return text.size() >= 10 && text[4] == '-' && parse_date(text).has_value(); }

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

struct SchemaInference::Choice {
  std::string reason;
  bool chosen = false;
  FieldType type = FieldType::kKeyword;
};

// The last name in byte order goes when there are too many. One that went never comes back, since the names that are
// kept only become smaller; so those that remain at the end have been counted from their first document on.
SchemaInference::Counts* SchemaInference::counts_of(std::string_view name) {
  if (const auto found = members_.find(name); found != members_.end()) return &found->second;
  if (members_.size() == kMaxInferredNames) {
    const auto last = std::prev(members_.end());
    if (name > last->first) return nullptr;
    members_.erase(last);
  }
  return &members_[std::string(name)];
}

void SchemaInference::count_string(Counts& counts, const std::string& text) {
  ++counts.strings;
  counts.dates += is_date(text) ? 1 : 0;
  counts.words += words_of(text);
  counts.max_bytes = std::max<std::uint64_t>(counts.max_bytes, text.size());
  keep_smallest(counts.smallest_hashes, long_hash(as_bytes(text)));
}

void SchemaInference::add(std::string_view name, std::span<const Value> values, bool is_array) {
  Counts* const counts = counts_of(name);
  if (counts == nullptr) return;
  ++counts->documents;
  counts->arrays += is_array ? 1 : 0;
  for (const Value& value : values) {
    ++counts->values;
    counts->integers += std::holds_alternative<std::int64_t>(value) ? 1 : 0;
    counts->numbers += std::holds_alternative<double>(value) ? 1 : 0;
    counts->booleans += std::holds_alternative<bool>(value) ? 1 : 0;
    if (const auto* text = std::get_if<std::string>(&value)) count_string(*counts, *text);
  }
}

// Counts as a string, and as what it reads as besides: where only some cells are numbers, all are strings.
void SchemaInference::add_cell(std::string_view name, const std::string& text, const Value& value) {
  Counts* const counts = counts_of(name);
  if (counts == nullptr) return;
  add(name, {&value, 1}, /*is_array=*/false);
  if (!std::holds_alternative<std::string>(value)) count_string(*counts, text);
}

void SchemaInference::add_nested(std::string_view name) {
  Counts* const counts = counts_of(name);
  if (counts == nullptr) return;
  ++counts->documents;
  ++counts->nested;
}

SchemaInference::Choice SchemaInference::choose(const Counts& counts, bool usual_text) {
  if (counts.nested != 0)
    return {"not a field: an object, an array of objects or arrays, or more values than a column takes"};
  if (counts.values == 0) return {"not a field: only empty arrays"};
  if (counts.booleans == counts.values) return {"true or false", true, FieldType::kBoolean};
  if (counts.integers == counts.values) return {"integers", true, FieldType::kInteger};
  if (counts.integers + counts.numbers == counts.values) return {"numbers", true, FieldType::kFloat};
  if (counts.strings != counts.values) return {"not a field: strings, and values that are no strings"};
  if (counts.dates == counts.values && !usual_text) return {"dates", true, FieldType::kDate};
  const std::uint64_t distinct = different(counts.smallest_hashes);
  const bool repeat = distinct <= kFewDifferent && counts.values >= distinct * kRepetitions;
  const bool is_short = counts.max_bytes <= kKeywordBytes && counts.words <= kKeywordWords * counts.values;
  const bool fits = counts.max_bytes <= kMaxKeywordBytes;
  const std::string strings = "strings of up to " + std::to_string(counts.max_bytes) + " bytes, " +
                              std::to_string(counts.words) + " words in " + std::to_string(counts.values) + ", about " +
                              std::to_string(distinct) + " different ones";
  if (!usual_text && fits && (is_short || repeat)) return {strings, true, FieldType::kKeyword};
  if (counts.arrays == 0) return {usual_text ? "its name, and strings" : strings, true, FieldType::kText};
  if (fits) return {"an array, so not text; " + strings, true, FieldType::kKeyword};
  return {"not a field: an array of text"};
}

InferredSchema SchemaInference::infer(std::span<const std::string_view> texts,
                                      std::span<const std::string_view> skipped) const {
  InferredSchema inferred;
  inferred.schema.source_stored = true;
  std::vector<Field> columns;
  for (const auto& [name, counts] : members_) {
    Choice choice;
    if (contains(skipped, name))
      choice.reason = "needs no entry";
    else if (!is_field_name(name))
      choice.reason = "not a field: its name would need quotes";
    else
      choice = choose(counts, contains(texts, name));
    if (choice.chosen && inferred.schema.fields.size() + columns.size() == kMaxFields)
      choice = {"not a field: there are more than " + std::to_string(kMaxFields)};
    choice.reason += ", in " + std::to_string(counts.documents) + " of " + std::to_string(documents_) + " documents";
    inferred.fields.push_back({name, choice.reason, choice.chosen});
    if (!choice.chosen) continue;
    Field field;
    field.name = name;
    field.type = choice.type;
    field.many = choice.type != FieldType::kText && counts.arrays != 0;
    field.positions = field.field_search = choice.type == FieldType::kText;
    (choice.type == FieldType::kText ? inferred.schema.fields : columns).push_back(std::move(field));
  }
  std::ranges::move(columns, std::back_inserter(inferred.schema.fields));
  return inferred;
}

}  // namespace frond::schema
