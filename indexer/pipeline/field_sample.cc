#include "indexer/pipeline/field_sample.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace frond::indexer::pipeline {

void FieldSample::add(std::uint64_t number, ByteView fields) {
  if (!wants(number)) return;
  const ByteView taken = fields.first(std::min(fields.size(), kMaxDocumentBytes));
  bytes_.insert(bytes_.end(), taken.begin(), taken.end());
  sizes_.push_back(taken.size());
  while (bytes_.size() > kMaxBytes) thin_out();
}

Result<FieldSample> FieldSample::of(std::uint64_t stride, ByteBuffer bytes, std::vector<std::size_t> sizes) {
  std::size_t sum = 0;
  bool fit = std::has_single_bit(stride) && bytes.size() <= kMaxBytes;
  for (const std::size_t size : sizes) {
    fit = fit && size <= kMaxDocumentBytes;
    sum += size;
  }
  if (!fit || sum != bytes.size()) return Error(Code::kCorrupt, "a sample of stored fields is impossible");
  FieldSample sample;
  sample.stride_ = stride;
  sample.bytes_ = std::move(bytes);
  sample.sizes_ = std::move(sizes);
  return sample;
}

FieldSample FieldSample::thinned(std::size_t max_bytes) const {
  FieldSample fewer = *this;
  while (fewer.bytes_.size() > max_bytes && fewer.sizes_.size() > 1) fewer.thin_out();
  return fewer;
}

// Drops every second document.
void FieldSample::thin_out() {
  stride_ *= 2;
  std::size_t from = 0, to = 0, kept = 0;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const std::size_t size = sizes_[i];
    if (i % 2 == 0) {
      std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(from), size,
                  bytes_.begin() + static_cast<std::ptrdiff_t>(to));
      sizes_[kept++] = size;
      to += size;
    }
    from += size;
  }
  bytes_.resize(to);
  sizes_.resize(kept);
}

}  // namespace frond::indexer::pipeline
