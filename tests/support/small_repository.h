#pragma once
// Generations of random collections, published as the indexer does.
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/partition/file_checksum.h"
#include "common/partition/terms/term_statistics.h"
#include "common/repository/repository.h"
#include "common/schema/schema_json.h"
#include "tests/support/small_partition.h"

namespace frond::support {

// Builds `partitions` partitions of documents, assigned round-robin, under writer.building(). Returns the manifest; it
// names them "g<generation>-p<number>", followed by `ids_end` if another repository has these names. The file of term
// statistics is writer.building() / "terms.sst". schema: of the documents' values; without text fields that can be
// searched by themselves.
inline Result<repository::Manifest> build_generation(repository::RepositoryWriter& writer,
                                                     const std::string& collection,
                                                     const std::vector<TestDocument>& documents,
                                                     std::uint32_t partitions, const std::string& ids_end = {},
                                                     const scoring::Bm25Parameters& bm25 = {},
                                                     const std::shared_ptr<const schema::Schema>& schema = {}) {
  repository::Manifest manifest;
  if (schema != nullptr) {
    manifest.schema = schema::schema_text(*schema);
    manifest.field_tokens.assign(schema->fields.size(), 0);
  }
  manifest.bm25 = bm25;
  manifest.generation = writer.next_generation();
  manifest.collection = collection;
  manifest.created = "2026-01-02T03:04:05Z";
  manifest.codec = std::string(codec::kDefaultCodec);
  manifest.order = "input";
  std::vector<std::shared_ptr<const partition::Partition>> opened;
  for (std::uint32_t p = 0; p < partitions; ++p) {
    std::vector<TestDocument> assigned;
    for (std::size_t i = p; i < documents.size(); i += partitions) assigned.push_back(documents[i]);
    repository::PartitionEntry entry;
    entry.id = "g" + std::to_string(manifest.generation) + "-p" + std::to_string(p) + ids_end;
    entry.base = p;
    entry.stride = partitions;
    entry.summary = FROND_TRY(write_partition(assigned, writer.building() / entry.id, manifest.bm25.b, true, schema));
    const auto database = writer.building() / ("db-" + entry.id);
    FROND_TRY(partition::Partition::ingest(writer.building() / entry.id, entry.summary.files, database, false));
    opened.push_back(FROND_TRY(partition::Partition::open(database)));
    manifest.statistics.documents += entry.summary.documents;
    manifest.statistics.tokens += entry.summary.tokens;
    manifest.postings += entry.summary.postings;
    manifest.partitions.push_back(std::move(entry));
  }
  const auto terms = writer.building() / "terms.sst";
  manifest.terms = FROND_TRY(partition::write_term_statistics(opened, terms)).terms;
  manifest.term_statistics = FROND_TRY(partition::describe_file(terms));
  manifest.term_statistics.name = std::to_string(manifest.generation) + ".terms.sst";
  return manifest;
}

// Opens a writer, builds and publishes.
inline Result<repository::Manifest> publish_generation(const std::filesystem::path& root, const std::string& collection,
                                                       const std::vector<TestDocument>& documents,
                                                       std::uint32_t partitions, const std::string& ids_end = {},
                                                       const scoring::Bm25Parameters& bm25 = {},
                                                       const std::shared_ptr<const schema::Schema>& schema = {}) {
  const auto writer = FROND_TRY(repository::RepositoryWriter::open(root, collection));
  auto manifest = FROND_TRY(build_generation(*writer, collection, documents, partitions, ids_end, bm25, schema));
  FROND_TRY(writer->publish(manifest, writer->building() / "terms.sst"));
  return manifest;
}

}  // namespace frond::support
