#pragma once
// Documents known before the search begins, each with one score.
#include <utility>

#include "common/partition/values/value_column.h"
#include "leaf/clauses/matchers/matcher.h"

namespace frond::leaf::clauses {

using partition::DocumentBits;

// The words of a window of bits of all documents.
inline Bits window_of(const DocumentBits& bits, DocId first) {
  Bits window{};
  const std::size_t begin = first / 64;
  for (std::size_t i = 0; i < window.size() && begin + i < bits.size(); ++i) window[i] = bits[begin + i];
  return window;
}

class BitsMatcher final : public Matcher {
 public:
  BitsMatcher(DocumentBits bits, Score score) : bits_(std::move(bits)), score_(score) {
    for (const std::uint64_t word : bits_) count_ += static_cast<std::uint64_t>(std::popcount(word));
  }
  DocId next(DocId from) override {
    for (std::size_t i = from / 64; i < bits_.size(); ++i) {
      const std::uint64_t word = i == from / 64 ? bits_[i] & ~std::uint64_t{0} << from % 64 : bits_[i];
      if (word != 0) return static_cast<DocId>(i * 64 + static_cast<std::size_t>(std::countr_zero(word)));
    }
    return kNoDoc;
  }
  void restrict(DocId first, Bits& documents) override { keep(documents, window_of(bits_, first)); }
  void score(DocId, const Bits& documents, Scores& sums) override {
    if (score_ != 0) for_each(documents, [&](std::uint32_t place) { add(sums[place], score_); });
  }
  std::uint64_t bound(DocId) override { return score_; }
  std::uint64_t estimate() const override { return count_; }

 private:
  const DocumentBits bits_;
  const Score score_;
  std::uint64_t count_ = 0;
};

// All documents, or none.
class EveryMatcher final : public Matcher {
 public:
  explicit EveryMatcher(std::uint32_t documents) : documents_(documents) {}
  DocId next(DocId from) override { return from < documents_ ? from : kNoDoc; }
  void restrict(DocId, Bits& documents) override {
    if (documents_ == 0) documents = {};
  }
  void score(DocId, const Bits&, Scores&) override {}
  std::uint64_t bound(DocId) override { return 0; }
  std::uint64_t estimate() const override { return documents_; }

 private:
  const std::uint32_t documents_;
};

}  // namespace frond::leaf::clauses
