// Stored fields become the same files, whoever compresses them.
#include "indexer/publish/stored_fields.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>
#include <vector>

#include "indexer/runs/document_spool.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::publish {
namespace {

using partition::PartitionWriter;
using partition::StoredCompression;

struct Text {
  std::string id, body;
};

// About 5 MB, words of which repeat; one document has more than a frame of usual ones may have.
std::vector<Text> random_texts(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Text> texts(1500);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i].id = "document-" + std::to_string(i);
    const std::size_t words = random() % 50 == 0 ? random() % 20'000 : random() % 500;
    for (std::size_t w = 0; w < words; ++w) texts[i].body += "word" + std::to_string(random() % 5000) + " ";
  }
  texts[700].body = std::string(std::size_t{5} << 20, 'x');
  return texts;
}

struct Setting {
  std::size_t packers = 1, partitions = 1;
  std::uint64_t ahead_bytes = 0;
};

class StoredFieldsTest : public testing::Test {
 protected:
  // The table of documents of each partition, without what RocksDB makes up at its end.
  std::vector<std::string> write(const Setting& setting, StoredCompression how, std::uint64_t* counted = nullptr) {
    pipeline::FieldSample sample;
    std::vector<std::filesystem::path> spools;
    std::vector<std::uint64_t> field_bytes(setting.partitions);
    std::uint64_t number = 0;
    for (std::size_t p = 0; p < setting.partitions; ++p) {
      spools.push_back(scratch_ / ("spool-" + std::to_string(p)));
      auto spool = runs::SpoolWriter::create(spools[p]).value();
      runs::DocumentFrameWriter frames;
      ByteBuffer frame;
      for (const Text& text : random_texts(static_cast<std::uint32_t>(p))) {
        field_bytes[p] += frames.add({text.id, "", "", text.body}, 1);
        ByteBuffer fields;
        partition::append_document({text.id, "", "", text.body}, fields);
        if (sample.wants(number)) sample.add(number, fields);
        ++number;
        if (frames.documents() < 40) continue;
        frames.finish(frame);
        spool.append(frame).value();
      }
      frames.finish(frame);
      spool.append(frame).value();
      spool.finish().value();
    }
    TaskPool pool("packer", setting.packers);
    pipeline::WritePlan plan;
    plan.packers = static_cast<std::uint32_t>(setting.packers);
    plan.at_once = static_cast<std::uint32_t>(setting.partitions);
    plan.ahead_bytes = setting.ahead_bytes;
    StoredFields fields(pool, how, sample, plan, setting.partitions);
    std::atomic<std::uint64_t> done = 0;
    std::vector<std::string> tables(setting.partitions);
    {
      std::vector<std::jthread> threads;
      for (std::size_t p = 0; p < setting.partitions; ++p)
        threads.emplace_back([&, p] {
          const auto folder = scratch_ / ("partition-" + std::to_string(p));
          const auto writer = PartitionWriter::create(folder, 1.0).value();
          const auto written = fields.write(*writer, spools[p], field_bytes[p], done, {});
          EXPECT_TRUE(written) << written.error().message();
          writer->finish().value();
          tables[p] = table_of(folder);
        });
    }
    if (counted != nullptr) *counted = done;
    return tables;
  }
  static std::string table_of(const std::filesystem::path& folder) {
    const std::string file = support::read_file(folder / "documents-0001.sst");
    EXPECT_GT(file.size(), 1'000'000u);
    return file.substr(0, file.size() - 4096);
  }

  support::ScratchFolder scratch_;
};

TEST_F(StoredFieldsTest, BecomeTheSameFilesWhateverTheThreads) {
  for (const auto how : {StoredCompression::kSmall, StoredCompression::kFast}) {
    std::uint64_t counted = 0;
    const auto alone = write({1, 2, 1 << 20}, how, &counted);
    EXPECT_EQ(counted, 2 * random_texts(0).size());
    EXPECT_NE(alone[0], alone[1]);
    for (const Setting& setting :
         {Setting{3, 2, 1 << 20}, Setting{3, 2, 1}, Setting{2, 2, 300'000}, Setting{8, 2, std::uint64_t{64} << 20}}) {
      const auto tables = write(setting, how);
      for (std::size_t p = 0; p < tables.size(); ++p)
        EXPECT_TRUE(tables[p] == alone[p]) << setting.packers << " packers, " << setting.ahead_bytes << " bytes ahead";
    }
  }
}

TEST_F(StoredFieldsTest, AreThoseOfDocumentsThatComeOneByOne) {
  const auto writer =
      PartitionWriter::create(scratch_ / "plain", 1.0, PartitionWriter::kIdBytes, StoredCompression::kFast).value();
  for (const Text& text : random_texts(0)) writer->add_document({text.id, "", "", text.body}, 1).value();
  writer->finish().value();
  const std::string plain = table_of(scratch_ / "plain");
  for (const std::size_t packers : {1u, 4u})
    EXPECT_TRUE(write({packers, 1, 1 << 20}, StoredCompression::kFast)[0] == plain) << packers << " packers";
}

TEST_F(StoredFieldsTest, EndWithTheErrorOfADamagedSpool) {
  write({1, 1, 1 << 20}, StoredCompression::kFast);
  const auto spool = scratch_ / "spool-0";
  support::flip_byte(spool, std::filesystem::file_size(spool) / 2);
  for (const std::size_t packers : {1u, 4u}) {
    TaskPool pool("packer", packers);
    pipeline::WritePlan plan;
    plan.ahead_bytes = 1 << 20;
    pipeline::FieldSample sample;
    StoredFields fields(pool, StoredCompression::kFast, sample, plan, 1);
    std::atomic<std::uint64_t> done = 0;
    const auto writer = PartitionWriter::create(scratch_ / "damaged", 1.0).value();
    EXPECT_EQ(fields.write(*writer, spool, 1 << 20, done, {}), Code::kCorrupt);
  }
}

}  // namespace
}  // namespace frond::indexer::publish
