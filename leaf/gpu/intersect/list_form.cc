#include "leaf/gpu/intersect/list_form.h"

#include <algorithm>
#include <bit>

#include "common/base/check.h"
#include "leaf/gpu/intersect/block_form.h"
#include "leaf/gpu/intersect/line_form.h"
#include "leaf/gpu/intersect/regression.h"

namespace frond::leaf::gpu::intersect {

ListForm::ListForm(Method method, std::span<const DocId> docids, std::uint32_t documents) {
  FROND_CHECK(docids.empty() || docids.back() < documents);
  view_.count = static_cast<std::uint32_t>(docids.size());
  switch (method.kind) {
    case Kind::kBinary:
    case Kind::kInterpolation:
    case Kind::kMergeFind:
      put_docids(docids);
      break;
    case Kind::kLinearRegression:
      put_docids(docids);
      if (!docids.empty()) fit_regression(docids, view_);
      break;
    case Kind::kHashSegmentation:
      put_docids(docids);
      put_buckets(docids, documents, method.parameter);
      break;
    case Kind::kLrc:
    case Kind::kLrcSeg:
    case Kind::kSegLrc:
    case Kind::kHsLrc:
      if (!docids.empty()) index_at_ = append_line_form(method.kind, docids, bytes_, view_);
      break;
    case Kind::kBlocks:
    case Kind::kParaPFor:
      if (!docids.empty()) index_at_ = append_block_form(method, docids, bytes_, view_);
      break;
  }
  bytes_.resize((bytes_.size() + 31) / 16 * 16);
}

ListView ListForm::at(const std::byte* image) const {
  ListView view = view_;
  view.payload = image;
  if (index_at_ > 0) view.index = image + index_at_;
  return view;
}

void ListForm::put_docids(std::span<const DocId> docids) {
  const auto* bytes = reinterpret_cast<const std::byte*>(docids.data());
  bytes_.assign(bytes, bytes + docids.size_bytes());
}

void ListForm::put_buckets(std::span<const DocId> docids, std::uint32_t documents, unsigned max_docids) {
  const auto bits = static_cast<unsigned>(std::bit_width(documents));
  unsigned leading = 0;
  while (leading < bits && docids.size() > std::uint64_t{max_docids} << leading) ++leading;
  view_.shift = std::min(bits - leading, 31u);
  if (docids.empty()) return;
  view_.parts = (docids.back() >> view_.shift) + 1;
  std::vector<std::uint32_t> begins(view_.parts + std::size_t{1});
  for (const DocId docid : docids) ++begins[(docid >> view_.shift) + std::size_t{1}];
  for (std::size_t b = 1; b < begins.size(); ++b) begins[b] += begins[b - 1];
  index_at_ = bytes_.size();
  const auto* bytes = reinterpret_cast<const std::byte*>(begins.data());
  bytes_.insert(bytes_.end(), bytes, bytes + begins.size() * sizeof begins[0]);
}

}  // namespace frond::leaf::gpu::intersect
