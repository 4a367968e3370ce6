#pragma once
// Texts of documents to runs, in one step: what takes the place of the parsers' analysis and of all inverters. Numbers
// of documents, budget, runs and flushes are those of an Inverter (inverter.h).
//
// One thread calls invert() and flush(); any thread may call memory_bytes().
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/text/analyzer_config.h"
#include "indexer/invert/inverters.h"

namespace frond::indexer::invert {

// The texts of consecutive documents. Document i is bytes [ends[i - 1], ends[i]): title, a line feed, body, a line
// feed. A line feed ends every word, so title and body need not be kept apart.
struct DocumentTexts {
  std::string bytes;
  std::vector<std::uint64_t> ends;
  std::string_view of(std::size_t document) const {
    const std::uint64_t begin = document == 0 ? 0 : ends[document - 1];
    return std::string_view(bytes).substr(begin, ends[document] - begin);
  }
  void add(std::string_view title, std::string_view body) {
    bytes.append(title).append(1, '\n').append(body).append(1, '\n');
    ends.push_back(bytes.size());
  }
  void clear() {
    bytes.clear();
    ends.clear();
  }
  std::uint64_t memory_bytes() const { return bytes.capacity() + ends.capacity() * sizeof ends[0]; }
};

// Takes the length of each document in terms, once, by ascending number. kUnavailable: the disk.
using TakeLength = std::function<Result<void>(DocumentNumber number, std::uint32_t length)>;

class TextInverter {
 public:
  virtual ~TextInverter() = default;
  // Takes the texts. numbers: by document, or kDropped. kUnavailable: the disk; kInvalid: more than kMaxRunDocuments.
  virtual Result<void> invert(DocumentTexts texts, std::span<const DocumentNumber> numbers) = 0;
  // As Inverter::flush(). All lengths have been given.
  virtual Result<std::vector<runs::RunFile>> flush() = 0;
  virtual std::uint64_t memory_bytes() const = 0;
};

struct TextInverterSetup {
  InverterSetup inverter;  // gpu.bytes: of the device
  text::AnalyzerConfig analyzer;
  TakeLength take_length;
  std::uint64_t max_text = std::uint64_t{128} << 20;  // bytes of a batch on the device; pinned memory takes two
};

struct TextInverterKind {
  std::string_view name;
  std::unique_ptr<TextInverter> (*make)(TextInverterSetup setup);
};

}  // namespace frond::indexer::invert
