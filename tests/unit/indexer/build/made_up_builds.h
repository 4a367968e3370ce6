#pragma once
// Builds of made-up documents, and what is in the generations that they publish.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/partition/partition.h"
#include "common/postings/posting_list.h"
#include "common/repository/repository.h"
#include "common/text/analyzer.h"
#include "indexer/build/build.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer {

struct Source {
  std::string id, title, body;
  scoring::Prior prior = 0;
};

// Zipf-like words, some unusual ones, and every twentieth document a duplicate of an earlier id.
inline std::vector<Source> random_documents(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  const auto words = [&](std::size_t most) {
    std::string text;
    for (std::size_t n = random() % most; n > 0; --n) {
      const std::uint32_t rank = random() % (1u << random() % 13);
      text += (rank % 7 == 0   ? "the"
               : rank % 7 == 1 ? ""
                               : "w") +
              std::to_string(rank) + (rank % 11 ? " " : " Fußball, ");
    }
    return text;
  };
  std::vector<Source> documents;
  for (std::size_t i = 0; i < count; ++i)
    documents.push_back({"d" + std::to_string(i % 20 == 19 ? random() % i : i), words(5), words(i % 50 ? 60 : 2'000),
                         static_cast<scoring::Prior>(i % 5 == 0 ? 0 : i % 2000 << 14)});  // quarters
  return documents;
}

inline std::string jsonl_of(const std::vector<Source>& documents) {
  std::string text;
  for (const Source& d : documents)
    text += R"({"id":")" + d.id + R"(","title":")" + d.title + R"(","body":")" + d.body + R"(","rank":)" +
            std::to_string(d.prior / 65536.0) + "}\n";
  return text;
}

inline BuildOptions options_for(const support::ScratchFolder& folder, const std::string& repository,
                                std::uint32_t partitions) {
  BuildOptions options;
  options.repository = folder / repository;
  options.collection = "test";
  options.invert.inputs = {folder / "input.jsonl"};
  options.invert.parse.prior_field = "rank";
  options.invert.partitions = partitions;
  options.invert.memory = pipeline::plan_memory(pipeline::kMinMemoryLimit, 1, 1);
  options.invert.memory.batch_bytes = 64 << 10;
  options.threads = 2;
  return options;
}

inline Result<BuildSummary> run(const BuildOptions& options, std::stop_token stop = {}) {
  BuildProgress progress;
  Logger logger("test", LogLevel::kError);
  return build(options, progress, logger, stop);
}

// The content of a generation, independent of its files.
struct Contents {
  using Posting = std::pair<Ordinal, Frequency>;
  std::map<std::string, std::vector<std::vector<std::byte>>> blobs;  // "partition/term": its segments
  std::map<std::string, std::map<Ordinal, Frequency>> postings;
  std::map<Ordinal, std::vector<std::string>> documents;  // id, title, body, length, prior
};

inline void read_lists(const partition::Partition& part, const repository::PartitionEntry& entry, Contents& contents) {
  ASSERT_TRUE(part.for_each_term([&](std::string_view term, const partition::TermStatistics&) {
    const auto list = part.list(term);
    EXPECT_TRUE(list);
    std::vector<ByteView> segments;
    auto& blobs = contents.blobs[std::to_string(entry.base) + "/" + std::string(term)];
    for (const auto& segment : list->segments) {
      segments.push_back(segment.bytes());
      blobs.emplace_back(segment.bytes().begin(), segment.bytes().end());
    }
    const auto postings = postings::PostingList::open(segments);
    EXPECT_TRUE(postings);
    for (std::uint32_t block = 0; block < postings->blocks(); ++block) {
      std::uint32_t docids[codec::kBlockLength], frequencies[codec::kBlockLength];
      EXPECT_TRUE(postings->decode_docids(block, docids));
      EXPECT_TRUE(postings->decode_frequencies(block, frequencies));
      for (std::uint32_t i = 0; i < postings->block_size(block); ++i)
        contents.postings[std::string(term)][entry.base + docids[i] * entry.stride] = frequencies[i];
    }
    return true;
  }));
}

inline Contents read_generation(const std::filesystem::path& root, const repository::Manifest& manifest) {
  Contents contents;
  const support::ScratchFolder scratch;
  for (const auto& entry : manifest.partitions) {
    const auto database = scratch / entry.id;
    const auto files = root / "test" / "partitions" / entry.id;
    EXPECT_TRUE(partition::Partition::ingest(files, entry.summary.files, database, false));
    const auto part = partition::Partition::open(database);
    EXPECT_TRUE(part);
    if (!part) return contents;
    const partition::DocumentPriors* const priors = (*part)->priors();
    read_lists(**part, entry, contents);
    for (DocId docid = 0; docid < (*part)->documents(); ++docid) {
      const auto document = (*part)->document(docid);
      EXPECT_TRUE(document);
      contents.documents[entry.base + docid * entry.stride] = {
          document->id, document->title, document->body, std::to_string((*part)->lengths()[docid]),
          std::to_string(priors == nullptr ? 0 : priors->of(docid))};
    }
  }
  return contents;
}

// An index of the same documents, made in the simplest way.
inline Contents index_plainly(const std::vector<Source>& documents) {
  Contents contents;
  text::Analyzer analyzer({});
  std::map<std::string, int> ids;
  Ordinal next = 0;
  for (const Source& d : documents) {
    if (!ids.emplace(d.id, 0).second) continue;
    const auto terms = analyzer.terms(d.title + ' ' + d.body);
    for (const std::string& term : terms) ++contents.postings[term][next];
    contents.documents[next++] = {d.id, d.title, d.body, std::to_string(terms.size()), std::to_string(d.prior)};
  }
  return contents;
}

// The beginning of a file of partition p: its entries, without what RocksDB writes to the end.
inline std::string beginning(const BuildOptions& options, const BuildSummary& built, std::size_t p,
                             const std::string& name) {
  const std::string bytes =
      support::read_file(options.repository / "test" / "partitions" / built.manifest.partitions[p].id / name);
  return bytes.substr(0, bytes.size() - std::min<std::size_t>(bytes.size(), 4 << 10));
}

}  // namespace frond::indexer
