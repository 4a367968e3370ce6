#pragma once
// --schema infer: reads the input once before it is indexed.
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/schema/schema.h"
#include "indexer/pipeline/invert_documents.h"

namespace frond::indexer {

struct InferredFields {
  std::shared_ptr<const schema::Schema> schema;
  std::string report;  // lines for people: each member, what it became, and why
};

// Sources are kept unless bodies are not. Of the members of JSON and the columns of CSV; records of other formats have
// none. kInvalid: an input is a pipe, which can be read only once, or there is neither JSON nor CSV in it; and the
// errors of RecordReader. Memory: a record, and schema::kMaxInferredNames.
Result<InferredFields> infer_schema(const pipeline::InvertOptions& options);

}  // namespace frond::indexer
