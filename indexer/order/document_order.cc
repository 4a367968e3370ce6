#include "indexer/order/document_order.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <system_error>
#include <utility>

#include "common/base/check.h"
#include "indexer/order/deal_documents.h"
#include "indexer/order/deal_runs.h"
#include "indexer/order/forward_index.h"
#include "indexer/order/graph_bisection.h"
#include "indexer/order/order_choice.h"
#include "indexer/order/simple_orders.h"
#include "indexer/runs/run_merger.h"

namespace frond::indexer::order {
namespace {

constexpr std::array<std::pair<DocumentOrder, std::string_view>, 5> kNames = {{{DocumentOrder::kInput, "input"},
                                                                               {DocumentOrder::kUrl, "url"},
                                                                               {DocumentOrder::kRandom, "random"},
                                                                               {DocumentOrder::kBisection, "bp"},
                                                                               {DocumentOrder::kAuto, "auto"}}};

std::vector<std::uint32_t> input_order(std::uint32_t documents) {
  std::vector<std::uint32_t> same(documents);
  std::iota(same.begin(), same.end(), 0u);
  return same;
}

// On the GPU if there is one, else, or if it cannot, on this machine's cores.
std::vector<std::uint32_t> bisect_anywhere(const ForwardIndex& index, const OrderOptions& options,
                                           std::uint32_t threads, const std::stop_token& stop) {
  if (options.gpu.bisect) {
    auto order = options.gpu.bisect(index, stop);
    if (order) return *std::move(order);
    if (options.gpu.warn) options.gpu.warn("the CPU orders the documents: " + order.error().message());
  }
  return bisect(index, threads, stop);
}

// By bisection; empty: the order of the input is to stay.
Result<std::vector<std::uint32_t>> choose_order(const pipeline::InvertedDocuments& documents,
                                                std::span<const std::filesystem::path> runs,
                                                const OrderOptions& options, std::stop_token stop) {
  const auto count = static_cast<std::uint32_t>(documents.documents);
  auto index = read_forward_index(runs, count, kAutoThreads, options.memory_limit / 2, stop);
  if (!index && index.error().code() == Code::kInvalid) return std::vector<std::uint32_t>();  // no memory for it
  if (!index) return std::move(index).error();
  if (!order_cost(count, index->term_numbers.size(), documents.bytes, options.gpu.reckoned_with).worthwhile())
    return std::vector<std::uint32_t>();
  const DocIdBits before = docid_bits(*index, input_order(count), options.partitions);
  std::vector<std::uint32_t> order = bisect_anywhere(*index, options, std::min(options.threads, kAutoThreads), stop);
  const DocIdBits after = docid_bits(*index, order, options.partitions);
  constexpr double kMost = 1 - kMinSaved;
  const bool smaller =
      options.packed_blocks ? after.packed < kMost * before.packed : after.coded < kMost * before.coded;
  return smaller ? std::move(order) : std::vector<std::uint32_t>();
}

// The documents in their new order. Takes up to half of the memory limit.
Result<std::vector<std::uint32_t>> find_order(const pipeline::InvertedDocuments& documents,
                                              std::span<const std::filesystem::path> runs, const OrderOptions& options,
                                              std::stop_token stop) {
  const auto count = static_cast<std::uint32_t>(documents.documents);
  switch (options.order) {
    case DocumentOrder::kInput:
      break;
    case DocumentOrder::kAuto:
      return choose_order(documents, runs, options, stop);
    case DocumentOrder::kUrl:
      return url_order(documents.partitions[0].spool, count, options.memory_limit / 2);
    case DocumentOrder::kRandom:
      return random_order(count);
    case DocumentOrder::kBisection: {
      const ForwardIndex index =
          FROND_TRY(read_forward_index(runs, count, options.threads, options.memory_limit / 2, stop));
      return bisect_anywhere(index, options, options.threads, stop);
    }
  }
  return input_order(count);
}

}  // namespace

std::string_view name_of(DocumentOrder order) { return kNames[static_cast<std::size_t>(order)].second; }

std::optional<DocumentOrder> order_named(std::string_view name) {
  for (const auto& [order, its_name] : kNames)
    if (its_name == name) return order;
  return std::nullopt;
}

Result<void> order_documents(pipeline::InvertedDocuments& documents, const OrderOptions& options,
                             const std::filesystem::path& folder, std::stop_token stop) {
  FROND_CHECK(documents.partitions.size() == 1);
  const pipeline::InvertedDocuments::Part& whole = documents.partitions[0];
  // A list of all documents in input order and in the new one, in buffers that double; the places; and the buffers for
  // reading and writing.
  const std::uint64_t needed = documents.documents * 52 + (std::uint64_t{64} << 20);
  const bool fits = documents.documents < kNoDoc && needed <= options.memory_limit;
  if (!fits && options.order == DocumentOrder::kAuto && options.partitions == 1) {
    documents.order = name_of(DocumentOrder::kInput);
    return {};
  }
  if (!fits)
    return Error(Code::kInvalid, "to order " + std::to_string(documents.documents) + " documents takes " +
                                     std::to_string(needed >> 20) + " MiB; raise --memory-limit");
  const auto reduced = FROND_TRY(runs::reduce_runs(whole.runs, 0, folder));
  std::vector<std::uint32_t> places(documents.documents);
  {
    std::vector<std::uint32_t> order = FROND_TRY(find_order(documents, reduced, options, stop));
    if (stop.stop_requested()) return Error(Code::kUnavailable, "stopped");
    const bool stays = options.order == DocumentOrder::kAuto && order.empty();
    documents.order = name_of(stays                                   ? DocumentOrder::kInput
                              : options.order == DocumentOrder::kAuto ? DocumentOrder::kBisection
                                                                      : options.order);
    if (stays && options.partitions == 1) {
      runs::remove_merged(reduced, whole.runs);
      return {};
    }
    if (stays) order = input_order(static_cast<std::uint32_t>(documents.documents));
    for (std::uint32_t place = 0; place < order.size(); ++place) places[order[place]] = place;
  }
  const Dealing dealing{places, options.partitions, options.memory_limit / 4, folder, stop};
  auto runs = FROND_TRY(deal_runs(reduced, dealing));
  auto spools = FROND_TRY(deal_documents(whole.spool, dealing));
  runs::remove_merged(reduced, whole.runs);
  documents.partitions.clear();
  for (std::size_t p = 0; p < spools.size(); ++p) {
    std::error_code failed;
    const std::uint64_t bytes = std::filesystem::file_size(spools[p], failed);
    if (failed) return Error(Code::kUnavailable, spools[p].string() + ": " + failed.message());
    documents.partitions.push_back({{std::move(runs[p])}, std::move(spools[p]), bytes});
  }
  return {};
}

}  // namespace frond::indexer::order
