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
    frame.add({all.back().id, all.back().url, all.back().title, all.back().body}, all.back().length);
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
      all.push_back(
          {std::string(d.id), std::string(d.url), std::string(d.title), std::string(d.body), frame->length(i)});
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
    for (const Stored& document : written) lengths.push_back(document.length);
    const auto contents = SpoolReader::read_contents(folder / "spool");
    ASSERT_TRUE(contents);
    EXPECT_EQ(contents->lengths, lengths);
    ByteBuffer fields;
    std::vector<std::uint32_t> appended;
    SpoolReader reader = SpoolReader::open(folder / "spool").value();
    while (reader.append_next(fields, appended).value()) {
    }
    EXPECT_EQ(appended, lengths);
    EXPECT_EQ(contents->field_bytes, fields.size());
    ByteView left(fields);
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

}  // namespace
}  // namespace frond::indexer::runs
