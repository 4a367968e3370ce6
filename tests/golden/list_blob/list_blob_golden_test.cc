// Blobs of every version that was ever published must stay readable, and today's builder must write today's version.
// The files hold hex; what they hold is told by the functions here, not by the code under test.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "common/postings/list_builder.h"
#include "common/postings/posting_list.h"
#include "tests/support/golden.h"
#include "tests/support/posting_lists.h"

namespace frond::postings {
namespace {

struct Golden {
  const char* file;
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
};

Golden single() { return {"short-1.hex", {100000}, {1}}; }
Golden single_frequent() { return {"short-1-frequent.hex", {200}, {300}}; }
Golden three() { return {"short-3.hex", {5, 9, 40}, {1, 2, 1}}; }
Golden regular(const char* file, std::uint32_t count) {
  Golden golden{file, {}, {}};
  for (std::uint32_t i = 0; i < count; ++i) {
    golden.docids.push_back(i * 7 + i * i % 5);
    golden.frequencies.push_back(1 + i % 4 + (i % 50 == 49 ? 100 : 0));
  }
  return golden;
}
Golden sparse(const char* file, std::uint32_t count) {
  Golden golden{file, {}, {}};
  for (std::uint32_t i = 0; i < count; ++i) {
    golden.docids.push_back(90 + i * 150 + i * i % 7);
    golden.frequencies.push_back(1 + i / 15);
  }
  return golden;
}
std::vector<Golden> all() {
  return {single(),
          sparse("short-16.hex", 16),
          single_frequent(),
          three(),
          regular("short-127.hex", 127),
          regular("long-128.hex", 128),
          regular("long-300.hex", 300),
          regular("long-2200.hex", 2200)};
}

// lengths[docID] = 20 + docID % 100, b = 0.4, average length 70.
std::vector<ByteBuffer> built(const Golden& golden) {
  std::vector<std::uint32_t> lengths(golden.docids.back() + 1);
  for (std::uint32_t i = 0; i < lengths.size(); ++i) lengths[i] = 20 + i % 100;
  return ListBuilder(*codec::codec_named("simd-bp128"), lengths, 0.4, 70).build(golden.docids, golden.frequencies);
}

const std::string kFolder = "tests/golden/list_blob/";

TEST(GoldenListBlob, IsStillReadable) {
  for (const Golden& golden : all()) {
    const support::SlackBytes blob(support::read_hex(kFolder + golden.file));
    const auto view = ListView::open(blob.view());
    ASSERT_TRUE(view) << golden.file << ": " << (view ? "" : view.error().message());
    ASSERT_EQ(view->count(), golden.docids.size()) << golden.file;
    std::vector<DocId> docids;
    std::vector<Frequency> frequencies;
    std::array<std::uint32_t, kBlockLength> out;
    for (std::uint32_t block = 0; block < view->blocks(); ++block) {
      ASSERT_TRUE(view->decode_docids(block, out)) << golden.file;
      docids.insert(docids.end(), out.begin(), out.begin() + view->block_size(block));
      ASSERT_TRUE(view->decode_frequencies(block, out)) << golden.file;
      frequencies.insert(frequencies.end(), out.begin(), out.begin() + view->block_size(block));
    }
    EXPECT_EQ(docids, golden.docids) << golden.file;
    EXPECT_EQ(frequencies, golden.frequencies) << golden.file;
  }
}

TEST(GoldenListBlob, IsWhatTheBuilderWrites) {
  for (const Golden& golden : all()) {
    const auto segments = built(golden);
    ASSERT_EQ(segments.size(), 1u);
    EXPECT_EQ(support::to_hex(segments[0]), support::to_hex(support::read_hex(kFolder + golden.file))) << golden.file;
  }
}

}  // namespace
}  // namespace frond::postings
