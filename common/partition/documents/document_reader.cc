#include "common/partition/documents/document_reader.h"

#include <algorithm>
#include <string>

#include "common/partition/files/rocks.h"
#include "common/partition/format/format.h"

namespace frond::partition {

// What one read() holds of the block that it read last: a block of its own, or one shared with the cache.
struct DocumentReader::Held {
  const std::vector<StoredDocument>& documents() const { return shared ? shared->documents : own.documents; }
  bool has(DocId docid) const { return docid >= first && docid - first < documents().size(); }
  void clear() {
    shared = nullptr;
    own.documents.clear();
  }

  DocId first = 0;
  DocumentBlock own;  // its memory is reused
  DocumentBlockCache::Block shared;
};

DocumentReader::DocumentReader(std::shared_ptr<const Database> database, std::uint32_t documents,
                               std::vector<DocId> block_starts, ByteView dictionary,
                               std::shared_ptr<DocumentBlockCache> cache)
    : database_(std::move(database)),
      documents_(documents),
      block_starts_(std::move(block_starts)),
      decompressor_(dictionary),
      cache_(std::move(cache)),
      number_(cache_ ? cache_->add_partition() : 0) {}

DocumentReader::~DocumentReader() {
  if (cache_) cache_->drop_partition(number_);
}

std::string DocumentReader::name_of_document(DocId docid) const {
  return database_->folder().string() + ": document " + std::to_string(docid);
}

Result<void> DocumentReader::decompress(ByteView value, Extent extent, DocumentBlock& block) const {
  return extent == Extent::kFront ? decompressor_.decompress_front(value, block)
                                  : decompressor_.decompress(value, block);
}

class DocumentReader::Cursor final : public DocumentCursor {
 public:
  explicit Cursor(const DocumentReader& reader) : reader_(reader) {}

  Result<OwnedDocument> document(DocId docid) override {
    const StoredDocument found = FROND_TRY(reader_.find(docid, Extent::kWhole, held_));
    OwnedDocument owned{std::string(found.id), std::string(found.url), std::string(found.title),
                        std::string(found.body)};
    if (held_.own.raw.size() > kMostHeld) held_ = Held();
    return owned;
  }

 private:
  static constexpr std::size_t kMostHeld = std::size_t{1} << 20;
  const DocumentReader& reader_;
  Held held_;
};

std::unique_ptr<DocumentCursor> DocumentReader::cursor() const { return std::make_unique<Cursor>(*this); }

Result<StoredDocument> DocumentReader::find(DocId docid, Extent extent, Held& held) const {
  if (!held.has(docid)) {
    const auto loaded =
        guarded(database_->folder().native(), [&]() -> Result<void> { return load(docid, extent, held); });
    if (!loaded) {
      held.clear();
      return loaded.error();
    }
  }
  return held.documents()[docid - held.first];
}

void DocumentReader::read(std::span<const DocId> docids, Extent extent, const Partition::DocumentVisit& visit) const {
  Held held;
  for (std::size_t place = 0; place < docids.size(); ++place)
    if (!visit(place, find(docids[place], extent, held))) return;
}

Result<void> DocumentReader::load(DocId docid, Extent extent, Held& held) const {
  if (docid >= documents_) return Error(Code::kNotFound, name_of_document(docid) + " of " + std::to_string(documents_));
  if (block_starts_.empty()) {
    held.first = FROND_TRY(load_backwards(docid, extent, held.own));
  } else {
    held.first = *std::prev(std::upper_bound(block_starts_.begin(), block_starts_.end(), docid));
    if (cache_ && extent == Extent::kFront)
      held.shared = FROND_TRY(cached_block(docid, held.first));
    else
      FROND_TRY(load_block(docid, held.first, extent, held.own));
  }
  if (!held.has(docid)) return Error(Code::kCorrupt, name_of_document(docid) + ": its block is too short");
  return {};
}

Result<DocumentBlockCache::Block> DocumentReader::cached_block(DocId docid, DocId first) const {
  if (auto found = cache_->find(number_, first)) return found;
  const auto block = std::make_shared<DocumentBlock>();
  FROND_TRY(load_block(docid, first, Extent::kFront, *block));
  cache_->insert(number_, first, block);
  return DocumentBlockCache::Block(block);
}

Result<void> DocumentReader::load_block(DocId docid, DocId first, Extent extent, DocumentBlock& block) const {
  auto value = database_->get(Family::kDocuments, numbered_key({}, first));
  if (!value && value.error().code() == Code::kNotFound)
    return Error(Code::kCorrupt, name_of_document(docid) + ": no block begins with document " + std::to_string(first));
  if (!value) return std::move(value).error();
  auto decompressed = decompress(value->bytes(), extent, block);
  if (!decompressed) return std::move(decompressed).error().within(name_of_document(docid));
  return {};
}

Result<DocId> DocumentReader::load_backwards(DocId docid, Extent extent, DocumentBlock& block) const {
  const std::string key = numbered_key({}, docid);
  const auto iterator = database_->iterator(Family::kDocuments);
  iterator->SeekForPrev(slice_of(key));
  if (!iterator->status().ok()) return error_of(iterator->status(), name_of_document(docid));
  if (!iterator->Valid() || iterator->key().size() != 4)
    return Error(Code::kCorrupt, name_of_document(docid) + ": no block holds it");
  const DocId first = read_be32(text_of(iterator->key()));
  auto decompressed = decompress(bytes_of(iterator->value()), extent, block);
  if (!decompressed) return std::move(decompressed).error().within(name_of_document(docid));
  return first;
}

Result<void> DocumentReader::for_each(const std::function<bool(DocId, const StoredDocument&)>& visit) const {
  return guarded(database_->folder().string(), [&]() -> Result<void> {
    const std::string name = database_->folder().string() + ": documents";
    const auto iterator = database_->iterator(Family::kDocuments);
    DocumentBlock block;
    DocId next = 0;
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
      if (iterator->key().size() != 4 || read_be32(text_of(iterator->key())) != next)
        return Error(Code::kCorrupt, name + ": no block begins with document " + std::to_string(next));
      auto decompressed = decompressor_.decompress(bytes_of(iterator->value()), block);
      if (!decompressed)
        return std::move(decompressed).error().within(name + ": block of document " + std::to_string(next));
      for (const auto& document : block.documents)
        if (!visit(next++, document)) return {};
    }
    if (!iterator->status().ok()) return error_of(iterator->status(), name);
    if (next != documents_)
      return Error(Code::kCorrupt,
                   name + ": " + std::to_string(next) + " stored, expected " + std::to_string(documents_));
    return {};
  });
}

}  // namespace frond::partition
