#pragma once
// Manifests and generations for tests of repositories.
#include <filesystem>
#include <string>

#include "common/partition/file_checksum.h"
#include "common/repository/manifest.h"
#include "tests/support/scratch_folder.h"

namespace frond::support {

// A valid manifest with `partitions` partitions and matching totals.
inline repository::Manifest example_manifest(Generation generation, unsigned partitions) {
  repository::Manifest manifest;
  manifest.generation = generation;
  manifest.collection = "example";
  manifest.created = "2026-01-02T03:04:05Z";
  manifest.codec = "simd-bp128";
  manifest.order = "input";
  manifest.terms = 11;
  const std::string checksum(32, 'a');
  manifest.term_statistics = {std::to_string(generation) + ".terms.sst", 100, checksum};
  for (unsigned p = 0; p < partitions; ++p) {
    repository::PartitionEntry entry;
    entry.id = "g" + std::to_string(generation) + "-p" + std::to_string(p) + "-00";
    entry.base = p;
    entry.stride = partitions;
    entry.summary.documents = 10 + p;
    entry.summary.tokens = 100;
    entry.summary.terms = 11;
    entry.summary.postings = 50;
    entry.summary.built_average_length = 9.5;
    entry.summary.files = {{"postings-0.sst", 10, checksum}, {"terms-0.sst", 20, checksum}};
    manifest.statistics.documents += entry.summary.documents;
    manifest.statistics.tokens += 100;
    manifest.postings += 50;
    manifest.partitions.push_back(std::move(entry));
  }
  return manifest;
}

// Writes a generation's files under building/ as a build would, with small text files instead of tables. Returns the
// manifest to publish.
inline repository::Manifest write_example_generation(const std::filesystem::path& building, Generation generation,
                                                     unsigned partitions) {
  repository::Manifest manifest = example_manifest(generation, partitions);
  for (auto& entry : manifest.partitions) {
    std::filesystem::create_directories(building / entry.id);
    for (auto& file : entry.summary.files) {
      write_file(building / entry.id / file.name, entry.id + " " + file.name);
      file = *partition::describe_file(building / entry.id / file.name);
    }
  }
  const auto terms = building / manifest.term_statistics.name;
  write_file(terms, "terms of " + std::to_string(generation));
  manifest.term_statistics = *partition::describe_file(terms);
  return manifest;
}

}  // namespace frond::support
