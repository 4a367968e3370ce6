#pragma once
// The tokens of a batch of documents, with those of one trie collection together (Wei and JaJa 2011, III.C, step 5).
// Inside a group documents ascend; each has any number of tokens. Tokens are without the collection's prefix.
//
// Bytes of a group: 255 and a u16 document number begin the tokens of a document of the batch; a token is the length of
// its suffix, 0..253, or 254 and a u16 length, and then the suffix. Written and read by one process, so readers do not
// check it.
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "indexer/dictionary/trie.h"

namespace frond::indexer::parse {

inline constexpr std::size_t kMaxBatchDocuments = 0xffff;

struct TokenGroup {
  dictionary::TrieCollection collection = 0;
  std::uint32_t begin = 0, end = 0;  // of its bytes
};

// Immutable once made by a TokenGrouper.
struct TokenGroups {
  ByteBuffer bytes;
  std::vector<TokenGroup> groups;  // of the collections that have tokens, ascending
  ByteView of(const TokenGroup& group) const { return ByteView(bytes).subspan(group.begin, group.end - group.begin); }
};

// Takes tokens in text order, gives groups. One thread; reusable, keeps up to twice `kept_bytes` of memory.
class TokenGrouper {
 public:
  explicit TokenGrouper(std::size_t kept_bytes = std::size_t{4} << 20);
  // The next tokens are those of document `document` of the batch. Documents ascend and are below kMaxBatchDocuments.
  void begin_document(std::uint32_t document);
  // A term of at most 65,535 bytes.
  void add(std::string_view term);
  // Gives the tokens since the last call. A batch's tokens have less than 4 GiB.
  void finish(TokenGroups& out);
  // Memory kept for the next batch.
  std::size_t capacity_bytes() const { return staged_.capacity(); }

 private:
  struct Collection {
    std::uint32_t bytes = 0;     // of the group so far
    std::uint32_t document = 0;  // whose tokens are added, plus 1
  };
  std::size_t kept_bytes_;
  ByteBuffer staged_;  // in text order: u16 collection, then the token as in a group; kNewDocument and a u16
  std::vector<Collection> collections_;
  std::uint32_t document_ = 0;
};

// The place in a group that was reached.
struct TokenPlace {
  const std::byte* at;
  bool wanted = false;  // whether the tokens of the document at hand are wanted
};

// Reads from `place` up to the first document or token that begins at `stop` or behind it. Calls
// on_document(std::uint32_t document), which gives false to skip its tokens, and on_suffix(std::string_view).
template <class OnDocument, class OnSuffix>
void for_each_token(TokenPlace& place, const std::byte* stop, OnDocument&& on_document, OnSuffix&& on_suffix) {
  const std::byte* at = place.at;
  bool wanted = place.wanted;
  while (at < stop) {
    const auto head = static_cast<std::uint8_t>(*at++);
    if (head == 255) {
      wanted = on_document(std::uint32_t{load_le<std::uint16_t>(at)});
      at += 2;
      continue;
    }
    std::size_t bytes = head;
    if (head == 254) {
      bytes = load_le<std::uint16_t>(at);
      at += 2;
    }
    if (wanted) on_suffix(std::string_view(reinterpret_cast<const char*>(at), bytes));
    at += bytes;
  }
  place = {at, wanted};
}
// The same for a whole group.
template <class OnDocument, class OnSuffix>
void for_each_token(ByteView group, OnDocument&& on_document, OnSuffix&& on_suffix) {
  TokenPlace place{group.data()};
  for_each_token(place, group.data() + group.size(), on_document, on_suffix);
}

}  // namespace frond::indexer::parse
