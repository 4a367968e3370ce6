// Lines that are cut many at a time, by the reader and then by a parser, are those that are cut one by one.
#include "indexer/ingest/records/parse_record.h"

#include <gtest/gtest.h>

#include <random>

#include "indexer/ingest/streams/read_ahead.h"
#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer::ingest {
namespace {

struct Seen {
  std::vector<std::string> records, bad;
  std::vector<std::pair<ReadPosition, std::size_t>> positions;  // between records, and how many were before
  std::size_t largest = 0;                                      // of the reader's records, bytes
  std::size_t blocks = 0;                                       // records that are a block as it was read, and its end
};

std::string to_string(const RawRecord& record) {
  return std::to_string(record.number) + "@" + std::to_string(record.offset) + ":" + std::string(record.text());
}

Seen read(const std::filesystem::path& path, LinesAtOnce lines, std::size_t limit, const ReadPosition* from = nullptr,
          std::uint32_t threads = 1) {
  Seen seen;
  const auto report = [&](const BadRecord& bad) {
    seen.bad.push_back(std::to_string(bad.number) + "@" + std::to_string(bad.offset));
  };
  const auto reader =
      RecordReader::open({path}, &kTsv, report,
                         {.limits = {.record_bytes = limit, .threads = threads}, .lines = lines, .from = from})
          .value();
  while (const std::optional<RawRecord> record = reader->next().value()) {
    seen.largest = std::max(seen.largest, record->bytes.size());
    seen.blocks += record->front > 0;
    if (record->lines == 0) {
      seen.records.push_back(to_string(*record));
    } else {
      EXPECT_LE(record->lines, lines.lines);
      LineRecords all(*record);
      while (const RawRecord* const line = all.next()) seen.records.push_back(to_string(*line));
    }
    if (reader->between_records()) seen.positions.emplace_back(reader->position(), seen.records.size());
  }
  return seen;
}

// Lines of all lengths around the limits; blank ones, and ends of other systems.
std::string random_lines(std::mt19937& random, std::size_t typical) {
  std::string text = random() % 3 == 0 ? std::string(kByteOrderMark) : std::string();
  for (auto lines = random() % 40; lines > 0; --lines) {
    const std::size_t length = random() % 4 == 0 ? 0 : random() % (random() % 10 == 0 ? 8 * typical : typical);
    text.append(length, static_cast<char>('a' + random() % 26));
    text += random() % 9 == 0 ? " \r\n" : "\n";
  }
  if (random() % 2 == 0 && !text.empty()) text.pop_back();
  return text;
}

TEST(LineRecords, AreTheSameHoweverManyAreCutAtATime) {
  const std::random_device::result_type seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const support::ScratchFolder folder;
  for (int round = 0; round < 60; ++round) {
    // A piece of a file has 256 KiB.
    const std::size_t typical = round % 3 == 0 ? 60'000 : 30, limit = typical * (1 + random() % 6);
    const auto path = write_in(folder, "x.tsv", random_lines(random, typical));
    const Seen expected = read(path, {}, limit);
    for (const LinesAtOnce lines : {LinesAtOnce{1, 1}, LinesAtOnce{typical / 2, 3}, LinesAtOnce{typical * 2, 1000},
                                    LinesAtOnce{typical * 30, 7}, LinesAtOnce{typical * 100, 1000}}) {
      const Seen got = read(path, lines, limit);
      EXPECT_EQ(got.records, expected.records) << lines.bytes;
      EXPECT_EQ(got.bad, expected.bad) << lines.bytes;
      EXPECT_LE(got.largest, std::max(2 * lines.bytes, limit));
      // Another reader goes on from each place, with other numbers of lines.
      for (std::size_t i = 0; i < got.positions.size(); i += 1 + got.positions.size() / 4) {
        const auto& [position, before] = got.positions[i];
        const Seen rest = read(path, {typical, 5}, limit, &position);
        EXPECT_EQ(rest.records,
                  std::vector(expected.records.begin() + static_cast<std::ptrdiff_t>(before), expected.records.end()));
      }
    }
  }
}

// A parser reads lines where they lie, and past their ends as far as memory was allocated.
TEST(LineRecords, AreParsedInPlace) {
  for (const std::size_t spare : {0u, 1u, 63u, 64u, 1000u}) {
    RawRecord block{.format = &kJsonl, .file = "x"};
    for (int i = 0; i < 40; ++i)
      block.bytes += R"({"id": ")" + std::to_string(i) + R"(", "title": ")" +
                     std::string(static_cast<std::size_t>(i), 't') + "\"}\n";
    block.bytes += R"({"id": "last", "body": "é)";  // broken off
    block.lines = 41;
    std::string exact;
    exact.reserve(block.bytes.size() + spare);
    exact.append(block.bytes);
    block.bytes.swap(exact);
    const char* const allocated = block.bytes.data() + block.bytes.capacity();
    LineRecords lines(block);
    std::size_t count = 0;
    while (const RawRecord* const line = lines.next()) {
      EXPECT_GE(line->text().data(), block.bytes.data());
      EXPECT_EQ(line->text().data() + line->text().size() + line->slack(), allocated);
      const auto document = parse_record(*line, {});
      if (count == 40) {
        EXPECT_EQ(document, Code::kInvalid);
      } else {
        ASSERT_TRUE(document.has_value()) << document.error().message();
        EXPECT_EQ(document->id, std::to_string(count));
        EXPECT_EQ(document->title.size(), count);
      }
      ++count;
    }
    EXPECT_EQ(count, 41u);
  }
}

// Large files come in blocks, which become records without being copied.
TEST(LineRecords, OfBlocksAreTheSameAsOneByOne) {
  const std::random_device::result_type seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const support::ScratchFolder folder;
  constexpr std::size_t kLimit = std::size_t{4} << 20;
  struct Case {
    std::size_t typical;  // bytes of a line
    std::uint32_t lines;
    bool blocks;
  };
  // The second: a block has more lines than are cut at a time. The last: many lines are longer than a block.
  for (const auto& [typical, lines, blocks] :
       {Case{500, 100'000, true}, Case{500, 1000, false}, Case{20'000, 100'000, true}, Case{2'000'000, 1000, false}}) {
    const LinesAtOnce most{ReadAhead::kBlockBytes, lines};
    std::string text;
    while (text.size() < ReadAhead::kMinBytes + 3 * ReadAhead::kBlockBytes)
      text.append(random() % (2 * typical), static_cast<char>('a' + random() % 26)).append("\n");
    if (random() % 2 == 0) text.pop_back();
    const auto path = write_in(folder, "x.tsv", text);
    const Seen expected = read(path, {}, kLimit);
    const Seen got = read(path, most, kLimit, nullptr, /*threads=*/8);
    EXPECT_TRUE(got.records == expected.records) << typical;
    EXPECT_EQ(got.bad, expected.bad);
    EXPECT_LE(got.largest, kLimit);
    EXPECT_EQ(got.blocks > 10, blocks) << got.blocks;
    for (std::size_t i = 0; i < got.positions.size(); i += 1 + got.positions.size() / 3) {
      const auto& [position, before] = got.positions[i];
      const Seen rest = read(path, most, kLimit, &position, /*threads=*/8);
      EXPECT_TRUE(std::equal(rest.records.begin(), rest.records.end(),
                             expected.records.begin() + static_cast<std::ptrdiff_t>(before), expected.records.end()));
    }
  }
}

TEST(LineRecords, OfAnInputThatChangedAreNotGoneOnWith) {
  const support::ScratchFolder folder;
  const auto path = write_in(folder, "x.tsv", "a\tb\nc\td\ne\tf\n");
  const Seen seen = read(path, {5, 2}, 1000);
  ASSERT_FALSE(seen.positions.empty());
  const ReadPosition& position = seen.positions[0].first;
  for (const char* const changed : {"a\tbb\nc\td\ne\tf\n", "a\tb c\td\ne\tf\n", "a\tb", ""}) {
    const auto other = write_in(folder, "x.tsv", changed);
    EXPECT_EQ(RecordReader::open({other}, &kTsv, {}, {.from = &position}), Code::kCorrupt) << changed;
  }
}

}  // namespace
}  // namespace frond::indexer::ingest
