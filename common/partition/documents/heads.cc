#include "common/partition/documents/heads.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include <xxhash.h>

#include "common/partition/files/rocks.h"
#include "common/partition/format/format.h"
#include "common/text/limits.h"

namespace frond::partition {
namespace {

constexpr std::size_t kChecksumBytes = sizeof(std::uint32_t);
constexpr std::size_t kMaxLengthsBytes = 3 * 3;  // three varints of lengths below 2^21
static_assert(kChecksumBytes + kMaxLengthsBytes + text::kMaxIdBytes + text::kMaxTitleBytes + text::kMaxUrlBytes <=
              kMaxHeadBytes);

// The document is the seed, so that a head is not taken for another document's.
std::uint32_t checksum_of(ByteView texts, DocId docid) {
  return static_cast<std::uint32_t>(XXH3_64bits_withSeed(texts.data(), texts.size(), docid));
}

Error corrupt_head(const std::string& what) { return Error(Code::kCorrupt, "heads: " + what); }

}  // namespace

void append_head(const StoredDocument& document, DocId docid, ByteBuffer& heads) {
  const std::size_t fields = document.id.size() + document.url.size() + document.title.size();
  if (fields > kMaxHeadBytes - kChecksumBytes - kMaxLengthsBytes) return;
  const std::size_t begin = heads.size();
  ByteWriter writer(heads);
  writer.put(std::uint32_t{0});
  for (const auto field : {document.id, document.url, document.title}) writer.put_text(field);
  store_le(heads.data() + begin, checksum_of(ByteView(heads).subspan(begin + kChecksumBytes), docid));
}

ByteBuffer encode_head_chunk(ByteView heads, std::span<const std::uint32_t> ends) {
  ByteBuffer chunk;
  const std::size_t begin = sizeof(std::uint32_t) * (ends.size() + 2);
  chunk.reserve(begin + heads.size());
  ByteWriter writer(chunk);
  writer.put(static_cast<std::uint32_t>(ends.size()));
  writer.put(static_cast<std::uint32_t>(begin));
  for (const std::uint32_t end : ends) writer.put(static_cast<std::uint32_t>(begin + end));
  writer.put_bytes(heads);
  return chunk;
}

Result<void> HeadChunk::validate() const {
  if (bytes_.size() < begin_of_heads())
    return corrupt_head("a chunk of " + std::to_string(bytes_.size()) + " bytes for " + std::to_string(count_) +
                        " documents");
  const auto count = load_le<std::uint32_t>(bytes_.data());
  if (count != count_)
    return corrupt_head("a chunk of " + std::to_string(count) + " documents, expected " + std::to_string(count_));
  return {};
}

Result<ByteView> HeadChunk::head(std::uint32_t index) const {
  const auto begin = load_le<std::uint32_t>(place(index));
  const auto end = load_le<std::uint32_t>(place(index + 1));
  if (begin < begin_of_heads() || end < begin || end > bytes_.size() || end - begin > kMaxHeadBytes)
    return corrupt_head("bytes " + std::to_string(begin) + " to " + std::to_string(end) + " of a chunk of " +
                        std::to_string(bytes_.size()));
  return bytes_.subspan(begin, end - begin);
}

Result<StoredDocument> parse_head(ByteView head, DocId docid) {
  ByteReader reader(head);
  const auto checksum = reader.get<std::uint32_t>();
  if (!reader.ok() || checksum != checksum_of(head.subspan(kChecksumBytes), docid))
    return corrupt_head("wrong checksum");
  StoredDocument document;
  for (auto* field : {&document.id, &document.url, &document.title}) *field = reader.get_text();
  if (!reader.ok() || !reader.at_end()) return corrupt_head("fields do not fill the head");
  return document;
}

namespace {

constexpr std::size_t kAtOnce = 16;  // documents whose reads from memory overlap
constexpr std::size_t kCacheLine = 64;

void prefetch(const std::byte* at) { __builtin_prefetch(at); }

}  // namespace

// What is known of a head so far. Without `there`, the document is read from its block.
struct HeadReader::Found {
  bool there = false;
  std::optional<Error> error;
  HeadChunk chunk{{}, 0};
  std::uint32_t index = 0;
  ByteView bytes;
};

HeadReader::HeadReader(std::shared_ptr<const Database> database, std::uint32_t documents, std::vector<DocId> starts,
                       const DocumentReader& reader)
    : database_(std::move(database)),
      documents_(documents),
      starts_(std::move(starts)),
      reader_(reader),
      slots_(std::make_unique<Slot[]>(starts_.size())) {}

std::size_t HeadReader::chunk_of(DocId docid) const {
  return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), docid) - starts_.begin()) - 1;
}

std::uint32_t HeadReader::count_of(std::size_t chunk) const {
  return (chunk + 1 < starts_.size() ? starts_[chunk + 1] : documents_) - starts_[chunk];
}

Error HeadReader::within_document(DocId docid, Error error) const {
  if (auto whole = database_->intact(); !whole) error = std::move(whole).error();  // names the file that was lost
  return std::move(error).within(database_->folder().string() + ": document " + std::to_string(docid));
}

void HeadReader::read(std::span<const DocId> docids, const Partition::DocumentVisit& visit) const {
  if (starts_.empty() || !database_->is_mapped()) {
    read_documents(docids, 0, visit);
    return;
  }
  std::array<std::byte, kMaxHeadBytes> copy;
  for (std::size_t from = 0; from < docids.size(); from += kAtOnce) {
    const auto some = docids.subspan(from, std::min(kAtOnce, docids.size() - from));
    std::array<Found, kAtOnce> found;
    for (std::size_t i = 0; i < some.size(); ++i) find_place(some[i], found[i]);
    for (std::size_t i = 0; i < some.size(); ++i) find_bytes(found[i]);
    for (std::size_t i = 0; i < some.size(); ++i) {
      const bool more = found[i].there || found[i].error ? visit(from + i, take(some[i], found[i], copy))
                                                         : read_documents(some.subspan(i, 1), from + i, visit);
      if (!more) return;
    }
  }
}

bool HeadReader::read_documents(std::span<const DocId> docids, std::size_t first_place,
                                const Partition::DocumentVisit& visit) const {
  bool more = true;
  const auto take = [&](std::size_t place, const Result<StoredDocument>& document) {
    if (!document) return more = visit(first_place + place, document);
    StoredDocument head = *document;
    head.body = {};
    return more = visit(first_place + place, head);
  };
  reader_.read(docids, DocumentReader::Extent::kFront, take);
  return more;
}

void HeadReader::find_place(DocId docid, Found& found) const {
  if (docid >= documents_) return;
  const std::size_t number = chunk_of(docid);
  auto chunk = this->chunk(number);
  if (!chunk) {
    // A chunk that is not mapped is no error.
    if (chunk.error().code() != Code::kNotFound) found.error = std::move(chunk).error();
    return;
  }
  found.chunk = *chunk;
  found.index = docid - starts_[number];
  found.there = true;
  prefetch(found.chunk.place(found.index));
}

void HeadReader::find_bytes(Found& found) const {
  if (!found.there) return;
  const auto bytes = found.chunk.head(found.index);
  if (!bytes) {
    found.error = bytes.error();
    return;
  }
  found.bytes = *bytes;
  found.there = !bytes->empty();
  for (std::size_t at = 0; at < std::min(bytes->size(), 4 * kCacheLine); at += kCacheLine) prefetch(bytes->data() + at);
}

Result<StoredDocument> HeadReader::take(DocId docid, const Found& found, std::span<std::byte> copy) const {
  if (found.error) return within_document(docid, *found.error);
  std::memcpy(copy.data(), found.bytes.data(), found.bytes.size());
  auto head = parse_head(copy.first(found.bytes.size()), docid);
  if (!head) return within_document(docid, std::move(head).error());
  if (auto whole = database_->intact(); !whole) return within_document(docid, std::move(whole).error());
  return head;
}

Result<HeadChunk> HeadReader::chunk(std::size_t number) const {
  const Slot& slot = slots_[number];
  if (const std::byte* const begin = slot.begin.load(std::memory_order_acquire))
    return HeadChunk({begin, slot.bytes.load(std::memory_order_relaxed)}, count_of(number));
  const ByteView bytes =
      FROND_TRY(guarded(database_->folder().native(), [&]() -> Result<ByteView> { return load(number); }));
  return HeadChunk(bytes, count_of(number));
}

// Threads that load the same chunk at the same time find the same place, or the first copy is kept.
Result<ByteView> HeadReader::load(std::size_t number) const {
  const std::string key = numbered_key(kHeadsPrefix, starts_[number]);
  Slot& slot = slots_[number];
  auto mapped = database_->get_mapped(Family::kArrays, key);
  if (!mapped) return std::move(mapped).error();
  if (*mapped) {
    if ((*mapped)->size() > std::numeric_limits<std::uint32_t>::max())
      return Error(Code::kCorrupt, database_->where(Family::kArrays, key) + ": too long");
    FROND_TRY(HeadChunk(**mapped, count_of(number)).validate());
    slot.bytes.store(static_cast<std::uint32_t>((*mapped)->size()), std::memory_order_relaxed);
    slot.begin.store((*mapped)->data(), std::memory_order_release);
    return **mapped;
  }
  auto copied = database_->get(Family::kArrays, key);
  if (!copied && copied.error().code() == Code::kNotFound) return Error(Code::kCorrupt, copied.error().message());
  PinnedBytes copy = FROND_TRY(std::move(copied));
  if (copy.bytes().size() >= kLongBlockBytes) return Error(Code::kNotFound, "not mapped");
  FROND_TRY(HeadChunk(copy.bytes(), count_of(number)).validate());
  const MutexLock lock(mutex_);
  if (const std::byte* const begin = slot.begin.load(std::memory_order_relaxed))
    return ByteView(begin, slot.bytes.load(std::memory_order_relaxed));
  const ByteView bytes = copy.bytes();
  copies_.push_back(std::move(copy));
  slot.bytes.store(static_cast<std::uint32_t>(bytes.size()), std::memory_order_relaxed);
  slot.begin.store(bytes.data(), std::memory_order_release);
  return bytes;
}

// Follows the documents in docID order through the chunks.
class HeadReader::Checker {
 public:
  explicit Checker(const HeadReader& heads) : heads_(heads), iterator_(heads.database_->iterator(Family::kArrays)) {
    iterator_->Seek(slice_of(kHeadsPrefix));
  }

  Result<void> expect(DocId docid, const StoredDocument& document) {
    while (next_ < heads_.starts_.size() && heads_.starts_[next_] == docid) FROND_TRY(enter(next_++));
    const ByteView bytes = FROND_TRY(chunk_.head(docid - first_));
    if (bytes.empty()) return {};
    const StoredDocument head = FROND_TRY(parse_head(bytes, docid));
    if (head.id == document.id && head.url == document.url && head.title == document.title) return {};
    return Error(Code::kCorrupt, "its head is " + printable(head.id) + ", of other fields than its block");
  }
  // Called after the last document.
  Result<void> expect_end() {
    iterator_->Next();
    if (!iterator_->status().ok()) return error_of(iterator_->status(), "heads");
    if (next_ == heads_.starts_.size() && !at_chunk()) return {};
    return Error(Code::kCorrupt, "chunks of heads after the last document");
  }

 private:
  bool at_chunk() const { return iterator_->Valid() && text_of(iterator_->key()).starts_with(kHeadsPrefix); }

  Result<void> enter(std::size_t number) {
    if (number > 0) iterator_->Next();
    const std::string key = numbered_key(kHeadsPrefix, heads_.starts_[number]);
    if (!iterator_->status().ok()) return error_of(iterator_->status(), "heads");
    if (!at_chunk() || text_of(iterator_->key()) != key)
      return Error(Code::kCorrupt, heads_.database_->where(Family::kArrays, key) + ": no such chunk");
    first_ = heads_.starts_[number];
    chunk_ = HeadChunk(bytes_of(iterator_->value()), heads_.count_of(number));
    return chunk_.validate();
  }

  const HeadReader& heads_;
  const std::unique_ptr<rocksdb::Iterator> iterator_;
  std::size_t next_ = 0;  // chunk
  DocId first_ = 0;
  HeadChunk chunk_{{}, 0};
};

Result<void> HeadReader::check() const {
  if (starts_.empty()) return {};
  Checker checker(*this);
  Result<void> checked;
  FROND_TRY(reader_.for_each([&](DocId docid, const StoredDocument& document) {
    checked = checker.expect(docid, document);
    if (!checked) checked = within_document(docid, std::move(checked).error());
    return checked.has_value();
  }));
  FROND_TRY(checked);
  auto ended = checker.expect_end();
  if (!ended) return std::move(ended).error().within(database_->folder().string());
  return {};
}

}  // namespace frond::partition
