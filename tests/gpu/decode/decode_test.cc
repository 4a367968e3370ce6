// Lists copied to the device: every block decodes there to what the host decodes, the table leads to the right block,
// and blobs that are not what they say are found out.
#include "tools/papers/term_at_a_time/decode_lists.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/postings/list_builder.h"
#include "common/postings/long_form.h"
#include "tests/support/collections/memory_list_store.h"
#include "tests/support/collections/random_collection.h"
#include "tests/support/gpu/uploaded_list.h"

namespace frond::leaf::gpu {
namespace {

using postings::kBlockLength;
using support::UploadedList;
using tools::papers::decode_lists, tools::papers::DecodeTask;

struct Postings {
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
  std::uint32_t documents = 0;
};

// Gaps of every width up to `bits`, frequencies likewise.
Postings random_postings(std::uint64_t seed, std::uint32_t count, std::uint32_t bits) {
  support::Random random(seed);
  Postings made;
  DocId docid = static_cast<DocId>(random.below(5));
  for (std::uint32_t i = 0; i < count; ++i) {
    made.docids.push_back(docid);
    const auto width = random.below(i / kBlockLength % 2 ? bits + 1 : bits / 2 + 1);
    docid += 1 + static_cast<DocId>(random.below(std::uint64_t{1} << width));
    made.frequencies.push_back(1 + static_cast<Frequency>(random.below(std::uint64_t{1} << random.below(bits + 1))));
  }
  made.documents = docid;
  return made;
}

std::vector<ByteBuffer> build(const Postings& postings) {
  const std::vector<std::uint32_t> lengths(postings.documents, 100);
  return postings::ListBuilder(*codec::codec_named("simd-bp128"), lengths, 0.4, 100)
      .build(postings.docids, postings.frequencies);
}

template <class T>
std::vector<T> read_back(const std::byte* from, std::size_t count) {
  const auto stream = *device::Stream::create();
  auto event = *device::Event::create();
  const auto staging = *device::Memory::create(device::Place::kPinnedHost, count * sizeof(T));
  EXPECT_TRUE(device::copy_to_host(staging.data(), from, count * sizeof(T), stream.get()));
  EXPECT_TRUE(event.record(stream.get()));
  EXPECT_TRUE(event.wait());
  std::vector<T> values(count);
  std::memcpy(values.data(), staging.data(), count * sizeof(T));
  return values;
}

struct Decoded {
  std::vector<std::uint32_t> docids, frequencies;
};

Decoded decode(const std::vector<UploadedList>& lists) {
  std::vector<DecodeTask> tasks;
  std::uint32_t blocks = 0;
  for (const auto& one : lists) {
    tasks.push_back({one.list(), blocks});
    blocks += one.list().block_count;
  }
  const std::size_t task_bytes = tasks.size() * sizeof(DecodeTask), numbers = std::size_t{blocks} * kBlockLength;
  const auto stream = *device::Stream::create();
  const auto staging = *device::Memory::create(device::Place::kPinnedHost, task_bytes);
  std::memcpy(staging.data(), tasks.data(), task_bytes);
  const auto on_device = *device::Memory::create(device::Place::kDevice, task_bytes);
  const auto docids = *device::Memory::create(device::Place::kDevice, numbers * 4);
  const auto frequencies = *device::Memory::create(device::Place::kDevice, numbers * 4);
  EXPECT_TRUE(device::copy_to_device(on_device.data(), staging.data(), task_bytes, stream.get()));
  EXPECT_TRUE(decode_lists(reinterpret_cast<const DecodeTask*>(on_device.data()),
                           static_cast<std::uint32_t>(tasks.size()), blocks,
                           reinterpret_cast<std::uint32_t*>(docids.data()),
                           reinterpret_cast<std::uint32_t*>(frequencies.data()), stream.get()));
  auto event = *device::Event::create();
  EXPECT_TRUE(event.record(stream.get()));
  EXPECT_TRUE(event.wait());
  return {read_back<std::uint32_t>(docids.data(), numbers), read_back<std::uint32_t>(frequencies.data(), numbers)};
}

TEST(DecodeOnTheDevice, GivesTheNumbersOfListsOfEveryLengthAndWidthInOneLaunch) {
  const std::uint64_t seed = 7001;
  std::vector<Postings> wanted;
  for (const std::uint32_t count : {1u, 2u, 127u, 128u, 129u, 255u, 256u, 1000u, 2048u, 2049u, 5000u})
    for (const std::uint32_t bits : {0u, 1u, 5u, 12u, 17u}) wanted.push_back(random_postings(seed + bits, count, bits));
  wanted.push_back(random_postings(seed, 100, 24));
  wanted.push_back(random_postings(seed, 150, 23));
  wanted.push_back(random_postings(seed + 1, postings::kSegmentPostings + 40, 3));    // a short second segment
  wanted.push_back(random_postings(seed + 2, postings::kSegmentPostings + 3000, 3));  // a long one
  std::vector<UploadedList> lists;
  for (const auto& one : wanted) {
    const auto lease = support::make_lease(build(one));
    auto uploaded = UploadedList::create(lease->postings, one.documents);
    ASSERT_TRUE(uploaded.has_value()) << uploaded.error().message();
    ASSERT_EQ(uploaded->wrong_blocks(), 0u) << "seed " << seed << ", " << one.docids.size() << " postings";
    lists.push_back(*std::move(uploaded));
  }
  const Decoded got = decode(lists);
  std::size_t at = 0;
  for (std::size_t l = 0; l < wanted.size(); ++l) {
    for (std::size_t i = 0; i < wanted[l].docids.size(); ++i) {
      ASSERT_EQ(got.docids[at + i], wanted[l].docids[i]) << "seed " << seed << " list " << l << " posting " << i;
      ASSERT_EQ(got.frequencies[at + i], wanted[l].frequencies[i]) << "seed " << seed << " list " << l;
    }
    at += std::size_t{lists[l].list().block_count} * kBlockLength;
  }
}

TEST(DecodeOnTheDevice, LeadsFromADocumentToTheFirstBlockThatMayHoldIt) {
  const std::uint64_t seed = 7002;
  for (const std::uint32_t count : {1u, 130u, 4000u}) {
    const auto made = random_postings(seed, count, 9);
    const auto lease = support::make_lease(build(made));
    const auto uploaded = *UploadedList::create(lease->postings, made.documents);
    const DeviceList& list = uploaded.list();
    const std::uint32_t ranges = ((made.documents - 1) >> list.table_shift) + 1;
    const auto table = read_back<std::uint32_t>(reinterpret_cast<const std::byte*>(list.table), ranges + 1);
    for (std::uint32_t range = 0; range <= ranges; ++range) {
      const std::uint64_t first = std::uint64_t{range} << list.table_shift;
      std::uint32_t block = 0;
      while (block < lease->postings.blocks() && lease->postings.last_docid(block) < first) ++block;
      ASSERT_EQ(table[range], block) << "seed " << seed << " range " << range << " of " << count << " postings";
    }
  }
}

TEST(DecodeOnTheDevice, MarksTheRangesThatHaveDocumentsAndNoOthers) {
  const std::uint64_t seed = 7005;
  for (const std::uint32_t count : {1u, 130u, 4000u, 300'000u}) {
    const auto made = random_postings(seed, count, count == 300'000 ? 1 : 12);
    const auto lease = support::make_lease(build(made));
    const auto uploaded = *UploadedList::create(lease->postings, made.documents);
    const DeviceList& list = uploaded.list();
    const std::uint32_t words = ((made.documents - 1) >> list.marks_shift) / 32 + 1;
    std::vector<std::uint32_t> wanted(words);
    for (const DocId docid : made.docids) {
      const std::uint32_t range = docid >> list.marks_shift;
      wanted[range / 32] |= 1u << (range % 32);
    }
    ASSERT_EQ(read_back<std::uint32_t>(reinterpret_cast<const std::byte*>(list.marks), words), wanted)
        << "seed " << seed << ", " << count << " postings";
  }
}

TEST(DecodeOnTheDevice, FindsCorruptBlobs) {
  const std::uint64_t seed = 7003;
  const auto made = random_postings(seed, 1500, 7);
  const auto blob = build(made)[0];
  support::Random random(seed);
  int refused = 0;
  for (int round = 0; round < 150; ++round) {
    ByteBuffer wrong = blob;
    const std::size_t at = postings::kLongHeaderBytes + random.below(wrong.size() - postings::kLongHeaderBytes);
    wrong[at] ^= static_cast<std::byte>(1 + random.below(255));
    wrong.resize(wrong.size() + codec::kReadSlack);
    const std::vector<ByteView> segments{ByteView(wrong).first(blob.size())};
    const auto list = postings::PostingList::open(segments);
    if (!list) continue;
    // What the host decodes without an error, the device admits; where the host finds an error, so does the device.
    bool host_fine = true;
    std::array<std::uint32_t, kBlockLength> numbers{};
    for (std::uint32_t block = 0; block < list->blocks(); ++block)
      host_fine = host_fine && list->decode_docids(block, numbers) && list->decode_frequencies(block, numbers) &&
                  list->last_docid(block) < made.documents;
    const auto uploaded = UploadedList::create(*list, made.documents);
    const bool admitted = uploaded.has_value() && uploaded->wrong_blocks() == 0;
    EXPECT_EQ(admitted, host_fine) << "seed " << seed << " byte " << at;
    refused += !admitted;
  }
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace frond::leaf::gpu
