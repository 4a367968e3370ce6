#pragma once
// What clients change in a collection, one document at a time.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace frond::indexer::write {

// Of a collection, from 1, ascending in the order of acceptance; without gaps, but where a log was changed for another
// one, or what it lost was given up. Never used twice.
using Sequence = std::uint64_t;

struct Operation {
  std::string id;    // external id
  std::string line;  // the document, as a line of format jsonl; empty: the document with that id is removed
  bool removes() const { return line.empty(); }
  // What it counts in limits: also for the memory beside its texts, of which removals have little.
  static constexpr std::uint64_t kOwnBytes = 128;
  std::uint64_t bytes() const { return kOwnBytes + id.size() + line.size(); }
};

// Operations in a row, as one change: of each id only what became of it.
struct Folded {
  std::vector<const Operation*> documents;  // the last one of each id that is not removed, in the order of acceptance
  std::vector<std::string> removed_ids;     // whose last operation removes
};

// What it gives refers to `operations`.
Folded folded(std::span<const Operation> operations);

}  // namespace frond::indexer::write
