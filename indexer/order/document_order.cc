#include "indexer/order/document_order.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "common/base/check.h"
#include "indexer/order/forward_index.h"
#include "indexer/order/graph_bisection.h"
#include "indexer/order/order_choice.h"
#include "indexer/order/renumbering.h"
#include "indexer/runs/document_spool.h"
#include "indexer/runs/run_merger.h"

namespace frond::indexer::order {

namespace {

// By the number of the order.
constexpr auto kNames = [] {
  std::array<std::string_view, 1 + std::ranges::count(kOrderNames, '|')> names;
  std::string_view rest = kOrderNames;
  for (std::string_view& name : names) {
    name = rest.substr(0, rest.find('|'));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
  }
  return names;
}();
static_assert(kNames[static_cast<std::size_t>(DocumentOrder::kAuto)] == "auto" && kNames.back() == "auto");

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

std::string_view name_of(DocumentOrder order) { return kNames[static_cast<std::size_t>(order)]; }

std::optional<DocumentOrder> order_named(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<DocumentOrder>(found - kNames.begin());
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
  const Renumbering how{places, options.partitions, options.memory_limit / 4, folder, stop};
  auto runs = FROND_TRY(renumber_runs(reduced, how));
  auto spools = FROND_TRY(renumber_documents(whole.spool, how));
  runs::remove_merged(reduced, whole.runs);
  documents.partitions.clear();
  for (std::size_t p = 0; p < spools.size(); ++p) {
    std::error_code failed;
    const std::uint64_t bytes = std::filesystem::file_size(spools[p], failed);
    if (failed) return Error(Code::kUnavailable, spools[p].string() + ": " + failed.message());
    documents.partitions.push_back({{}, std::move(spools[p]), bytes});
  }
  for (runs::RunFile& run : runs) documents.partitions[run.partition].runs.push_back(std::move(run.path));
  return {};
}

namespace {

// Steele, Lea, Flood 2014.
class SplitMix64 {
 public:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

 private:
  std::uint64_t state_ = 1;
};

}  // namespace

Result<std::vector<std::uint32_t>> url_order(const std::filesystem::path& spool, std::uint32_t documents,
                                             std::uint64_t max_bytes) {
  runs::SpoolReader reader = FROND_TRY(runs::SpoolReader::open(spool));
  std::string urls;
  std::vector<std::uint64_t> ends;
  ends.reserve(documents);
  while (const auto frame = FROND_TRY(reader.next()))
    for (const partition::StoredDocument& document : frame->documents()) {
      urls += document.url;
      ends.push_back(urls.size());
      // A string doubles when it grows.
      if (2 * urls.size() + 12 * std::uint64_t{documents} > max_bytes)
        return Error(Code::kInvalid, "the URLs of " + std::to_string(ends.size()) + " of " + std::to_string(documents) +
                                         " documents take half of the memory limit; raise --memory-limit");
    }
  if (ends.size() != documents)
    return Error(Code::kCorrupt, spool.string() + ": " + std::to_string(ends.size()) + " documents instead of " +
                                     std::to_string(documents));
  const auto url = [&](std::uint32_t document) {
    const std::uint64_t begin = document ? ends[document - 1] : 0;
    return std::string_view(urls).substr(begin, ends[document] - begin);
  };
  std::vector<std::uint32_t> order(documents);
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int compared = url(a).compare(url(b));
    return compared != 0 ? compared < 0 : a < b;
  });
  return order;
}

std::vector<std::uint32_t> random_order(std::uint32_t documents) {
  std::vector<std::uint32_t> order(documents);
  std::iota(order.begin(), order.end(), 0u);
  SplitMix64 random;
  for (std::uint32_t left = documents; left > 1; --left) std::swap(order[left - 1], order[random.next() % left]);
  return order;
}

}  // namespace frond::indexer::order
