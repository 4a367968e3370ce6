#pragma once
// Seam: token groups of trie collections to runs. An inverter keeps the collections that it is given for the whole
// build, so inverters share nothing. Documents are numbered through the whole collection of documents: document n is
// docID n / P of partition n mod P.
//
// An inverter has a budget of memory, which may change at any time. Before it would hold more, it writes runs, also in
// the middle of a document: the next run then begins with the document that the last one ended with.
//
// One thread calls invert() and flush(), or several in turn; any thread may call memory_bytes().
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/text/analyzer_config.h"
#include "indexer/invert/in_memory_postings.h"
#include "indexer/parse/parsed_batch.h"
#include "indexer/parse/term_table.h"
#include "indexer/parse/token_groups.h"
#include "indexer/runs/posting_slices.h"
#include "indexer/runs/run_file.h"

namespace frond::indexer::invert {

using DocumentNumber = std::uint64_t;
inline constexpr DocumentNumber kDropped = ~DocumentNumber{0};  // a duplicate: its tokens are ignored

// The numbers of a run's documents are less than its first document's number plus this: flush before there are more.
inline constexpr std::uint64_t kMaxRunDocuments = 0xffffffff;

// The bytes that an inverter may hold at the moment. Called from the thread of invert().
using InverterBudget = std::function<std::uint64_t()>;

class Inverter {
 public:
  virtual ~Inverter() = default;
  virtual std::string_view name() const = 0;  // "cpu", "cpu_btree"
  // Takes the tokens of `groups`, which are some or all groups of `tokens`. numbers[i] is the number of the batch's
  // document i, or kDropped; numbers ascend, also from batch to batch. kInvalid: more than kMaxRunDocuments, and
  // nothing is taken; kUnavailable: the disk.
  virtual Result<void> invert(const parse::TokenGroups& tokens, std::span<const parse::TokenGroup> groups,
                              std::span<const DocumentNumber> numbers) = 0;
  // Gives all runs since the last call: those written to keep to the budget, and the rest, one run a partition (none
  // for a partition without postings). Frees all memory. kUnavailable: the disk; the message names the file.
  virtual Result<std::vector<runs::RunFile>> flush() = 0;
  // In place of the last flush(): what flush() would write, left in memory. Frees the inverter's own memory. Null, and
  // nothing is changed: this inverter cannot, or it has written runs since the last flush(). Called once, last.
  virtual std::unique_ptr<InMemoryPostings> take_postings() { return nullptr; }
  // The bytes that flush() would free.
  virtual std::uint64_t memory_bytes() const = 0;
};

// For measurements: gives what takes the place of inverter `number` of a build, and may keep it.
using AroundInverter = std::function<std::unique_ptr<Inverter>(std::unique_ptr<Inverter> inverter, std::size_t number)>;

// The implementations of Inverter that this build has.
// What an inverter on a GPU may use.
struct GpuMemory {
  int device = 0;
  std::uint64_t bytes = std::uint64_t{2} << 30;  // of each device
  std::vector<int> more_devices{};               // that an inverter of texts uses, too
};

// Pinned memory of the host that an inverter on a GPU has beside its budget.
inline constexpr std::uint64_t kPinnedBytes = std::uint64_t{8} << 20;

struct InverterSetup {
  std::filesystem::path folder;  // for the runs; it exists
  std::string label;             // begins the names of the runs; no two inverters of a folder have the same
  std::uint32_t partitions = 1;
  InverterBudget budget;
  std::size_t frame_bytes = runs::kFramePayloadBytes;  // of the runs
  GpuMemory gpu{};
  std::function<void(const std::string&)>
      warn{};  // where an inverter says that it goes on without its GPU; may be empty
};

struct InverterKind {
  std::string_view name, dictionary;
  std::uint64_t min_bytes;  // it may hold so many bytes although its budget is smaller
  std::unique_ptr<Inverter> (*make)(InverterSetup setup);
};

// A new implementation is a file pair and a line in this table; tests/contract/inverter tests every entry.
std::span<const InverterKind> inverter_kinds();

inline constexpr std::string_view kUsualCpuDictionary = "hash";
// The kind whose dictionary has this name; null: there is none.
const InverterKind* inverter_with(std::string_view dictionary);

// Texts of documents to runs, in one step: what takes the place of the parsers' analysis and of all inverters. Numbers
// of documents, budget, runs and flushes are those of an Inverter (inverter.h).
//
// One thread calls invert(), give_lengths() and flush(), or several in turn; any thread may call memory_bytes().

using parse::DocumentTexts;

// Takes the length of each document in terms, once, by ascending number. kUnavailable: the disk.
using TakeLength = std::function<Result<void>(DocumentNumber number, std::uint32_t length)>;

class TextInverter {
 public:
  virtual ~TextInverter() = default;
  // Takes the texts. numbers: by document, or kDropped. kUnavailable: the disk; kInvalid: more than kMaxRunDocuments;
  // kDevice, of any function: a device has lost postings, and this is used no more.
  virtual Result<void> invert(DocumentTexts texts, std::span<const DocumentNumber> numbers) = 0;
  // Gives the lengths of all documents so far. Whoever wants to flush on another thread calls it first.
  virtual Result<void> give_lengths() = 0;
  // As Inverter::flush(). All lengths have been given.
  virtual Result<std::vector<runs::RunFile>> flush() = 0;
  // In place of the last flush(): what flush() would write stays where it is, if it takes at most so many bytes of the
  // host's memory. Gives all lengths. Null: this inverter cannot, or it has written runs; flush() writes runs then.
  // Called once, last. Errors as flush()'s.
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
};

struct TextInverterKind {
  std::string_view name;
  std::unique_ptr<TextInverter> (*make)(TextInverterSetup setup);
};

}  // namespace frond::indexer::invert
