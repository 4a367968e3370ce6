#pragma once
// A partition with lists so long that they are read directly from the mapped file.
#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/codec/list_codec.h"
#include "common/partition/partition_writer.h"
#include "common/postings/list_builder.h"

namespace frond::support {

inline constexpr std::uint32_t kLongPartitionSeed = 11, kLongPartitionDocuments = 60'000;

// Three long lists of 40 to 80 KiB, two of a few hundred bytes, and many that are stored inside their terms' records.
inline std::map<std::string, std::vector<DocId>> long_lists() {
  std::mt19937 random(kLongPartitionSeed);
  std::map<std::string, std::vector<DocId>> lists;
  for (DocId docid = 0; docid < kLongPartitionDocuments; ++docid) {
    for (const unsigned rarity : {2, 3, 4, 100, 150})
      if (random() % rarity == 0) lists["in-a-" + std::to_string(rarity) + "th"].push_back(docid);
    lists["own-" + std::to_string(docid % 5000)].push_back(docid);
  }
  return lists;
}

inline partition::PartitionSummary write_long_partition(const std::map<std::string, std::vector<DocId>>& lists,
                                                        const std::filesystem::path& folder) {
  std::mt19937 random(kLongPartitionSeed);
  const std::vector<std::uint32_t> lengths(kLongPartitionDocuments, 300);
  const postings::ListBuilder builder(*codec::codec_named(codec::kDefaultCodec), lengths, 0.4, 300);
  const auto writer = partition::PartitionWriter::create(folder, 300).value();
  for (const auto& [term, docids] : lists) {
    std::vector<Frequency> frequencies(docids.size());
    std::uint64_t occurrences = 0;
    for (auto& frequency : frequencies) occurrences += frequency = 1 + random() % 250;
    FROND_CHECK(writer->add_list(term, docids.size(), occurrences, builder.build(docids, frequencies)).has_value());
  }
  for (DocId docid = 0; docid < kLongPartitionDocuments; ++docid) {
    const std::string id = "d" + std::to_string(docid);
    FROND_CHECK(writer->add_document({id, "", "title of " + id, "body"}, 300).has_value());
  }
  return writer->finish().value();
}

}  // namespace frond::support
