#pragma once
// Where a phrase is in one document: looks at the sequence of the codes of its words.
#include <cstdint>
#include <span>
#include <vector>

#include "common/partition/values/token_codes.h"
#include "leaf/cpu/kernels.h"

namespace frond::leaf::clauses {

// One thread; keeps its memory from one document to the next.
class PhrasePlaces {
 public:
  struct Word {
    std::uint32_t number = 0;
    std::vector<std::uint32_t> codes;  // in the document; any of them
  };
  // `numbers`: of the words, as PhraseNode has them.
  PhrasePlaces(std::span<const std::uint32_t> numbers, std::uint32_t slop);

  // Fill in the codes of each document.
  std::vector<Word>& words() { return words_; }
  // How many places of the first word begin the phrase (PhraseNode), in a field whose codes take `width` bytes.
  std::uint32_t count(const partition::TokenCodes::Field& field, std::uint32_t width);

 private:
  std::uint32_t count_exact(const partition::TokenCodes::Field& field, std::uint32_t width);
  template <class Code>
  std::uint32_t count_sloppy(const partition::TokenCodes::Field& field);
  bool begins_at(std::int64_t place);

  std::vector<Word> words_;
  const std::uint32_t slop_;
  std::vector<std::vector<std::int64_t>> places_;  // by word, of a sloppy phrase
  std::vector<std::int64_t> used_;
  std::vector<cpu::CodeAt> codes_;  // of an exact one
};

}  // namespace frond::leaf::clauses
