#pragma once
// Documents numbered in another order than that of the input. Ordinals, and with them the order of hits of equal
// scores, follow the new order; documents are dealt to partitions after it, so the answers are the same for any number
// of them.
//
// The first half of a build leaves one partition in input order; the order is found from what it holds, and runs and
// spools are written again, renumbered and dealt. Neither the number of threads nor the memory limit changes a byte.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "indexer/pipeline/invert_documents.h"

namespace frond::indexer::order {

enum class DocumentOrder : std::uint8_t {
  kInput,
  kUrl,        // bytes of the URL ascending; the same URL, or none, in input order (Silvestri 2007)
  kRandom,     // always the same random order
  kBisection,  // recursive graph bisection: documents that share terms side by side (graph_bisection.h)
};
inline constexpr std::string_view kOrderNames = "input|url|random|bp";
std::string_view name_of(DocumentOrder order);
std::optional<DocumentOrder> order_named(std::string_view name);

struct OrderOptions {
  DocumentOrder order = DocumentOrder::kInput;
  std::uint32_t partitions = 1;
  std::uint32_t threads = 1;
  std::uint64_t memory_limit = 0;  // resident bytes of the process
};

// `documents` has one partition; afterwards it has options.partitions, whose files are in `folder`, and the former ones
// are gone. kInvalid: the order does not fit into the memory limit, and how much it needs; kCorrupt names a file;
// kUnavailable: the disk, or stopped.
Result<void> order_documents(pipeline::InvertedDocuments& documents, const OrderOptions& options,
                             const std::filesystem::path& folder, std::stop_token stop);

}  // namespace frond::indexer::order
