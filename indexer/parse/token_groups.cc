#include "indexer/parse/token_groups.h"

#include <cstring>

#include "common/base/check.h"

namespace frond::indexer::parse {
namespace {

constexpr std::uint16_t kNewDocument = 0xffff;  // no collection has this number
static_assert(dictionary::kTrieCollections < kNewDocument);
constexpr std::uint8_t kDocumentMark = 255, kLongMark = 254;

std::size_t coded_bytes(std::size_t suffix_bytes) { return suffix_bytes + (suffix_bytes < kLongMark ? 1 : 3); }

}  // namespace

TokenGrouper::TokenGrouper(std::size_t kept_bytes)
    : kept_bytes_(kept_bytes), collections_(dictionary::kTrieCollections) {}

void TokenGrouper::begin_document(std::uint32_t document) {
  FROND_CHECK(document < kMaxBatchDocuments && document >= document_);
  document_ = document + 1;
  ByteWriter out(staged_);
  out.put(kNewDocument);
  out.put(static_cast<std::uint16_t>(document));
}

void TokenGrouper::add(std::string_view term) {
  const dictionary::TriePlace place = dictionary::trie_place(term);
  const std::string_view suffix = term.substr(place.prefix_bytes);
  const std::size_t coded = coded_bytes(suffix.size());
  const std::size_t at = staged_.size();
  staged_.resize(at + 2 + coded);
  std::byte* to = staged_.data() + at;
  store_le(to, place.collection);
  to += 2;
  if (suffix.size() < kLongMark) {
    *to++ = static_cast<std::byte>(suffix.size());
  } else {
    FROND_CHECK(suffix.size() <= 0xffff);
    *to++ = static_cast<std::byte>(kLongMark);
    store_le(to, static_cast<std::uint16_t>(suffix.size()));
    to += 2;
  }
  if (!suffix.empty()) std::memcpy(to, suffix.data(), suffix.size());
  Collection& collection = collections_[place.collection];
  if (collection.document != document_) {
    collection.document = document_;
    collection.bytes += 3;
  }
  collection.bytes += static_cast<std::uint32_t>(coded);
}

void TokenGrouper::finish(TokenGroups& out) {
  out.groups.clear();
  std::uint32_t total = 0;
  for (std::size_t i = 0; i < collections_.size(); ++i) {
    Collection& collection = collections_[i];
    if (collection.bytes == 0) continue;
    out.groups.push_back({static_cast<dictionary::TrieCollection>(i), total, total + collection.bytes});
    // From here on: the place of the group's next token, and the document of its last one.
    collection = {total, 0};
    total = out.groups.back().end;
  }
  out.bytes.resize(total);
  std::uint32_t document = 0;
  const std::byte* at = staged_.data();
  const std::byte* const end = at + staged_.size();
  while (at != end) {
    const auto number = load_le<std::uint16_t>(at);
    at += 2;
    if (number == kNewDocument) {
      document = std::uint32_t{load_le<std::uint16_t>(at)} + 1;
      at += 2;
      continue;
    }
    Collection& collection = collections_[number];
    std::byte* to = out.bytes.data() + collection.bytes;
    if (collection.document != document) {
      collection.document = document;
      *to++ = static_cast<std::byte>(kDocumentMark);
      store_le(to, static_cast<std::uint16_t>(document - 1));
      to += 2;
    }
    const auto head = static_cast<std::uint8_t>(*at);
    const std::size_t coded =
        head < kLongMark ? std::size_t{1} + head : std::size_t{3} + load_le<std::uint16_t>(at + 1);
    std::memcpy(to, at, coded);
    at += coded;
    collection.bytes = static_cast<std::uint32_t>(to + coded - out.bytes.data());
  }
  for (const TokenGroup& group : out.groups) collections_[group.collection] = {};
  staged_.clear();
  if (staged_.capacity() > 2 * kept_bytes_) ByteBuffer().swap(staged_);
  document_ = 0;
}

}  // namespace frond::indexer::parse
