#include "tools/synth/collection/collection.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/threads/parallel.h"
#include "common/repository/repository.h"
#include "common/schema/schema_json.h"
#include "indexer/publish/publication.h"
#include "tools/synth/collection/partition.h"

namespace frond::tools::synth {
namespace {

Result<std::vector<SyntheticList>> prepare_lists(const CollectionSize& size, std::span<const std::uint32_t> lengths,
                                                 unsigned threads) {
  std::vector<std::optional<SyntheticList>> made(lengths.size());
  FROND_TRY(in_parallel(made.size(), threads, [&](std::size_t i) -> Result<void> {
    made[i].emplace(size, static_cast<std::uint32_t>(i), lengths[i]);
    return {};
  }));
  std::vector<SyntheticList> lists;
  lists.reserve(made.size());
  for (auto& list : made) lists.push_back(*std::move(list));
  return lists;
}

DocId begin_of(const SynthOptions& options, std::uint32_t partition) {
  return static_cast<DocId>(std::uint64_t{options.size.documents} * partition / options.partitions);
}

scoring::Bm25Parameters ranked_by(const SynthOptions& options) {
  return options.size.profile->has_impacts() ? scoring::kImpacts : scoring::Bm25Parameters{};
}

// Null: none.
std::shared_ptr<const schema::Schema> schema_of(const SynthOptions& options) {
  if (!options.size.profile->has_impacts()) return nullptr;
  constexpr std::string_view kOfVectors =
      R"({"fields":{"vector":{"type":"weights"}},"source":"none","scorer":"impact"})";
  return std::make_shared<const schema::Schema>(*schema::parse_schema(kOfVectors));
}

Result<std::vector<partition::PartitionSummary>> write_partitions(const SynthOptions& options,
                                                                  std::span<const SyntheticList> lists,
                                                                  const std::vector<std::string>& ids,
                                                                  const std::filesystem::path& folder,
                                                                  std::stop_token stop) {
  // Builds several partitions at once while there are threads for them. Their writers run beside the building threads.
  const unsigned at_once = std::min<unsigned>(options.partitions, options.threads);
  const PartitionOptions each{options.codecs, ranked_by(options).b, schema_of(options),
                              std::max(1u, options.threads / at_once)};
  std::vector<partition::PartitionSummary> summaries(options.partitions);
  FROND_TRY(in_parallel(options.partitions, at_once, [&](std::size_t number) -> Result<void> {
    const auto p = static_cast<std::uint32_t>(number);
    auto written = write_partition(options.size, lists, begin_of(options, p), begin_of(options, p + 1), folder / ids[p],
                                   each, stop);
    if (!written) return std::move(written).error().within("partition " + std::to_string(p));
    summaries[p] = *std::move(written);
    return {};
  }));
  return summaries;
}

}  // namespace

Result<SynthSummary> synthesize(const SynthOptions& options, std::stop_token stop) {
  const auto start = std::chrono::steady_clock::now();
  FROND_CHECK(options.size.documents > 0 && options.partitions > 0 && options.threads > 0);
  FROND_CHECK(options.partitions <= options.size.documents);
  SynthSummary summary;
  summary.queries = draw_queries(*options.size.profile, options.size.documents, options.queries, options.size.seed);
  const auto lists = FROND_TRY(prepare_lists(options.size, summary.queries.list_lengths, options.threads));
  const auto writer = FROND_TRY(repository::RepositoryWriter::open(options.repository, options.collection));
  std::vector<std::string> ids;
  for (std::uint32_t p = 0; p < options.partitions; ++p)
    ids.push_back(indexer::publish::new_partition_id(writer->next_generation(), p));
  auto summaries = FROND_TRY(write_partitions(options, lists, ids, writer->building(), stop));
  repository::Manifest draft;
  draft.collection = options.collection;
  draft.codec = options.codecs.name;
  draft.order = options.size.order == DocidOrder::kRandom ? "random" : "input";
  draft.bm25 = ranked_by(options);
  if (const auto schema = schema_of(options)) draft.schema = schema::schema_text(*schema);
  draft.analyzer = {.stemmer = text::Stemmer::kNone, .stop_words = false};
  for (std::uint32_t p = 0; p < options.partitions; ++p)
    draft.partitions.push_back({ids[p], begin_of(options, p), 1, std::move(summaries[p])});
  summary.manifest = FROND_TRY(indexer::publish::publish_generation(*writer, std::move(draft), stop, options.threads));
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

std::string query_lines(const QuerySet& queries) {
  std::string lines;
  for (std::size_t q = 0; q < queries.queries.size(); ++q) {
    lines += std::to_string(q + 1);
    char before = ':';
    for (std::size_t i = 0; i < queries.queries[q].size(); ++i) {
      lines += before + term_of(queries.queries[q][i]);
      if (!queries.weights.empty()) lines += fmt::format("^{}", queries.weights[q][i] / 256.0);
      before = ' ';
    }
    lines += '\n';
  }
  return lines;
}

}  // namespace frond::tools::synth
