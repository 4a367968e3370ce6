#include "common/partition/values/token_codes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <random>
#include <type_traits>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/schema/schema.h"

namespace frond::partition {
namespace {

// Varints: four times the number of fields and the logarithm of a code's bytes, buckets; of each field how many places
// it is behind the next one that it could be, and how many words it has beside the first. Then displacements (u8 a
// bucket) and the codes.
constexpr std::uint64_t kGapHash = 0;
constexpr std::size_t kKeysPerBucket[] = {5, 3};  // the second is tried where the first finds no places
constexpr std::uint32_t kDisplacements = 256;
constexpr std::uint32_t kMostKeysOfBucket = 64;  // more are no chance

// How many distinct terms a width is tried for.
constexpr std::size_t most_terms(std::uint32_t width) {
  return width == 1 ? 200 : width == 2 ? 50'000 : ~std::size_t{0};
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

void TokenCodesWriter::find_distinct() {
  constexpr std::size_t kSlots = 1024;  // at the beginning
  // Of the process, so that no document can be made for slow tables. Records do not depend on it.
  static const std::uint64_t odd = [] {
    std::random_device random;
    return (std::uint64_t{random()} << 32 | random()) | 1;
  }();
  table_.assign(std::bit_ceil(std::min(kSlots, 2 * (hashes_.size() + elsewhere_.size()) + 2)), {});
  distinct_.clear();
  numbers_.resize(hashes_.size());
  const auto slot_of = [&](std::uint64_t hash) -> Term& {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = hash * odd >> (64 - std::countr_zero(table_.size()));
    while (table_[at].hash != hash && table_[at].hash != kGapHash) at = (at + 1) & mask;
    return table_[at];
  };
  const auto number_of = [&](std::uint64_t hash) {
    Term& term = slot_of(hash);
    if (term.hash != kGapHash) return term.number;
    const auto number = static_cast<std::uint32_t>(distinct_.size());
    term = {hash, number};
    distinct_.push_back(hash);
    if (2 * distinct_.size() > table_.size()) {
      table_.assign(2 * table_.size(), {});
      for (std::uint32_t i = 0; i < distinct_.size(); ++i) slot_of(distinct_[i]) = {distinct_[i], i};
    }
    return number;
  };
  for (std::size_t i = 0; i < hashes_.size(); ++i)
    if (hashes_[i] != kGapHash) numbers_[i] = number_of(hashes_[i]);
  for (const std::uint64_t hash : elsewhere_) number_of(hash);
}

// Deals codes of this width to distinct_. False: some bucket found no displacement.
bool TokenCodesWriter::place(std::uint32_t width, std::size_t keys_per_bucket) {
  const auto buckets = static_cast<std::uint32_t>(distinct_.size() / keys_per_bucket + 1);
  bucket_ends_.assign(buckets + 1, 0);
  for (const std::uint64_t hash : distinct_) ++bucket_ends_[TokenCodes::bucket_of(hash, buckets)];
  // The fullest buckets first, of equals the lowest.
  std::array<std::uint32_t, kMostKeysOfBucket + 1> by_size{};
  for (std::uint32_t i = 0; i < buckets; ++i) {
    if (bucket_ends_[i] > kMostKeysOfBucket) return false;
    ++by_size[bucket_ends_[i]];
  }
  for (std::uint32_t size = kMostKeysOfBucket, before = 0; size > 0; --size)
    before += std::exchange(by_size[size], before);
  order_.resize(buckets);
  std::uint32_t filled = 0;
  for (std::uint32_t i = 0, end = 0; i < buckets; ++i) {
    const std::uint32_t size = bucket_ends_[i];
    if (size > 0) order_[by_size[size]++] = i;
    filled += size > 0;
    bucket_ends_[i] = std::exchange(end, end + size);  // its beginning, and its end once its keys are in place
  }
  keys_.resize(distinct_.size());
  for (std::uint32_t i = 0; i < distinct_.size(); ++i)
    keys_[bucket_ends_[TokenCodes::bucket_of(distinct_[i], buckets)]++] = {distinct_[i], i};
  displacements_.assign(buckets, 0);
  codes_.resize(distinct_.size());
  // A bit for each code; of width 4, for those that are equal in their lower bits, which are few.
  const std::size_t bits = width == 1 ? 256 : std::max<std::size_t>(1u << 16, std::bit_ceil(distinct_.size() * 32));
  taken_.assign(bits / 64, 0);
  std::array<std::uint32_t, kMostKeysOfBucket> tried;
  for (std::uint32_t turn = 0; turn < filled; ++turn) {
    const std::uint32_t bucket = order_[turn];
    const std::uint32_t begin = bucket == 0 ? 0 : bucket_ends_[bucket - 1], size = bucket_ends_[bucket] - begin;
    std::uint32_t displacement = 0;
    for (; displacement < kDisplacements; ++displacement) {
      std::uint32_t fitting = 0;
      for (; fitting < size; ++fitting) {
        const std::uint32_t code = TokenCodes::code_of(keys_[begin + fitting].hash, displacement, width);
        std::uint64_t& word = taken_[code % bits / 64];
        if ((word >> code % 64 & 1) != 0) break;
        word |= std::uint64_t{1} << code % 64;
        tried[fitting] = code;
      }
      if (fitting == size) break;
      while (fitting > 0) {
        --fitting;
        taken_[tried[fitting] % bits / 64] &= ~(std::uint64_t{1} << tried[fitting] % 64);
      }
    }
    if (displacement == kDisplacements) return false;
    displacements_[bucket] = static_cast<std::uint8_t>(displacement);
    for (std::uint32_t i = 0; i < size; ++i) codes_[keys_[begin + i].number] = tried[i];
  }
  return true;
}

void TokenCodesWriter::finish(ByteBuffer& out) {
  if (!fields_.empty() && fields_.back().begin == hashes_.size()) fields_.pop_back();
  if (!hashes_.empty() && hashes_.size() <= kMaxCodesBytes) write(out);
  const auto give_back = [](auto&... vectors) {
    constexpr std::size_t kKeptBytes = std::size_t{4} << 20;
    const auto one = [](auto& vector) {
      if (vector.capacity() * sizeof(vector[0]) > kKeptBytes) std::remove_reference_t<decltype(vector)>().swap(vector);
    };
    (one(vectors), ...);
  };
  give_back(hashes_, elsewhere_, table_, distinct_, numbers_, keys_, bucket_ends_, order_, displacements_, taken_,
            codes_);
}

void TokenCodesWriter::write(ByteBuffer& out) {
  find_distinct();
  std::uint32_t width = distinct_.size() <= most_terms(1) ? 1 : distinct_.size() <= most_terms(2) ? 2 : 4;
  const auto is_placed = [&] {
    return std::ranges::any_of(kKeysPerBucket, [&](std::size_t keys) { return place(width, keys); });
  };
  while (!is_placed()) {
    width *= 2;
    if (width > 4) return;  // hashes that were made to collide
  }
  const auto buckets = static_cast<std::uint32_t>(displacements_.size());
  if (buckets + std::uint64_t{width} * hashes_.size() > kMaxCodesBytes) return;

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
  const auto write_codes = [&](auto code) {
    std::byte* to = out.data() + at;
    for (std::size_t i = 0; i < hashes_.size(); ++i, to += sizeof code) {
      code = static_cast<decltype(code)>(hashes_[i] == kGapHash ? TokenCodes::kGapCode : codes_[numbers_[i]]);
      std::memcpy(to, &code, sizeof code);
    }
  };
  if (width == 1)
    write_codes(std::uint8_t{});
  else if (width == 2)
    write_codes(std::uint16_t{});
  else
    write_codes(std::uint32_t{});
}

Result<TokenCodes> TokenCodes::open(ByteView record) {
  static_assert(kMostFields == schema::kMaxFields);
  TokenCodes codes;
  if (!codes.read(record.data(), record.data() + record.size()))
    return Error(Code::kCorrupt, "not the codes of a document's words");
  return codes;
}

}  // namespace frond::partition
