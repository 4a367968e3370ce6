// Run files return what was written, merge as a sort in memory would, and find damage.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "common/base/threads/task_pool.h"
#include "indexer/runs/run_file.h"
#include "indexer/runs/run_merger.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::runs {
namespace {

using support::ScratchFolder;
using Postings = std::map<DocId, Frequency>;
using Index = std::map<std::string, Postings>;

// Long and short lists; terms that share prefixes, hold any byte but NUL, and have up to 300 bytes.
Index random_index(std::mt19937& random, DocId first_docid, DocId documents) {
  Index index;
  for (std::size_t terms = 1 + random() % 300; terms > 0; --terms) {
    std::string term = random() % 3 ? "prefix" : "";
    for (std::size_t n = random() % 50 ? random() % 5 : 290; n > 0; --n)
      term += static_cast<char>(1 + random() % (random() % 2 ? 3 : 255));
    if (term.empty()) term = "x";
    Postings& postings = index[term];
    const DocId step = random() % 10 == 0 ? 1 : 1 + documents / 20;
    for (DocId docid = random() % step; docid < documents; docid += 1 + random() % step)
      postings[first_docid + docid] = random() % 4 ? 1 : 1 + random() % 100'000;
    if (random() % 50 == 0) postings[first_docid + documents - 1] = 0xffffffff;
    if (postings.empty()) index.erase(term);
  }
  return index;
}

RunFile write_run(const std::filesystem::path& path, const Index& index, std::size_t frame_bytes = kFramePayloadBytes) {
  auto writer = RunWriter::create(path, 3, frame_bytes);
  EXPECT_TRUE(writer);
  for (const auto& [term, postings] : index) {
    std::vector<DocId> docids;
    std::vector<Frequency> frequencies;
    for (const auto& [docid, frequency] : postings) {
      docids.push_back(docid);
      frequencies.push_back(frequency);
    }
    EXPECT_TRUE(writer->add(term, docids, frequencies));
  }
  auto run = writer->finish();
  EXPECT_TRUE(run);
  return *run;
}

Index read_merged_by(const std::vector<std::filesystem::path>& paths, std::size_t wanted, TaskPool* ahead) {
  Index index;
  auto merger = RunMerger::open(paths, 3, ahead);
  EXPECT_TRUE(merger) << merger.error().message();
  std::string last;
  for (;;) {
    const auto more = merger->next_term();
    EXPECT_TRUE(more) << more.error().message();
    if (!more || !*more) return index;
    EXPECT_LT(last, merger->term());
    last = merger->term();
    std::vector<DocId> docids;
    std::vector<Frequency> frequencies;
    while (merger->read(docids, frequencies, docids.size() + wanted) == true) {
    }
    EXPECT_TRUE(std::is_sorted(docids.begin(), docids.end()));
    for (std::size_t i = 0; i < docids.size(); ++i) index[last][docids[i]] = frequencies[i];
    EXPECT_EQ(index[last].size(), docids.size());
  }
}

// The same whether other threads read ahead or not.
Index read_merged(const std::vector<std::filesystem::path>& paths, std::size_t wanted = 1) {
  Index index = read_merged_by(paths, wanted, nullptr);
  for (const std::size_t threads : {1, 3}) {
    TaskPool pool("helper", threads);
    EXPECT_EQ(read_merged_by(paths, wanted, &pool), index);
  }
  return index;
}

TEST(RunFile, GivesBackWhatWasWritten) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    const ScratchFolder folder;
    const Index index = random_index(random, 0, 5'000);
    for (const std::size_t frame_bytes : {kFramePayloadBytes, RunWriter::kMinFrameBytes}) {
      const RunFile run = write_run(folder / "a.run", index, frame_bytes);
      EXPECT_EQ(run.bytes, std::filesystem::file_size(run.path));
      EXPECT_EQ(read_merged({run.path}), index) << "seed " << seed << ", frames of " << frame_bytes;
    }
  }
}

TEST(RunFile, HoldsListsLongerThanAFrameAndTheLargestNumbers) {
  const ScratchFolder folder;
  Index index;
  for (DocId docid = 0; docid < 200'000; ++docid) index["long"][docid] = docid % 3 + 1;
  index["long"][kNoDoc - 1] = 0xffffffff;
  index["longer"][0] = 1;
  index[std::string(1024, 'z')][kNoDoc - 1] = 1;
  EXPECT_EQ(read_merged({write_run(folder / "a.run", index).path}, 1'000), index);
}

TEST(RunFile, WithoutPostingsIsEmptyAndWhole) {
  const ScratchFolder folder;
  EXPECT_TRUE(read_merged({write_run(folder / "a.run", {}).path}).empty());
}

TEST(RunMerger, GivesWhatASortInMemoryWould) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    const ScratchFolder folder;
    Index all;
    std::vector<std::filesystem::path> paths;
    const std::size_t runs = seed == 1 ? 150 : 1 + random() % 12;  // 150: more than are merged at once
    for (std::size_t i = 0; i < runs; ++i) {
      const Index index = random_index(random, static_cast<DocId>(i * 1'000), 1'000);
      for (const auto& [term, postings] : index) all[term].insert(postings.begin(), postings.end());
      paths.push_back(write_run(folder / (std::to_string(i) + ".run"), index).path);
    }
    const auto reduced = reduce_runs(paths, 3, folder.path());
    ASSERT_TRUE(reduced);
    EXPECT_LE(reduced->size(), kMaxFanIn);
    EXPECT_EQ(read_merged(*reduced, 1 + random() % 500), all) << "seed " << seed;
    remove_merged(*reduced, paths);
    const std::filesystem::directory_iterator left(folder.path());
    EXPECT_EQ(std::distance(begin(left), end(left)), static_cast<std::ptrdiff_t>(runs)) << "those that were given";
  }
}

TEST(RunMerger, SkipsWhatIsNotReadOfATerm) {
  const ScratchFolder folder;
  const auto path = write_run(folder / "a.run", {{"a", {{1, 1}, {2, 1}}}, {"b", {{5, 7}}}}).path;
  auto merger = RunMerger::open(std::vector{path}, 3);
  ASSERT_TRUE(merger);
  EXPECT_EQ(merger->next_term(), true);
  EXPECT_EQ(merger->next_term(), true);
  EXPECT_EQ(merger->term(), "b");
  EXPECT_EQ(merger->next_term(), false);
}

TEST(RunMerger, SumsWhatTwoRunsHaveOfADocument) {
  for (const std::size_t wanted : {1u, 2u, 3u, 1'000u}) {
    const ScratchFolder folder;
    const std::vector paths = {
        write_run(folder / "1.run", {{"a", {{5, 1}, {7, 2}}}, {"b", {{7, 1}}}, {"c", {{1, 1}}}}).path,
        write_run(folder / "2.run", {{"a", {{7, 30}}}, {"b", {{7, 3}, {8, 1}}}}).path,
        write_run(folder / "3.run", {{"a", {{7, 400}, {9, 1}}}, {"c", {{2, 1}}}}).path};
    const Index expected = {{"a", {{5, 1}, {7, 432}, {9, 1}}}, {"b", {{7, 4}, {8, 1}}}, {"c", {{1, 1}, {2, 1}}}};
    EXPECT_EQ(read_merged(paths, wanted), expected) << wanted;
  }
}

TEST(RunMerger, RefusesFrequenciesThatAreTooLargeTogether) {
  const ScratchFolder folder;
  const std::vector paths = {write_run(folder / "1.run", {{"a", {{5, 0xffffffff}}}}).path,
                             write_run(folder / "2.run", {{"a", {{5, 1}}}}).path};
  auto merger = RunMerger::open(paths, 3);
  ASSERT_TRUE(merger);
  EXPECT_EQ(merger->next_term(), true);
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
  EXPECT_EQ(merger->read(docids, frequencies, 10), Code::kCorrupt);
}

TEST(RunMerger, RefusesRunsWhoseDocumentsDoNotAscend) {
  const ScratchFolder folder;
  const auto late = write_run(folder / "late.run", {{"a", {{7, 1}}}}).path;
  const auto early = write_run(folder / "early.run", {{"a", {{6, 1}, {9, 1}}}}).path;
  auto merger = RunMerger::open(std::vector{late, early}, 3);
  ASSERT_TRUE(merger);
  EXPECT_EQ(merger->next_term(), true);
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
  EXPECT_EQ(merger->read(docids, frequencies, 10), Code::kCorrupt);
}

// Reads to the end or to the first error.
Result<void> read_all_ahead(const std::filesystem::path& path) {
  TaskPool pool("helper", 1);
  RunCursor cursor = FROND_TRY(RunCursor::open(path, 3, &pool));
  while (FROND_TRY(cursor.next())) {
  }
  return {};
}
Result<void> read_all_in_line(const std::filesystem::path& path) {
  RunReader reader = FROND_TRY(RunReader::open(path, 3));
  while (FROND_TRY(reader.next())) {
  }
  return {};
}
Result<void> read_all(const std::filesystem::path& path) {
  Result<void> read = read_all_in_line(path);
  const Result<void> ahead = read_all_ahead(path);
  EXPECT_EQ(ahead.has_value(), read.has_value());
  if (!ahead && !read) {
    EXPECT_EQ(ahead.error().code(), read.error().code());
  }
  return read;
}

TEST(RunCursor, GivesRecordsThatComeBeforeDamage) {
  const ScratchFolder folder;
  Index index;
  for (int i = 10; i < 90; ++i)
    for (DocId docid = 0; docid < 1000; ++docid) index["term" + std::to_string(i)][docid * 300] = 70'000;
  const auto path = write_run(folder / "a.run", index).path;
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 40);
  TaskPool pool("helper", 3);
  RunCursor cursor = RunCursor::open(path, 3, &pool).value();
  RunReader reader = RunReader::open(path, 3).value();
  for (;;) {
    const auto one = reader.next();
    const auto other = cursor.next();
    ASSERT_EQ(one.has_value(), other.has_value());
    if (!one) break;
    ASSERT_TRUE(*one && *other);
    EXPECT_EQ(cursor.term(), reader.term());
    EXPECT_TRUE(std::ranges::equal(cursor.docids(), reader.docids()));
    EXPECT_TRUE(std::ranges::equal(cursor.frequencies(), reader.frequencies()));
  }
  EXPECT_EQ(cursor.next(), Code::kCorrupt);
}

TEST(RunCursor, MayEndBeforeWhatIsReadAhead) {
  const ScratchFolder folder;
  const auto path = write_run(folder / "a.run", {{"a", {{1, 1}}}}).path;
  TaskPool pool("helper", 1);
  pool.add([](std::size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(50)); });
  ASSERT_TRUE(RunCursor::open(path, 3, &pool));
}

TEST(RunReader, FindsEveryFlippedByteAndEveryMissingEnd) {
  std::mt19937 random(5);
  const ScratchFolder folder;
  const auto path = write_run(folder / "a.run", random_index(random, 0, 300)).path;
  ASSERT_TRUE(read_all(path));
  const std::string bytes = support::read_file(path);
  for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 300) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    support::write_file(path, damaged);
    EXPECT_EQ(read_all(path), Code::kCorrupt) << "byte " << at;
    support::write_file(path, std::string_view(bytes).substr(0, at));
    EXPECT_EQ(read_all(path), Code::kCorrupt) << "cut at " << at;
  }
  support::write_file(path, bytes + "x");
  EXPECT_EQ(read_all(path), Code::kCorrupt);
  support::write_file(path, bytes);
  EXPECT_EQ(RunReader::open(path, 4), Code::kCorrupt) << "another partition's";
  EXPECT_EQ(RunReader::open(folder / "none", 3), Code::kUnavailable);
}

}  // namespace
}  // namespace frond::indexer::runs
