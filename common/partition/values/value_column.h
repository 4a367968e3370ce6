#pragma once
// The values of one column for all documents of a partition, in chunks of kChunkDocuments documents; each chunk knows
// its least and greatest value, has its own code width, and for keywords its own sorted dictionary, so chunks can be
// written one after the other within bounded memory. A column is searched by scanning the codes of those chunks whose
// bounds allow a match; the outcome is a bit for each document. Bytes of a chunk: docs/formats/partition.md, "Columns".
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/schema/value.h"

namespace frond::partition {

// A bit for each document of a partition, 64 a word; bits past the last document are 0.
using DocumentBits = std::vector<std::uint64_t>;

// Collects the values of one chunk. One thread; reusable, keeps its memory, but for a large chunk's.
class ColumnChunkWriter {
 public:
  static constexpr std::uint32_t kChunkDocuments = 4096;
  explicit ColumnChunkWriter(schema::FieldType type) : type_(type) {}
  // The next document's values; maybe none.
  // REQUIRES: they ascend and are distinct; at most kChunkDocuments calls a chunk.
  void add(std::span<const schema::Value> values);
  std::uint32_t documents() const { return documents_; }
  std::size_t bytes() const { return bytes_; }  // about what is held
  // The chunk of the documents since the last call; empty: none of them has a value, so that nothing need be stored.
  ByteBuffer finish();

 private:
  schema::FieldType type_;
  std::uint32_t documents_ = 0;
  std::size_t bytes_ = 0;
  std::vector<std::uint32_t> counts_;  // values of each document
  std::vector<std::uint64_t> keys_;    // of all types but keyword: schema::ordering_key()
  std::string text_;                   // of keywords, one behind the other
  std::vector<std::uint32_t> ends_;    // in text_
};

// Immutable once all chunks are in place; any thread. Chunks are borrowed: their owner keeps the bytes.
class ValueColumn {
 public:
  ValueColumn(schema::FieldType type, std::uint32_t documents);
  // Chunk `number` has documents [number · kChunkDocuments, …). Chunks without values need not be given. kCorrupt: the
  // bytes are none that a ColumnChunkWriter of this type makes for so many documents; accepts any bytes. What is read
  // later is safe, and may be wrong, if the bytes have become zeros meanwhile.
  Result<void> put_chunk(std::uint32_t number, ByteView bytes);

  schema::FieldType type() const { return type_; }
  std::uint32_t documents() const { return documents_; }
  std::uint64_t values() const { return values_; }
  // Names the column, or one of kNames things made of it, while somebody holds the name: no other has its address.
  static constexpr std::size_t kNames = 4;
  std::shared_ptr<const void> name(std::size_t of) const { return {names_, &(*names_)[of]}; }

  // Sets the bits of documents that have a value as described; other bits stay. `bits` has a bit for each document.
  // Values are typed (schema::typed_value).
  struct Bound {
    schema::Value value;
    bool inclusive = true;
  };
  void match_range(const std::optional<Bound>& from, const std::optional<Bound>& to, DocumentBits& bits) const;
  void match_any(std::span<const schema::Value> values, DocumentBits& bits) const;
  void match_exists(DocumentBits& bits) const;
  // Of keywords.
  void match_keywords(const std::function<bool(std::string_view)>& wanted, DocumentBits& bits) const;

  // The document's values, ascending; a keyword is copied.
  std::vector<schema::Value> values_of(DocId docid) const;
  // The same as numbers in the order of the values; the first is returned, if there is one.
  // REQUIRES: type() is not keyword.
  std::optional<std::uint64_t> first_key(DocId docid) const;

  // A chunk as it is stored, for those that look at the values of many documents; of a chunk without values only the
  // counts may be asked for. Documents count from the chunk's first. Bytes that became zeros since they were checked
  // are safe: codes and places stay below their bounds.
  struct Chunk {
    std::uint32_t documents = 0, values = 0;
    std::uint64_t least = 0, greatest = 0;  // keys; of keywords, the places of dictionary entries
    std::uint8_t width = 0;                 // bytes of a code: 0, 1, 2, 4 or 8; a code is key − least
    const std::byte* presence = nullptr;    // a bit for each document
    const std::byte* offsets = nullptr;     // u32 by document and one more; null: at most one value a document
    const std::byte* codes = nullptr;       // one for each value; of single values one for each document
    std::uint32_t words = 0;                // of the dictionary
    const std::byte* word_ends = nullptr;   // u32 by word
    const char* text = nullptr;
    std::uint32_t text_bytes = 0;
    // Any number, and bytes that became zeros since they were checked, are safe.
    std::string_view word(std::uint32_t number) const;
    bool has(std::uint32_t document) const;
    // Which of the documents 64 * word … have values; 0 past the last document, and of a chunk without values.
    std::uint64_t present(std::uint32_t word) const {
      return word * 64 < documents && values != 0 ? load_le<std::uint64_t>(presence + std::size_t{word} * 8) : 0;
    }
    std::uint64_t code(std::uint32_t place) const;
    // Where the codes of a document that has() values are, and where they end.
    std::pair<std::uint32_t, std::uint32_t> places(std::uint32_t document) const {
      if (offsets == nullptr) return {document, document + 1};
      return {load_le<std::uint32_t>(offsets + std::size_t{document} * 4),
              load_le<std::uint32_t>(offsets + std::size_t{document} * 4 + 4)};
    }
    // Of a chunk without offsets: those of the documents 64 * word … whose code is `first` to `last`; what it says of
    // documents without a value is nothing.
    std::uint64_t codes_between(std::uint32_t word, std::uint64_t first, std::uint64_t last) const;
  };
  std::uint32_t chunks() const { return static_cast<std::uint32_t>(chunks_.size()); }
  const Chunk& chunk(std::uint32_t number) const { return chunks_[number]; }

 private:
  struct CodeRange {
    std::uint64_t first = 0, last = 0;  // both included
  };
  void scan(const Chunk& chunk, std::uint32_t number, std::span<const CodeRange> ranges, DocumentBits& bits) const;
  std::optional<CodeRange> codes_between(const Chunk& chunk, const std::optional<Bound>& from,
                                         const std::optional<Bound>& to) const;

  schema::FieldType type_;
  std::uint32_t documents_;
  std::uint64_t values_ = 0;
  std::vector<Chunk> chunks_;
  std::shared_ptr<const std::array<std::byte, kNames>> names_ = std::make_shared<std::array<std::byte, kNames>>();
};

}  // namespace frond::partition
