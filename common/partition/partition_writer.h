#pragma once
// Writes one partition: its SST files, ready to be opened by a leaf. Tables and keys:
// docs/formats/partition.md. Lists and documents go to different tables: one thread may add lists while another one
// adds documents. finish() syncs the files; whoever publishes them syncs their folder.
//
// Memory, for partitions of any size: about 35 MiB, three times the largest document, and `id_bytes` to sort external
// ids in (more ids go to a scratch file in the folder, which is unlinked as soon as it is open). The 35 MiB are 4 MiB
// of document lengths and as many of priors, if there are any, up to 4 MiB of stored fields to train a dictionary from,
// the compressor (both only if documents come one by one), a chunk of heads, and RocksDB's buffers and indexes of the
// current files. With a schema also the values of 4096 documents in each column, of which no column may have more than
// kMaxColumnChunkBytes, a chunk of token codes and a block of sources (values/value_table.h).
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/values/field_tokens.h"
#include "common/scoring/prior.h"

namespace frond::schema {
struct Schema;
}

namespace frond::partition {

// How the stored fields of a collection are compressed: a choice between size and time. The manifest keeps it, so that
// what is added later and what is merged is compressed in the same way. Readers need not know it: both ways make blocks
// of one format.
enum class StoredCompression : std::uint8_t {
  kSmall,  // blocks of 4 KiB with a trained dictionary
  kFast,   // blocks of 8 KiB without one, in which few repetitions are looked for: a third of the time, 1.3 to 1.5
           // times the size (docs/measurements/indexing.md)
};

inline constexpr std::string_view kStoredCompressionNames = "small, fast";
constexpr std::string_view name_of(StoredCompression how) { return how == StoredCompression::kFast ? "fast" : "small"; }
constexpr std::optional<StoredCompression> stored_compression_named(std::string_view name) {
  for (const auto how : {StoredCompression::kSmall, StoredCompression::kFast})
    if (name == name_of(how)) return how;
  return std::nullopt;
}

// Stored fields, before compression: a block ends with the document that fills this.
constexpr std::size_t document_block_bytes(StoredCompression how) {
  return how == StoredCompression::kFast ? std::size_t{8} << 10 : std::size_t{4} << 10;
}

// Bytes of list blobs, by part.
struct ListBytes {
  std::uint64_t docids = 0, frequencies = 0, index = 0, bounds = 0, header = 0;
};

// Posting lists of one segment each, as a partition's tables store them. Checking and encoding a list takes longer than
// storing it, so many threads do this for the one that stores. One thread at a time.
class EncodedLists {
 public:
  struct List {
    std::string_view term;
    ByteView record;  // of table `terms`
    ByteView blob;    // of table `postings`; empty: the record has it
  };
  // codec::kReadSlack bytes behind the blob are readable. Errors as PartitionWriter::add_list(), but for the order of
  // terms, which is not checked here.
  Result<void> add(std::string_view term, std::uint64_t document_frequency, std::uint64_t occurrences, ByteView blob);

  // Takes memory for so many lists more, whose terms and blobs have so many bytes.
  void reserve(std::size_t lists, std::size_t bytes);
  std::size_t size() const { return ends_.size(); }
  List list(std::size_t number) const;  // borrows
  std::uint64_t postings() const { return postings_; }
  const ListBytes& list_bytes() const { return list_bytes_; }

 private:
  struct Ends {  // in bytes_
    std::size_t term, record, blob;
  };
  ByteBuffer bytes_;
  std::vector<Ends> ends_;
  std::uint64_t postings_ = 0;
  ListBytes list_bytes_;
};

// Limits of the writer; beyond them is kInvalid, naming the term or the document. Terms have text::kMaxTermBytes. Ids
// have no limit of their own here: ingest holds them to text::kMaxIdBytes, partitions from before that limit have
// longer ones, and readers accept them.
inline constexpr std::uint32_t kMaxSegments = 1u << 16;
inline constexpr std::size_t kMaxSegmentBytes = 4u << 20;
inline constexpr std::size_t kMaxDocumentBytes = 64u << 20;     // all fields of one document
inline constexpr std::size_t kMaxColumnChunkBytes = 64u << 20;  // of 4096 adjacent documents

// The stored fields of a document. Views borrow.
struct StoredDocument {
  std::string_view id, url, title, body;
  // Its static prior. Written apart from the fields: documents that are read have 0 here, and Partition::priors() has
  // it.
  scoring::Prior prior = 0;
  // In a collection with a schema: what it has beside, as encode_values() wrote it (values/document_values.h). Written
  // apart from the fields, too: documents that are read have none here; Partition::values_of() has it.
  std::string_view values = {};
};

struct PartitionFile {
  std::string name;  // "<family>-<number>.sst", unique in the partition
  std::uint64_t bytes = 0;
  std::string xxh3;  // XXH3-128 of the whole file, 32 hex digits
  friend bool operator==(const PartitionFile&, const PartitionFile&) = default;
};

struct PartitionSummary {
  std::uint64_t documents = 0, tokens = 0, terms = 0, postings = 0;
  std::uint64_t docid_bytes = 0, frequency_bytes = 0, index_bytes = 0, bound_bytes = 0,
                header_bytes = 0;  // of the list blobs
  double built_average_length = 0;
  // With a schema: by place in it the tokens that all documents have in each text field with field_search; 0: in
  // others.
  FieldTokens field_tokens = {};
  std::vector<PartitionFile> files = {};
  // Whether a file has priors of documents, at least one of which is not 0.
  bool has_priors() const;
};

class PartitionWriter {
 public:
  static constexpr std::size_t kIdBytes = std::size_t{32} << 20;
  // Creates `folder` anew, empty. built_average_length: the one that the blobs' deficits were computed with. id_bytes:
  // memory to sort ids in. stored: of the documents from add_document(). schema: of StoredDocument::values, which is
  // empty without one. Errors: kUnavailable if the folder cannot be made.
  static Result<std::unique_ptr<PartitionWriter>> create(const std::filesystem::path& folder,
                                                         double built_average_length, std::size_t id_bytes = kIdBytes,
                                                         StoredCompression stored = StoredCompression::kSmall,
                                                         std::shared_ptr<const schema::Schema> schema = nullptr);
  virtual ~PartitionWriter() = default;

  // Adds a list. Terms come in ascending byte order; segments are from postings::ListBuilder. Errors: kInvalid if terms
  // are out of order, a term is empty or has a NUL, segments do not open or do not have `document_frequency` postings
  // together; kUnavailable if a file cannot be written. The message names the term or the file.
  virtual Result<void> add_list(std::string_view term, std::uint64_t document_frequency, std::uint64_t occurrences,
                                std::span<const ByteBuffer> segments) = 0;
  // The same for lists that are checked and encoded already.
  virtual Result<void> add_lists(const EncodedLists& lists) = 0;
  // Adds a document, in docID order from 0; `length` in tokens. May interleave with add_list(). Errors: kInvalid if the
  // id is empty, a limit is exceeded, its values are none of the schema, or the partition is full; kUnavailable as
  // above.
  virtual Result<void> add_document(const StoredDocument& document, std::uint32_t length) = 0;
  // Adds documents in the same way whose fields are compressed already, as one block of a BlockCompressor
  // (document_block.h). Bodies are only looked at for their sizes.
  // REQUIRES: a partition's documents all come by add_document() or all by add_block(); `documents` and `lengths` have
  // the same size, at least 1.
  virtual Result<void> add_block(std::span<const StoredDocument> documents, std::span<const std::uint32_t> lengths,
                                 ByteView block) = 0;
  // After the last document, if lists are still to come from another thread: what of finish() is of documents is done
  // meanwhile. Errors as finish()'s.
  virtual Result<void> end_documents() = 0;
  // The dictionary of these blocks; not called if they have none. Once, at any time before finish().
  virtual void set_dictionary(ByteBuffer dictionary) = 0;
  // The term digests of all documents (term_digests.h); not called if the partition is to have none. Once, at any time
  // before finish().
  virtual void set_term_digests(std::vector<std::uint64_t> digests) = 0;
  // Writes what is buffered, syncs and checksums the files. Called once, last. Errors: kInvalid if two documents have
  // one id, which the message names, or if there are not as many digests as documents; kUnavailable as above.
  virtual Result<PartitionSummary> finish() = 0;
};

}  // namespace frond::partition
