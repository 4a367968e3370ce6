#include "indexer/order/forward_index.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "indexer/order/graph_bisection.h"
#include "indexer/runs/run_merger.h"

namespace frond::indexer::order {
namespace {

// The numbers of the kept terms, which are in byte order; numbered by descending document frequency.
std::vector<std::uint32_t> number_by_frequency(const std::vector<std::uint32_t>& frequencies) {
  std::vector<std::uint32_t> order(frequencies.size()), numbers(frequencies.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return frequencies[a] > frequencies[b]; });
  for (std::uint32_t i = 0; i < order.size(); ++i) numbers[order[i]] = i;
  return numbers;
}

}  // namespace

Result<void> for_each_list(std::span<const std::filesystem::path> runs, std::uint32_t documents,
                           const std::stop_token& stop, const VisitList& visit) {
  runs::RunMerger merger = FROND_TRY(runs::RunMerger::open(runs, 0));
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
  while (FROND_TRY(merger.next_term())) {
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
    docids.clear();
    frequencies.clear();
    FROND_TRY(merger.read(docids, frequencies, std::numeric_limits<std::size_t>::max()));
    if (docids.back() >= documents)
      return Error(Code::kCorrupt,
                   "a run names document " + std::to_string(docids.back()) + " of " + std::to_string(documents));
    FROND_TRY(visit(merger.term(), docids, frequencies));
  }
  return {};
}

Result<ForwardIndex> read_forward_index(std::span<const std::filesystem::path> runs, std::uint32_t documents,
                                        std::uint32_t threads, std::uint64_t max_bytes, std::stop_token stop) {
  ForwardIndex index;
  index.begins.assign(std::size_t{documents} + 1, 0);
  std::vector<std::uint32_t> frequencies;  // of the terms that are kept
  FROND_TRY(for_each_list(runs, documents, stop, [&](auto, std::span<const DocId> docids, auto) -> Result<void> {
    if (docids.size() < kMinDocuments) return {};
    frequencies.push_back(static_cast<std::uint32_t>(docids.size()));
    for (const DocId docid : docids) ++index.begins[docid + 1];
    return {};
  }));
  index.terms = static_cast<std::uint32_t>(frequencies.size());
  std::partial_sum(index.begins.begin(), index.begins.end(), index.begins.begin());
  const std::uint64_t postings = index.begins.back();
  const std::uint64_t needed = postings * 4 + std::uint64_t{documents} * 8 + frequencies.size() * 12 +
                               bisection_bytes(documents, postings, index.terms, threads);
  if (needed > max_bytes)
    return Error(Code::kInvalid, "to bisect " + std::to_string(postings) + " postings takes " +
                                     std::to_string(needed >> 20) +
                                     " MiB, more than half of the memory limit; raise "
                                     "--memory-limit");
  const std::vector<std::uint32_t> numbers = number_by_frequency(frequencies);
  index.term_numbers.resize(postings);
  std::size_t kept = 0;
  // begins[d] moves to its end while the terms of d are filled in, and is moved back afterwards.
  FROND_TRY(for_each_list(runs, documents, stop, [&](auto, std::span<const DocId> docids, auto) -> Result<void> {
    if (docids.size() < kMinDocuments) return {};
    for (const DocId docid : docids) index.term_numbers[index.begins[docid]++] = numbers[kept];
    ++kept;
    return {};
  }));
  std::copy_backward(index.begins.begin(), index.begins.end() - 1, index.begins.end());
  index.begins[0] = 0;
  return index;
}

}  // namespace frond::indexer::order
