// Lists of any length come out as one ListBuilder makes them, wherever groups and pieces end.
#include "indexer/publish/list_stream.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "common/partition/format/format.h"
#include "common/postings/list_builder.h"
#include "common/postings/posting_list.h"
#include "indexer/runs/run_file.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::publish {
namespace {

using support::ScratchFolder;

// Takes what would be stored.
class Recorder final : public partition::PartitionWriter {
 public:
  Result<void> add_list(std::string_view term, std::uint64_t document_frequency, std::uint64_t occurrences,
                        std::span<const ByteBuffer> segments) override {
    lists.push_back({std::string(term), document_frequency, occurrences,
                     std::vector<ByteBuffer>(segments.begin(), segments.end())});
    return {};
  }
  Result<void> add_lists(const partition::EncodedLists& some) override {
    for (std::size_t i = 0; i < some.size(); ++i) {
      const auto list = some.list(i);
      const auto record = partition::decode_term(list.record).value();
      const ByteView blob = list.blob.empty() ? record.inline_list : list.blob;
      lists.push_back({std::string(list.term),
                       record.statistics.document_frequency,
                       record.statistics.occurrences,
                       {ByteBuffer(blob.begin(), blob.end())}});
    }
    return {};
  }
  Result<void> add_document(const partition::StoredDocument&, std::uint32_t) override { return {}; }
  Result<void> end_documents() override { return {}; }
  Result<void> add_block(std::span<const partition::StoredDocument>, std::span<const std::uint32_t>,
                         ByteView) override {
    return {};
  }
  void set_dictionary(ByteBuffer) override {}
  void set_term_digests(std::vector<std::uint64_t>) override {}
  Result<partition::PartitionSummary> finish() override { return partition::PartitionSummary(); }
  std::vector<BuiltList> lists;
};

struct ListPostings {
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
};

TEST(ListStream, BuildsTheListsOfAllTermsInOrder) {
  constexpr std::uint32_t kDocuments = 2 * postings::kSegmentPostings + 10;
  std::mt19937 random(1);
  std::map<std::string, ListPostings> expected;
  // Around the ends of segments, and many short ones.
  const auto add = [&](const std::string& term, std::uint32_t count) {
    ListPostings& list = expected[term];
    for (DocId docid = 0; docid < count; ++docid) {
      list.docids.push_back(docid);
      list.frequencies.push_back(1 + random() % 3);
    }
  };
  add("a", postings::kSegmentPostings - 1);
  add("b", postings::kSegmentPostings);
  add("c", postings::kSegmentPostings + 1);
  add("d", 2 * postings::kSegmentPostings);
  add("e", kDocuments);
  for (int i = 0; i < 20'000; ++i) add("f" + std::to_string(i), 1 + random() % 5);
  const ScratchFolder folder;
  auto run = runs::RunWriter::create(folder / "run", 0).value();
  for (const auto& [term, list] : expected) run.add(term, list.docids, list.frequencies).value();
  run.finish().value();

  const std::vector<std::uint32_t> lengths(kDocuments, 7);
  const codec::CodecChoice codecs = *codec::codec_choice_named(codec::kDefaultCodec);
  const ListSource source{{folder / "run"}, 0, folder.path(), lengths, codecs, 0.4, 9.0};
  partition::TermDigests digests(kDocuments), expected_digests(kDocuments);
  Recorder recorder;
  ListJoiner joiner(recorder);
  PostingMerger merger = PostingMerger::open(source).value();
  std::size_t groups = 0;
  for (;; ++groups) {
    const auto group = merger.next().value();
    if (!group) break;
    joiner.add(build_lists(source, *group).value()).value();
    add_digests(*group, digests);
  }
  EXPECT_GT(groups, 5u);
  const postings::ListBuilder builder(codecs, lengths, 0.4, 9.0);
  ASSERT_EQ(recorder.lists.size(), expected.size());
  std::size_t at = 0;
  for (const auto& [term, list] : expected) {
    const BuiltList& got = recorder.lists[at++];
    ASSERT_EQ(got.term, term);
    EXPECT_EQ(got.document_frequency, list.docids.size());
    EXPECT_EQ(got.segments, builder.build(list.docids, list.frequencies)) << term;
    expected_digests.add(term, list.docids, list.frequencies);
  }
  EXPECT_EQ(digests.take(), expected_digests.take());
}

TEST(ListStream, FindsARunThatNamesADocumentThatIsNotThere) {
  const ScratchFolder folder;
  auto run = runs::RunWriter::create(folder / "run", 0).value();
  const std::vector<DocId> docids = {3, 10};
  const std::vector<Frequency> frequencies = {1, 1};
  run.add("fox", docids, frequencies).value();
  run.finish().value();
  const std::vector<std::uint32_t> lengths(10, 7);
  const codec::CodecChoice codecs = *codec::codec_choice_named(codec::kDefaultCodec);
  const ListSource source{{folder / "run"}, 0, folder.path(), lengths, codecs, 0.4, 9.0};
  PostingMerger merger = PostingMerger::open(source).value();
  const auto group = merger.next().value();
  ASSERT_TRUE(group);
  EXPECT_EQ(build_lists(source, *group), Code::kCorrupt);
  partition::TermDigests digests(lengths.size());
  add_digests(*group, digests);
  EXPECT_EQ(digests.take(), std::vector<std::uint64_t>(lengths.size()));
}

}  // namespace
}  // namespace frond::indexer::publish
