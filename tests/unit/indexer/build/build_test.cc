// A whole build: the index does not depend on threads or memory, equals one made with maps, and is published or not.
#include "indexer/build.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "common/partition/partition.h"
#include "common/postings/posting_list.h"
#include "common/repository/repository.h"
#include "common/text/analyzer.h"
#include "indexer/change/compact.h"
#include "indexer/check/check.h"
#include "indexer/ingest/json.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer {
namespace {

using support::ScratchFolder;

struct Source {
  std::string id, title, body;
  scoring::Prior prior = 0;
};

// Zipf-like words, some unusual ones, and every twentieth document a duplicate of an earlier id.
std::vector<Source> random_documents(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  const auto words = [&](std::size_t most) {
    std::string text;
    for (std::size_t n = random() % most; n > 0; --n) {
      const std::uint32_t rank = random() % (1u << random() % 13);
      text += (rank % 7 == 0   ? "the"
               : rank % 7 == 1 ? ""
                               : "w") +
              std::to_string(rank) + (rank % 11 ? " " : " Fußball, ");
    }
    return text;
  };
  std::vector<Source> documents;
  for (std::size_t i = 0; i < count; ++i)
    documents.push_back({"d" + std::to_string(i % 20 == 19 ? random() % i : i), words(5), words(i % 50 ? 60 : 2'000),
                         static_cast<scoring::Prior>(i % 5 == 0 ? 0 : i % 2000 << 14)});  // quarters
  return documents;
}

std::string jsonl_of(const std::vector<Source>& documents) {
  std::string text;
  for (const Source& d : documents)
    text += R"({"id":")" + d.id + R"(","title":")" + d.title + R"(","body":")" + d.body + R"(","rank":)" +
            std::to_string(d.prior / 65536.0) + "}\n";
  return text;
}

BuildOptions options_for(const ScratchFolder& folder, const std::string& repository, std::uint32_t partitions) {
  BuildOptions options;
  options.repository = folder / repository;
  options.collection = "test";
  options.invert.inputs = {folder / "input.jsonl"};
  options.invert.parse.prior_field = "rank";
  options.invert.partitions = partitions;
  options.invert.memory = pipeline::plan_memory(pipeline::kMinMemoryLimit, 1, 1);
  options.invert.memory.batch_bytes = 64 << 10;
  options.threads = 2;
  return options;
}

Result<BuildSummary> run(const BuildOptions& options, std::stop_token stop = {}) {
  BuildProgress progress;
  Logger logger("test", LogLevel::kError);
  return build(options, progress, logger, stop);
}

// The content of a generation, independent of its files.
struct Contents {
  using Posting = std::pair<Ordinal, Frequency>;
  std::map<std::string, std::vector<std::vector<std::byte>>> blobs;  // "partition/term": its segments
  std::map<std::string, std::map<Ordinal, Frequency>> postings;
  std::map<Ordinal, std::vector<std::string>> documents;  // id, title, body, length, prior
};

void read_lists(const partition::Partition& part, const repository::PartitionEntry& entry, Contents& contents) {
  ASSERT_TRUE(part.for_each_term([&](std::string_view term, const partition::TermStatistics&) {
    const auto list = part.list(term);
    EXPECT_TRUE(list);
    std::vector<ByteView> segments;
    auto& blobs = contents.blobs[std::to_string(entry.base) + "/" + std::string(term)];
    for (const auto& segment : list->segments) {
      segments.push_back(segment.bytes());
      blobs.emplace_back(segment.bytes().begin(), segment.bytes().end());
    }
    const auto postings = postings::PostingList::open(segments);
    EXPECT_TRUE(postings);
    for (std::uint32_t block = 0; block < postings->blocks(); ++block) {
      std::uint32_t docids[codec::kBlockLength], frequencies[codec::kBlockLength];
      EXPECT_TRUE(postings->decode_docids(block, docids));
      EXPECT_TRUE(postings->decode_frequencies(block, frequencies));
      for (std::uint32_t i = 0; i < postings->block_size(block); ++i)
        contents.postings[std::string(term)][entry.base + docids[i] * entry.stride] = frequencies[i];
    }
    return true;
  }));
}

Contents read_generation(const std::filesystem::path& root, const repository::Manifest& manifest) {
  Contents contents;
  const ScratchFolder scratch;
  for (const auto& entry : manifest.partitions) {
    const auto database = scratch / entry.id;
    const auto files = root / "test" / "partitions" / entry.id;
    EXPECT_TRUE(partition::Partition::ingest(files, entry.summary.files, database, false));
    const auto part = partition::Partition::open(database);
    EXPECT_TRUE(part);
    if (!part) return contents;
    const partition::DocumentPriors* const priors = (*part)->priors();
    read_lists(**part, entry, contents);
    for (DocId docid = 0; docid < (*part)->documents(); ++docid) {
      const auto document = (*part)->document(docid);
      EXPECT_TRUE(document);
      contents.documents[entry.base + docid * entry.stride] = {
          document->id, document->title, document->body, std::to_string((*part)->lengths()[docid]),
          std::to_string(priors == nullptr ? 0 : priors->of(docid))};
    }
  }
  return contents;
}

// An index of the same documents, made in the simplest way.
Contents index_plainly(const std::vector<Source>& documents) {
  Contents contents;
  text::Analyzer analyzer({});
  std::map<std::string, int> ids;
  Ordinal next = 0;
  for (const Source& d : documents) {
    if (!ids.emplace(d.id, 0).second) continue;
    const auto terms = analyzer.terms(d.title + ' ' + d.body);
    for (const std::string& term : terms) ++contents.postings[term][next];
    contents.documents[next++] = {d.id, d.title, d.body, std::to_string(terms.size()), std::to_string(d.prior)};
  }
  return contents;
}

TEST(Build, GivesTheIndexThatAMapWouldForAnyNumberOfPartitions) {
  const ScratchFolder folder;
  const auto documents = random_documents(1, 700);
  support::write_file(folder / "input.jsonl", jsonl_of(documents));
  const Contents expected = index_plainly(documents);
  for (const std::uint32_t partitions : {1u, 2u, 7u}) {
    const auto options = options_for(folder, "r" + std::to_string(partitions), partitions);
    const auto summary = run(options);
    ASSERT_TRUE(summary) << summary.error().message();
    const Contents got = read_generation(options.repository, summary->manifest);
    EXPECT_EQ(got.documents, expected.documents) << partitions;
    EXPECT_EQ(got.postings, expected.postings) << partitions;
    EXPECT_EQ(summary->manifest.terms, expected.postings.size());
    EXPECT_EQ(summary->manifest.statistics.documents, expected.documents.size());
    EXPECT_EQ(summary->inverted.duplicates, documents.size() - expected.documents.size());
    const auto report = check::check_generation(options.repository, "test");
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->faults, 0u) << (report->listed.empty() ? ""
                                                             : report->listed[0].where + ": " + report->listed[0].what);
  }
}

// The beginning of a file of partition p: its entries, without what RocksDB writes to the end.
std::string beginning(const BuildOptions& options, const BuildSummary& built, std::size_t p, const std::string& name) {
  const std::string bytes =
      support::read_file(options.repository / "test" / "partitions" / built.manifest.partitions[p].id / name);
  return bytes.substr(0, bytes.size() - std::min<std::size_t>(bytes.size(), 4 << 10));
}

TEST(Build, IsTheSameForAnyNumberOfThreadsAndAnyMemory) {
  const ScratchFolder folder;
  const auto documents = random_documents(2, 4'000);
  support::write_file(folder / "input.jsonl", jsonl_of(documents));
  BuildOptions plain = options_for(folder, "plain", 2);
  BuildOptions threads = options_for(folder, "threads", 2);
  threads.invert.memory = pipeline::plan_memory(std::uint64_t{1} << 30, 4, 3, 2);
  threads.threads = 8;
  BuildOptions tiny = options_for(folder, "tiny", 2);
  tiny.invert.memory = pipeline::plan_memory(pipeline::kMinMemoryLimit, 2, 2, 2);
  tiny.invert.memory.flush_at = tiny.invert.memory.min_run = 0;  // nearly every batch becomes a run
  const auto expected = run(plain);
  ASSERT_TRUE(expected) << expected.error().message();
  const Contents contents = read_generation(plain.repository, expected->manifest);
  BuildOptions btree = options_for(folder, "btree", 2);
  btree.invert.inverter = invert::inverter_with("btree");
  ASSERT_NE(btree.invert.inverter, nullptr);
  for (const BuildOptions& options : {threads, tiny, btree}) {
    const auto summary = run(options);
    ASSERT_TRUE(summary) << summary.error().message();
    const Contents got = read_generation(options.repository, summary->manifest);
    EXPECT_EQ(got.blobs, contents.blobs) << options.repository;
    EXPECT_EQ(got.documents, contents.documents) << options.repository;
    for (std::size_t p = 0; p < 2; ++p) {
      const auto& a = expected->manifest.partitions[p].summary;
      const auto& b = summary->manifest.partitions[p].summary;
      EXPECT_EQ(a.tokens, b.tokens);
      EXPECT_EQ(a.postings, b.postings);
      EXPECT_EQ(a.docid_bytes, b.docid_bytes);
      EXPECT_EQ(a.built_average_length, b.built_average_length);
      // The files may differ in what RocksDB itself writes to their ends (an id of each file), but not in size.
      ASSERT_EQ(a.files.size(), b.files.size());
      for (std::size_t f = 0; f < a.files.size(); ++f) {
        EXPECT_EQ(a.files[f].bytes, b.files[f].bytes) << a.files[f].name;
        EXPECT_EQ(beginning(plain, *expected, p, a.files[f].name), beginning(options, *summary, p, b.files[f].name))
            << a.files[f].name;
      }
    }
  }
}

TEST(Build, OrdersDocumentsAlikeForAnyNumberOfPartitionsAndThreads) {
  const ScratchFolder folder;
  const auto documents = random_documents(7, 900);
  support::write_file(folder / "input.jsonl", jsonl_of(documents));
  Contents expected;
  for (const std::uint32_t partitions : {1u, 3u}) {
    BuildOptions options = options_for(folder, "r" + std::to_string(partitions), partitions);
    options.order = order::DocumentOrder::kBisection;
    options.threads = partitions;
    const auto summary = run(options);
    ASSERT_TRUE(summary) << summary.error().message();
    EXPECT_EQ(summary->manifest.order, "bp");
    const Contents got = read_generation(options.repository, summary->manifest);
    if (partitions == 1) {
      expected = got;
      EXPECT_EQ(got.documents.size(), index_plainly(documents).documents.size());
      EXPECT_NE(got.documents, index_plainly(documents).documents);
    }
    EXPECT_EQ(got.documents, expected.documents);
    EXPECT_EQ(got.postings, expected.postings);
    EXPECT_EQ(check::check_generation(options.repository, "test")->faults, 0u);
  }
}

TEST(Build, RecordsWhichCodecsListsArePackedWith) {
  const ScratchFolder folder;
  const auto documents = random_documents(6, 400);
  support::write_file(folder / "input.jsonl", jsonl_of(documents));
  BuildOptions options = options_for(folder, "r", 1);
  options.codecs = *codec::codec_choice_named(codec::kAuto);
  const auto summary = run(options);
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->manifest.codec, "auto");
  EXPECT_EQ(read_generation(options.repository, summary->manifest).postings, index_plainly(documents).postings);
}

// Blocks of the documents of partition p, as they are stored.
std::string stored_blocks(const BuildOptions& options, const BuildSummary& built, std::size_t p = 0) {
  return beginning(options, built, p, "documents-0001.sst");
}

TEST(Build, StoresWhatIsAddedAndMergedAsTheCollectionWasBuilt) {
  const ScratchFolder folder;
  auto documents = random_documents(9, 3'000);
  const auto part = [&](std::size_t begin, std::size_t end) {
    support::write_file(folder / "input.jsonl", jsonl_of({documents.begin() + static_cast<std::ptrdiff_t>(begin),
                                                          documents.begin() + static_cast<std::ptrdiff_t>(end)}));
  };
  for (std::size_t i = 0; i < documents.size(); ++i) documents[i].id = std::to_string(i);
  std::map<partition::StoredCompression, std::string> blocks;
  for (const auto how : {partition::StoredCompression::kSmall, partition::StoredCompression::kFast}) {
    part(0, documents.size());
    BuildOptions at_once = options_for(folder, "at-once-" + std::string(name_of(how)), 1);
    at_once.stored = how;
    const auto whole = run(at_once);
    ASSERT_TRUE(whole) << whole.error().message();
    EXPECT_EQ(whole->manifest.stored, how);
    blocks[how] = stored_blocks(at_once, *whole);

    part(0, 1'000);
    BuildOptions options = options_for(folder, "added-to-" + std::string(name_of(how)), 1);
    options.stored = how;
    ASSERT_TRUE(run(options));
    part(1'000, documents.size());
    options.stored = partition::StoredCompression::kSmall;  // what the collection has counts
    BuildProgress progress;
    Logger logger("test", LogLevel::kError);
    BuildSummary changed = add(options, progress, logger, {}).value();
    EXPECT_EQ(changed.manifest.stored, how);
    BuildOptions alone = options_for(folder, "alone-" + std::string(name_of(how)), 1);
    alone.stored = how;
    const auto added_alone = run(alone);
    ASSERT_TRUE(added_alone);
    if (how == partition::StoredCompression::kFast) {
      EXPECT_EQ(stored_blocks(options, changed, 1), stored_blocks(alone, *added_alone));
    }
    ASSERT_TRUE(change::compact({options.repository, "test"}, {2, 0, true}, {}));
    const auto source = repository::RepositorySource::open(options.repository.string(), "test").value();
    changed.manifest = source->manifest(source->current().value()).value();
    EXPECT_EQ(changed.manifest.stored, how);
    ASSERT_EQ(changed.manifest.partitions.size(), 1u);
    EXPECT_EQ(read_generation(options.repository, changed.manifest).documents,
              read_generation(at_once.repository, whole->manifest).documents);
    // Dictionaries differ, since the writer trains them from the first documents.
    if (how == partition::StoredCompression::kFast) {
      EXPECT_EQ(stored_blocks(options, changed), blocks[how]);
    }
  }
  EXPECT_GT(blocks[partition::StoredCompression::kFast].size(),
            blocks[partition::StoredCompression::kSmall].size() * 5 / 4);
}

TEST(Build, SaysThatItMakesAnotherKindOfGenerationThanTheOneBefore) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", jsonl_of(random_documents(8, 20)));
  BuildOptions options = options_for(folder, "r", 1);
  const auto told = [&options] {
    testing::internal::CaptureStderr();
    {
      BuildProgress progress;
      Logger logger("test", LogLevel::kWarn);
      EXPECT_TRUE(build(options, progress, logger, {}));
    }
    return testing::internal::GetCapturedStderr();
  };
  const std::string sentence = "the new generation has another analyzer, k1 or b than the one before";
  EXPECT_EQ(told().find(sentence), std::string::npos);  // there is none before
  EXPECT_EQ(told().find(sentence), std::string::npos);
  options.bm25 = {.k1 = 1.5, .b = 0.75};
  const std::string now = told();
  EXPECT_NE(now.find(sentence), std::string::npos) << now;
  EXPECT_NE(now.find("k1 0.9, b 0.4"), std::string::npos) << now;
  EXPECT_NE(now.find("k1 1.5, b 0.75"), std::string::npos) << now;
}

TEST(Build, CutsIntoManyRunsWhenMemoryIsTiny) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", jsonl_of(random_documents(3, 3'000)));
  BuildOptions options = options_for(folder, "r", 1);
  options.invert.memory.flush_at = options.invert.memory.min_run = 0;
  const auto summary = run(options);
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_GT(summary->inverted.runs, 3u);
}

TEST(Build, WritesNoRunsIfThePostingsFitInMemory) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", jsonl_of(random_documents(4, 2'000)));
  BuildOptions options = options_for(folder, "held", 1);
  options.invert.memory = pipeline::plan_memory(std::uint64_t{1} << 30, 1, 3);
  const auto held = run(options);
  ASSERT_TRUE(held) << held.error().message();
  EXPECT_EQ(held->inverted.runs, 0u);
  options.repository = folder / "written";
  options.invert.memory.held = 0;
  const auto written = run(options);
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_EQ(written->inverted.runs, 3u);
  const Contents of_held = read_generation(folder / "held", held->manifest);
  const Contents of_written = read_generation(folder / "written", written->manifest);
  EXPECT_EQ(of_held.blobs, of_written.blobs);
  EXPECT_FALSE(of_held.blobs.empty());
}

Generation current_of(const BuildOptions& options) {
  const auto source = repository::RepositorySource::open(options.repository.string(), "test");
  const auto current = (*source)->current();
  return current ? *current : 0;
}

TEST(Build, PublishesNothingWhenItFails) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl", jsonl_of(random_documents(4, 100)));
  BuildOptions options = options_for(folder, "r", 2);
  ASSERT_TRUE(run(options));
  ASSERT_EQ(current_of(options), 1u);
  support::write_file(folder / "bad.jsonl", jsonl_of(random_documents(5, 100)) + "broken\nbroken\n");
  support::write_file(folder / "empty.jsonl", "");
  options.invert.max_bad_records = 1;
  options.invert.format = &ingest::kJsonl;
  for (const char* input : {"bad.jsonl", "empty.jsonl", "none.jsonl"}) {
    options.invert.inputs = {folder / input};
    EXPECT_FALSE(run(options)) << input;
    EXPECT_EQ(current_of(options), 1u);
    EXPECT_TRUE(std::filesystem::is_empty(options.repository / "test" / "building")) << input;
  }
  std::stop_source stop;
  stop.request_stop();
  options.invert.inputs = {folder / "input.jsonl"};
  EXPECT_EQ(run(options, stop.get_token()), Code::kUnavailable);
  EXPECT_EQ(current_of(options), 1u);
  ASSERT_TRUE(run(options));
  EXPECT_EQ(current_of(options), 2u);
  EXPECT_EQ(check::check_generation(options.repository, "test")->faults, 0u);
}

TEST(Build, IndexesDocumentsWithoutAWordAndFewerThanPartitions) {
  const ScratchFolder folder;
  support::write_file(folder / "input.jsonl",
                      "{\"id\":\"a\",\"contents\":\"\"}\n{\"id\":\"b\",\"contents\":\"the\"}\n");
  const auto options = options_for(folder, "r", 3);
  const auto summary = run(options);
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->manifest.statistics.documents, 2u);
  EXPECT_EQ(summary->manifest.terms, 0u);
  const auto report = check::check_generation(options.repository, "test");
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->faults, 0u) << report->listed[0].where << ": " << report->listed[0].what;
}

}  // namespace
}  // namespace frond::indexer
