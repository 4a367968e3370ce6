// CIFF: files are read as they are written, and whatever is wrong with one is said. tests/cluster/ciff.py compares
// answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "indexer/build/build.h"
#include "indexer/check/check.h"
#include "indexer/ciff/ciff.h"
#include "indexer/ciff/ciff_file.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::ciff {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using Postings = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // docID, frequency

struct Index {
  std::vector<std::pair<std::string, Postings>> lists;
  std::vector<std::pair<std::string, std::uint32_t>> documents;  // id, length
};
// The toy index that came with the format, but for the texts of its numbers.
const Index kToy = {{{"01", {{0, 1}}},
                     {"content", {{0, 1}}},
                     {"head", {{0, 1}, {1, 1}, {2, 1}}},
                     {"simpl", {{1, 1}, {2, 1}}},
                     {"text", {{0, 1}, {1, 1}, {2, 3}}},
                     {"veri", {{1, 1}}}},
                    {{"WSJ_1", 4}, {"TREC_DOC_1", 4}, {"DOC222", 5}}};

fs::path write(const fs::path& path, const Index& index, std::string_view description = "made by a test") {
  const auto writer = CiffWriter::create(path).value();
  CiffHeader header;
  header.lists = header.total_lists = index.lists.size();
  header.documents = header.total_documents = index.documents.size();
  header.description = description;
  EXPECT_TRUE(writer->header(header));
  for (const auto& [term, postings] : index.lists) {
    std::uint64_t bytes = 0, occurrences = 0;
    std::uint32_t last = 0;
    for (const auto& [docid, frequency] : postings) {
      bytes += posting_bytes(docid - last, frequency);
      occurrences += frequency;
      last = docid;
    }
    EXPECT_TRUE(writer->list(term, postings.size(), occurrences, bytes));
    last = 0;
    for (const auto& [docid, frequency] : postings) {
      EXPECT_TRUE(writer->posting(docid - last, frequency));
      last = docid;
    }
  }
  for (std::size_t i = 0; i < index.documents.size(); ++i)
    EXPECT_TRUE(writer->document(i, index.documents[i].first, index.documents[i].second));
  EXPECT_TRUE(writer->finish());
  return path;
}

Result<Index> read(const fs::path& path) {
  const auto reader = FROND_TRY(CiffReader::open(path));
  Index index;
  while (const auto list = FROND_TRY(reader->next_list())) {
    Postings postings;
    std::array<DocId, 2> docids{};
    std::array<Frequency, 2> frequencies{};
    for (std::size_t count = 2; count == 2;) {
      count = FROND_TRY(reader->read_postings(docids, frequencies));
      for (std::size_t i = 0; i < count; ++i) postings.emplace_back(docids[i], frequencies[i]);
    }
    index.lists.emplace_back(list->term, postings);
  }
  while (const auto document = FROND_TRY(reader->next_document()))
    index.documents.emplace_back(document->id, document->length);
  return index;
}

struct Import : testing::Test {
  Result<BuildSummary> run(const fs::path& file, Lengths lengths = Lengths::kRecords, std::uint32_t partitions = 2) {
    BuildOptions options;
    options.repository = folder / "repository";
    options.collection = "c";
    options.invert.partitions = partitions;
    options.invert.memory = pipeline::plan_memory(pipeline::kMinMemoryLimit, 1, 1, partitions);
    BuildProgress progress;
    Logger logger("test", LogLevel::kError);
    return build_from(
        [&](const fs::path& scratch, std::uint32_t count) -> Result<pipeline::InvertedDocuments> {
          imported = FROND_TRY(
              import_ciff({file, count, lengths, options.invert.memory, max_frequency}, scratch, progress.invert, {}));
          return imported.inverted;
        },
        options, progress, logger, {});
  }
  std::string error(const Index& index, Lengths lengths = Lengths::kRecords) {
    const auto built = run(write(folder / "bad.ciff", index), lengths);
    return built ? "" : built.error().message();
  }
  support::ScratchFolder folder;
  Frequency max_frequency = ~Frequency{0};
  Imported imported;
};

// A rename over it would take its place: of /dev/stdout, for example.
TEST(Ciff, IsNotWrittenInPlaceOfWhatIsNoFile) {
  const support::ScratchFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink(folder / "pipe", folder / "link");
  for (const char* const name : {"pipe", "link"}) EXPECT_EQ(CiffWriter::create(folder / name), Code::kInvalid);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
}

TEST(Ciff, IsReadAsItIsWritten) {
  const support::ScratchFolder folder;
  Index large = kToy;
  Postings all;
  for (std::uint32_t docid = 0; docid < 5'000; ++docid) all.emplace_back(docid, 1 + docid % 300);
  large.lists.emplace_back("zzz", all);
  large.documents.clear();
  for (int i = 0; i < 5'000; ++i) large.documents.emplace_back("d" + std::to_string(i), i);
  for (const Index& index : {kToy, large, Index{}}) {
    const Index got = read(write(folder / "x.ciff", index)).value();
    EXPECT_EQ(got.lists, index.lists);
    EXPECT_EQ(got.documents, index.documents);
  }
}
TEST(Ciff, CallsEveryTruncationCorrupt) {
  const support::ScratchFolder folder;
  write(folder / "x.ciff", kToy);
  const std::string whole = support::read_file(folder / "x.ciff");
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    support::write_file(folder / "cut.ciff", whole.substr(0, bytes));
    const auto got = read(folder / "cut.ciff");
    ASSERT_FALSE(got) << bytes;
    EXPECT_EQ(got.error().code(), Code::kCorrupt) << bytes;
  }
  support::write_file(folder / "long.ciff", whole + "x");
  EXPECT_THAT(read(folder / "long.ciff").error().message(), HasSubstr("bytes behind the last document"));
}
TEST(Ciff, SurvivesDamageOfEveryByte) {
  const support::ScratchFolder folder;
  write(folder / "x.ciff", kToy);
  const std::string whole = support::read_file(folder / "x.ciff");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      support::write_file(folder / "damaged.ciff", damaged);
      const auto got = read(folder / "damaged.ciff");
      if (got) {
        EXPECT_EQ(got->documents.size(), 3u);
      }
    }
  }
}

TEST_F(Import, PublishesAGenerationThatIsWhole) {
  const BuildSummary summary = run(write(folder / "toy.ciff", kToy)).value();
  EXPECT_EQ(summary.manifest.statistics.documents, 3u);
  EXPECT_EQ(summary.manifest.statistics.tokens, 13u);
  EXPECT_EQ(summary.manifest.terms, 6u);
  EXPECT_EQ(summary.manifest.postings, 11u);
  EXPECT_EQ(imported.description, "made by a test");
  const auto report = check::check_generation(folder / "repository", "c").value();
  EXPECT_EQ(report.faults, 0u);
  EXPECT_EQ(report.documents, 3u);
}
TEST_F(Import, TakesTermsOfAnotherOrderAndLeavesOutThoseOfNoQuery) {
  Index index = kToy;
  std::swap(index.lists[1], index.lists[4]);
  index.lists.push_back({std::string("a\0b", 3), {{1, 2}}});
  index.lists.push_back({std::string(2000, 'x'), {{1, 2}}});
  index.lists.push_back({"", {{1, 2}}});
  const BuildSummary summary = run(write(folder / "x.ciff", index), Lengths::kRecords, 1).value();
  EXPECT_EQ(summary.manifest.terms, 6u);
  EXPECT_EQ(imported.terms_left_out.count, 3u);
  EXPECT_EQ(check::check_generation(folder / "repository", "c")->faults, 0u);
}
TEST_F(Import, RefusesWhatContradictsItselfAndPublishesNothing) {
  Index index = kToy;
  index.documents[1].second = 5;
  EXPECT_THAT(error(index), HasSubstr("document 'TREC_DOC_1' has length 5, but its frequencies sum to 4"));
  EXPECT_EQ(error(index, Lengths::kPostings), "");
  index = kToy;
  index.documents[2].first = "WSJ_1";
  EXPECT_THAT(error(index), HasSubstr("two documents have the id 'WSJ_1'"));
  index = kToy;
  index.documents[2].first = "";
  EXPECT_THAT(error(index), HasSubstr("document 2: the id is empty"));
  index = kToy;
  index.lists.insert(index.lists.begin(), index.lists[0]);
  EXPECT_THAT(error(index), HasSubstr("the term '01' has two postings lists"));
  index = kToy;
  index.lists[0].second = {{3, 1}};
  EXPECT_THAT(error(index), HasSubstr("has docID 3, but there are 3 documents"));
  index = kToy;
  index.lists[0].second = {{0, 0}};
  EXPECT_THAT(error(index), HasSubstr("a posting of frequency 0"));
  index = kToy;
  index.lists[0].second = {{0, 1}, {0, 1}};
  EXPECT_THAT(error(index), HasSubstr("has a docID twice"));
  EXPECT_THAT(error({}), HasSubstr("no document"));
}

// As impacts are. Lengths in the file are of its own frequencies; what is published are the sums of those that count.
TEST_F(Import, CutsFrequenciesAboveTheHighestAndTellsOfTheirDocuments) {
  max_frequency = 255;
  Index index{{{"a", {{0, 255}, {1, 256}, {2, 1000}}}, {"b", {{0, 1}, {2, 300}}}, {"c", {{2, 255}}}},
              {{"whole", 256}, {"one", 256}, {"three", 1555}}};
  const BuildSummary summary = run(write(folder / "impacts.ciff", index)).value();
  EXPECT_EQ(summary.manifest.statistics.tokens, 255 + 255 + 255 + 1 + 255 + 255u);
  EXPECT_EQ(summary.inverted.impacts_cut.count, 2u) << "documents";
  EXPECT_THAT(summary.inverted.impacts_cut.examples,
              ElementsAre(HasSubstr("impacts.ciff: document 1"), HasSubstr("impacts.ciff: document 2")));
  EXPECT_EQ(check::check_generation(folder / "repository", "c")->faults, 0u);
  index.documents[2].second = 765;
  EXPECT_THAT(error(index), HasSubstr("document 'three' has length 765, but its frequencies sum to 1555"));
  EXPECT_EQ(error(index, Lengths::kPostings), "");
}

// The format's own toy index; skipped where there is none.
TEST_F(Import, ReadsTheToyIndexOfTheFormat) {
  const char* const from = std::getenv("FROND_DATA");
  const fs::path file = fs::path(from ? from : "../shared/data") / "ciff/toy-complete-20200309.ciff";
  if (!fs::exists(file)) {
    std::printf("skipped: no %s\n", file.c_str());
    return;
  }
  const auto reader = CiffReader::open(file).value();
  EXPECT_EQ(reader->header().lists, 9u);
  EXPECT_EQ(reader->header().documents, 3u);
  EXPECT_EQ(reader->header().tokens, 16u);
  EXPECT_THAT(reader->header().description, HasSubstr("toy 3-document collection"));
  const Index got = read(file).value();
  EXPECT_THAT(got.documents, ElementsAre(std::pair("WSJ_1", 6u), std::pair("TREC_DOC_1", 4u), std::pair("DOC222", 6u)));
  EXPECT_EQ(got.lists[7], (std::pair<std::string, Postings>("text", {{0, 1}, {1, 1}, {2, 3}})));
  EXPECT_EQ(run(file)->manifest.postings, 14u);
}

}  // namespace
}  // namespace frond::indexer::ciff
