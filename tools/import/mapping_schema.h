#pragma once
// From an index of Elasticsearch or OpenSearch to a collection: what of its mapping Frond has. Pure functions.
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/elasticsearch/mapping.h"

namespace frond::tools {

struct ImportedMapping {
  std::string index;  // its own name, if it was named by an alias
  std::vector<elasticsearch::MappedField> fields;
  std::string settings;              // the body of PUT /v1/collections/{c}
  std::vector<std::string> skipped;  // "place (type [geo_point] … is not supported)"
};

// `answer`: that of GET /{index}. kInvalid: it is not one index; it keeps no _source; or, unless `skip`, it has fields
// that the broker's Elasticsearch API would refuse (types, analyzers, copy_to …), which the message names.
Result<ImportedMapping> read_mapping(std::string_view answer, bool skip);

}  // namespace frond::tools
