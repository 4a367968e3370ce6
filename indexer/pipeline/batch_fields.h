#pragma once
// The stored fields of a batch's documents, which the parser has dealt to frames.
#include <cstddef>
#include <vector>

#include "common/base/bytes.h"
#include "indexer/parse/parsed_batch.h"
#include "indexer/runs/document_frame.h"

namespace frond::indexer::pipeline {

// Calls visit(i, fields) for each document of the batch, in input order. `fields` borrow the batch.
template <class Visit>
void for_each_fields(const parse::ParsedBatch& batch, Visit&& visit) {
  const std::vector<ByteBuffer>& frames = batch.frames;
  std::vector<std::size_t> at(frames.size(), runs::kDocumentFrameHeaderBytes);
  for (std::size_t i = 0; i < batch.documents.size(); ++i) {
    const std::size_t j = i % frames.size(), bytes = batch.documents[i].field_bytes;
    visit(i, ByteView(frames[j]).subspan(at[j], bytes));
    at[j] += bytes;
  }
}

}  // namespace frond::indexer::pipeline
