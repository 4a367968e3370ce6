#include "leaf/gpu/intersect/line_form.h"

#include <algorithm>
#include <vector>

#include "common/base/check.h"
#include "leaf/gpu/intersect/line_search.h"
#include "leaf/gpu/intersect/regression.h"

namespace frond::leaf::gpu::intersect {
namespace {

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
std::vector<DocId> lasts_of(std::span<const DocId> docids, std::uint32_t length) {
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

}  // namespace

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
    const auto lasts = lasts_of(docids, kind == Kind::kLrc ? codec::kBlockLength : codec::kLrcSegment);
    view.parts = static_cast<std::uint32_t>(lasts.size());
    entries =
        kind == Kind::kLrc ? entries_of_list(stream, view) : entries_of_segments(stream, kind == Kind::kLrcSeg, view);
    fit_regression(docids, view);
    append(std::span<const DocId>(lasts), bytes);
  }
  append(std::span<const LineEntry>(entries), bytes);
  return index_at;
}

}  // namespace frond::leaf::gpu::intersect
