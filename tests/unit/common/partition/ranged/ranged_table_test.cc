// Blocks of tables that RocksDB wrote, found by ranges: with one key a block, so that a small file has a large index.
#include "common/partition/ranged/ranged_tables.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include "common/partition/files/rocks.h"
#include "common/partition/format/format.h"
#include "tests/support/ranges.h"
#include "tests/support/scratch_folder.h"

namespace frond::partition {
namespace {

std::string key_of(DocId docid) {
  std::string key;
  append_be32(key, docid);
  return key;
}

// Writes entries to a table, in ascending order.
PartitionFile write_entries(const std::filesystem::path& folder, const std::string& name,
                            const std::vector<std::pair<std::string, std::string>>& entries) {
  rocksdb::Options options = table_options();
  rocksdb::BlockBasedTableOptions table = *options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  table.block_size = 1;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(options), options);
  EXPECT_TRUE(writer.Open((folder / name).string()).ok());
  for (const auto& [key, value] : entries) EXPECT_TRUE(writer.Put(key, value).ok());
  EXPECT_TRUE(writer.Finish().ok());
  return {name, std::filesystem::file_size(folder / name), ""};
}

// The same of keys of documents, each with a value that says which it is.
PartitionFile write_table(const std::filesystem::path& folder, const std::string& name, std::span<const DocId> keys) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const DocId key : keys) entries.emplace_back(key_of(key), "value " + std::to_string(key));
  return write_entries(folder, name, entries);
}

class TablesElsewhere : public testing::Test {
 protected:
  // Looks for the last key that is not above `docid`, among `keys`.
  void expect_found(RangedFiles& files, RangedTables& tables, const std::set<DocId>& keys, DocId docid) {
    std::optional<RangedTables::Found> found;
    const auto attempt = [&]() -> Result<bool> {
      found = FROND_TRY(tables.find(key_of(docid)));
      return found.has_value();
    };
    ASSERT_TRUE(files.until_there(attempt)) << docid;
    std::string is;
    for (const auto& block : {found->blocks.at, found->blocks.before}) {
      if (!block || !is.empty()) continue;
      std::optional<ByteView> bytes;
      const auto read = [&]() -> Result<bool> {
        bytes = files.get(found->file, block->offset, static_cast<std::size_t>(block->bytes));
        return bytes.has_value();
      };
      ASSERT_TRUE(files.until_there(read));
      ASSERT_TRUE(is_intact(*bytes)) << docid;
      const auto entry = last_up_to(*bytes, key_of(docid)).value();
      if (entry) is = std::string(as_text(entry->value));
    }
    const auto after = keys.upper_bound(docid);
    EXPECT_EQ(is, after == keys.begin() ? "" : "value " + std::to_string(*std::prev(after))) << docid;
  }
  support::ScratchFolder folder_;
  std::mt19937 random_{11};
};

TEST_F(TablesElsewhere, HaveEachKeyWhereverItLies) {
  constexpr std::uint32_t kKeys = 20'000;
  std::set<DocId> even, uneven;
  while (even.size() < kKeys) even.insert(static_cast<DocId>(random_() % 10'000'000));
  while (uneven.size() < kKeys) {  // most of them are small
    const double part = static_cast<double>(random_()) / 4294967296.0;
    uneven.insert(static_cast<DocId>(part * part * part * part * 10'000'000));
  }
  for (const auto& keys : {even, uneven}) {
    std::filesystem::create_directories(folder_.path());
    const std::vector<DocId> sorted(keys.begin(), keys.end());
    const auto file = write_table(folder_.path(), "documents-0001.sst", sorted);
    support::Ranges ranges(folder_.path());
    std::uint64_t most_requests = 0, most_bytes = 0;
    for (int i = 0; i < 300; ++i) {
      // Some of its keys, the first and the last, keys between and outside.
      const DocId docid = i < 4        ? std::vector<DocId>{0, sorted.front(), sorted.back(), 0xfffffffe}[i]
                          : i % 2 == 0 ? sorted[random_() % sorted.size()]
                                       : static_cast<DocId>(random_() % 10'000'000);
      const std::vector<std::size_t> numbers{0};
      RangedFiles files({&file, 1}, ranges.reader());
      RangedTables tables(files, numbers, {key_of(0), key_of(10'000'000)});
      ranges.requests = ranges.total = 0;
      expect_found(files, tables, keys, docid);
      most_requests = std::max<std::uint64_t>(most_requests, ranges.requests);
      most_bytes = std::max<std::uint64_t>(most_bytes, ranges.total);
    }
    ASSERT_GT(file.bytes, 1'000'000u);
    EXPECT_LE(most_requests, keys == even ? 8u : 24u);
    EXPECT_LE(most_bytes, keys == even ? 50'000u : 100'000u);
  }
}

TEST_F(TablesElsewhere, HaveEachKeyOfAnyKindWithoutBounds) {
  constexpr std::uint32_t kKeys = 20'000;
  const auto padded = [](std::uint32_t number) {
    const std::string digits = std::to_string(number);
    return "http://example.test/" + std::string(9 - digits.size(), '0') + digits;
  };
  for (int kind = 0; kind < 3; ++kind) {  // numbers as text; the same with zeros before; any bytes
    std::set<std::string> keys;
    while (keys.size() < kKeys) {
      const auto number = static_cast<std::uint32_t>(random_() % 100'000'000);
      keys.insert(kind == 0 ? "d" + std::to_string(number) : kind == 1 ? padded(number) : key_of(random_()));
    }
    std::vector<std::pair<std::string, std::string>> entries;
    entries.reserve(keys.size());
    for (const std::string& key : keys) entries.emplace_back(key, "v");
    const auto file = write_entries(folder_.path(), "ids-0001.sst", entries);
    support::Ranges ranges(folder_.path());
    std::uint64_t most_requests = 0, most_bytes = 0;
    for (int i = 0; i < 200; ++i) {
      const std::string& key = i == 0 ? *keys.begin() : i == 1 ? *keys.rbegin() : entries[random_() % kKeys].first;
      const std::vector<std::size_t> numbers{0};
      RangedFiles files({&file, 1}, ranges.reader());
      RangedTables tables(files, numbers);
      ranges.requests = ranges.total = 0;
      bool has = false;
      const auto attempt = [&]() -> Result<bool> {
        const auto found = FROND_TRY(tables.find(key));
        if (!found || !found->blocks.at) return found.has_value();
        const BlockHandle at = *found->blocks.at;
        const auto block = files.get(0, at.offset, static_cast<std::size_t>(at.bytes));
        if (!block) return false;
        const auto entry = FROND_TRY(last_up_to(*block, key));
        has = is_intact(*block) && entry && entry->key == key;
        return true;
      };
      ASSERT_TRUE(files.until_there(attempt));
      EXPECT_TRUE(has) << key;
      most_requests = std::max<std::uint64_t>(most_requests, ranges.requests);
      most_bytes = std::max<std::uint64_t>(most_bytes, ranges.total);
    }
    EXPECT_LE(most_requests, 32u) << kind;  // guesses, then halves; two for each
    EXPECT_LE(most_bytes, 250'000u) << kind;
  }
}

TEST_F(TablesElsewhere, HaveEachKeyInOneOfSeveralFiles) {
  std::set<DocId> keys;
  std::vector<PartitionFile> files_of;
  std::vector<std::size_t> numbers;
  DocId next = 0;
  for (std::size_t f = 0; f < 5; ++f) {
    std::vector<DocId> of_file;
    for (std::size_t i = 0; i < (f == 3 ? 9000 : 300); ++i) of_file.push_back(next += 1 + random_() % 50);
    keys.insert(of_file.begin(), of_file.end());
    files_of.push_back(write_table(folder_.path(), "documents-000" + std::to_string(f + 1) + ".sst", of_file));
    numbers.push_back(f);
  }
  support::Ranges ranges(folder_.path());
  const std::vector<DocId> all(keys.begin(), keys.end());
  for (const bool many : {false, true}) {  // where many are expected, indexes are read whole
    RangedFiles files(files_of, ranges.reader());
    RangedTables tables(files, numbers, {key_of(0), key_of(next + 1)});
    if (many) tables.expect(all);
    for (std::size_t i = 0; i < all.size(); i += 1 + random_() % 60) {
      expect_found(files, tables, keys, all[i]);
      if (all[i] > 0) expect_found(files, tables, keys, all[i] - 1);
      if (i % 7 == 0) tables.drop();
    }
    expect_found(files, tables, keys, next + 1000);
  }
}

TEST_F(TablesElsewhere, ThatAreNoTablesAreCorrupt) {
  const std::vector<DocId> keys{1, 2, 3};
  PartitionFile file = write_table(folder_.path(), "documents-0001.sst", keys);
  support::Ranges ranges(folder_.path());
  const std::vector<std::size_t> numbers{0};
  const auto outcome = [&] {
    RangedFiles files({&file, 1}, ranges.reader());
    RangedTables tables(files, numbers);
    return files.until_there([&]() -> Result<bool> { return FROND_TRY(tables.find("key")).has_value(); });
  };
  EXPECT_TRUE(outcome());
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{20}, std::uint64_t{53}, file.bytes - 1}) {
    file.bytes = bytes;
    EXPECT_EQ(outcome(), Code::kCorrupt) << bytes;
  }
  EXPECT_TRUE([&] {
    RangedFiles files({}, ranges.reader());
    RangedTables none(files, {});
    const auto found = none.find("key").value();
    return found && !found->blocks.at && !found->blocks.before;
  }());
}

}  // namespace
}  // namespace frond::partition
