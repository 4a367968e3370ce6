#pragma once
// The mapping of an index: which members documents have, and how they are searched. It is read from what the index was
// created with, becomes the schema of a collection, and turns documents into the records that the indexer's service
// logs (document.h). Immutable; any thread.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/elasticsearch/error.h"
#include "common/schema/schema.h"
#include "common/scoring/bm25.h"
#include "common/text/analyzer_config.h"

namespace frond::elasticsearch {

enum class Type : std::uint8_t {
  kText,
  kKeyword,
  kLong,
  kInteger,
  kShort,
  kByte,
  kDouble,
  kFloat,
  kBoolean,
  kDate,
  kCompletion
};
inline constexpr std::string_view kTypeNames[] = {"text",   "keyword", "long",    "integer", "short",     "byte",
                                                  "double", "float",   "boolean", "date",    "completion"};
constexpr std::string_view name_of(Type type) { return kTypeNames[static_cast<std::size_t>(type)]; }
constexpr bool is_whole(Type type) { return type >= Type::kLong && type <= Type::kByte; }
constexpr bool is_number(Type type) { return type >= Type::kLong && type <= Type::kFloat; }

inline constexpr std::string_view kUsualDateFormat = "strict_date_optional_time||epoch_millis";

struct MappedField {
  std::string name;      // as clients name it: "author.name.keyword"
  std::string path;      // of the member of documents: "author.name" of a multi-field, else the name
  std::string column{};  // in the collection's schema
  Type type = Type::kText;
  std::size_t ignore_above = ~std::size_t{0};  // characters; of keyword
  Json null_value = nullptr;                   // null: there is none
  std::string format{kUsualDateFormat};        // of date
  std::string analyzer = "standard";           // of text, as the mapping names it
  bool terms_only = false;                     // text without frequencies and norms: a keyword column of its terms
  bool fielddata = false;                      // … of which there are aggregations and sorts
  bool multi() const { return name != path; }
  bool has_positions() const { return type == Type::kText && !terms_only; }
  bool has_words() const { return type == Type::kKeyword || terms_only; }  // a keyword column
  bool has_values() const { return (type != Type::kText && type != Type::kCompletion) || fielddata; }  // to sort by
};

enum class Dynamic : std::uint8_t { kTrue, kFalse, kStrict };

struct Mapping {
  Json shown = Json::object();  // {"dynamic":…,"properties":…}, what is usual left out
  Dynamic dynamic = Dynamic::kTrue;
  Json analysis = Json::object();
  std::vector<MappedField> fields;  // by name; multi-fields behind their field
  std::vector<std::string> objects;
  text::AnalyzerConfig analyzer;  // of all text fields
  scoring::Bm25Parameters bm25{1.2, 0.75};

  // Null: there is none of that name.
  const MappedField* find(std::string_view name) const;
  bool is_object(std::string_view name) const;
};

// `settings`, `mappings`: of the body of PUT /{index}, or as they are shown; null: there are none. 400
// mapper_parsing_exception, and what Frond can't do by name. Of what is kept, parameters that change nothing here are
// not checked: they may have been taken by other rules (mapping_parameters.h).
enum class Origin : std::uint8_t { kKept, kRequest };
Expected<Mapping> read_mapping(const Json& settings, const Json& mappings, Origin origin = Origin::kKept);
// What the broker keeps with the collection of an index, of all that is kept with it: {"mapping","settings", …}. Null:
// it keeps nothing.
const Json* kept_index(const Json& metadata);
// With what PUT /{index}/_mapping brings. 400 illegal_argument_exception: a field would change its type, analyzer or
// format.
Expected<Mapping> extended(const Mapping& mapping, const Json& mappings);

// The schema of the collection: a text field can be searched alone and has positions; a column may have several values;
// documents are kept as they came (document.h).
schema::Schema schema_of(const Mapping& mapping);
// What the collection of an index with this mapping is made with: the body of PUT /v1/collections/{c}.
std::string collection_settings(const Mapping& mapping);

// What a field is called in a schema: as it is, or, if the schema can't have that name or records use it otherwise,
// "f." and the name, with `-` and two hexadecimal digits for each byte that is no letter, digit, '_' or '.'.
std::string column_name(std::string_view name, Type type);

// The analyzer of that name, of the settings' "analysis" or built in; empty: there is none. 501: Frond lacks it.
Expected<std::optional<text::AnalyzerConfig>> analyzer_named(const Json& analysis, std::string_view name);

// Null stands for the English ones, as "_english_"; "_none_", a list of words. 501: of other languages.
Expected<std::vector<std::string>> stop_word_list(const Json& words);

// A member, whose names may also stand together with dots ("index.similarity"); null: there is none.
const Json* at_path(const Json& json, std::string_view path);

}  // namespace frond::elasticsearch
