#pragma once
// Positions: which word stands where in a document, kept with the document instead of with the lists. A document's
// distinct terms have codes, dealt by a perfect hash of its own, and its text is the sequence of these codes, a byte
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

// A record, opened. Borrows its bytes. Plain values; any thread.
class TokenCodes {
 public:
  // Checks the sizes only: any codes are safe. kCorrupt.
  static Result<TokenCodes> open(ByteView record);
  struct Field {
    std::uint32_t field = 0;
    std::uint32_t words = 0;           // gaps among them
    const std::byte* codes = nullptr;  // unaligned
  };
  // Calls visit(const Field&) for each field that has words, ascending.
  template <class Visit>
  void for_each_field(const Visit& visit) const {
    const std::byte *at = fields_, *codes = codes_;
    Field field;
    for (std::uint32_t i = 0; i < field_count_; ++i) {
      field.field = number(at, displacements_) + (i == 0 ? 0 : field.field + 1);
      field.words = number(at, displacements_) + 1;
      // A file that is cut off reads as zeros from then on, so there may be fewer words than there were, never more.
      if (std::uint64_t{field.words} * width_ > static_cast<std::uint64_t>(end_ - codes)) return;
      field.codes = codes;
      codes += std::size_t{field.words} * width_;
      visit(field);
    }
  }
  std::uint32_t width() const { return width_; }  // bytes of a code: 1, 2 or 4
  // The code of a term that the document has. Never the code of a gap.
  std::uint32_t code(std::uint64_t hash) const {
    return code_of(hash, static_cast<std::uint32_t>(displacements_[bucket_of(hash, buckets_)]), width_);
  }

  static constexpr std::uint32_t kGapCode = 0;

  static std::uint32_t bucket_of(std::uint64_t hash, std::uint32_t buckets) {
    return static_cast<std::uint32_t>((hash >> 32) * buckets >> 32);
  }
  // 1 … the widest code of the width.
  static std::uint32_t code_of(std::uint64_t hash, std::uint32_t displacement, std::uint32_t width) {
    const std::uint64_t most = width == 1 ? 0xff : width == 2 ? 0xffff : 0xffff'ffff;
    std::uint64_t mixed = (hash ^ (displacement * 0x9e37'79b9'7f4a'7c15)) * 0xff51'afd7'ed55'8ccd;
    mixed ^= mixed >> 32;
    return static_cast<std::uint32_t>(((mixed & 0xffff'ffff) * most >> 32) + 1);
  }

 private:
  // A varint before `end`, of which the lowest 32 bits count; moves `at` behind it.
  static std::uint32_t number(const std::byte*& at, const std::byte* end) {
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

}  // namespace frond::partition
