#pragma once
// Writes one partition: its SST files, ready to be ingested by a leaf. Column families and keys:
// docs/formats/partition.md. Lists and documents go to different tables: one thread may add lists while another one
// adds documents. finish() syncs the files; whoever publishes them syncs their folder.
//
// Memory, for partitions of any size: about 35 MiB, three times the largest document, and `id_bytes` to sort external
// ids in (more ids go to a scratch file in the folder, which is unlinked as soon as it is open). The 35 MiB are 4 MiB
// of document lengths and as many of priors, if there are any, up to 4 MiB of stored fields to train a dictionary from,
// the compressor (both only if documents come one by one), a chunk of heads, and RocksDB's buffers and indexes of the
// current files.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/stored_compression.h"
#include "common/scoring/prior.h"

namespace frond::partition {

// Limits of the writer; beyond them is kInvalid, naming the term or the document. Terms have text::kMaxTermBytes. Ids
// have no limit of their own here: ingest holds them to text::kMaxIdBytes, partitions from before that limit have
// longer ones, and readers accept them.
inline constexpr std::uint32_t kMaxSegments = 1u << 16;
inline constexpr std::size_t kMaxSegmentBytes = 4u << 20;
inline constexpr std::size_t kMaxDocumentBytes = 64u << 20;  // all fields of one document

// The stored fields of a document. Views borrow.
struct StoredDocument {
  std::string_view id, url, title, body;
  // Its static prior. Written apart from the fields: documents that are read have 0 here, and Partition::priors() has
  // it.
  scoring::Prior prior = 0;
};

struct PartitionFile {
  std::string name;  // "<column family>-<number>.sst", unique in the partition
  std::uint64_t bytes = 0;
  std::string xxh3;  // XXH3-128 of the whole file, 32 hex digits
  friend bool operator==(const PartitionFile&, const PartitionFile&) = default;
};

struct PartitionSummary {
  std::uint64_t documents = 0, tokens = 0, terms = 0, postings = 0;
  std::uint64_t docid_bytes = 0, frequency_bytes = 0, index_bytes = 0, bound_bytes = 0,
                header_bytes = 0;  // of the list blobs
  double built_average_length = 0;
  std::vector<PartitionFile> files;
  // Whether a file has priors of documents, at least one of which is not 0.
  bool has_priors() const;
};

class EncodedLists;  // encoded_lists.h

class PartitionWriter {
 public:
  static constexpr std::size_t kIdBytes = std::size_t{32} << 20;
  // Creates `folder` anew, empty. built_average_length: the one that the blobs' deficits were computed with. id_bytes:
  // memory to sort ids in. stored: of the documents from add_document(). Errors: kUnavailable if the folder cannot be
  // made.
  static Result<std::unique_ptr<PartitionWriter>> create(const std::filesystem::path& folder,
                                                         double built_average_length, std::size_t id_bytes = kIdBytes,
                                                         StoredCompression stored = StoredCompression::kSmall);
  virtual ~PartitionWriter() = default;

  // Adds a list. Terms come in ascending byte order; segments are from postings::ListBuilder. Errors: kInvalid if terms
  // are out of order, a term is empty or has a NUL, segments do not open or do not have `document_frequency` postings
  // together; kUnavailable if a file cannot be written. The message names the term or the file.
  virtual Result<void> add_list(std::string_view term, std::uint64_t document_frequency, std::uint64_t occurrences,
                                std::span<const ByteBuffer> segments) = 0;
  // The same for lists that are checked and encoded already.
  virtual Result<void> add_lists(const EncodedLists& lists) = 0;
  // Adds a document, in docID order from 0; `length` in tokens. May interleave with add_list(). Errors: kInvalid if the
  // id is empty, a limit is exceeded or the partition is full; kUnavailable as above.
  virtual Result<void> add_document(const StoredDocument& document, std::uint32_t length) = 0;
  // Adds documents in the same way whose fields are compressed already, as one block of a BlockCompressor
  // (document_block.h). A partition's documents all come by add_document() or all by add_block(). `documents` and
  // `lengths` have the same size, at least 1; bodies are only looked at for their sizes.
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
