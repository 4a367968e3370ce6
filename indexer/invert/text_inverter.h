#pragma once
// Texts of documents to runs, in one step: what takes the place of the parsers' analysis and of all inverters. Numbers
// of documents, budget, runs and flushes are those of an Inverter (inverter.h).
//
// One thread calls invert(), give_lengths() and flush(), or several in turn; any thread may call memory_bytes().
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/text/analyzer_config.h"
#include "indexer/invert/inverters.h"
#include "indexer/parse/parsed_batch.h"
#include "indexer/parse/term_table.h"
#include "indexer/runs/posting_slices.h"

namespace frond::indexer::invert {

using parse::DocumentTexts;

// Takes the length of each document in terms, once, by ascending number. kUnavailable: the disk.
using TakeLength = std::function<Result<void>(DocumentNumber number, std::uint32_t length)>;

class TextInverter {
 public:
  virtual ~TextInverter() = default;
  // Takes the texts. numbers: by document, or kDropped. kUnavailable: the disk; kInvalid: more than kMaxRunDocuments;
  // kDevice, of any function, only if the setup says may_lose_postings.
  virtual Result<void> invert(DocumentTexts texts, std::span<const DocumentNumber> numbers) = 0;
  // Gives the lengths of all documents so far. Whoever wants to flush on another thread calls it first.
  virtual Result<void> give_lengths() = 0;
  // As Inverter::flush(). All lengths have been given.
  virtual Result<std::vector<runs::RunFile>> flush() = 0;
  // In place of the last flush(): what flush() would write stays where it is, if it takes at most so many bytes of the
  // host's memory. Gives all lengths. Null: this inverter cannot, or it has written runs, or the device has failed;
  // flush() writes runs then. Called once, last. Errors as flush()'s.
  virtual Result<std::unique_ptr<runs::PostingSlices>> take_postings(std::uint64_t /*most*/) {
    return std::unique_ptr<runs::PostingSlices>();
  }
  virtual std::uint64_t memory_bytes() const = 0;
};

struct TextInverterSetup {
  InverterSetup inverter;  // gpu.bytes: of the device
  text::AnalyzerConfig analyzer;
  TakeLength take_length;
  std::uint32_t threads = 1;                          // that say what the terms of new tokens are, beside a device
  int table_bits = parse::kMaxTableBits;              // of an inverter on the CPU (parse/term_table.h)
  std::uint64_t max_text = std::uint64_t{128} << 20;  // bytes of a batch on the device; pinned memory takes three
  // Where the budget is short, or there are more than max_kept_texts, texts that the device has are dropped before a
  // run is written. If the
  // device fails then, postings are lost, and the inverter's error is kDevice: the caller begins again.
  bool may_lose_postings = false;
  std::uint64_t max_kept_texts = std::uint64_t{1} << 30;  // bytes
};

struct TextInverterKind {
  std::string_view name;
  std::unique_ptr<TextInverter> (*make)(TextInverterSetup setup);
};

}  // namespace frond::indexer::invert
