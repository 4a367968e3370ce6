#include "common/partition/partition_writer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <random>
#include <thread>

#include "common/partition/documents/document_block.h"
#include "common/partition/file_checksum.h"
#include "common/partition/partition.h"
#include "common/partition/published_partition.h"
#include "common/postings/posting_list.h"
#include "common/text/limits.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_partition.h"

namespace frond::partition {
namespace {

class APartitionWriter : public testing::Test {
 protected:
  void SetUp() override { writer_ = PartitionWriter::create(scratch_ / "files", 10.0).value(); }
  // A list of documents 0 .. count-1, each with frequency 1.
  std::vector<ByteBuffer> list(std::uint32_t count) {
    std::vector<DocId> docids(count);
    for (DocId docid = 0; docid < count; ++docid) docids[docid] = docid;
    const std::vector<Frequency> frequencies(count, 1);
    const std::vector<std::uint32_t> lengths(count, 10);
    return postings::ListBuilder(*codec::codec_named(codec::kDefaultCodec), lengths, 0.4, 10.0)
        .build(docids, frequencies);
  }
  std::shared_ptr<const Partition> finish() {
    const auto summary = writer_->finish().value();
    const auto ingested = Partition::ingest(scratch_ / "files", summary.files, scratch_ / "database", false);
    EXPECT_TRUE(ingested.has_value()) << ingested.error().message();
    auto partition = Partition::open(scratch_ / "database");
    EXPECT_TRUE(partition.has_value()) << partition.error().message();
    return *partition;
  }
  support::ScratchFolder scratch_;
  std::unique_ptr<PartitionWriter> writer_;
};

TEST_F(APartitionWriter, MakesAnEmptyPartition) {
  const auto partition = finish();
  EXPECT_EQ(partition->documents(), 0u);
  EXPECT_EQ(partition->tokens(), 0u);
  EXPECT_EQ(partition->term("x"), Code::kNotFound);
  EXPECT_TRUE(partition->count_entries().has_value());
  EXPECT_TRUE(partition->for_each_document([](auto, const auto&) { return true; }).has_value());
}

TEST_F(APartitionWriter, RefusesTermDigestsOfOtherDocuments) {
  ASSERT_TRUE(writer_->add_document({"a", "", "", "body"}, 1).has_value());
  writer_->set_term_digests({1, 2});
  EXPECT_EQ(writer_->finish().error().code(), Code::kInvalid);
}

TEST_F(APartitionWriter, StoresTermDigestsOfManyDocuments) {
  std::vector<std::uint64_t> digests((1u << 19) + 2);  // more than a value has
  std::string id;
  for (std::size_t i = 0; i < digests.size(); ++i) {
    digests[i] = i * 0x9e3779b97f4a7c15u;
    id = std::to_string(i);
    ASSERT_TRUE(writer_->add_document({id, "", "", ""}, 0).has_value());
  }
  writer_->set_term_digests(digests);
  const auto summary = writer_->finish().value();
  ASSERT_TRUE(Partition::ingest(scratch_ / "files", summary.files, scratch_ / "database", false));
  EXPECT_EQ(Partition::open(scratch_ / "database").value()->term_digests().value(), digests);
  const auto published = PublishedPartition::open(scratch_ / "files", summary.files).value();
  for (const DocId docid : {0u, 1u, (1u << 19) - 1, 1u << 19, (1u << 19) + 1})
    EXPECT_EQ(published->term_digest(docid).value(), digests[docid]) << docid;
  EXPECT_FALSE(published->term_digest((1u << 19) + 2).value());
}

TEST_F(APartitionWriter, DescribesItsFilesAsTheyAre) {
  ASSERT_TRUE(writer_->add_document({"a", "", "", "body"}, 1).has_value());
  const auto summary = writer_->finish().value();
  ASSERT_FALSE(summary.files.empty());
  for (const auto& file : summary.files)
    EXPECT_EQ(describe_file(scratch_ / "files" / file.name).value(), file) << file.name;
  std::size_t there = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(scratch_ / "files")) ++there;
  EXPECT_EQ(there, summary.files.size()) << "nothing else may be left";
}

TEST_F(APartitionWriter, MayEndItsDocumentsBeforeItsLists) {
  const auto other = PartitionWriter::create(scratch_ / "other", 10.0).value();
  for (PartitionWriter* const writer : {writer_.get(), other.get()}) {
    for (const char* id : {"b", "a", "c"})
      ASSERT_TRUE(writer->add_document({.id = id, .title = "title", .body = "body", .prior = 7}, 10));
    if (writer == other.get()) {
      ASSERT_TRUE(writer->end_documents());
    }
    ASSERT_TRUE(writer->add_list("term", 3, 3, list(3)));
    writer->set_term_digests({1, 2, 3});
  }
  const auto at_once = writer_->finish().value(), before = other->finish().value();
  ASSERT_EQ(before.files.size(), at_once.files.size());
  for (std::size_t i = 0; i < before.files.size(); ++i) {
    EXPECT_EQ(before.files[i].name, at_once.files[i].name);
    EXPECT_EQ(before.files[i].bytes, at_once.files[i].bytes);
  }
  ASSERT_TRUE(Partition::ingest(scratch_ / "other", before.files, scratch_ / "database", false));
  const auto partition = Partition::open(scratch_ / "database").value();
  EXPECT_EQ(partition->docid_of("a").value(), 1u);
  EXPECT_EQ(partition->count_entries().value().ids, 3u);
}

TEST_F(APartitionWriter, DocumentsThatEndedFirstMayHaveOneIdNeither) {
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(writer_->add_document({"same", "", "", "body"}, 1));
  const auto ended = writer_->end_documents();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code(), Code::kInvalid);
}

TEST_F(APartitionWriter, CutsAListIntoSegmentsAndGivesThemBack) {
  constexpr std::uint32_t kCount = postings::kSegmentPostings * 2 + 5;
  const auto segments = list(kCount);
  ASSERT_EQ(segments.size(), 3u);
  ASSERT_TRUE(writer_->add_list("everywhere", kCount, kCount, segments).has_value());
  for (DocId docid = 0; docid < kCount; ++docid)
    ASSERT_TRUE(writer_->add_document({std::to_string(docid), "", "", ""}, 10).has_value());
  const auto partition = finish();
  const auto got = partition->list("everywhere").value();
  ASSERT_EQ(got.segments.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(as_text(got.segments[i].bytes()), as_text(segments[i]));
  EXPECT_EQ(partition->docid_of("524292"), 524292u);
}

TEST_F(APartitionWriter, KeepsPriorsAndTheirMaxima) {
  std::mt19937 random(5);
  std::vector<scoring::Prior> priors(3000);
  for (std::size_t i = 1000; i < priors.size(); ++i)
    if (random() % 4 == 0) priors[i] = static_cast<scoring::Prior>(random() % (scoring::kMaxPrior + 1));
  for (std::size_t i = 0; i < priors.size(); ++i)
    ASSERT_TRUE(writer_->add_document({std::to_string(i), "", "", "", priors[i]}, 10));
  const auto partition = finish();
  ASSERT_NE(partition->priors(), nullptr);
  EXPECT_EQ(std::vector<scoring::Prior>(partition->priors()->all().begin(), partition->priors()->all().end()), priors);
  EXPECT_EQ(partition->priors()->max(), *std::max_element(priors.begin(), priors.end()));
  for (int round = 0; round < 1000; ++round) {
    const auto first = static_cast<DocId>(random() % priors.size());
    const auto last = static_cast<DocId>(first + random() % (random() % 2 ? 300 : 4000));
    const auto end = priors.begin() + std::min<std::ptrdiff_t>(last + 1, std::ssize(priors));
    EXPECT_GE(partition->priors()->max_in(first, last), *std::max_element(priors.begin() + first, end));
  }
  EXPECT_EQ(partition->priors()->max_in(0, 700), 0u);
}

TEST_F(APartitionWriter, WritesNoPriorsWhereAllAreZero) {
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(writer_->add_document({std::to_string(i), "", "", ""}, 10));
  const auto summary = writer_->finish().value();
  EXPECT_FALSE(summary.has_priors());
  ASSERT_TRUE(Partition::ingest(scratch_ / "files", summary.files, scratch_ / "database", false));
  EXPECT_EQ(Partition::open(scratch_ / "database").value()->priors(), nullptr);
}

// The first prior comes after two whole values of zeros.
TEST_F(APartitionWriter, FindsAPriorLateAmongManyDocuments) {
  constexpr std::uint32_t kDocuments = (2u << 20) + 5;
  for (std::uint32_t i = 0; i < kDocuments; ++i) {
    const scoring::Prior prior = i == kDocuments - 3 ? 77u : 0u;
    ASSERT_TRUE(writer_->add_document({std::to_string(i), "", "", "", prior}, 1));
  }
  const auto summary = writer_->finish().value();
  EXPECT_TRUE(summary.has_priors());
  ASSERT_TRUE(Partition::ingest(scratch_ / "files", summary.files, scratch_ / "database", false));
  const auto partition = Partition::open(scratch_ / "database").value();
  ASSERT_NE(partition->priors(), nullptr);
  EXPECT_EQ(partition->priors()->of(kDocuments - 3), 77u);
  EXPECT_EQ(std::ranges::count(partition->priors()->all(), 0u), kDocuments - 1);
  // Without its file of priors the partition does not open.
  auto files = summary.files;
  std::erase_if(files, [](const PartitionFile& file) { return file.name.starts_with("arrays-priors"); });
  ASSERT_LT(files.size(), summary.files.size());
  ASSERT_TRUE(Partition::ingest(scratch_ / "files", files, scratch_ / "other", false));
  const auto opened = Partition::open(scratch_ / "other");
  ASSERT_EQ(opened, Code::kCorrupt);
  EXPECT_NE(opened.error().message().find("0 priors of"), std::string::npos) << opened.error().message();
}

TEST_F(APartitionWriter, RefusesTermsOutOfOrderOrOutOfBounds) {
  const auto segments = list(1);
  EXPECT_EQ(writer_->add_list("", 1, 1, segments), Code::kInvalid);
  EXPECT_EQ(writer_->add_list(std::string_view("a\0b", 3), 1, 1, segments), Code::kInvalid);
  EXPECT_EQ(writer_->add_list(std::string(text::kMaxTermBytes + 1, 'x'), 1, 1, segments), Code::kInvalid);
  EXPECT_TRUE(writer_->add_list("m", 1, 1, segments).has_value());
  EXPECT_EQ(writer_->add_list("m", 1, 1, segments), Code::kInvalid);
  const auto refused = writer_->add_list("l", 1, 1, segments);
  EXPECT_EQ(refused, Code::kInvalid);
  EXPECT_NE(refused.error().message().find("'l'"), std::string::npos);
}

TEST_F(APartitionWriter, RefusesSegmentsThatDoNotHoldWhatIsSaid) {
  const auto segments = list(3);
  EXPECT_EQ(writer_->add_list("a", 4, 4, segments), Code::kInvalid);
  EXPECT_EQ(writer_->add_list("a", 3, 3, {}), Code::kInvalid);
  const std::vector<ByteBuffer> rubbish{ByteBuffer(2, std::byte{0xff})};
  EXPECT_EQ(writer_->add_list("a", 1, 1, rubbish), Code::kInvalid);
  EXPECT_TRUE(writer_->add_list("a", 3, 3, segments).has_value());
}

TEST_F(APartitionWriter, RefusesDocumentsOutOfBoundsAndIdsThatComeTwice) {
  EXPECT_EQ(writer_->add_document({"", "", "", "body"}, 1), Code::kInvalid);
  EXPECT_EQ(writer_->add_document({"big", "", "", std::string(kMaxDocumentBytes + 1, 'b')}, 1), Code::kInvalid);
  EXPECT_TRUE(writer_->add_document({"same", "", "", ""}, 1).has_value());
  EXPECT_TRUE(writer_->add_document({"same", "", "", ""}, 1).has_value());
  const auto finished = writer_->finish();
  EXPECT_EQ(finished.error().code(), Code::kInvalid);
  EXPECT_NE(finished.error().message().find("'same'"), std::string::npos);
}

// A build compresses blocks in other threads and adds lists in one of their own.
TEST_F(APartitionWriter, TakesCompressedBlocksWhileAnotherThreadAddsLists) {
  constexpr std::uint32_t kDocuments = 3'000, kPerBlock = 7;
  std::vector<std::string> ids, bodies;
  ByteBuffer all;
  std::vector<std::size_t> sizes;
  for (std::uint32_t i = 0; i < kDocuments; ++i) {
    ids.push_back("d" + std::to_string(i));
    bodies.push_back(std::string(200, static_cast<char>('a' + i % 26)) + "and a text that repeats " + ids.back());
    const std::size_t before = all.size();
    append_document({ids[i], "", "title", bodies[i]}, all);
    sizes.push_back(all.size() - before);
  }
  const ByteBuffer dictionary = train_dictionary(all, sizes);
  ASSERT_FALSE(dictionary.empty());
  const auto segments = list(kDocuments);
  std::thread lists([&] {
    for (char c = 'a'; c <= 'z'; ++c)
      EXPECT_TRUE(writer_->add_list(std::string(1, c), kDocuments, kDocuments, segments).has_value());
  });
  writer_->set_dictionary(dictionary);
  BlockCompressor compressor(dictionary);
  for (std::uint32_t begin = 0; begin < kDocuments; begin += kPerBlock) {
    std::vector<StoredDocument> documents;
    ByteBuffer raw;
    for (std::uint32_t i = begin; i < std::min(kDocuments, begin + kPerBlock); ++i) {
      documents.push_back({ids[i], "", "title", bodies[i]});
      append_document(documents.back(), raw);
    }
    const std::vector<std::uint32_t> lengths(documents.size(), 10);
    const auto count = static_cast<std::uint32_t>(documents.size());
    EXPECT_TRUE(writer_->add_block(documents, lengths, compressor.compress(raw, count)).has_value());
  }
  lists.join();
  const auto partition = finish();
  EXPECT_EQ(partition->documents(), kDocuments);
  EXPECT_EQ(partition->tokens(), 10u * kDocuments);
  for (DocId docid = 0; docid < kDocuments; docid += 11) {
    EXPECT_EQ(partition->document(docid)->body, bodies[docid]);
    EXPECT_EQ(partition->docid_of(ids[docid]), docid);
  }
  EXPECT_EQ(partition->list("z").value().segments.size(), segments.size());
}

TEST_F(APartitionWriter, StoresDocumentsInLargerBlocksWithoutADictionaryWhereItIsToBeFast) {
  const auto body = [](std::uint32_t i) { return std::string(1000, static_cast<char>('a' + i % 26)); };
  for (const auto how : {StoredCompression::kSmall, StoredCompression::kFast}) {
    writer_ = PartitionWriter::create(scratch_ / "files", 10.0, PartitionWriter::kIdBytes, how).value();
    for (std::uint32_t i = 0; i < 5'000; ++i)
      ASSERT_TRUE(writer_->add_document({"d" + std::to_string(i), "", "", body(i)}, 1).has_value());
    std::filesystem::remove_all(scratch_ / "database");
    const auto partition = finish();
    for (std::uint32_t i = 0; i < 5'000; i += 7) ASSERT_EQ(partition->document(i)->body, body(i));
    // In five documents of 1,000 bytes are 4 KiB, in nine 8 KiB.
    EXPECT_EQ(partition->count_entries()->document_blocks, how == StoredCompression::kFast ? 556u : 1'000u);
  }
}

TEST_F(APartitionWriter, StoresLargeDocumentsAmongSmallOnes) {
  std::mt19937 random(7);
  std::string noise(3 << 20, '\0');
  for (auto& c : noise) c = static_cast<char>(random());
  ASSERT_TRUE(writer_->add_document({"small", "u", "t", "b"}, 1).has_value());
  ASSERT_TRUE(writer_->add_document({"large", "", "", noise}, 2).has_value());
  for (int i = 0; i < 5000; ++i)
    ASSERT_TRUE(writer_->add_document({"d" + std::to_string(i), "", "", std::string(1000, 'x')}, 1).has_value());
  const auto partition = finish();
  EXPECT_EQ(partition->document(0)->body, "b");
  EXPECT_EQ(partition->document(1)->body, noise);
  EXPECT_EQ(partition->document(5001)->id, "d4999");
}

TEST_F(APartitionWriter, NamesTheFolderItCannotMake) {
  support::write_file(scratch_ / "file", "x");
  const auto made = PartitionWriter::create(scratch_ / "file" / "below", 1.0);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code(), Code::kUnavailable);
  EXPECT_NE(made.error().message().find("below"), std::string::npos);
}

// Simulates a full disk: while it exists, no file of this process grows beyond `bytes`.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_before_(std::signal(SIGXFSZ, SIG_IGN)) {
    FROND_CHECK(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit limit{bytes, before_.rlim_max};
    FROND_CHECK(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_before_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_before_)(int);
};

TEST_F(APartitionWriter, CallsAFullDiskUnavailableAndNamesTheFile) {
  Result<void> added;
  const FullDisk full(10'000);
  for (int i = 0; i < 5000 && added; ++i)
    added = writer_->add_document({"d" + std::to_string(i), "", "", std::to_string(i * 7919u)}, 1);
  const auto finished = added ? writer_->finish() : Result<PartitionSummary>(added.error());
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code(), Code::kUnavailable) << finished.error().message();
  EXPECT_NE(finished.error().message().find(".sst"), std::string::npos) << finished.error().message();
}

}  // namespace
}  // namespace frond::partition
