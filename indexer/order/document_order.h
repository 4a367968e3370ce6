#pragma once
// Numbers documents in another order than that of the input. Ordinals, and so the order of hits with equal scores,
// follow the new order. Documents are assigned to partitions afterwards, so answers do not depend on the number of
// partitions.
//
// The first half of a build leaves one partition in input order. The new order is computed from its postings or URLs,
// then runs and spools are written again, renumbered and assigned to partitions. The number of threads and the memory
// limit do not change a byte.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "indexer/order/forward_index.h"
#include "indexer/pipeline/invert_documents.h"

namespace frond::indexer::order {

enum class DocumentOrder : std::uint8_t {
  kInput,
  kUrl,        // by the bytes of the URL; documents with equal URLs, or none, in input order (Silvestri 2007)
  kRandom,     // a random order, the same in every build
  kBisection,  // recursive graph bisection: documents that share terms side by side (graph_bisection.h)
  kAuto,       // kBisection where it is worth its time and makes lists smaller, else kInput (order_choice.h)
};
inline constexpr std::string_view kOrderNames = "input|url|random|bp|auto";  // in the order of the enum
std::string_view name_of(DocumentOrder order);
std::optional<DocumentOrder> order_named(std::string_view name);

// Bisection on a GPU: the same order as bisect() (graph_bisection.h). kDevice: it cannot.
using BisectElsewhere = std::function<Result<std::vector<std::uint32_t>>(const ForwardIndex&, std::stop_token)>;
struct GpuOrder {
  BisectElsewhere bisect{};  // empty: there is none
  // kAuto reckons with the GPU's time. Else a GPU changes how long it takes, never what is chosen.
  bool reckoned_with = false;
  std::function<void(const std::string&)> warn{};  // where it says that the CPU takes the GPU's place; may be empty
};

struct OrderOptions {
  DocumentOrder order = DocumentOrder::kInput;
  std::uint32_t partitions = 1;
  std::uint32_t threads = 1;
  std::uint64_t memory_limit = 0;  // resident bytes of the process
  // kAuto: whether a block's largest gap decides how wide its docIDs are packed.
  bool packed_blocks = true;
  GpuOrder gpu{};
};

// `documents` has options.partitions partitions afterwards; documents.order names the order that they have, which is
// never kAuto. Their files are in `folder`; the old ones stay, and are the new ones if nothing had to be done.
// kInvalid: the order does not fit into the memory limit (the message says how much it needs); kCorrupt: the message
// names the file; kUnavailable: the disk, or stopped.
// REQUIRES: `documents` has one partition before.
Result<void> order_documents(pipeline::InvertedDocuments& documents, const OrderOptions& options,
                             const std::filesystem::path& folder, std::stop_token stop);

// Orders that need no postings, as order[place] = document of the input.

// By the bytes of the URL, then by the input's order. Holds all URLs. kInvalid: they do not fit into max_bytes;
// kCorrupt: the spool is damaged or does not hold `documents` documents.
Result<std::vector<std::uint32_t>> url_order(const std::filesystem::path& spool, std::uint32_t documents,
                                             std::uint64_t max_bytes);

// Fisher and Yates's shuffle by splitmix64 from a fixed seed: the same on every machine.
std::vector<std::uint32_t> random_order(std::uint32_t documents);

}  // namespace frond::indexer::order
