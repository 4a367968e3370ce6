#pragma once
// A list compressed by a codec of linear regression, with the index that line_search.h describes.
#include <span>

#include "common/base/bytes.h"
#include "leaf/gpu/intersect/list_view.h"
#include "leaf/gpu/intersect/methods.h"

namespace frond::leaf::gpu::intersect {

// Appends stream and index to an empty buffer, fills the view except for its pointers, and returns the offset of the
// index. At least one docID; they ascend strictly.
std::size_t append_line_form(Kind kind, std::span<const DocId> docids, ByteBuffer& bytes, ListView& view);

}  // namespace frond::leaf::gpu::intersect
