#pragma once
// The host's part of texts on the device: which term a token is, and the terms of what the device does not cut. Terms
// are numbered in the order in which they are met.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/text/analyzer.h"
#include "indexer/invert/gpu/text/text_on_device.h"
#include "indexer/parse/token_table.h"

namespace frond::indexer::invert::gpu {

// One thread.
class TextTerms {
 public:
  explicit TextTerms(const text::AnalyzerConfig& analyzer);
  // The number of a token's term, or kDroppedTerm.
  std::uint32_t term_of(std::string_view token);
  std::uint32_t term_of(const TokenKey& key);
  // Appends the terms of a chunk of a batch's text.
  void cut(std::string_view text, const HostChunk& chunk, std::vector<std::uint32_t>& terms);
  // The same of any text.
  void cut_all(std::string_view text, std::vector<std::uint32_t>& terms);
  // Whether a byte ends every word, so that what is before it and what is behind may be cut apart.
  bool ends_words(char byte) const { return ends_words_[static_cast<unsigned char>(byte)]; }

  std::uint32_t size() const { return static_cast<std::uint32_t>(begins_.size() - 1); }
  std::string_view term(std::uint32_t number) const {
    return {bytes_.data() + begins_[number], static_cast<std::size_t>(begins_[number + 1] - begins_[number])};
  }
  // The terms with totals in byte order. totals: by term.
  std::vector<std::uint32_t> in_order(std::span<const std::uint32_t> totals) const;
  std::uint64_t memory_bytes() const;
  void clear();

 private:
  struct Slot {
    std::uint32_t hash = 0, term_plus_1 = 0;  // 0: free
  };
  std::uint32_t number_of(std::string_view term);
  void grow();

  text::Analyzer analyzer_;
  bool standard2_;
  std::vector<bool> ends_words_;
  parse::TokenTable tokens_;           // that the host cut
  std::vector<Slot> slots_;            // a power of two
  std::vector<std::uint64_t> begins_;  // and the end
  std::vector<char> bytes_;
};

}  // namespace frond::indexer::invert::gpu
