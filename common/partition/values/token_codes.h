#pragma once
// Positions: which word stands where in a document, kept with the document instead of with the lists. A document's
// distinct terms have codes, given by a perfect hash of its own, and its text is the sequence of these codes, a byte
// each for up to some 200 distinct terms, two or four beyond. Who looks for a phrase has candidates from the lists that
// have all its words, and reads the sequences of those only; lists stay as they are, and a document's record is copied
// as it is when partitions are merged or renumbered, since no number of a partition is in it (ADR 69).
//
// A code is only found for terms that the document has, be it in a text without positions: others get the code of any
// term. Terms are hashed
// to 64 bits (term_hash()); of two terms with one hash in a document, each is taken for the other.
//
// The hash by two levels is that of Fredman, Komlós and Szemerédi (1984) with displacements instead of second tables,
// as Belazzougui, Botelho and Dietzfelbinger (2009) place them: keys fall into buckets, and each bucket, the fullest
// first, gets the first displacement with which its keys take free codes.
//
// Bytes of a record: docs/formats/partition.md, "Token codes".
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/check.h"
#include "common/base/result.h"

namespace frond::partition {

std::uint64_t term_hash(std::string_view term);

// Of a record; with the largest source and all columns it stays below kMaxValuesBytes (document_values.h).
inline constexpr std::size_t kMaxCodesBytes = std::size_t{56} << 20;

// Makes the record of one document after the other. One thread; reusable, keeps its memory, but for a large document's.
// Memory: up to 24 bytes a word and 100 a distinct term.
class TokenCodesWriter {
 public:
  void begin_document();
  // The next tokens are those of this text field (its place in the schema). Fields ascend.
  void begin_field(std::uint32_t field);
  // The next word of the field; its hash is that of the term as it is indexed, without a field.
  void add(std::uint64_t hash);
  // A word that has no term (a stop word) stands here.
  void add_gap();
  // A term that the document has in its lists besides: another form of a word, or of a text without positions.
  void add_elsewhere(std::uint64_t hash) { elsewhere_.push_back(hash); }
  // Appends the record; nothing if there was no word, if words were made so that their hashes collide, or if it would
  // take more than kMaxCodesBytes: phrases don't find the document then.
  void finish(ByteBuffer& out);

 private:
  struct Field {
    std::uint32_t field = 0, begin = 0;  // in hashes_
  };
  struct Term {
    std::uint64_t hash = 0;
    std::uint32_t number = 0;  // in distinct_
  };
  void find_distinct();
  void write(ByteBuffer& out);
  bool place(std::uint32_t width, std::size_t keys_per_bucket);

  std::vector<Field> fields_;
  std::vector<std::uint64_t> hashes_;  // of all words in turn; 0: a gap
  std::vector<std::uint64_t> elsewhere_;
  std::vector<Term> table_;              // distinct terms by their hashes, 0: none
  std::vector<std::uint64_t> distinct_;  // in the order in which they come
  std::vector<std::uint32_t> numbers_;   // of each word its term's; of gaps any
  std::vector<Term> keys_;               // distinct_ by bucket
  std::vector<std::uint32_t> bucket_ends_, order_;
  std::vector<std::uint8_t> displacements_;
  std::vector<std::uint64_t> taken_;
  std::vector<std::uint32_t> codes_;  // by number
};

// A record, opened. Borrows its bytes. Plain values; any thread, also of a device.
class TokenCodes {
 public:
  // Checks the sizes only: any codes are safe. kCorrupt.
  static Result<TokenCodes> open(ByteView record);
  // The same of the bytes at .. end. False: they are none.
  FROND_HOST_DEVICE bool read(const std::byte* at, const std::byte* end);
  struct Field {
    std::uint32_t field = 0;
    std::uint32_t words = 0;           // gaps among them
    const std::byte* codes = nullptr;  // unaligned
    std::uint32_t number = 0;          // of the fields of the document; the first has 1
    const std::byte* next = nullptr;   // what is said of the next one
  };
  // Moves to the next field that has words, from Field() to the first. False: there is none.
  FROND_HOST_DEVICE bool next(Field& field) const {
    if (field.number == field_count_) return false;
    const bool first = field.number++ == 0;
    const std::byte* at = first ? fields_ : field.next;
    const std::byte* const codes = first ? codes_ : field.codes + std::size_t{field.words} * width_;
    field.field = number(at, displacements_) + (first ? 0 : field.field + 1);
    field.words = number(at, displacements_) + 1;
    field.next = at;
    field.codes = codes;
    // A file that is cut off reads as zeros from then on, so there may be fewer words than there were, never more.
    return std::uint64_t{field.words} * width_ <= static_cast<std::uint64_t>(end_ - codes);
  }
  // Calls visit(const Field&) for each, ascending.
  template <class Visit>
  void for_each_field(const Visit& visit) const {
    for (Field field; next(field);) visit(field);
  }
  FROND_HOST_DEVICE std::uint32_t width() const { return width_; }  // bytes of a code: 1, 2 or 4
  // The code of a term that the document has. Never the code of a gap.
  FROND_HOST_DEVICE std::uint32_t code(std::uint64_t hash) const {
    return code_of(hash, static_cast<std::uint32_t>(displacements_[bucket_of(hash, buckets_)]), width_);
  }

  static constexpr std::uint32_t kGapCode = 0, kMostFields = 256;

  FROND_HOST_DEVICE static std::uint32_t bucket_of(std::uint64_t hash, std::uint32_t buckets) {
    return static_cast<std::uint32_t>((hash >> 32) * buckets >> 32);
  }
  // 1 … the widest code of the width.
  FROND_HOST_DEVICE static std::uint32_t code_of(std::uint64_t hash, std::uint32_t displacement, std::uint32_t width) {
    const std::uint64_t most = width == 1 ? 0xff : width == 2 ? 0xffff : 0xffff'ffff;
    std::uint64_t mixed = (hash ^ (displacement * 0x9e37'79b9'7f4a'7c15)) * 0xff51'afd7'ed55'8ccd;
    mixed ^= mixed >> 32;
    return static_cast<std::uint32_t>(((mixed & 0xffff'ffff) * most >> 32) + 1);
  }

 private:
  // A varint before `end`, of which the lowest 32 bits count; moves `at` behind it.
  FROND_HOST_DEVICE static std::uint32_t number(const std::byte*& at, const std::byte* end) {
    std::uint32_t value = 0;
    for (unsigned shift = 0; at < end && shift < 32; shift += 7) {
      const auto byte = static_cast<std::uint32_t>(*at++);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  }

  std::uint32_t field_count_ = 0, width_ = 1, buckets_ = 0;
  const std::byte *fields_ = nullptr, *displacements_ = nullptr, *codes_ = nullptr, *end_ = nullptr;
};

FROND_HOST_DEVICE inline bool TokenCodes::read(const std::byte* at, const std::byte* end) {
  const std::uint32_t first = number(at, end);
  buckets_ = number(at, end);
  width_ = 1u << (first & 3);
  field_count_ = first >> 2;
  if (width_ > 4 || field_count_ == 0 || field_count_ > kMostFields || buckets_ == 0) return false;
  fields_ = at;
  std::uint64_t words = 0, field = 0;
  for (std::uint32_t i = 0; i < field_count_; ++i) {
    field += std::uint64_t{number(at, end)} + 1;
    words += std::uint64_t{number(at, end)} + 1;
  }
  displacements_ = at;
  codes_ = at + buckets_;
  end_ = end;
  return field <= kMostFields && buckets_ + words * width_ == static_cast<std::uint64_t>(end - at);
}

}  // namespace frond::partition
