#include "leaf/gpu/intersect/list_form.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/base/check.h"
#include "leaf/gpu/intersect/plain_search.h"

namespace frond::leaf::gpu::intersect {

ListForm::ListForm(Method method, std::span<const DocId> docids, std::uint32_t documents) {
  FROND_CHECK(docids.empty() || docids.back() < documents);
  view_.count = static_cast<std::uint32_t>(docids.size());
  put_docids(docids);
  if (method.kind == Kind::kLinearRegression) put_line(docids);
  if (method.kind == Kind::kHashSegmentation) put_buckets(docids, documents, method.parameter);
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

// Least squares: docID = a * position + b, turned round.
void ListForm::put_line(std::span<const DocId> docids) {
  if (docids.empty()) return;
  const auto count = static_cast<double>(docids.size());
  double mean = 0, products = 0, squares = 0;
  for (const DocId docid : docids) mean += docid / count;
  const double middle = (count - 1) / 2;
  for (std::size_t i = 0; i < docids.size(); ++i) {
    const double from_middle = static_cast<double>(i) - middle;
    products += from_middle * (docids[i] - mean);
    squares += from_middle * from_middle;
  }
  // docIDs ascend by at least 1, so this is at most 1; of a single docID it is nothing.
  const double slope = docids.size() == 1 ? 0 : std::min(1.0, squares / products);
  const double unit = static_cast<double>(1u << kInverseFraction);
  view_.slope = static_cast<std::uint64_t>(slope * unit);
  view_.offset = static_cast<std::int64_t>((middle - mean * slope) * unit);
  std::int64_t left = 0, right = 0;
  for (std::size_t i = 0; i < docids.size(); ++i) {
    const std::int64_t behind = RegressionBounds::position_of(view_, docids[i]) - static_cast<std::int64_t>(i);
    left = std::max(left, behind);
    right = std::max(right, -behind);
  }
  // Further than the list is long says no more than that.
  view_.left = static_cast<std::uint32_t>(std::min<std::int64_t>(left, 0xffffffff));
  view_.right = static_cast<std::uint32_t>(std::min<std::int64_t>(right, 0xffffffff));
}

void ListForm::put_buckets(std::span<const DocId> docids, std::uint32_t documents, unsigned most) {
  const auto bits = static_cast<unsigned>(std::bit_width(documents));
  unsigned leading = 0;
  while (leading < bits && docids.size() > std::uint64_t{most} << leading) ++leading;
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
