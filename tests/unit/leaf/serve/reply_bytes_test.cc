#include "leaf/serve/reply_bytes.h"

#include <gtest/gtest.h>

#include <variant>

#include "common/wire/codec.h"
#include "tests/unit/common/wire/random_messages.h"

namespace frond::leaf::serve {
namespace {

TEST(EncodedBytes, AreNeverFewerThanThoseOfTheMessage) {
  constexpr std::uint64_t kReplySeed = 11;
  wire::RandomMessages random(kReplySeed);
  int searches = 0, fetches = 0;
  while (searches < 2000 || fetches < 2000) {
    const wire::Reply reply = random.reply();
    const std::size_t bytes = wire::encode(reply).size();
    if (const auto* search = std::get_if<wire::SearchReply>(&reply)) {
      ++searches;
      ASSERT_GE(encoded_bytes(*search), bytes) << "seed " << kReplySeed << ", search " << searches;
    } else if (const auto* fetch = std::get_if<wire::FetchReply>(&reply)) {
      ++fetches;
      ASSERT_GE(encoded_bytes(fetch->documents) + 512, bytes) << "seed " << kReplySeed << ", fetch " << fetches;
    }
  }
}

TEST(EncodedBytes, AreAboutThoseOfALargeMessage) {
  wire::SearchReply reply;
  reply.has_or = true;
  for (Ordinal i = 0; i < wire::kMaxDepth; ++i) {
    reply.or_ranking.hits.push_back({i, 0});
    reply.or_ranking.sort_bytes.emplace_back(200, 'x');
  }
  query::FacetCounts& words = reply.facets.emplace_back();
  for (std::size_t i = 0; i < 50'000; ++i) {
    words.words.push_back("a word like many, number " + std::to_string(i));
    words.counts.push_back(i);
  }
  reply.documents.push_back({.found = true, .columns = "{" + std::string(1 << 20, ' ') + "}"});
  const std::size_t bytes = wire::encode(wire::Reply(reply)).size();
  EXPECT_GE(encoded_bytes(reply), bytes);
  EXPECT_LE(encoded_bytes(reply), bytes + bytes / 4);
}

}  // namespace
}  // namespace frond::leaf::serve
