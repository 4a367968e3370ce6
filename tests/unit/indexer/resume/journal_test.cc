// A journal reads back as it was written; anything else is corrupt; and what it names is on the disk before it.
#include "indexer/resume/journal.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include "tests/support/scratch_folder.h"
#include "tests/unit/indexer/resume/example_journal.h"

namespace frond::indexer::resume {
namespace {

using support::ScratchFolder;

TEST(Journal, ReadsBackAsItWasWritten) {
  const Journal journal = example_journal("/b/0");
  const ByteBuffer bytes = encode(journal);
  const auto read = decode(bytes, "/b/0");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->identity, journal.identity);
  EXPECT_EQ(read->session, 2u);
  EXPECT_EQ(read->stage, Stage::kInverted);
  EXPECT_EQ(read->checkpoint.position.cuts, 17u);
  EXPECT_EQ(read->checkpoint.position.files_read, journal.checkpoint.position.files_read);
  EXPECT_EQ(read->checkpoint.so_far.partitions[0].runs, journal.checkpoint.so_far.partitions[0].runs);
  EXPECT_EQ(read->checkpoint.so_far.partitions[1].spool, "/b/0/spool-p1");
  EXPECT_EQ(read->checkpoint.so_far.skipped.total(), 1u);
  EXPECT_EQ(read->checkpoint.so_far.sample.stride(), 2u);
  EXPECT_EQ(read->run_bytes, journal.run_bytes);
  EXPECT_TRUE(read->is_finished(1));
  EXPECT_FALSE(read->is_finished(0));
  EXPECT_EQ(read->finished[0].summary.built_average_length, 8.75);
  EXPECT_EQ(encode(*read), bytes);
}

// The example of docs/formats/build-journal.md, which is in the fuzz target's corpus as well.
TEST(Journal, IsWrittenAsItsPageSays) {
  Journal journal;
  journal.identity = {"1.0 ab", {{"--b", "0.4"}}, {1, 300, "5a"}};
  journal.checkpoint.position = {1, 9, 250, 0, 0, {}, {}};
  pipeline::InvertedDocuments& all = journal.checkpoint.so_far;
  all.partitions = {{{"/x/cpu0-0-p0.run"}, "/x/spool-p0", 600}};
  all.files_read = {1};
  all.documents = 9;
  all.tokens = 70;
  all.bytes = 250;
  all.runs = 1;
  all.run_bytes = 200;
  all.sample = *pipeline::FieldSample::of(1, ByteBuffer(2, std::byte{'t'}), {2});
  journal.run_bytes = {{200}};
  journal.checkpoint.ids_xxh3 = "c1";
  const ByteBuffer bytes = encode(journal);
  EXPECT_EQ(as_text(bytes), support::read_file(FROND_CORPUS "/journal/minimal"));
}

TEST(Journal, CallsEveryTruncationAndEveryFlippedBitCorrupt) {
  const ByteBuffer bytes = encode(example_journal("/b"));
  for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_EQ(decode(ByteView(bytes).first(n), "/b"), Code::kCorrupt) << n;
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    ByteBuffer flipped = bytes;
    flipped[n] ^= std::byte{4};
    EXPECT_EQ(decode(flipped, "/b"), Code::kCorrupt) << n;
  }
}

// The checksum is right; what it is of makes no sense.
TEST(Journal, RefusesNamesThatLeadOutOfItsFolder) {
  for (const char* name : {"..", "../x", "/etc/passwd", "a/b", ""}) {
    Journal journal = example_journal("/b");
    ByteBuffer bytes = encode(journal);
    const std::string_view good = "spool-p1";
    const std::string text(as_text(bytes));
    const std::size_t at = text.find(good) - 1;
    ByteBuffer other(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
    ByteWriter out(other);
    out.put_text(name);
    out.put_bytes(ByteView(bytes).subspan(at + 1 + good.size()));
    const ByteView payload = ByteView(other).subspan(24);
    store_le(other.data() + 8, std::uint64_t{payload.size()});
    store_le(other.data() + 16, std::uint64_t{XXH3_64bits(payload.data(), payload.size())});
    const auto read = decode(other, "/b");
    ASSERT_EQ(read, Code::kCorrupt) << name;
    EXPECT_EQ(read.error().message(), "a file's name is impossible");
  }
}

TEST(Journal, IsWrittenAfterWhatItNames) {
  const ScratchFolder folder;
  support::write_file(folder / "spool-p0", "12345678");
  support::write_file(folder / "ids", "12345678");
  support::write_file(folder / "cpu0-0-p0.run", "123");
  JournalWriter writer(folder.path(), {}, false);
  EXPECT_FALSE(writer.written());
  pipeline::Checkpoint checkpoint;
  checkpoint.so_far.partitions = {{{folder / "cpu0-0-p0.run"}, folder / "spool-p0", 8}};
  ASSERT_TRUE(writer.checkpoint(checkpoint));
  ASSERT_TRUE(writer.wait());
  EXPECT_TRUE(writer.written());
  const auto read = load_journal(folder.path());
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->run_bytes, (std::vector<std::vector<std::uint64_t>>{{3}}));

  checkpoint.so_far.partitions[0].runs.push_back(folder / "missing.run");
  ASSERT_TRUE(writer.checkpoint(checkpoint));
  EXPECT_EQ(writer.wait(), Code::kUnavailable);
  EXPECT_EQ(load_journal(folder.path())->checkpoint.so_far.partitions[0].runs.size(), 1u) << "the one of before stays";
}

TEST(Journal, ForgetsTheFilesOfAFinishedPartition) {
  const ScratchFolder folder;
  for (const char* name : {"spool-p0", "spool-p1"}) support::write_file(folder / name, "12345678");
  std::filesystem::create_directory(folder / "g1-p0");
  JournalWriter writer(folder.path(), {}, false);
  pipeline::InvertedDocuments all;
  all.partitions = {{{}, folder / "spool-p0", 8}, {{}, folder / "spool-p1", 8}};
  ASSERT_TRUE(writer.end_stage(Stage::kInverted, all));
  ASSERT_TRUE(writer.finish({0, "g1-p0", {}}));
  std::filesystem::remove(folder / "spool-p0");
  std::filesystem::create_directory(folder / "g1-p1");
  ASSERT_TRUE(writer.finish({1, "g1-p1", {}}));
  EXPECT_EQ(load_journal(folder.path())->finished.size(), 2u);
}

}  // namespace
}  // namespace frond::indexer::resume
