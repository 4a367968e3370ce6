// Blocks depend on the documents only, hold all of them, and are those that a PartitionWriter would cut.
#include "indexer/publish/stored_fields.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/support/scratch_folder.h"

namespace frond::indexer::publish {
namespace {

using support::ScratchFolder;

struct Stored {
  std::string id, body;
  std::uint32_t length = 0;
  std::string values = {};
  friend bool operator==(const Stored&, const Stored&) = default;
};

std::vector<Stored> random_documents(std::mt19937& random, std::size_t count) {
  std::vector<Stored> documents;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bytes = random() % 40 == 0 ? random() % 700'000 : random() % 3'000;
    documents.push_back({"id" + std::to_string(i), std::string(bytes, static_cast<char>('a' + i % 26)),
                         static_cast<std::uint32_t>(random() % 1000)});
    // None in some rows of documents, and so in some frames.
    if (i / 40 % 2 == 1) documents.back().values.assign(random() % 200, static_cast<char>('A' + i % 26));
  }
  return documents;
}

// In frames of `per_frame` documents.
runs::SpoolReader spool_of(const std::vector<Stored>& documents, std::size_t per_frame,
                           const std::filesystem::path& path) {
  auto spool = runs::SpoolWriter::create(path).value();
  runs::DocumentFrameWriter frame;
  ByteBuffer bytes;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    frame.add({documents[i].id, "", "", documents[i].body, 0, documents[i].values}, documents[i].length);
    if ((i + 1) % per_frame != 0) continue;
    frame.finish(bytes);
    spool.append(bytes).value();
  }
  frame.finish(bytes);
  spool.append(bytes).value();
  spool.finish().value();
  return runs::SpoolReader::open(path).value();
}

struct Cut {
  std::vector<std::uint32_t> blocks;  // documents of each
  std::vector<Stored> documents;
  friend bool operator==(const Cut&, const Cut&) = default;
};

Cut cut_all(BlockCutter cutter) {
  Cut all;
  partition::BlockCompressor compressor({});
  const partition::BlockDecompressor decompressor({});
  while (!cutter.done()) {
    auto groups = cutter.next();
    EXPECT_TRUE(groups);
    for (BlockGroup& group : *groups) {
      EXPECT_FALSE(group.blocks.empty());
      const PackedGroup packed = pack(std::move(group), compressor);
      EXPECT_EQ(packed.documents.size(), packed.group.lengths.size());
      for (std::size_t i = 0; i < packed.documents.size(); ++i)
        all.documents.push_back({std::string(packed.documents[i].id), std::string(packed.documents[i].body),
                                 packed.group.lengths[i], std::string(packed.documents[i].values)});
      for (std::size_t b = 0; b < packed.blocks.size(); ++b) {
        const BlockGroup::Block& block = packed.group.blocks[b];
        all.blocks.push_back(block.documents);
        partition::DocumentBlock opened;
        EXPECT_TRUE(decompressor.decompress(packed.blocks[b], opened));
        EXPECT_EQ(opened.documents.size(), block.documents);
      }
    }
  }
  EXPECT_TRUE(cutter.next()->empty());
  return all;
}

// As the table of documents cuts them.
Cut cut_plainly(const std::vector<Stored>& documents, std::size_t block_bytes) {
  Cut expected;
  std::size_t bytes = 0;
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    ByteBuffer one;
    partition::append_document({documents[i].id, "", "", documents[i].body}, one);
    bytes += one.size();
    ++count;
    if (bytes < block_bytes && i + 1 < documents.size()) continue;
    expected.blocks.push_back(count);
    bytes = count = 0;
  }
  expected.documents = documents;
  return expected;
}

TEST(BlockCutter, CutsTheSameBlocksWhateverTheFrames) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    std::mt19937 random(seed);
    const ScratchFolder folder;
    const auto documents = random_documents(random, 400);
    for (const std::size_t block_bytes : {std::size_t{4} << 10, std::size_t{8} << 10}) {
      const Cut expected = cut_plainly(documents, block_bytes);
      for (const std::size_t per_frame : {1u, 7u, 150u, 1'000u}) {
        const Cut got = cut_all(BlockCutter(spool_of(documents, per_frame, folder / "spool"), block_bytes));
        EXPECT_EQ(got.blocks, expected.blocks) << "seed " << seed << ", frames of " << per_frame;
        EXPECT_TRUE(got.documents == expected.documents) << "seed " << seed << ", frames of " << per_frame;
      }
    }
  }
}

TEST(BlockCutter, EndsABlockWithItsValues) {
  const ScratchFolder folder;
  std::vector<Stored> documents;
  for (int i = 0; i < 22; ++i)
    documents.push_back({"id" + std::to_string(i), "body", 1, std::string(kBlockValuesBytes / 4, 'v')});
  for (const std::size_t per_frame : {1u, 7u, 100u}) {
    const Cut got = cut_all(BlockCutter(spool_of(documents, per_frame, folder / "spool"), 64 << 10));
    EXPECT_EQ(got.blocks, (std::vector<std::uint32_t>{4, 4, 4, 4, 4, 2}));
    EXPECT_TRUE(got.documents == documents) << "frames of " << per_frame;
  }
  BlockCutter cutter(spool_of(documents, 1, folder / "spool"), 64 << 10);
  for (int read = 1; read <= 4; ++read) {
    const auto groups = cutter.next().value();
    EXPECT_EQ(groups.size(), read == 4 ? 1u : 0u) << "none waits for the fields";
  }
}

TEST(BlockCutter, GivesNothingForAnEmptySpool) {
  const ScratchFolder folder;
  EXPECT_EQ(cut_all(BlockCutter(spool_of({}, 10, folder / "spool"), 4 << 10)), Cut());
}

}  // namespace
}  // namespace frond::indexer::publish
