#include "indexer/order/document_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "indexer/order/renumbering.h"
#include "indexer/runs/document_spool.h"
#include "indexer/runs/run_file.h"
#include "indexer/runs/run_merger.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::order {
namespace {

constexpr std::uint32_t kSeed = 5;
constexpr std::uint64_t kMemory = std::uint64_t{1} << 30;

struct TestDocument {
  std::string id, url;
  std::uint32_t length = 0;
  std::map<std::string, Frequency> terms;
  friend bool operator==(const TestDocument&, const TestDocument&) = default;
};

std::vector<TestDocument> random_documents(std::uint32_t count) {
  std::mt19937 random(kSeed);
  std::vector<TestDocument> documents;
  for (std::uint32_t i = 0; i < count; ++i) {
    TestDocument document{"d" + std::to_string(i), "", 0, {}};
    if (random() % 5) document.url = "http://x/" + std::to_string(random() % (count / 2 + 1));
    for (std::uint32_t n = random() % 20; n > 0; --n) {
      const Frequency frequency = 1 + random() % 3;
      document.terms["t" + std::to_string(random() % (1u << random() % 8))] = frequency;
    }
    for (const auto& [term, frequency] : document.terms) document.length += frequency;
    documents.push_back(std::move(document));
  }
  return documents;
}

// Writes what the first half of a build leaves: a spool, and two runs, of which the first has the lower docIDs.
pipeline::InvertedDocuments written(const std::vector<TestDocument>& documents, const std::filesystem::path& folder) {
  pipeline::InvertedDocuments inverted;
  inverted.documents = documents.size();
  inverted.partitions.push_back({{}, folder / "spool"});
  auto spool = runs::SpoolWriter::create(folder / "spool").value();
  runs::DocumentFrameWriter frame;
  ByteBuffer bytes;
  for (std::size_t n = 0; n < documents.size(); ++n) {
    const std::string body = "body of " + documents[n].id, values = "values of " + documents[n].id;
    frame.add({documents[n].id, documents[n].url, "title", body, 0, values}, documents[n].length);
    if (n % 50 != 49) continue;
    frame.finish(bytes);
    spool.append(bytes).value();
  }
  frame.finish(bytes);
  spool.append(bytes).value();
  spool.finish().value();
  for (const std::size_t half : {0, 1}) {
    const std::size_t from = half * documents.size() / 2, to = (half + 1) * documents.size() / 2;
    std::map<std::string, std::pair<std::vector<DocId>, std::vector<Frequency>>> lists;
    for (std::size_t n = from; n < to; ++n)
      for (const auto& [term, frequency] : documents[n].terms) {
        lists[term].first.push_back(static_cast<DocId>(n));
        lists[term].second.push_back(frequency);
      }
    auto run = runs::RunWriter::create(folder / ("run" + std::to_string(half)), 0).value();
    for (const auto& [term, list] : lists) run.add(term, list.first, list.second).value();
    inverted.partitions[0].runs.push_back(run.finish().value().path);
  }
  return inverted;
}

// All documents by their place in the collection, from spools and runs of all partitions.
std::vector<TestDocument> read_back(const pipeline::InvertedDocuments& inverted) {
  std::vector<TestDocument> documents(inverted.documents);
  const std::size_t partitions = inverted.partitions.size();
  for (std::uint32_t p = 0; p < partitions; ++p) {
    auto spool = runs::SpoolReader::open(inverted.partitions[p].spool).value();
    std::size_t place = p;
    while (const auto frame = spool.next().value())
      for (std::size_t i = 0; i < frame->documents().size(); ++i, place += partitions) {
        const auto& fields = frame->documents()[i];
        EXPECT_EQ(fields.body, "body of " + std::string(fields.id));
        EXPECT_EQ(fields.values, "values of " + std::string(fields.id));
        documents.at(place) = {std::string(fields.id), std::string(fields.url), frame->length(i), {}};
      }
    auto merger = runs::RunMerger::open(inverted.partitions[p].runs, p).value();
    while (merger.next_term().value()) {
      std::vector<DocId> docids;
      std::vector<Frequency> frequencies;
      while (merger.read(docids, frequencies, 1).value()) {
        for (std::size_t i = 0; i < docids.size(); ++i)
          documents.at(docids[i] * partitions + p).terms[std::string(merger.term())] = frequencies[i];
        docids.clear();
        frequencies.clear();
      }
    }
  }
  return documents;
}

class EveryOrder : public testing::TestWithParam<DocumentOrder> {};

TEST_P(EveryOrder, GivesTheSameDocumentsInOneOrderForAnyNumberOfPartitionsAndThreads) {
  const auto documents = random_documents(500);
  std::vector<TestDocument> expected;
  for (const std::uint32_t partitions : {1u, 2u, 3u, 16u}) {
    const support::ScratchFolder folder;
    auto inverted = written(documents, folder.path());
    const auto done =
        order_documents(inverted, {GetParam(), partitions, partitions % 3 + 1, kMemory}, folder.path(), {});
    ASSERT_TRUE(done) << done.error().message();
    ASSERT_EQ(inverted.partitions.size(), partitions);
    auto got = read_back(inverted);
    if (expected.empty()) expected = got;
    EXPECT_EQ(got, expected) << partitions << " partitions";
    auto sorted = got, all = documents;
    const auto by_id = [](const TestDocument& a, const TestDocument& b) { return a.id < b.id; };
    std::sort(sorted.begin(), sorted.end(), by_id);
    std::sort(all.begin(), all.end(), by_id);
    EXPECT_EQ(sorted, all);
    EXPECT_TRUE(std::filesystem::exists(folder / "spool")) << "a journal may name it still";
    EXPECT_TRUE(std::filesystem::exists(folder / "run0"));
  }
}

TEST_P(EveryOrder, IsNamed) {
  EXPECT_EQ(order_named(name_of(GetParam())), GetParam());
  EXPECT_EQ(order_named("none"), std::nullopt);
}

TEST_P(EveryOrder, RefusesAMemoryLimitThatIsTooSmall) {
  const support::ScratchFolder folder;
  auto inverted = written(random_documents(100), folder.path());
  EXPECT_EQ(order_documents(inverted, {GetParam(), 2, 1, 1 << 20}, folder.path(), {}), Code::kInvalid);
}

TEST_P(EveryOrder, EndsWhenItIsStopped) {
  const support::ScratchFolder folder;
  auto inverted = written(random_documents(100), folder.path());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(order_documents(inverted, {GetParam(), 2, 1, kMemory}, folder.path(), stop.get_token()),
            Code::kUnavailable);
}

TEST_P(EveryOrder, SaysWhichFileIsDamaged) {
  for (const std::string damaged : {"spool", "run1"}) {
    const support::ScratchFolder folder;
    auto inverted = written(random_documents(100), folder.path());
    support::flip_byte(folder / damaged, std::filesystem::file_size(folder / damaged) / 2);
    const auto done = order_documents(inverted, {GetParam(), 2, 1, kMemory}, folder.path(), {});
    ASSERT_EQ(done, Code::kCorrupt) << damaged;
    EXPECT_NE(done.error().message().find(damaged), std::string::npos) << done.error().message();
  }
}

std::vector<DocumentOrder> all_orders() {
  std::vector<DocumentOrder> all;
  std::istringstream names{std::string(kOrderNames)};
  for (std::string name; std::getline(names, name, '|');) all.push_back(order_named(name).value());
  return all;
}
INSTANTIATE_TEST_SUITE_P(Orders, EveryOrder, testing::ValuesIn(all_orders()),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

// 2,000 documents of two topics, mixed, each with most of its topic's 20 terms.
std::vector<TestDocument> documents_of_topics() {
  std::mt19937 random(kSeed);
  std::vector<TestDocument> documents;
  for (std::uint32_t i = 0; i < 2'000; ++i) {
    TestDocument document{"d" + std::to_string(i), "", 0, {}};
    const std::string topic = "t" + std::to_string(random() % 2) + "-";
    for (int n = 0; n < 40; ++n) document.terms[topic + std::to_string(random() % 20)] = 1;
    document.length = static_cast<std::uint32_t>(document.terms.size());
    documents.push_back(std::move(document));
  }
  return documents;
}

TEST(AutoOrder, IsBisectionWhereThatIsWorthItsTimeAndTheInputsOtherwise) {
  const auto documents = documents_of_topics();
  for (const std::uint32_t partitions : {1u, 3u}) {
    for (const bool long_text : {true, false}) {
      const support::ScratchFolder folder;
      auto inverted = written(documents, folder.path());
      inverted.bytes = long_text ? 100'000'000 : 1'000;  // of which bisection would take a small part, or most
      ASSERT_TRUE(order_documents(inverted, {DocumentOrder::kAuto, partitions, 2, kMemory, /*packed_blocks=*/false},
                                  folder.path(), {}));
      EXPECT_EQ(inverted.order, long_text ? "bp" : "input");
      EXPECT_EQ(inverted.partitions.size(), partitions);
      const auto got = read_back(inverted);
      EXPECT_EQ(got == documents, !long_text);
    }
  }
}

TEST(UrlOrder, SortsByUrlAndKeepsTheInputsOrderOfEqualOnes) {
  const support::ScratchFolder folder;
  const auto documents = random_documents(300);
  const auto order = url_order(written(documents, folder.path()).partitions[0].spool, 300, kMemory);
  ASSERT_TRUE(order);
  for (std::size_t i = 1; i < order->size(); ++i) {
    const std::uint32_t a = (*order)[i - 1], b = (*order)[i];
    EXPECT_TRUE(documents[a].url < documents[b].url || (documents[a].url == documents[b].url && a < b));
  }
}

TEST(UrlOrder, RefusesUrlsThatDoNotFitIntoMemory) {
  const support::ScratchFolder folder;
  EXPECT_EQ(url_order(written(random_documents(300), folder.path()).partitions[0].spool, 300, 5000), Code::kInvalid);
}

TEST(RandomOrder, IsAlwaysTheSame) {
  EXPECT_EQ(random_order(8), (std::vector<std::uint32_t>{4, 3, 2, 7, 5, 6, 0, 1}));
  EXPECT_TRUE(random_order(0).empty());
}

TEST(Ordering, SortsStoredFieldsInManyRanges) {
  const support::ScratchFolder folder;
  const auto documents = random_documents(400);
  auto small = written(documents, folder.path());
  // A document takes about 200 bytes in memory, so the limits below give many ranges, but not too many.
  constexpr std::uint64_t kBytes = 400 * 200;
  const auto order = random_order(400);
  std::vector<std::uint32_t> places(400);
  for (std::uint32_t i = 0; i < 400; ++i) places[order[i]] = i;
  const std::filesystem::path& path = folder.path();
  const auto spools = renumber_documents(small.partitions[0].spool, {places, 3, kBytes / 20, path, {}});
  ASSERT_TRUE(spools) << spools.error().message();
  for (std::uint32_t p = 0; p < 3; ++p) {
    auto spool = runs::SpoolReader::open((*spools)[p]).value();
    std::size_t place = p;
    while (const auto frame = spool.next().value())
      for (const auto& fields : frame->documents()) {
        EXPECT_EQ(fields.id, documents[order.at(place)].id);
        place += 3;
      }
    EXPECT_GE(place, 400u);
  }
  EXPECT_EQ(renumber_documents(small.partitions[0].spool, {places, 3, kBytes / 1000, path, {}}), Code::kInvalid);
}

}  // namespace
}  // namespace frond::indexer::order
