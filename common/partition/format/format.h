#pragma once
// Names, keys and limits of a partition's tables (docs/formats/partition.md). Internal to this folder.
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/partition.h"
#include "common/partition/terms/term_statistics.h"
#include "common/scoring/prior.h"

namespace frond::partition {

// The tables of a partition.
enum class Family : std::uint8_t { kPostings, kTerms, kDocuments, kIds, kArrays };
inline constexpr std::array<std::string_view, 5> kFamilyNames = {"postings", "terms", "documents", "ids", "arrays"};
constexpr std::string_view name_of(Family family) { return kFamilyNames[static_cast<std::size_t>(family)]; }
// What the names of its files begin with.
inline std::string stem_of(Family family) { return std::string(name_of(family)) + "-"; }

inline constexpr std::uint32_t kFormatVersion = 1;
// Of a partition whose documents have priors; all else is as in version 1.
inline constexpr std::uint32_t kFormatVersionWithPriors = 2;
// Of a partition of a collection with a schema: more members in the summary, and files of values.
inline constexpr std::uint32_t kFormatVersionWithSchema = 3;
inline constexpr std::uint32_t kSummaryMagic = 0x54505246;  // "FRPT"
inline constexpr std::uint32_t kTotalsMagic = 0x53545246;   // "FRTS"

inline constexpr std::uint64_t kFileBytes = 256u << 20;     // a table is cut into files of about this size
inline constexpr std::size_t kInlineListBytes = 256;        // lists up to this size lie inside the term's record
inline constexpr std::size_t kColumnValueBytes = 4u << 20;  // of every value of a column but its last

// An array of numbers in table `arrays`, one for each document or block. Its values' keys are the prefix, the place
// of the value's first number in the array, u32 big-endian, and the field, if it is an array of one.
struct Column {
  std::string_view prefix;
  std::size_t width = 0;  // bytes of a number, 4 or 8
  std::size_t value_bytes = kColumnValueBytes;
  std::optional<std::uint8_t> field = {};
  constexpr std::size_t per_value() const { return value_bytes / width; }
  std::string key(std::uint64_t first) const;
};

// Keys of `arrays`, in byte order. After `heads/` follows the chunk's first docID, u32 big-endian.
inline constexpr Column kPriors{"document-priors/", sizeof(scoring::Prior)};
inline constexpr std::string_view kHeadsPrefix = "heads/";
inline constexpr Column kLengths{"lengths/", sizeof(std::uint32_t)};
inline constexpr Column kStoredBlocks{"stored-blocks/", sizeof(DocId)};
inline constexpr Column kStoredCodes{"stored-codes/", sizeof(DocId)};
inline constexpr Column kStoredHeads{"stored-heads/", sizeof(DocId)};
inline constexpr Column kStoredSources{"stored-sources/", sizeof(DocId)};
inline constexpr std::string_view kSummaryKey = "summary";
inline constexpr Column kTermDigests{"term-digests/", sizeof(std::uint64_t)};
inline constexpr std::string_view kDictionaryKey = "zstd-dictionary";

// Big-endian, so that byte order is number order.
inline void append_be32(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}
inline std::uint32_t read_be32(std::string_view four) {
  std::uint32_t value = 0;
  for (const char c : four.substr(0, 4)) value = value << 8 | static_cast<std::uint8_t>(c);
  return value;
}

// Heads are in files of their own, since they are written while the lengths are. Leaves of earlier versions, which know
// no heads, take the files for the table `arrays`, by what is before the dash.
inline constexpr std::string_view kHeadFiles = "arrays-heads";

// Priors are in files of their own, too. They come before heads by their keys, so the files' ranges do not overlap.
// Only manifests of a format that earlier versions refuse name such files (manifest.h).
inline constexpr std::string_view kPriorFiles = "arrays-priors";

// What documents of a collection with a schema have besides (values/document_values.h), each kind in files of its own,
// which come before those of `arrays` by their keys. All that writes, reads, counts or checks values walks this table,
// which has the order of its enumeration and of keys. After the prefix follows the first docID of what the value holds,
// u32 big-endian; in columns, which have values of kValueGroup documents, then the field, one byte.
enum class ValueKind : std::uint8_t { kCodes, kColumns, kSources };
struct ValueFiles {
  std::string_view stem, prefix, name;
};
inline constexpr std::array<ValueFiles, kValueKinds> kValueFiles = {{
    {"arrays-codes", "document-codes/", "chunks of token codes"},  // chunks of documents (value_table.h)
    {"arrays-columns", "document-columns/", "chunks of columns"},  // ColumnChunkWriter, or lengths in a field, u32
    {"arrays-sources", "document-sources/", "blocks of sources"},  // DocumentBlocks whose bodies are the sources
}};
constexpr const ValueFiles& files_of(ValueKind kind) { return kValueFiles[static_cast<std::size_t>(kind)]; }
inline constexpr std::uint32_t kValueGroup = 4096;  // documents
// Lengths in a text field with field_search, of all documents if one document has any.
constexpr Column lengths_in_field(std::uint32_t field) {
  return {files_of(ValueKind::kColumns).prefix, sizeof(std::uint32_t), kValueGroup * sizeof(std::uint32_t),
          static_cast<std::uint8_t>(field)};
}

// Whether a file has a part of a family's table.
inline bool is_of_table(Family family, std::string_view file) { return file.starts_with(stem_of(family)); }
// The same, but without files of heads, priors, token codes and sources, which only a Partition's readers ask for.
inline bool is_file_of(Family family, std::string_view file) {
  if (!is_of_table(family, file)) return false;
  for (const std::string_view apart :
       {kHeadFiles, kPriorFiles, files_of(ValueKind::kCodes).stem, files_of(ValueKind::kSources).stem})
    if (file.starts_with(apart)) return false;
  return true;
}

inline std::string numbered_key(std::string_view prefix, std::uint64_t number) {
  std::string key(prefix);
  append_be32(key, static_cast<std::uint32_t>(number));
  return key;
}

inline std::string Column::key(std::uint64_t first) const {
  std::string key = numbered_key(prefix, first);
  if (field) key.push_back(static_cast<char>(*field));
  return key;
}

// A term has no NUL, so term ‖ 0x00 ‖ segment sorts by term, then by segment.
inline std::string list_key(std::string_view term, std::uint32_t segment) {
  std::string key;
  key.reserve(term.size() + 3);
  key.append(term).push_back('\0');
  key.push_back(static_cast<char>(segment >> 8));
  key.push_back(static_cast<char>(segment));
  return key;
}

// Encodes and decodes the small records of a partition. Decoders survive any bytes. Layouts: docs/formats/partition.md.

// A value of table `terms`: the term's statistics in this partition, and its whole list if that is short.
struct TermRecord {
  TermStatistics statistics;
  ByteView inline_list;  // empty: the segments are in table `postings`
};
void encode_term(const TermRecord& record, ByteBuffer& out);
// The view borrows `in`. Errors: kCorrupt if it is cut off or its numbers contradict each other.
Result<TermRecord> decode_term(ByteView in);

// The value of "summary" in table `arrays`: counts that the tables must agree with. Without files.
struct SummaryRecord {
  PartitionSummary summary;
  EntryCounts entries;
  bool priors = false;      // the documents have priors
  std::string schema = {};  // as schema_text() writes it; empty: none
};
void encode_summary(const SummaryRecord& record, ByteBuffer& out);
Result<SummaryRecord> decode_summary(ByteView in);

// A value of table `ids`: a docID. Errors: kCorrupt unless it is exactly one varint below kNoDoc.
Result<DocId> decode_docid(ByteView in);

// The last entry of a file of term statistics.
void encode_totals(const TermTotals& totals, ByteBuffer& out);
Result<TermTotals> decode_totals(ByteView in);
// Its key: one 0xff more than the longest term has bytes, so above every term.
const std::string& totals_key();

// Values of a file of changes (change_file.h): by how much a document frequency changes, which is not 0; and hidden
// docIDs, ascending, at least one. Errors: kCorrupt unless it is exactly that.
void encode_change(std::int64_t by, ByteBuffer& out);
Result<std::int64_t> decode_change(ByteView in);
void encode_hidden(std::span<const DocId> docids, ByteBuffer& out);
Result<std::vector<DocId>> decode_hidden(ByteView in);

}  // namespace frond::partition
