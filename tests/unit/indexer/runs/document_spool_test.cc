// The spool returns the documents that were written, and finds damage.
#include "indexer/runs/document_spool.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace frond::indexer::runs {
namespace {

using support::ScratchFolder;

struct Stored {
  std::string id, url, title, body;
  std::uint32_t length;
  scoring::Prior prior = 0;
  std::string values = {};
  friend bool operator==(const Stored&, const Stored&) = default;
};

std::string random_text(std::mt19937& random, std::size_t most) {
  std::string text(random() % (most + 1), ' ');
  for (char& c : text) c = static_cast<char>(random() % 3 ? 'a' + random() % 4 : random());
  return text;
}

std::vector<Stored> write_spool(const std::filesystem::path& path, std::mt19937& random, std::size_t documents) {
  std::vector<Stored> all;
  auto spool = SpoolWriter::create(path);
  EXPECT_TRUE(spool);
  DocumentFrameWriter frame;
  ByteBuffer bytes;
  for (std::size_t i = 0; i < documents; ++i) {
    all.push_back({"id" + std::to_string(i), random_text(random, 20), random_text(random, 50),
                   random_text(random, i % 100 == 0 ? 100'000 : 200), static_cast<std::uint32_t>(random())});
    // Some frames have priors, others none.
    if (i / 50 % 2 == 1 && random() % 3 != 0)
      all.back().prior = static_cast<scoring::Prior>(random() % (scoring::kMaxPrior + 1));
    if (i / 70 % 2 == 1 && random() % 3 != 0) all.back().values = random_text(random, i % 100 == 0 ? 50'000 : 90);
    const Stored& one = all.back();
    frame.add({one.id, one.url, one.title, one.body, one.prior, one.values}, one.length);
    if (random() % 20 == 0) {
      frame.finish(bytes);
      EXPECT_TRUE(spool->append(bytes));
    }
  }
  for (int i = 0; i < 2; ++i) {  // the second frame is empty
    frame.finish(bytes);
    EXPECT_TRUE(spool->append(bytes));
  }
  EXPECT_TRUE(spool->finish());
  return all;
}

Result<std::vector<Stored>> read_spool(const std::filesystem::path& path) {
  std::vector<Stored> all;
  SpoolReader reader = FROND_TRY(SpoolReader::open(path));
  while (const auto frame = FROND_TRY(reader.next()))
    for (std::size_t i = 0; i < frame->documents().size(); ++i) {
      const partition::StoredDocument& d = frame->documents()[i];
      all.push_back({std::string(d.id), std::string(d.url), std::string(d.title), std::string(d.body), frame->length(i),
                     d.prior, std::string(d.values)});
    }
  return all;
}

TEST(DocumentSpool, GivesBackDocumentsAndLengths) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    const ScratchFolder folder;
    const auto written = write_spool(folder / "spool", random, seed == 1 ? 0 : 500);
    EXPECT_EQ(read_spool(folder / "spool"), written) << "seed " << seed;
    std::vector<std::uint32_t> lengths;
    lengths.reserve(written.size());
    std::vector<scoring::Prior> priors;
    priors.reserve(written.size());
    for (const Stored& document : written) lengths.push_back(document.length);
    for (const Stored& document : written) priors.push_back(document.prior);
    const auto contents = SpoolReader::read_contents(folder / "spool");
    ASSERT_TRUE(contents);
    EXPECT_EQ(contents->lengths, lengths);
    SpoolReader::Documents appended;
    SpoolReader reader = SpoolReader::open(folder / "spool").value();
    while (reader.append_next(appended).value()) {
    }
    EXPECT_EQ(appended.lengths, lengths);
    EXPECT_EQ(appended.priors, priors);
    EXPECT_EQ(contents->field_bytes, appended.fields.size() + appended.values.size());
    std::string values;
    for (std::size_t i = 0; i < written.size(); ++i) {
      values += written[i].values;
      EXPECT_EQ(appended.value_sizes[i], written[i].values.size());
    }
    EXPECT_EQ(as_text(appended.values), values);
    ByteView left = appended.fields.view();
    for (const Stored& document : written) {
      ByteReader in(take_fields(left).value());
      EXPECT_EQ(read_fields(in).id, document.id);
    }
    EXPECT_TRUE(left.empty());
  }
}

TEST(DocumentSpool, FindsEveryFlippedByteAndEveryMissingEnd) {
  std::mt19937 random(9);
  const ScratchFolder folder;
  const auto path = folder / "spool";
  const auto written = write_spool(path, random, 60);
  const std::string bytes = support::read_file(path);
  for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 300) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    support::write_file(path, damaged);
    EXPECT_EQ(read_spool(path), Code::kCorrupt) << "byte " << at;
    support::write_file(path, std::string_view(bytes).substr(0, at));
    const auto cut = read_spool(path);
    EXPECT_TRUE(!cut || *cut != written) << "cut at " << at;  // a cut between frames only loses documents
  }
}

TEST(Spool, HasTheLengthsOfTheFileBesideIt) {
  const ScratchFolder folder;
  std::mt19937 random(5);
  std::vector<Stored> expected = write_spool(folder / "spool", random, 300);
  auto writer = LengthsWriter::create(folder / "spool", 1 << 10);
  ASSERT_TRUE(writer);
  for (Stored& stored : expected) {
    stored.length = static_cast<std::uint32_t>(random());
    ASSERT_TRUE(writer->add(stored.length));
  }
  ASSERT_TRUE(writer->flush());
  EXPECT_EQ(read_spool(folder / "spool").value(), expected);
  const SpoolContents contents = SpoolReader::read_contents(folder / "spool").value();
  SpoolReader::Documents appended;
  SpoolReader reader = SpoolReader::open(folder / "spool").value();
  while (reader.append_next(appended).value()) {
  }
  EXPECT_EQ(appended.lengths, contents.lengths);
  ASSERT_EQ(contents.lengths.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(contents.lengths[i], expected[i].length);
}

TEST(Spool, FindsDamageInTheLengthsBesideIt) {
  const ScratchFolder folder;
  std::mt19937 random(6);
  const std::size_t documents = write_spool(folder / "spool", random, 100).size();
  auto writer = LengthsWriter::create(folder / "spool", 1 << 10);
  ASSERT_TRUE(writer);
  for (std::size_t i = 0; i < documents; ++i) ASSERT_TRUE(writer->add(7));
  ASSERT_TRUE(writer->flush());
  const std::string whole = support::read_file(lengths_path(folder / "spool"));
  for (const std::size_t at : {std::size_t{0}, std::size_t{5}, std::size_t{9}, std::size_t{13}, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    support::write_file(lengths_path(folder / "spool"), damaged);
    EXPECT_EQ(SpoolReader::read_contents(folder / "spool"), Code::kCorrupt) << "byte " << at;
  }
  support::write_file(lengths_path(folder / "spool"), whole.substr(0, whole.size() - 4));
  EXPECT_EQ(SpoolReader::read_contents(folder / "spool"), Code::kCorrupt);
}

TEST(Spool, LengthsBesideItGoOnBehindACheckpoint) {
  const ScratchFolder folder;
  std::mt19937 random(7);
  const std::vector<Stored> expected = write_spool(folder / "spool", random, 300);
  {
    auto writer = LengthsWriter::create(folder / "spool", 64);
    ASSERT_TRUE(writer);
    for (std::size_t i = 0; i < 203; ++i) {
      if (i == 101) {
        ASSERT_TRUE(writer->flush());
      }
      ASSERT_TRUE(writer->add(i < 101 ? expected[i].length : 0));
    }
    ASSERT_TRUE(writer->flush());
  }
  EXPECT_EQ(LengthsWriter::append_to(folder / "spool", 400, 64), Code::kCorrupt);
  EXPECT_EQ(LengthsWriter::append_to(folder / "spool", 102, 64), Code::kCorrupt);
  EXPECT_EQ(LengthsWriter::append_to(folder / "none", 0, 64), Code::kCorrupt);
  auto writer = LengthsWriter::append_to(folder / "spool", 101, 64);
  ASSERT_TRUE(writer) << writer.error().message();
  for (std::size_t i = 101; i < expected.size(); ++i) ASSERT_TRUE(writer->add(expected[i].length));
  ASSERT_TRUE(writer->flush());
  EXPECT_EQ(read_spool(folder / "spool").value(), expected);
}

TEST(Spool, LengthsBesideItAreAsInTheManual) {
  const ScratchFolder folder;
  auto writer = LengthsWriter::create(folder / "spool", 1 << 10);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->add(2));
  ASSERT_TRUE(writer->add(300));
  ASSERT_TRUE(writer->flush());
  std::string hex;
  for (const char c : support::read_file(lengths_path(folder / "spool"))) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x ", static_cast<unsigned char>(c));
    hex += digits;
  }
  EXPECT_EQ(hex,
            "46 4c 45 4e 01 00 00 00 02 00 00 00 "
            "f9 5f f5 87 0f a8 95 1c "
            "02 00 00 00 2c 01 00 00 ");
}

TEST(DocumentSpool, HasTheSameBytesFromFieldsThatAreInNoFrame) {
  std::mt19937 random(/*seed=*/7);
  const ScratchFolder folder;
  auto framed = SpoolWriter::create(folder / "framed"), bare = SpoolWriter::create(folder / "bare");
  EXPECT_TRUE(bare->append(FrameParts())) << "of no documents, nothing is added";
  for (const bool has_priors : {false, true}) {
    DocumentFrameWriter frame;
    ByteBuffer fields;  // longer ones than the spool's buffer are among them
    std::vector<std::uint32_t> lengths;
    std::vector<scoring::Prior> priors;
    for (int i = 0; i < 30; ++i) {
      const std::size_t begin = fields.size();
      ByteWriter out(fields);
      for (int field = 0; field < 4; ++field) out.put_text(random_text(random, i % 10 == 0 ? 100'000 : 200));
      lengths.push_back(static_cast<std::uint32_t>(random()));
      priors.push_back(static_cast<scoring::Prior>(has_priors ? random() % 3 : 0));
      frame.add_fields(ByteView(fields).subspan(begin), lengths.back(), priors.back());
    }
    ByteBuffer bytes;
    frame.finish(bytes);
    ASSERT_TRUE(framed->append(bytes));
    ASSERT_TRUE(bare->append({fields, {}, lengths, priors, std::vector<std::uint32_t>(lengths.size())}));
  }
  ASSERT_TRUE(framed->finish() && bare->finish());
  EXPECT_TRUE(support::read_file(folder / "bare") == support::read_file(folder / "framed"));
}

}  // namespace
}  // namespace frond::indexer::runs
