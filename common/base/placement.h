#pragma once
// The ordinals of a partition's documents: document `docid` of the partition is document base + docid * stride of the
// collection.
#include <cstdint>
#include <optional>

#include "common/base/ids.h"

namespace frond {

struct Placement {
  Ordinal base = 0;
  std::uint64_t stride = 1;     // at least 1
  std::uint64_t documents = 0;  // of the partition, below kNoDoc

  Ordinal ordinal(DocId docid) const { return base + docid * stride; }
  // None if the ordinal belongs to no document of this partition.
  std::optional<DocId> docid(Ordinal ordinal) const {
    if (ordinal < base || (ordinal - base) % stride != 0) return std::nullopt;
    const std::uint64_t docid = (ordinal - base) / stride;
    if (docid >= documents) return std::nullopt;
    return static_cast<DocId>(docid);
  }
};

}  // namespace frond
