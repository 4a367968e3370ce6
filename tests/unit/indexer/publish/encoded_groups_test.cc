// Lists that were coded elsewhere reach their partitions, and the statistics of their terms the file.
#include "indexer/publish/encoded_groups.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/codec/binary_packing/simd_bp128.h"
#include "common/partition/terms/term_statistics.h"
#include "common/postings/list_builder.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::publish {
namespace {

constexpr std::uint32_t kDocuments = 40;
const std::vector<std::uint32_t> kLengths(kDocuments, 7);

struct Made {
  std::vector<runs::EncodedPiece> pieces;
  ByteBuffer blobs;
  // Documents 0 .. count - 1, twice each.
  void add(std::uint32_t term, std::uint16_t partition, std::uint32_t count, bool last) {
    std::vector<DocId> docids;
    for (DocId docid = 0; docid < count; ++docid) docids.push_back(docid);
    const std::vector<Frequency> frequencies(count, 2);
    const auto begin = static_cast<std::uint32_t>(blobs.size());
    postings::ListBuilder(codec::simd_bp128(), kLengths, 0.4, 7).append(docids, frequencies, blobs);
    pieces.push_back({term, partition, static_cast<std::uint16_t>(last ? 1 : 0), count, begin,
                      static_cast<std::uint32_t>(blobs.size()) - begin, 0, std::uint64_t{2} * count});
  }
  std::shared_ptr<const runs::EncodedSlice> slice(std::size_t first, std::size_t end) const {
    auto made = std::make_shared<runs::EncodedSlice>();
    made->first = first;
    made->end = end;
    const auto copy = std::make_shared<Made>(*this);
    copy->blobs.resize(blobs.size() + codec::kReadSlack);
    made->pieces = copy->pieces;
    made->blobs = ByteView(copy->blobs).first(blobs.size());
    made->memory = copy;
    return made;
  }
};

// Terms "t0" .. "t3" in two slices, of two partitions.
class Coded final : public runs::PostingSlices {
 public:
  Coded() = default;
  explicit Coded(std::size_t without) : without_(without) {}
  Result<void> read(std::size_t, const std::function<Result<void>(runs::PostingSlice)>&) override { return {}; }
  bool codes(const runs::ListEncoding&, const runs::SliceLimits&) const override { return true; }
  Result<std::vector<std::vector<std::uint64_t>>> code(
      const runs::ListEncoding&, const runs::SliceLimits&,
      const std::function<Result<void>(std::shared_ptr<const runs::EncodedSlice>)>& take) override {
    for (const std::size_t first : {std::size_t{0}, std::size_t{2}}) {
      Made made;
      made.add(0, 0, 3, true);
      made.add(1, 0, 5, false);  // and goes on
      made.add(1, 0, 2, true);
      if (first == 2) made.add(1, 1, 9, true);
      FROND_TRY(take(made.slice(first, first + 2)));
    }
    return std::vector<std::vector<std::uint64_t>>{{1, 2}, {3}};
  }
  std::uint64_t first_document() const override { return 0; }
  std::uint64_t postings() const override { return 0; }
  std::uint64_t memory_bytes() const override { return 0; }
  std::string_view term(std::size_t place) const override {
    if (place == without_) throw std::runtime_error("no memory");
    return names_[place];
  }
  std::size_t postings_of(std::size_t) const override { return 0; }

 private:
  const std::vector<std::string> names_ = {"t0", "t1", "t2", "t3"};
  const std::size_t without_ = 4;  // a term that cannot be had
};

TEST(EncodedGroupsOfPartitions, ReachTheirPartitionsAndTheirTermsTheFile) {
  const support::ScratchFolder folder;
  const auto terms = TermsWriter::create(folder / "terms", 1).value();
  std::vector<std::unique_ptr<EncodedGroups>> to;
  to.reserve(2);
  for (int p = 0; p < 2; ++p) to.push_back(std::make_unique<EncodedGroups>(std::size_t{1} << 20));
  Coded from;
  const auto digests = distribute_encoded_lists(from, {}, {}, to, terms.get(), {}).value();
  EXPECT_EQ(digests, (std::vector<std::vector<std::uint64_t>>{{1, 2}, {3}}));
  const TermsFile file = terms->finish().value();
  EXPECT_EQ(file.totals, (partition::TermTotals{.terms = 4, .postings = 29, .occurrences = 58}));
  std::map<std::string, std::uint64_t> stored;
  ASSERT_TRUE((*partition::GenerationTerms::open(file.path))->for_each([&](std::string_view term, std::uint64_t df) {
    stored[std::string(term)] = df;
    return true;
  }));
  EXPECT_EQ(stored, (std::map<std::string, std::uint64_t>{{"t0", 3}, {"t1", 7}, {"t2", 3}, {"t3", 16}}));

  std::vector<std::string> whole, pieces;
  for (const auto& queue : to)
    while (const auto group = queue->try_pop()) {
      const auto built = built_of(from, *group);
      ASSERT_TRUE(built) << built.error().message();
      for (const BuiltLists& lists : *built) {
        for (std::size_t i = 0; i < lists.whole.size(); ++i) whole.emplace_back(lists.whole.list(i).term);
        if (lists.piece) pieces.push_back(lists.piece->term + (lists.piece->last ? "." : "+"));
      }
    }
  EXPECT_EQ(whole, (std::vector<std::string>{"t0", "t2", "t3"}));
  EXPECT_EQ(pieces, (std::vector<std::string>{"t1+", "t1.", "t3+", "t3."}));
}

// Who writes terms says what is wrong, and nobody waits for it.
TEST(EncodedGroupsOfPartitions, EndWithWhoWritesTerms) {
  for (const std::size_t place : {std::size_t{0}, std::size_t{3}}) {
    const support::ScratchFolder folder;
    const auto terms = TermsWriter::create(folder / "terms", 1).value();
    std::vector<std::unique_ptr<EncodedGroups>> to;
    to.reserve(2);
    for (int p = 0; p < 2; ++p) to.push_back(std::make_unique<EncodedGroups>(std::size_t{1} << 20));
    Coded from(place);
    const auto given = distribute_encoded_lists(from, {}, {}, to, terms.get(), {});
    ASSERT_EQ(given, Code::kUnavailable);
    EXPECT_EQ(given.error().message(), "no memory");
  }
}

TEST(EncodedGroupsOfPartitions, AreRefusedWhereABlobIsDamaged) {
  Coded from;
  Made made{{{0, 0, 1, 2, 0, 3, 0, 4}}, ByteBuffer(3, std::byte{0xff})};
  const auto slice = made.slice(0, 1);
  EXPECT_FALSE(built_of(from, {slice, slice->pieces}));
}

}  // namespace
}  // namespace frond::indexer::publish
