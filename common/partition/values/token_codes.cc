#include "common/partition/values/token_codes.h"

#include <algorithm>
#include <bit>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/schema/schema.h"

namespace frond::partition {
namespace {

// Varints: four times the number of fields and the logarithm of a code's bytes, buckets; of each field how many places
// it is behind the next one that it could be, and how many words it has beside the first. Then displacements (u8 a
// bucket) and the codes.
constexpr std::uint64_t kGapHash = 0;
constexpr std::size_t kKeysPerBucket = 3;
constexpr std::uint32_t kDisplacements = 256;
constexpr std::uint32_t kMostKeysOfBucket = 64;  // more are no chance

// The widest code of a width; 0 is a gap's.
constexpr std::uint64_t most_codes(std::uint32_t width) {
  return width == 1 ? 0xff : width == 2 ? 0xffff : 0xffff'ffff;
}
// How many distinct terms a width is tried for.
constexpr std::size_t most_terms(std::uint32_t width) {
  return width == 1 ? 200 : width == 2 ? 50'000 : ~std::size_t{0};
}

std::uint32_t bucket_of(std::uint64_t hash, std::uint32_t buckets) {
  return static_cast<std::uint32_t>((hash >> 32) * buckets >> 32);
}
// 1 … most_codes(width).
std::uint32_t code_of(std::uint64_t hash, std::uint32_t displacement, std::uint32_t width) {
  std::uint64_t mixed = (hash ^ (displacement * 0x9e37'79b9'7f4a'7c15)) * 0xff51'afd7'ed55'8ccd;
  mixed ^= mixed >> 32;
  return static_cast<std::uint32_t>(((mixed & 0xffff'ffff) * most_codes(width) >> 32) + 1);
}

}  // namespace

std::uint64_t term_hash(std::string_view term) {
  const std::uint64_t hash = XXH3_64bits(term.data(), term.size());
  return hash == kGapHash ? 1 : hash;
}

void TokenCodesWriter::begin_document() {
  fields_.clear();
  hashes_.clear();
  elsewhere_.clear();
}

void TokenCodesWriter::begin_field(std::uint32_t field) {
  if (!fields_.empty() && fields_.back().begin == hashes_.size()) fields_.pop_back();  // it had no word
  fields_.push_back({field, static_cast<std::uint32_t>(hashes_.size())});
}

void TokenCodesWriter::add(std::uint64_t hash) { hashes_.push_back(hash); }
void TokenCodesWriter::add_gap() { hashes_.push_back(kGapHash); }

// Deals codes of this width to distinct_. False: some bucket found no displacement.
bool TokenCodesWriter::place(std::uint32_t width) {
  const auto buckets = static_cast<std::uint32_t>(distinct_.size() / kKeysPerBucket + 1);
  // Keys of a bucket side by side: distinct_ is ascending, and so are their buckets.
  bucket_ends_.assign(buckets, 0);
  for (const std::uint64_t hash : distinct_) ++bucket_ends_[bucket_of(hash, buckets)];
  order_.resize(buckets);
  for (std::uint32_t i = 0; i < buckets; ++i) order_[i] = i;
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return bucket_ends_[a] > bucket_ends_[b]; });
  for (std::uint32_t i = 1; i < buckets; ++i) bucket_ends_[i] += bucket_ends_[i - 1];
  displacements_.assign(buckets, 0);
  // A bit for each code; of width 4, for those that are equal in their lower bits, which are few.
  const std::size_t bits = width == 1 ? 256 : std::max<std::size_t>(1u << 16, std::bit_ceil(distinct_.size() * 32));
  taken_.assign(bits / 64, 0);
  const auto is_taken = [&](std::uint32_t code) { return (taken_[code % bits / 64] >> code % 64 & 1) != 0; };
  const auto take = [&](std::uint32_t code) { taken_[code % bits / 64] |= std::uint64_t{1} << code % 64; };
  for (const std::uint32_t bucket : order_) {
    const std::uint32_t begin = bucket == 0 ? 0 : bucket_ends_[bucket - 1], end = bucket_ends_[bucket];
    if (begin == end) break;
    if (end - begin > kMostKeysOfBucket) return false;
    std::uint32_t displacement = 0;
    for (; displacement < kDisplacements; ++displacement) {
      bool fits = true;
      for (std::uint32_t i = begin; fits && i < end; ++i) {
        const std::uint32_t code = code_of(distinct_[i], displacement, width);
        fits = !is_taken(code);
        for (std::uint32_t j = begin; fits && j < i; ++j) fits = code_of(distinct_[j], displacement, width) != code;
      }
      if (fits) break;
    }
    if (displacement == kDisplacements) return false;
    displacements_[bucket] = static_cast<std::uint8_t>(displacement);
    for (std::uint32_t i = begin; i < end; ++i) take(code_of(distinct_[i], displacement, width));
  }
  return true;
}

void TokenCodesWriter::finish(ByteBuffer& out) {
  if (!fields_.empty() && fields_.back().begin == hashes_.size()) fields_.pop_back();
  if (hashes_.empty()) return;
  distinct_.assign(hashes_.begin(), hashes_.end());
  distinct_.insert(distinct_.end(), elsewhere_.begin(), elsewhere_.end());
  std::sort(distinct_.begin(), distinct_.end());
  distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
  if (distinct_.front() == kGapHash) distinct_.erase(distinct_.begin());
  std::uint32_t width = distinct_.size() <= most_terms(1) ? 1 : distinct_.size() <= most_terms(2) ? 2 : 4;
  while (!place(width)) {
    width *= 2;
    if (width > 4) return;  // hashes that were made to collide
  }
  const auto buckets = static_cast<std::uint32_t>(displacements_.size());

  ByteWriter writer(out);
  writer.put_varint(fields_.size() << 2 | static_cast<unsigned>(std::countr_zero(width)));
  writer.put_varint(buckets);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const std::size_t end = i + 1 < fields_.size() ? fields_[i + 1].begin : hashes_.size();
    writer.put_varint(fields_[i].field - next);
    writer.put_varint(end - fields_[i].begin - 1);
    next = fields_[i].field + 1;
  }
  writer.put_bytes(std::as_bytes(std::span(displacements_)));
  const std::size_t at = out.size();
  out.resize(at + hashes_.size() * width);
  std::byte* to = out.data() + at;
  for (const std::uint64_t hash : hashes_) {
    const std::uint32_t code =
        hash == kGapHash ? TokenCodes::kGapCode : code_of(hash, displacements_[bucket_of(hash, buckets)], width);
    std::memcpy(to, &code, width);
    to += width;
  }
}

Result<TokenCodes> TokenCodes::open(ByteView record) {
  const auto corrupt = [] { return Error(Code::kCorrupt, "not the codes of a document's words"); };
  TokenCodes codes;
  ByteReader in(record);
  const std::uint64_t first = in.get_varint(), buckets = in.get_varint();
  codes.width_ = 1u << (first & 3);
  if (!in.ok() || codes.width_ > 4 || first >> 2 == 0 || first >> 2 > schema::kMaxFields || buckets == 0 ||
      buckets > record.size())
    return corrupt();
  codes.field_count_ = static_cast<std::uint32_t>(first >> 2);
  codes.buckets_ = static_cast<std::uint32_t>(buckets);
  codes.fields_ = record.data() + (record.size() - in.left());
  std::uint64_t words = 0, field = 0;
  for (std::uint32_t i = 0; i < codes.field_count_; ++i) {
    const std::uint64_t behind = in.get_varint(), more = in.get_varint();
    if (!in.ok() || behind >= schema::kMaxFields || more >= record.size()) return corrupt();
    field += behind + 1;
    words += more + 1;
  }
  if (field > schema::kMaxFields || buckets + words * codes.width_ != in.left()) return corrupt();
  codes.displacements_ = record.data() + (record.size() - in.left());
  codes.codes_ = codes.displacements_ + codes.buckets_;
  codes.end_ = record.data() + record.size();
  return codes;
}

std::uint32_t TokenCodes::code(std::uint64_t hash) const {
  const std::byte displacement = displacements_[bucket_of(hash, buckets_)];
  return code_of(hash, static_cast<std::uint32_t>(displacement), width_);
}

}  // namespace frond::partition
