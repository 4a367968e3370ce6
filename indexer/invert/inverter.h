#pragma once
// Seam: token groups of trie collections to sorted runs. An inverter looks after the collections that it is given, for
// good, so that inverters share nothing. Documents are numbered through the whole collection; document n is docID
// n / P of partition n mod P.
//
// An inverter has a budget of memory, which may change at any time. It writes runs of its own accord before it would
// hold more, also in the middle of a document: a run then goes on with the document that the one before it ended with.
//
// One thread calls invert() and flush(); memory_bytes() may be called from any.
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "indexer/parse/token_groups.h"
#include "indexer/runs/run_writer.h"

namespace frond::indexer::invert {

using DocumentNumber = std::uint64_t;
inline constexpr DocumentNumber kDropped = ~DocumentNumber{0};  // a duplicate: its tokens are passed over

// Bounds of the numbers of one run, from its first document: flush before there are more.
inline constexpr std::uint64_t kMaxRunDocuments = 0xffffffff;

// Bytes that an inverter may hold at the moment. Called from its thread.
using InverterBudget = std::function<std::uint64_t()>;

class Inverter {
 public:
  virtual ~Inverter() = default;
  virtual std::string_view name() const = 0;  // "cpu"
  // The tokens of `groups`, some of those of `tokens`. numbers[i]: of the batch's document i, ascending but for
  // kDropped, and above those of all batches before. kInvalid: a term or document that can't be kept; kUnavailable: the
  // disk.
  virtual Result<void> invert(const parse::TokenGroups& tokens, std::span<const parse::TokenGroup> groups,
                              std::span<const DocumentNumber> numbers) = 0;
  // All runs since the last call: those that it wrote of its own accord, and the rest, to one run a partition (none
  // where the partition got no posting); memory is free after it. kUnavailable: the disk.
  virtual Result<std::vector<runs::RunFile>> flush() = 0;
  // What flush() would free.
  virtual std::uint64_t memory_bytes() const = 0;
};

}  // namespace frond::indexer::invert
