#pragma once
// What random queries are about: the fields of a schema, and words and values that documents may have.
#include <string>
#include <vector>

#include "common/query/bind.h"
#include "common/schema/schema.h"
#include "tests/support/query_schema.h"

namespace frond::support {

struct Vocabulary {
  schema::Schema schema;
  std::vector<std::string> words;                  // of texts
  std::vector<std::vector<schema::Value>> values;  // by field, of columns: as JSON has them
  std::vector<std::string> ids;
  std::vector<std::string> tokens;  // of a field of weights

  // Of fields that can be asked for in this way; "": all text fields.
  std::vector<std::string> fields_for(query::Use use) const {
    std::vector<std::string> names;
    const bool texts = schema.scorer != schema::Scorer::kImpact;
    if (texts && (use == query::Use::kWords || use == query::Use::kPattern)) names = {"", ""};
    if (texts && use == query::Use::kPhrase && schema.has_positions()) names = {"", ""};
    for (const schema::Field& field : schema.fields)
      if (query::problem_of(field, use).empty()) names.push_back(field.name);
    return names;
  }
};

// Of query_schema(): few words, so that they are beside each other often.
inline Vocabulary small_vocabulary() {
  Vocabulary all;
  all.schema = query_schema();
  for (char first = 'a'; first < 'f'; ++first)
    for (char second = 'a'; second < 'd'; ++second) all.words.push_back({first, second});
  all.ids = all.words;
  for (const schema::Field& field : all.schema.fields) {
    std::vector<schema::Value>& values = all.values.emplace_back();
    if (field.name == "tag") values.assign(all.words.begin(), all.words.end());
    if (field.name == "year")
      for (std::int64_t year = 2000; year < 2006; ++year) values.emplace_back(year);
  }
  return all;
}

}  // namespace frond::support
