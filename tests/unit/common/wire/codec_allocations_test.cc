#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>

#include "common/wire/codec.h"
#include "tests/support/memory/failing_allocations.h"

namespace frond::wire {
namespace {

// A broker reads as many replies as it asks leaves.
TEST(WireCodec, AllocatesOnlyWhatAReplyIsReadInto) {
  if (!support::kAllocationsCanFail) GTEST_SKIP();
  SearchReply reply{.request_id = 1, .has_and = true};
  for (Ordinal i = 0; i < 10; ++i) {
    reply.and_ranking.hits.push_back({i, static_cast<topk::Score>(100 - i)});
    reply.documents.push_back({i, true, std::string(20, 'i'), std::string(20, 't')});
  }
  reply.and_ranking.matches = 10;
  const ByteBuffer bytes = encode(Reply(reply));
  ByteBuffer shifted(1);
  shifted.insert(shifted.end(), bytes.begin(), bytes.end());
  for (const ByteView in : {ByteView(bytes), ByteView(shifted).subspan(1)}) {
    const std::uint64_t before = support::allocations();
    const auto read = decode_reply(in);
    const std::uint64_t after = support::allocations();
    ASSERT_TRUE(read);
    EXPECT_EQ(after - before, 2 + 2 * reply.documents.size());  // two lists; an id and a title of each document
  }
}

}  // namespace
}  // namespace frond::wire
