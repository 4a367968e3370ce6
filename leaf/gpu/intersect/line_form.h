#pragma once
// A list as a codec of linear regression compresses it, with the index that line_search.h describes.
#include <span>

#include "common/base/bytes.h"
#include "leaf/gpu/intersect/list_view.h"
#include "leaf/gpu/intersect/methods.h"

namespace frond::leaf::gpu::intersect {

// Appends stream and index to an empty buffer, fills the view but for its pointers, and returns where the index begins.
// docIDs ascend strictly; at least one.
std::size_t append_line_form(Kind kind, std::span<const DocId> docids, ByteBuffer& bytes, ListView& view);

}  // namespace frond::leaf::gpu::intersect
