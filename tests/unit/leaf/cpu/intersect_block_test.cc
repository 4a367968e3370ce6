#include "leaf/cpu/intersect_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/codec/codec_choice.h"
#include "common/postings/list_builder.h"
#include "tests/support/collections/memory_list_store.h"
#include "tests/support/collections/random_collection.h"
#include "tests/support/instruction_sets.h"

namespace frond::leaf::cpu {
namespace {

constexpr std::uint64_t kSeed = 411;
constexpr DocId kDocuments = 100'000;

// A list of one block, and a reader that stands on it.
class OneBlock {
 public:
  explicit OneBlock(const std::vector<DocId>& docids) {
    static const std::vector<std::uint32_t> lengths(kDocuments, 100);
    const postings::ListBuilder builder(*codec::codec_choice_named(codec::kDefaultCodec), lengths, 0.4, 100);
    const std::vector<Frequency> frequencies(docids.size(), 1);
    plan_.lengths = lengths;
    plan_.terms.push_back({support::make_lease(builder.build(docids, frequencies)), 1,
                           scoring::BoundScale(1, {}, {kDocuments, 100}, {scoring::Bm25Parameters{}.b, 100})});
    reader_ = std::make_unique<TermReader>(plan_, plan_.terms[0]);
    reader_->enter(0);
  }
  const TermReader& reader() const { return *reader_; }

 private:
  engine::Plan plan_;
  std::unique_ptr<TermReader> reader_;
};

std::vector<DocId> random_docids(support::Random& random, std::size_t count, DocId first, DocId end) {
  std::set<DocId> docids;
  while (docids.size() < count) docids.insert(first + static_cast<DocId>(random.below(end - first)));
  return {docids.begin(), docids.end()};
}

TEST(Intersect, KeepsExactlyTheCandidatesOfTheBlockWithEveryInstructionSet) {
  support::with_every_instruction_set([](const char* set) {
    support::Random random(kSeed);
    for (int round = 0; round < 1500; ++round) {
      const std::string what =
          std::string(set) + ", seed " + std::to_string(kSeed) + ", round " + std::to_string(round);
      const DocId span = round % 3 == 0 ? 140 : round % 3 == 1 ? 3000 : 60'000;
      const auto first = static_cast<DocId>(random.below(1000));
      const std::size_t size = random.below(4) ? kBlockLength : 1 + random.below(kBlockLength);
      const auto block = random_docids(random, size, first, first + span);
      const OneBlock list(block);
      // Some of the block, some others, none above its last.
      std::set<DocId> chosen;
      const std::size_t wanted = 1 + random.below(100);
      for (std::size_t i = 0; i < wanted; ++i)
        chosen.insert(random.below(2) ? block[random.below(size)] : static_cast<DocId>(random.below(block.back() + 1)));
      std::vector<DocId> docids(chosen.begin(), chosen.end());
      const auto count = static_cast<std::uint32_t>(docids.size());
      std::vector<std::uint32_t> places(count);
      for (std::uint32_t i = 0; i < count; ++i) places[i] = i + (i > 5 ? 20 : 0);
      docids.resize(count + kSelectSlack, kNoDoc);
      places.resize(count + kSelectSlack, 0);

      CandidateBuffer kept;
      std::array<std::uint32_t, kBlockLength> postings;
      kept.clear();
      intersect({docids.data(), places.data(), count}, list.reader(), kept, &postings);

      const auto left = kept.view();
      std::uint32_t next = 0;
      for (std::uint32_t i = 0; i < count; ++i) {
        const auto at = std::lower_bound(block.begin(), block.end(), docids[i]);
        if (at == block.end() || *at != docids[i]) continue;
        ASSERT_LT(next, left.count) << what;
        ASSERT_EQ(left.docids[next], docids[i]) << what;
        ASSERT_EQ(left.places[next], places[i]) << what;
        ASSERT_EQ(postings[places[i]], static_cast<std::uint32_t>(at - block.begin())) << what;
        ++next;
      }
      ASSERT_EQ(left.count, next) << what;
    }
  });
}

TEST(Candidates, EndBehindTheLastThatIsNotAboveADocument) {
  for (const std::uint32_t size : {1u, 2u, 15u, 16u, 17u, 127u, 128u}) {
    std::vector<DocId> docids(size + kSelectSlack, kNoDoc);
    for (std::uint32_t i = 0; i < size; ++i) docids[i] = 10 + 3 * i;
    const auto candidates = CandidateBuffer::whole(docids.data(), size);
    for (std::uint32_t from = 0; from < size; ++from)
      for (DocId last = docids[from]; last <= docids[size - 1] + 4; ++last) {
        const auto end = std::upper_bound(docids.begin(), docids.begin() + size, last) - docids.begin();
        ASSERT_EQ(candidates.end_of(from, last), end) << size << ", from " << from << ", last " << last;
      }
  }
}

TEST(CandidateBuffer, KeepsThoseThatReachAScoreByTheirPlaces) {
  const std::vector<DocId> docids{3, 5, 8, 13};
  const std::vector<std::uint32_t> places{2, 0, 3, 7};
  const std::vector<Score> scores{50, 0, 49, 51, 0, 0, 0, 50};
  CandidateBuffer kept;
  kept.clear();
  kept.add_reaching({docids.data(), places.data(), 4}, scores.data(), 50);
  const auto left = kept.view();
  EXPECT_EQ(std::vector<DocId>(left.docids, left.docids + left.count), (std::vector<DocId>{5, 8, 13}));
  EXPECT_EQ(std::vector<std::uint32_t>(left.places, left.places + left.count), (std::vector<std::uint32_t>{0, 3, 7}));
  EXPECT_EQ(left.docids[left.count], kNoDoc);
}

}  // namespace
}  // namespace frond::leaf::cpu
