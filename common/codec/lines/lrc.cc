#include "common/codec/lines/lrc.h"

#include <algorithm>
#include <bit>

#include "common/codec/binary_packing/simd_bp128.h"

namespace frond::codec {

namespace {

constexpr CodecInfo kLrcInfo{
    .name = "lrc", .id = 19, .family = "linear regression", .source = "Ao 2011 §4.2, appendix H"};
constexpr unsigned kFraction = 32;

struct Header {
  Line line;
  std::uint32_t top, spread;  // top: base and spread together, which are no less than the first docID
};
Header header_of(ByteView stream) {
  return {{load_le<std::uint64_t>(stream.data()), kFraction},
          load_le<std::uint32_t>(stream.data() + 8),
          load_le<std::uint32_t>(stream.data() + 12)};
}

class Lrc final : public ListCodec {
 public:
  constexpr Lrc() = default;
  const CodecInfo& info() const override { return kLrcInfo; }

  void encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const override {
    if (kind == Numbers::kFrequencies) return simd_bp128().encode(numbers, kind, out);
    FROND_CHECK(!numbers.empty() && out.size() % 16 == 0);
    const Fit fit = narrowest(numbers, kFraction, ~std::uint64_t{0} / numbers.size());
    ByteWriter writer(out);
    writer.put(fit.line.slope);
    writer.put(static_cast<std::uint32_t>(fit.base + static_cast<std::int64_t>(fit.spread)));
    writer.put(static_cast<std::uint32_t>(fit.spread));
    const auto width = static_cast<unsigned>(std::bit_width(fit.spread));
    append_deviations(fit, numbers, width, out);
    writer.align(16);
  }

  Result<void> decode(ByteView stream, std::uint32_t count, Numbers kind, std::uint32_t block, DocId before,
                      std::span<std::uint32_t, kBlockLength> out) const override {
    if (kind == Numbers::kFrequencies) return simd_bp128().decode(stream, count, kind, block, before, out);
    const std::uint32_t first = block * kBlockLength, size = std::min(kBlockLength, count - first);
    FROND_CHECK(first < count);
    if (stream.size() < kLrcHeaderBytes) [[unlikely]]
      return corrupt_block("no room for the header", block);
    const Header header = header_of(stream);
    const auto width = static_cast<std::uint32_t>(std::bit_width(header.spread));
    const std::uint64_t begin = kLrcHeaderBytes + std::uint64_t{16} * width * block;
    if (begin + deviation_bytes(size, width) > stream.size()) [[unlikely]]
      return corrupt_block("no room for deviations", block);
    if (!docids_beside(header.line, first, header.top - header.spread, stream.data() + begin, width, size, before, out))
        [[unlikely]]
      return corrupt_block("docIDs that do not ascend", block);
    return {};
  }
};

const Lrc kLrc;

}  // namespace

const ListCodec& lrc() { return kLrc; }

namespace {

constexpr CodecInfo kLrcSegInfo{
    .name = "lrcseg", .id = 20, .family = "linear regression", .source = "Ao 2011 §4.2, §4.3"};
constexpr CodecInfo kSegLrcInfo{
    .name = "seglrc", .id = 21, .family = "linear regression", .source = "Ao 2011 §4.2, §4.3"};

// One segment as a stream has it.
struct Segment {
  Line line;
  std::uint64_t position;  // of its first docID on the line
  std::uint32_t base;      // modulo 2^32, of a line whose value at `position` is 0
  std::uint32_t width;
  std::uint64_t begin;  // of its deviations
  // Added to the line's values.
  std::uint32_t offset() const { return base - static_cast<std::uint32_t>(line(position)); }
};

// The stream's index. The number of segments gives its parts' offsets.
class Index {
 public:
  Index(ByteView stream, std::uint32_t count, bool one_line)
      : one_line_(one_line),
        segments_(lrc_segments(count)),
        bytes_(one_line ? lrcseg_index_bytes(count) : seglrc_index_bytes(count)),
        fits_(stream.size() >= bytes_),
        widths_(fits_ ? stream.data() + stream.size() - bytes_ : nullptr),
        end_(stream.data() + stream.size()) {}
  bool fits() const { return fits_; }
  std::size_t bytes() const { return bytes_; }
  // segment: below the number of segments.
  Segment segment(std::uint32_t segment) const {
    const std::byte* bases = widths_ + segments_;
    const std::byte* slopes = bases + std::size_t{segments_} * 4;
    Segment found;
    found.width = static_cast<std::uint8_t>(widths_[segment]);
    found.base = load_le<std::uint32_t>(bases + std::size_t{segment} * 4);
    if (one_line_) {
      found.line = {load_le<std::uint64_t>(end_ - 8), 32};
      found.position = std::uint64_t{segment} * kLrcSegment;
    } else {
      found.line = {load_le<std::uint32_t>(slopes + std::size_t{segment} * 4), load_le<std::uint32_t>(end_ - 4) % 32};
      found.position = 0;
    }
    const std::byte* checkpoints = one_line_ ? slopes : slopes + std::size_t{segments_} * 4;
    found.begin = block_begin(widths_, checkpoints, segment) * 32;
    return found;
  }

 private:
  bool one_line_;
  std::uint32_t segments_;
  std::size_t bytes_;
  bool fits_;
  const std::byte* widths_;
  const std::byte* end_;
};

// Bits of fraction that leave room for slopes twice as steep as those from the first docID of a segment to its last.
unsigned fraction_for(std::span<const DocId> docids) {
  std::uint64_t steepest = 1;
  for (std::size_t first = 0; first < docids.size(); first += kLrcSegment) {
    const auto some = docids.subspan(first, std::min<std::size_t>(kLrcSegment, docids.size() - first));
    if (some.size() > 1) steepest = std::max<std::uint64_t>(steepest, (some.back() - some.front()) / (some.size() - 1));
  }
  const auto bits = static_cast<unsigned>(std::bit_width(steepest));
  return bits < 31 ? 31 - bits : 0;
}

class SegmentLrc final : public ListCodec {
 public:
  constexpr SegmentLrc(const CodecInfo& info, bool one_line) : info_(info), one_line_(one_line) {}
  const CodecInfo& info() const override { return info_; }

  void encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const override {
    if (kind == Numbers::kFrequencies) return simd_bp128().encode(numbers, kind, out);
    FROND_CHECK(!numbers.empty() && out.size() % 16 == 0);
    const std::size_t start = out.size();
    const unsigned fraction = one_line_ ? 32 : fraction_for(numbers);
    Line line{0, fraction};
    if (one_line_) line = narrowest(numbers, fraction, ~std::uint64_t{0} / numbers.size()).line;
    ByteBuffer widths, bases, slopes, checkpoints;
    ByteWriter base_writer(bases), slope_writer(slopes), checkpoint_writer(checkpoints), writer(out);
    for (std::size_t first = 0; first < numbers.size(); first += kLrcSegment) {
      const auto some = numbers.subspan(first, std::min<std::size_t>(kLrcSegment, numbers.size() - first));
      if (first > 0 && widths.size() % kGroupBlocks == 0)
        checkpoint_writer.put(static_cast<std::uint32_t>((out.size() - start) / 32));
      const Fit fit = one_line_ ? fit_to(line, first, some) : narrowest(some, fraction, 0xffffffff);
      const auto width = static_cast<unsigned>(std::bit_width(fit.spread));
      append_deviations(fit, some, width, out);
      widths.push_back(static_cast<std::byte>(width));
      base_writer.put(static_cast<std::uint32_t>(fit.base));
      if (!one_line_) slope_writer.put(static_cast<std::uint32_t>(fit.line.slope));
    }
    if (one_line_)
      checkpoint_writer.put(line.slope);
    else
      checkpoint_writer.put(std::uint32_t{fraction});
    const std::size_t index = widths.size() + bases.size() + slopes.size() + checkpoints.size();
    out.resize((out.size() + index + 15) / 16 * 16 - index);
    for (const ByteBuffer* part : {&widths, &bases, &slopes, &checkpoints}) writer.put_bytes(*part);
  }

  Result<void> decode(ByteView stream, std::uint32_t count, Numbers kind, std::uint32_t block, DocId before,
                      std::span<std::uint32_t, kBlockLength> out) const override {
    if (kind == Numbers::kFrequencies) return simd_bp128().decode(stream, count, kind, block, before, out);
    const std::uint32_t first = block * kBlockLength, size = std::min(kBlockLength, count - first);
    FROND_CHECK(first < count);
    const Index index(stream, count, one_line_);
    if (!index.fits()) [[unlikely]]
      return corrupt_block("no room for the index", block);
    const Segment segment = index.segment(block / kSegmentBlocksOfLrc);
    const std::uint32_t skipped = block % kSegmentBlocksOfLrc;
    const std::uint64_t begin = segment.begin + std::uint64_t{16} * segment.width * skipped;
    if (segment.width > 32 || begin + deviation_bytes(size, segment.width) > stream.size() - index.bytes()) [[unlikely]]
      return corrupt_block("a wrong width or offset", block);
    if (!docids_beside(segment.line, segment.position + skipped * kBlockLength, segment.offset(), stream.data() + begin,
                       segment.width, size, before, out)) [[unlikely]]
      return corrupt_block("docIDs that do not ascend", block);
    return {};
  }

 private:
  const CodecInfo& info_;
  bool one_line_;
};

const SegmentLrc kLrcSeg(kLrcSegInfo, true), kSegLrc(kSegLrcInfo, false);

}  // namespace

const ListCodec& lrcseg() { return kLrcSeg; }
const ListCodec& seglrc() { return kSegLrc; }

}  // namespace frond::codec
