#include "common/partition/document_reader.h"

#include <algorithm>
#include <string>

#include "common/partition/format.h"
#include "common/partition/rocks.h"

namespace frond::partition {

std::string DocumentReader::name_of_document(DocId docid) const {
  return database_->folder().string() + ": document " + std::to_string(docid);
}

Result<void> DocumentReader::decompress(ByteView value, Extent extent, DocumentBlock& block) const {
  return extent == Extent::kFront ? decompressor_.decompress_front(value, block)
                                  : decompressor_.decompress(value, block);
}

void DocumentReader::read(std::span<const DocId> docids, Extent extent, const Partition::DocumentVisit& visit) const {
  DocumentBlock block;
  DocId first = 0;
  for (std::size_t place = 0; place < docids.size(); ++place) {
    const DocId docid = docids[place];
    if (docid < first || docid - first >= block.documents.size()) {
      const Result<DocId> loaded =
          guarded(database_->folder().string(), [&]() -> Result<DocId> { return load(docid, extent, block); });
      if (!loaded) {
        block.documents.clear();
        if (!visit(place, loaded.error())) return;
        continue;
      }
      first = *loaded;
    }
    if (!visit(place, block.documents[docid - first])) return;
  }
}

Result<DocId> DocumentReader::load(DocId docid, Extent extent, DocumentBlock& block) const {
  if (docid >= documents_) return Error(Code::kNotFound, name_of_document(docid) + " of " + std::to_string(documents_));
  Result<DocId> first = 0;
  if (block_starts_.empty()) {
    first = load_backwards(docid, extent, block);
  } else {
    first = *std::prev(std::upper_bound(block_starts_.begin(), block_starts_.end(), docid));
    std::string key;
    append_be32(key, *first);
    auto value = database_->get(Family::kDocuments, key);
    if (!value && value.error().code() == Code::kNotFound)
      return Error(Code::kCorrupt,
                   name_of_document(docid) + ": no block begins with document " + std::to_string(*first));
    if (!value) return std::move(value).error();
    auto decompressed = decompress(value->bytes(), extent, block);
    if (!decompressed) return std::move(decompressed).error().within(name_of_document(docid));
  }
  if (first && docid - *first >= block.documents.size())
    return Error(Code::kCorrupt, name_of_document(docid) + ": its block is too short");
  return first;
}

Result<DocId> DocumentReader::load_backwards(DocId docid, Extent extent, DocumentBlock& block) const {
  std::string key;
  append_be32(key, docid);
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
