#include "common/codec/lines/hs_lrc.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "common/codec/binary_packing/simd_bp128.h"
#include "common/codec/bits/horizontal.h"
#include "common/codec/bits/packed_number.h"
#include "common/codec/bits/rice.h"
#include "common/codec/distances.h"

namespace frond::codec {
namespace {

constexpr CodecInfo kInfo{.name = "hs-lrc", .id = 22, .family = "linear regression", .source = "Ao 2011 §3.4, §4.3"};

struct Bucket {
  std::uint32_t first, end;  // positions in the list
  std::uint64_t begin;       // of its deviations, from the stream's begin
  std::uint32_t base, width;
  Line line;
};

class Index {
 public:
  explicit Index(ByteView stream) {
    if (stream.size() < 8) return;
    const std::byte* end = stream.data() + stream.size();
    buckets_ = load_le<std::uint32_t>(end - 8);
    const auto trailer = load_le<std::uint32_t>(end - 4);
    shift_ = trailer % 32;
    fraction_ = trailer / 256 % 32;
    const std::uint64_t bytes = hs_lrc_index_bytes(buckets_);
    if (buckets_ == 0 || bytes > stream.size()) return;
    payload_ = stream.size() - bytes;
    widths_ = stream.data() + payload_;
  }
  bool fits() const { return widths_ != nullptr; }
  std::uint32_t buckets() const { return buckets_; }
  std::uint32_t shift() const { return shift_; }
  std::uint64_t payload() const { return payload_; }  // bytes of deviations
  std::uint32_t end_of(std::uint32_t bucket) const { return word(0, bucket); }
  Bucket bucket(std::uint32_t bucket) const {
    return {.first = bucket ? end_of(bucket - 1) : 0,
            .end = end_of(bucket),
            .begin = std::uint64_t{4} * word(1, bucket),
            .base = word(2, bucket),
            .width = static_cast<std::uint8_t>(widths_[bucket]),
            .line = {word(3, bucket), fraction_}};
  }
  // Are the deviations of the bucket's first `size` docIDs inside the stream?
  bool holds(const Bucket& bucket, std::uint64_t size) const {
    return bucket.width <= 32 && bucket.begin + (size * bucket.width + 7) / 8 <= payload_;
  }

 private:
  std::uint32_t word(std::uint32_t array, std::uint32_t bucket) const {
    return load_le<std::uint32_t>(widths_ + buckets_ + (std::size_t{buckets_} * array + bucket) * 4);
  }
  std::uint32_t buckets_ = 0, shift_ = 0, fraction_ = 0;
  std::uint64_t payload_ = 0;
  const std::byte* widths_ = nullptr;
};

// docIDs p .. p + out.size() - 1 of a bucket: one after the other.
void read_few(const Bucket& bucket, const std::byte* stream, std::uint32_t p, std::span<std::uint32_t> out) {
  std::uint64_t bit = bucket.begin * 8 + std::uint64_t{p} * bucket.width, product = bucket.line.slope * p;
  for (std::uint32_t& docid : out) {
    docid =
        bucket.base + bits_at(stream, bit, bucket.width) + static_cast<std::uint32_t>(product >> bucket.line.fraction);
    bit += bucket.width;
    product += bucket.line.slope;
  }
}

// The same, but unpacks 128 deviations at once if the stream has that many bytes, from the last deviation up to p that
// begins with a byte.
void read_bucket(const Bucket& bucket, ByteView stream, std::uint32_t p, std::span<std::uint32_t> out) {
  const std::uint32_t skipped = p % 8;
  const std::size_t some = std::min<std::size_t>(kBlockLength - skipped, out.size());
  const std::uint64_t from = bucket.begin + std::uint64_t{p / 8} * bucket.width;
  if (some < 16 || from + std::uint64_t{16} * bucket.width > stream.size())
    return read_few(bucket, stream.data(), p, out);
  std::array<std::uint32_t, kBlockLength> docids;
  unpack_horizontal(stream.data() + from, bucket.width, docids.data());
  // Numbers behind the bucket's last are garbage and are not copied.
  static_cast<void>(add_line(bucket.line, p - skipped, bucket.base, docids));
  std::copy_n(docids.begin() + skipped, some, out.begin());
  if (some < out.size()) read_few(bucket, stream.data(), p + static_cast<std::uint32_t>(some), out.subspan(some));
}

class HsLrc final : public ListCodec {
 public:
  constexpr HsLrc() = default;
  const CodecInfo& info() const override { return kInfo; }

  void encode(std::span<const std::uint32_t> numbers, Numbers kind, ByteBuffer& out) const override {
    if (kind == Numbers::kFrequencies) return simd_bp128().encode(numbers, kind, out);
    FROND_CHECK(!numbers.empty() && out.size() % 16 == 0);
    const std::size_t start = out.size();
    const auto bits = static_cast<unsigned>(std::bit_width(numbers.back()));
    unsigned leading = 0;
    while (leading < bits && numbers.size() > std::size_t{kHashBucket} << leading) ++leading;
    const unsigned shift = std::min(bits - leading, 31u);
    const std::vector<std::uint32_t> ends = ends_of(numbers, shift);
    const unsigned fraction = fraction_for(numbers, ends);
    ByteBuffer widths, begins, bases, slopes;
    ByteWriter begin_writer(begins), base_writer(bases), slope_writer(slopes), writer(out);
    for (std::size_t bucket = 0, first = 0; bucket < ends.size(); first = ends[bucket++]) {
      const auto some = numbers.subspan(first, ends[bucket] - first);
      begin_writer.put(static_cast<std::uint32_t>((out.size() - start) / 4));
      const Fit fit = some.empty() ? Fit{} : narrowest(some, fraction, 0xffffffff);
      const auto width = static_cast<unsigned>(std::bit_width(fit.spread));
      BitWriter deviations(out);
      for (std::size_t i = 0; i < some.size(); ++i)
        deviations.put(some[i] - static_cast<std::uint32_t>(fit.base) - static_cast<std::uint32_t>(fit.line(i)), width);
      writer.align(4);
      widths.push_back(static_cast<std::byte>(width));
      base_writer.put(static_cast<std::uint32_t>(fit.base));
      slope_writer.put(static_cast<std::uint32_t>(fit.line.slope));
    }
    const auto buckets = static_cast<std::uint32_t>(ends.size());
    const std::size_t index = hs_lrc_index_bytes(buckets);
    out.resize((out.size() + index + 15) / 16 * 16 - index);
    writer.put_bytes(widths);
    writer.put_bytes(std::as_bytes(std::span(ends)));
    for (const ByteBuffer* part : {&begins, &bases, &slopes}) writer.put_bytes(*part);
    writer.put(buckets);
    writer.put(std::uint32_t{shift | fraction << 8});
  }

  Result<void> decode(ByteView stream, std::uint32_t count, Numbers kind, std::uint32_t block, DocId before,
                      std::span<std::uint32_t, kBlockLength> out) const override {
    if (kind == Numbers::kFrequencies) return simd_bp128().decode(stream, count, kind, block, before, out);
    const std::uint32_t first = block * kBlockLength, size = std::min(kBlockLength, count - first);
    FROND_CHECK(first < count);
    const Index index(stream);
    if (!index.fits()) [[unlikely]]
      return corrupt_block("no room for the index", block);
    // The docID before is in the block's first bucket, or in one before it.
    std::uint32_t at = block ? before >> index.shift() : 0;
    if (at >= index.buckets() || (at > 0 && index.end_of(at - 1) > first)) [[unlikely]]
      return corrupt_block("a wrong bucket", block);
    for (std::uint32_t done = 0; done < size; ++at) {
      while (at < index.buckets() && index.end_of(at) <= first + done) ++at;
      if (at == index.buckets()) [[unlikely]]
        return corrupt_block("no bucket", block);
      const Bucket bucket = index.bucket(at);
      const std::uint32_t skipped = first + done - bucket.first;
      const std::uint32_t some = std::min(bucket.end - bucket.first - skipped, size - done);
      if (!index.holds(bucket, std::uint64_t{skipped} + some)) [[unlikely]]
        return corrupt_block("a wrong width or offset", block);
      read_bucket(bucket, stream, skipped, out.subspan(done, some));
      done += some;
    }
    if (!ascend(before, out.first(size))) [[unlikely]]
      return corrupt_block("docIDs that do not ascend", block);
    return {};
  }

 private:
  static std::vector<std::uint32_t> ends_of(std::span<const DocId> docids, unsigned shift) {
    std::vector<std::uint32_t> ends((docids.back() >> shift) + std::size_t{1});
    for (const DocId docid : docids) ++ends[docid >> shift];
    for (std::size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
    return ends;
  }
  // Bits of fraction that leave room for slopes twice as steep as those from the first docID of a bucket to its last.
  static unsigned fraction_for(std::span<const DocId> docids, std::span<const std::uint32_t> ends) {
    std::uint32_t steepest = 1, first = 0;
    for (const std::uint32_t end : ends) {
      if (end > first + 1) steepest = std::max(steepest, (docids[end - 1] - docids[first]) / (end - first - 1));
      first = end;
    }
    const auto bits = static_cast<unsigned>(std::bit_width(steepest));
    return bits < 31 ? 31 - bits : 0;
  }
};

const HsLrc kHsLrc;

}  // namespace

const ListCodec& hs_lrc() { return kHsLrc; }

}  // namespace frond::codec
