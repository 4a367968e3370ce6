#pragma once
// The values of a document that hits carry.
#include <span>
#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/partition.h"
#include "common/schema/schema.h"

namespace frond::leaf::serve {

// Those of the columns `names` that the document has, and "source", as a JSON object (FetchedDocument::columns): fields
// with `many` are arrays, dates are RFC 3339. Names that are no columns are passed over. May read the disk. Errors:
// kCorrupt, kUnavailable.
Result<std::string> shown_columns(const schema::Schema& schema, const partition::Partition& partition, DocId docid,
                                  std::span<const std::string> names);

}  // namespace frond::leaf::serve
