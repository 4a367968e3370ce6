#pragma once
// A list in the form that a method searches, as one image of bytes that can be copied to the device and viewed there.
#include <span>

#include "common/base/bytes.h"
#include "leaf/gpu/intersect/list_view.h"
#include "leaf/gpu/intersect/methods.h"

namespace frond::leaf::gpu::intersect {

class ListForm {
 public:
  // `docids` ascend strictly and are below `documents`, the number of documents of the collection.
  ListForm(Method method, std::span<const DocId> docids, std::uint32_t documents);
  // The image; a multiple of 16 bytes, and ends with readable slack.
  ByteView bytes() const { return bytes_; }
  // The list where the image lies at `image`, on 16 bytes.
  ListView at(const std::byte* image) const;

 private:
  void put_docids(std::span<const DocId> docids);
  void put_buckets(std::span<const DocId> docids, std::uint32_t documents, unsigned most);

  ByteBuffer bytes_;
  std::size_t index_at_ = 0;  // 0: the method has no index
  ListView view_;
};

}  // namespace frond::leaf::gpu::intersect
