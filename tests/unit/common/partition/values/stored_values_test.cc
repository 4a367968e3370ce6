// Values of documents, written with a partition and read back.
#include <gtest/gtest.h>

#include <random>

#include "common/partition/documents/document_block.h"
#include "common/partition/partition.h"
#include "common/partition/published_partition.h"
#include "common/partition/ranged/ranged_partition.h"
#include "common/partition/values/stored_sequences.h"
#include "common/partition/values/value_column.h"
#include "tests/support/random_values.h"
#include "tests/support/ranges.h"
#include "tests/support/scratch_folder.h"

namespace frond::partition {
namespace {

constexpr DocId kDocuments = 9000;  // three groups

class StoredValues : public testing::Test {
 protected:
  void SetUp() override {
    schema_ = std::make_shared<const schema::Schema>(support::schema_of_all_types());
    std::mt19937 random(7);
    for (DocId docid = 0; docid < kDocuments; ++docid)
      records_.push_back(docid % 10 == 3 ? ByteBuffer() : support::random_record(*schema_, random));
  }
  StoredDocument document(DocId docid, std::string& id) const {
    id = "d" + std::to_string(docid);
    return {.id = id, .body = "body", .values = as_text(records_[docid])};
  }
  // in_blocks: as a build adds them.
  PartitionSummary write(bool in_blocks, const std::filesystem::path& folder) {
    const auto writer =
        PartitionWriter::create(folder, 10, PartitionWriter::kIdBytes, StoredCompression::kSmall, schema_).value();
    BlockCompressor compressor{ByteView()};
    std::vector<std::string> ids(records_.size());
    std::vector<StoredDocument> held;
    for (DocId docid = 0; docid < records_.size(); ++docid) {
      const StoredDocument one = document(docid, ids[docid]);
      if (!in_blocks) {
        EXPECT_TRUE(writer->add_document(one, 3));
        continue;
      }
      held.push_back(one);
      if (held.size() < 100 && docid + 1 < records_.size()) continue;
      ByteBuffer raw;
      for (const StoredDocument& each : held) append_document(each, raw);
      const std::vector<std::uint32_t> lengths(held.size(), 3);
      EXPECT_TRUE(writer->add_block(held, lengths, compressor.compress(raw, static_cast<std::uint32_t>(held.size()))));
      held.clear();
    }
    writer->set_term_digests(std::vector<std::uint64_t>(records_.size(), 5));
    return writer->finish().value();
  }
  std::shared_ptr<const Partition> open(const PartitionSummary& summary, FileReads reads) {
    const auto database = scratch_ / ("database" + std::to_string(opened_++));
    EXPECT_TRUE(Partition::ingest(scratch_ / "files", summary.files, database, false));
    auto partition = Partition::open(database, reads);
    EXPECT_TRUE(partition.has_value()) << partition.error().message();
    return *partition;
  }
  DocumentValues values(DocId docid) const { return decode_values(records_[docid], *schema_).value(); }

  support::ScratchFolder scratch_;
  std::shared_ptr<const schema::Schema> schema_;
  std::vector<ByteBuffer> records_;
  int opened_ = 0;
};

TEST_F(StoredValues, ComeBackAsTheyWere) {
  const PartitionSummary summary = write(false, scratch_ / "files");
  EXPECT_FALSE(summary.has_priors());
  for (const FileReads reads : {FileReads::kMapped, FileReads::kCopied, FileReads::kBuffered}) {
    const auto partition = open(summary, reads);
    EXPECT_EQ(*partition->schema(), *schema_);
    EXPECT_TRUE(partition->count_entries());
    for (DocId docid = 0; docid < kDocuments; ++docid) {
      EXPECT_EQ(partition->values_of(docid).value(), records_[docid]) << docid;
      if (docid % 97 == 0) {
        EXPECT_EQ(partition->source(docid).value(), values(docid).source);
      }
    }
    std::mt19937 random(1);
    for (int i = 0; i < 100; ++i) {
      const DocId docid = random() % kDocuments;
      EXPECT_EQ(partition->values_of(docid).value(), records_[docid]) << docid;
    }
    EXPECT_EQ(partition->values_of(kDocuments), Code::kNotFound);
  }
}

TEST_F(StoredValues, AreSearchedWhereTheyAreMapped) {
  const PartitionSummary summary = write(false, scratch_ / "files");
  const auto partition = open(summary, FileReads::kMapped);
  std::vector<std::uint64_t> tokens(schema_->fields.size());
  for (DocId docid = 0; docid < kDocuments; ++docid) {
    const DocumentValues expected = values(docid);
    std::vector<std::vector<schema::Value>> by_field(schema_->fields.size());
    for (const auto& column : expected.columns) by_field[column.field] = column.values;
    std::vector<std::uint32_t> lengths(schema_->fields.size());
    for (const auto& length : expected.lengths) tokens[length.field] += lengths[length.field] = length.tokens;
    for (std::uint32_t field = 0; field < schema_->fields.size(); ++field) {
      if (schema::is_column(schema_->fields[field].type)) {
        EXPECT_EQ(partition->column(field)->values_of(docid), by_field[field]);
      }
      if (const auto stored = partition->lengths_in(field)) {
        EXPECT_EQ((*stored)[docid], lengths[field]);
      }
    }
    const ByteView codes = partition->token_codes(docid);
    EXPECT_TRUE(std::equal(codes.begin(), codes.end(), expected.codes.begin(), expected.codes.end())) << docid;
  }
  EXPECT_EQ(tokens, summary.field_tokens);
  EXPECT_EQ(partition->lengths_in(0)->size(), kDocuments);
  EXPECT_EQ(partition->lengths_in(0), partition->lengths_in(0));  // the same vector
  EXPECT_EQ(partition->lengths_in(1), nullptr);
  EXPECT_EQ(partition->column(0), nullptr);
  EXPECT_EQ(partition->column(99), nullptr);
  EXPECT_TRUE(partition->token_codes(kDocuments).empty());
  EXPECT_EQ(open(summary, FileReads::kBuffered)->column(2), nullptr);
}

TEST_F(StoredValues, HaveSequencesAsOneArrayForDevices) {
  const PartitionSummary summary = write(false, scratch_ / "files");
  const auto partition = open(summary, FileReads::kMapped);
  const StoredSequences* const all = partition->sequences();
  ASSERT_NE(all, nullptr);
  ASSERT_EQ(all->documents(), kDocuments);
  EXPECT_EQ(all->begin(0), 0u);
  EXPECT_EQ(all->begin(kDocuments), all->bytes());
  ByteBuffer bytes(all->bytes() + 100, std::byte{7});
  for (std::size_t from = 0, piece = 1; from < bytes.size(); from += piece, piece = piece * 3 % 70'001 + 1) {
    piece = std::min(piece, bytes.size() - from);
    all->copy(from, std::span(bytes).subspan(from, piece));
  }
  std::uint64_t sum = 0;
  for (DocId docid = 0; docid < kDocuments; ++docid) {
    const ByteView codes = partition->token_codes(docid);
    EXPECT_EQ(all->begin(docid + 1) - all->begin(docid), codes.size()) << docid;
    EXPECT_TRUE(std::ranges::equal(ByteView(bytes).subspan(all->begin(docid), codes.size()), codes)) << docid;
    sum += codes.size();
  }
  EXPECT_EQ(all->bytes(), sum);
  EXPECT_GT(sum, 0u);
  EXPECT_TRUE(std::ranges::all_of(std::span(bytes).subspan(sum), [](std::byte one) { return one == std::byte{0}; }));
  EXPECT_EQ(all->name(), partition->sequences()->name());
  EXPECT_EQ(open(summary, FileReads::kCopied)->sequences(), nullptr);
}

// Where files were published, or lie elsewhere, lengths in fields are read one by one.
TEST_F(StoredValues, HaveLengthsThatAreFoundWithoutADatabase) {
  const PartitionSummary summary = write(false, scratch_ / "files");
  const auto published = PublishedPartition::open(scratch_ / "files", summary.files).value();
  support::Ranges ranges(scratch_ / "files");
  const auto expected = [&](DocId docid) {
    std::vector<std::uint32_t> lengths(schema_->fields.size());
    for (const auto& length : values(docid).lengths) lengths[length.field] = length.tokens;
    return lengths;
  };
  for (const DocId step : {1u, 900u}) {
    std::vector<DocId> docids;
    for (DocId docid = 0; docid < kDocuments; docid += step) docids.push_back(docid);
    for (const DocId docid : docids) EXPECT_EQ(published->field_lengths(docid).value(), expected(docid)) << docid;
    const auto elsewhere = RangedPartition::open("elsewhere", summary, ranges.reader());
    std::size_t visited = 0;
    const auto read = elsewhere->read(docids, [&](DocId docid, const RangedPartition::Document& document) {
      EXPECT_EQ(document.field_lengths, expected(docid)) << docid;
      ++visited;
      return Result<void>();
    });
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(visited, docids.size());
  }
  EXPECT_EQ(published->field_lengths(kDocuments), Code::kCorrupt);
}

TEST_F(StoredValues, AreTheSameInBlocks) {
  const PartitionSummary one_by_one = write(false, scratch_ / "one"), in_blocks = write(true, scratch_ / "files");
  const auto files_of_values = [](const PartitionSummary& summary) {
    std::vector<std::pair<std::string, std::uint64_t>> files;
    for (const PartitionFile& file : summary.files)
      if (file.name.starts_with("arrays-c") || file.name.starts_with("arrays-s"))
        files.emplace_back(file.name, file.bytes);
    return files;
  };
  EXPECT_EQ(files_of_values(one_by_one).size(), 3u);
  EXPECT_EQ(files_of_values(one_by_one), files_of_values(in_blocks));
}

TEST_F(StoredValues, AreNotThereWithoutASchemaOrDocumentsThatHaveAny) {
  const auto writer = PartitionWriter::create(scratch_ / "files", 10).value();
  ASSERT_TRUE(writer->add_document({.id = "a"}, 0));
  const auto refused = writer->add_document({.id = "b", .values = "x"}, 0);
  EXPECT_EQ(refused, Code::kInvalid);
  EXPECT_EQ(open(writer->finish().value(), FileReads::kMapped)->schema(), nullptr);

  records_.assign(5, ByteBuffer());
  const PartitionSummary summary = write(false, scratch_ / "files");
  const auto partition = open(summary, FileReads::kMapped);
  EXPECT_EQ(*partition->schema(), *schema_);
  EXPECT_EQ(partition->column(2), nullptr);
  EXPECT_TRUE(partition->token_codes(0).empty());
  EXPECT_EQ(partition->sequences(), nullptr);
  EXPECT_EQ(partition->source(4).value(), "");
  EXPECT_EQ(partition->values_of(4).value(), ByteBuffer());
}

TEST_F(StoredValues, OfAnotherSchemaAreRefused) {
  const auto writer = PartitionWriter::create(scratch_ / "files", 10, PartitionWriter::kIdBytes,
                                              StoredCompression::kSmall, std::make_shared<const schema::Schema>())
                          .value();
  const auto refused = writer->add_document({.id = "x", .values = as_text(records_[0])}, 3);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("document 'x'"), std::string::npos) << refused.error().message();
}

TEST(AChunkOfCodes, IsSafeWhateverItsBytes) {
  std::mt19937 random(3);
  ByteBuffer bytes(64);
  for (int i = 0; i < 20'000; ++i) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 4 == 0 ? random() : 0);
    const ByteView some = ByteView(bytes).first(random() % bytes.size());
    const auto chunk = CodesChunk::open(some);
    for (std::uint32_t j = 0; chunk && j < chunk->documents(); ++j) {
      (void)chunk->record(j).size();
      EXPECT_LE(chunk->begin(j), chunk->bytes().size());
    }
  }
}

}  // namespace
}  // namespace frond::partition
