#pragma once
// The host's part of texts on the device: which term a token is, and the terms of what the device does not cut.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/analyzer.h"
#include "indexer/invert/gpu/text/device/kernels.h"
#include "indexer/invert/gpu/text/terms/crew.h"
#include "indexer/invert/gpu/text/terms/sorted_terms.h"
#include "indexer/invert/gpu/text/terms/term_numbers.h"
#include "indexer/invert/gpu/text/text_pieces.h"
#include "indexer/parse/token_table.h"

namespace frond::indexer::invert::gpu {

// Of TextBatch.
std::uint32_t rules_on_device(const text::AnalyzerConfig& analyzer);

// One thread, with a crew for find() and cut(). Texts of standard3 are in their form (cut_form.h).
class TextTerms {
 public:
  // Each thread has two analyzers, one of them with a cache, and 256 KiB of tokens.
  explicit TextTerms(const text::AnalyzerConfig& analyzer, std::uint32_t threads = 1);

  // Sets terms[i] to the number of the term of keys[i], or to kDroppedTerm; of a chunk that has several terms, to
  // kHostTerm. By all threads.
  void find(std::span<const TokenKey> keys, std::vector<std::uint32_t>& terms);
  // Sets `terms` to those of chunks of a batch's text, of chunk c terms[places[c] .. places[c + 1]). By all threads.
  void cut(const TextPieces& batch, std::span<const HostChunk> chunks, std::vector<std::uint32_t>& places,
           std::vector<std::uint32_t>& terms);
  // Appends the terms of any text.
  void cut_all(std::string_view text, std::vector<std::uint32_t>& terms);

  std::uint32_t size() const { return numbers_.size(); }
  std::string_view term(std::uint32_t number) const { return numbers_.term(number); }
  const TermNumbers& numbers() const { return numbers_; }
  // The terms with totals in byte order. totals: by term.
  std::vector<std::uint32_t> in_order(std::span<const std::uint32_t> totals) {
    return gpu::in_order(numbers_, totals, crew_);
  }
  Crew& crew() { return crew_; }  // for other work, in turn
  std::uint64_t memory_bytes() const { return numbers_.memory_bytes(); }
  void clear();
  void end_adding() { numbers_.end_adding(); }

 private:
  // A term whose number is looked for.
  struct NewLookup {
    std::uint64_t hash;
    std::uint32_t key;          // its place
    std::uint32_t begin, size;  // in `text`
  };
  // What a thread has for itself.
  struct Worker {
    explicit Worker(const text::AnalyzerConfig& config)
        : analyzer(config), uncached(config, /*cache_bits=*/0), tokens(kTokenBits) {}
    text::Analyzer analyzer;
    text::Analyzer uncached;           // for tokens of which none comes twice
    parse::TokenTable tokens;          // that this thread cut
    std::vector<std::uint32_t> terms;  // scratch
    // What make_terms() has for find_numbers().
    std::string text;
    std::vector<std::vector<NewLookup>> lookups;  // by group of hashes
    void begin(std::uint32_t groups) {
      text.clear();
      lookups.resize(groups);
      for (auto& some : lookups) some.clear();
    }
  };
  static constexpr int kTokenBits = 13;

  void make_terms(Worker& worker, std::span<const TokenKey> keys, std::size_t begin, std::size_t end,
                  std::uint32_t groups, std::uint32_t* answers);
  void find_numbers(const Worker& worker, std::uint32_t group, std::uint32_t* answers);
  std::uint32_t term_of(Worker& worker, std::string_view token);
  std::uint32_t term_of_chunk(Worker& worker, const TokenKey& key);
  void cut_all(Worker& worker, std::string_view text, std::vector<std::uint32_t>& terms);
  void cut_chunk(Worker& worker, std::string_view text, std::uint32_t chunk, bool is_token,
                 std::vector<std::uint32_t>& terms);
  // Whether a byte ends every word, so that what is before it and what is behind may be cut apart.
  bool ends_words(char byte) const { return ends_words_[static_cast<unsigned char>(byte)]; }

  bool has_spans_;
  text::SpanRules rules_;
  std::vector<bool> ends_words_;
  std::vector<std::unique_ptr<Worker>> workers_;
  TermNumbers numbers_;
  Crew crew_;
};

}  // namespace frond::indexer::invert::gpu
