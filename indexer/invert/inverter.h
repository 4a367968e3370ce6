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
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "indexer/invert/in_memory_postings.h"
#include "indexer/parse/token_groups.h"
#include "indexer/runs/run_writer.h"

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

// For measurements: gives what takes the place of inverter `number` of a build, or of its spare, and may keep it.
using AroundInverter = std::function<std::unique_ptr<Inverter>(std::unique_ptr<Inverter> inverter, std::size_t number)>;

}  // namespace frond::indexer::invert
