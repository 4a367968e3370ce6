#pragma once
// A list in the form that a method searches: one image of bytes, which is searched on the host or copied to the device.
#include <span>

#include "common/base/bytes.h"
#include "tools/papers/intersect/list_search.h"
#include "tools/papers/intersect/methods.h"

namespace frond::tools::papers {

class ListForm {
 public:
  // `docids` ascend strictly and are below `documents`, the number of documents of the collection.
  ListForm(Method method, std::span<const DocId> docids, std::uint32_t documents);
  // The image: a multiple of 16 bytes; the last 16 or more are padding that decoders may read.
  ByteView bytes() const { return bytes_; }
  // The list when its image is at `image`, aligned to 16.
  ListView at(const std::byte* image) const;

 private:
  void put_docids(std::span<const DocId> docids);
  void put_buckets(std::span<const DocId> docids, std::uint32_t documents, unsigned max_docids);

  ByteBuffer bytes_;
  std::size_t index_at_ = 0;  // 0: the method has no index
  ListView view_;
};

}  // namespace frond::tools::papers
