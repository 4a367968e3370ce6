#pragma once
// Checks one whole partition.
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "common/partition/file_checksum.h"
#include "common/partition/partition.h"
#include "common/repository/manifest.h"
#include "indexer/check/fault_list.h"

namespace frond::indexer::check {

// Compares the size and checksum of the file `name` in a collection's folder with the manifest's. False: they differ,
// or it can't be read: a pipe for example, or what a symbolic link leads to.
bool check_file(const std::filesystem::path& folder, const std::string& name, const repository::PartitionFile& expected,
                FaultList& faults);

// What hidden documents take from a generation's statistics.
struct HiddenPostings {
  std::map<std::string, std::uint64_t, std::less<>> documents;  // by term, over all partitions
  std::uint64_t occurrences = 0;
};

// Checks lists and documents of an open partition against its manifest entry. `b`: the generation's BM25 parameter.
// `hidden`: of its documents, ascending; adds what they take away to `taken`.
void check_partition(const partition::Partition& partition, const repository::PartitionEntry& entry, double b,
                     std::span<const DocId> hidden, HiddenPostings& taken, FaultList& faults);

}  // namespace frond::indexer::check
