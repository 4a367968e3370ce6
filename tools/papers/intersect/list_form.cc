#include "tools/papers/intersect/list_form.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "common/base/check.h"
#include "common/codec/bits/vertical.h"
#include "common/codec/patched/parapfor.h"

namespace frond::tools::papers {
namespace {

// Least squares over position and docID. Sets slope, offset, left and right of the view. At least one docID; they
// ascend strictly.
void fit_regression(std::span<const DocId> docids, ListView& view) {
  const auto count = static_cast<double>(docids.size());
  double mean = 0, products = 0, squares = 0;
  for (const DocId docid : docids) mean += docid / count;
  const double middle = (count - 1) / 2;
  for (std::size_t i = 0; i < docids.size(); ++i) {
    const double from_middle = static_cast<double>(i) - middle;
    products += from_middle * (docids[i] - mean);
    squares += from_middle * from_middle;
  }
  // At most 1, since docIDs ascend by at least 1.
  const double slope = docids.size() == 1 ? 0 : std::min(1.0, squares / products);
  const double unit = static_cast<double>(1u << kInverseFraction);
  view.slope = static_cast<std::uint64_t>(slope * unit);
  view.offset = static_cast<std::int64_t>((middle - mean * slope) * unit);
  std::int64_t left = 0, right = 0;
  for (std::size_t i = 0; i < docids.size(); ++i) {
    const std::int64_t behind = RegressionBounds::position_of(view, docids[i]) - static_cast<std::int64_t>(i);
    left = std::max(left, behind);
    right = std::max(right, -behind);
  }
  // An error beyond the list's length allows the whole list, so 32 bits are enough.
  view.left = static_cast<std::uint32_t>(std::min<std::int64_t>(left, 0xffffffff));
  view.right = static_cast<std::uint32_t>(std::min<std::int64_t>(right, 0xffffffff));
}

using codec::LineStretch, codec::StreamWords;

LineEntry entry_of(const LineStretch& stretch) {
  FROND_CHECK(stretch.begin % 4 == 0 && stretch.begin < kMaxStreamBytes);
  return {.place = static_cast<std::uint32_t>(stretch.begin / 4) << 6 | stretch.width,
          .offset = stretch.offset,
          .slope = static_cast<std::uint32_t>(stretch.line.slope),
          .first = stretch.first};
}

template <class T>
void append(std::span<const T> values, ByteBuffer& bytes) {
  const auto* from = reinterpret_cast<const std::byte*>(values.data());
  bytes.insert(bytes.end(), from, from + values.size_bytes());
  bytes.resize((bytes.size() + 15) / 16 * 16);
}

// The last docID of each `length` consecutive ones.
std::vector<DocId> lasts_of_runs(std::span<const DocId> docids, std::uint32_t length) {
  std::vector<DocId> lasts;
  for (std::size_t first = 0; first < docids.size(); first += length)
    lasts.push_back(docids[std::min<std::size_t>(first + length, docids.size()) - 1]);
  return lasts;
}

std::vector<LineEntry> entries_of_list(StreamWords stream, ListView& view) {
  codec::LrcLines lines;
  LineStretch stretch;
  FROND_CHECK(lines.open(stream, view.count) && lines.stretch_of(stream, 0, stretch));
  view.line_slope = stretch.line.slope;
  view.fraction = stretch.line.fraction;
  LineEntry entry = entry_of(stretch);
  entry.slope = 0;  // needs more bits than an entry has: it is view.line_slope
  return {entry};
}

std::vector<LineEntry> entries_of_segments(StreamWords stream, bool one_line, ListView& view) {
  codec::SegmentLines lines(one_line);
  FROND_CHECK(lines.open(stream, view.count));
  std::vector<LineEntry> entries;
  for (std::uint32_t s = 0; s < view.parts; ++s) {
    const LineStretch stretch = lines.segment(stream, s);
    entries.push_back(entry_of(stretch));
    view.line_slope = stretch.line.slope;  // lrcseg: all segments have the same
    view.fraction = stretch.line.fraction;
  }
  return entries;
}

std::vector<LineEntry> entries_of_buckets(StreamWords stream, ListView& view) {
  codec::HsLrcLines lines;
  FROND_CHECK(lines.open(stream, view.count));
  view.parts = lines.buckets();
  view.shift = lines.shift();
  std::vector<LineEntry> entries;
  for (std::uint32_t b = 0; b < view.parts; ++b) {
    const LineStretch stretch = lines.bucket(stream, b);
    entries.push_back(entry_of(stretch));
    view.fraction = stretch.line.fraction;
  }
  entries.push_back({.first = view.count});
  return entries;
}

const codec::ListCodec& codec_of(Kind kind) {
  const codec::ListCodec* codec = codec::codec_named(info_of(kind).name);
  FROND_CHECK(codec != nullptr);
  return *codec;
}

// Appends stream and index to an empty buffer, fills the view except for its pointers, and returns the offset of the
// index. At least one docID; they ascend strictly.
std::size_t append_line_form(Kind kind, std::span<const DocId> docids, ByteBuffer& bytes, ListView& view) {
  FROND_CHECK(bytes.empty() && !docids.empty());
  view.count = static_cast<std::uint32_t>(docids.size());
  codec_of(kind).encode(docids, codec::Numbers::kDocIds, bytes);
  const std::size_t size = bytes.size();
  bytes.resize(size + codec::kReadSlack);
  const std::size_t index_at = bytes.size();
  const StreamWords stream{reinterpret_cast<const std::uint32_t*>(bytes.data()), size};
  std::vector<LineEntry> entries;
  if (kind == Kind::kHsLrc) {
    entries = entries_of_buckets(stream, view);
  } else {
    const auto lasts = lasts_of_runs(docids, kind == Kind::kLrc ? codec::kBlockLength : codec::kLrcSegment);
    view.parts = static_cast<std::uint32_t>(lasts.size());
    entries =
        kind == Kind::kLrc ? entries_of_list(stream, view) : entries_of_segments(stream, kind == Kind::kLrcSeg, view);
    fit_regression(docids, view);
    append(std::span<const DocId>(lasts), bytes);
  }
  append(std::span<const LineEntry>(entries), bytes);
  return index_at;
}

// The table of list_search.h, with about one range for each block.
std::vector<std::uint32_t> table_of(std::span<const DocId> lasts, ListView& view) {
  const auto bits = static_cast<unsigned>(std::bit_width(lasts.back()));
  const auto leading = static_cast<unsigned>(std::bit_width(lasts.size() - 1));
  view.shift = bits > leading ? std::min(bits - leading, 31u) : 0;
  view.left = (lasts.back() >> view.shift) + 1;
  std::vector<std::uint32_t> table;
  std::uint32_t block = 0;
  for (std::uint32_t range = 0; range <= view.left; ++range) {
    while (block < lasts.size() && lasts[block] < std::uint64_t{range} << view.shift) ++block;
    table.push_back(block);
  }
  return table;
}

// Packs the blocks as simd-bp128 does; `places` gets where.
void append_packed(std::span<const DocId> docids, ByteBuffer& bytes, std::vector<std::uint32_t>& places) {
  DocId before = kNoDoc;  // one more is 0
  for (std::size_t first = 0; first < docids.size(); first += kBlockDocIds) {
    std::array<std::uint32_t, kBlockDocIds> distances{};
    std::uint32_t max_distance = 0;
    for (std::size_t i = first; i < std::min<std::size_t>(first + kBlockDocIds, docids.size()); ++i) {
      distances[i - first] = docids[i] - before - 1;
      max_distance = std::max(max_distance, distances[i - first]);
      before = docids[i];
    }
    const auto width = static_cast<unsigned>(std::bit_width(max_distance));
    FROND_CHECK(bytes.size() % 16 == 0 && bytes.size() < leaf::gpu::kMaxImageBytes);
    places.push_back(leaf::gpu::packed_place(static_cast<std::uint32_t>(bytes.size() / 16), width));
    codec::simd_bp_pack(distances, width, bytes);
  }
}

// Appends payload and index to an empty buffer, fills the view except for its pointers, and returns the offset of the
// index. The method's kind is kBlocks or kParaPFor, its number 1 for a table. At least one docID; they ascend strictly.
std::size_t append_block_form(Method method, std::span<const DocId> docids, ByteBuffer& bytes, ListView& view) {
  static_assert(kBlockDocIds == codec::kBlockLength);
  FROND_CHECK(bytes.empty() && !docids.empty());
  view.count = static_cast<std::uint32_t>(docids.size());
  std::vector<std::uint32_t> lasts, places;
  for (std::size_t first = 0; first < docids.size(); first += kBlockDocIds)
    lasts.push_back(docids[std::min<std::size_t>(first + kBlockDocIds, docids.size()) - 1]);
  if (method.kind == Kind::kParaPFor) {
    codec::parapfor().encode(docids, codec::Numbers::kDocIds, bytes);
    FROND_CHECK(bytes.size() % 16 == 0 && bytes.size() < leaf::gpu::kMaxImageBytes);
    view.right = static_cast<std::uint32_t>(bytes.size());
  } else {
    append_packed(docids, bytes, places);
  }
  view.parts = static_cast<std::uint32_t>(lasts.size());
  bytes.resize(bytes.size() + (codec::kReadSlack + 15) / 16 * 16);
  const std::size_t index_at = bytes.size();
  std::vector<std::uint32_t> table;
  if (method.parameter != 0) table = table_of(lasts, view);
  for (auto* part : {&lasts, &places}) part->resize((part->size() + 3) / 4 * 4);
  for (const auto* part : {&lasts, &places, &table}) {
    const auto some = std::as_bytes(std::span(*part));
    bytes.insert(bytes.end(), some.begin(), some.end());
  }
  return index_at;
}

}  // namespace

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

}  // namespace frond::tools::papers
