#pragma once
// Some documents and lists of a partition, from its published files: nothing is ingested, and what is read is in
// proportion to what is asked for, whatever the partition's size. Only the index of each file that is touched is read
// whole, about 20 bytes for each 4 KiB of the file.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/partition/partition.h"
#include "common/partition/partition_writer.h"

namespace frond::partition {

// One thread. Errors name the folder and the key: kCorrupt, kUnavailable.
class PublishedPartition {
 public:
  // files: those of a PartitionSummary, in `folder`; those of heads and priors are not needed.
  static Result<std::unique_ptr<const PublishedPartition>> open(const std::filesystem::path& folder,
                                                                std::span<const PartitionFile> files);
  virtual ~PublishedPartition() = default;

  virtual std::uint32_t documents() const = 0;
  // Tokens of the document, which is one of documents(). Four bytes are read and no checksum is verified: callers
  // compare the length with the document or with the lists.
  virtual Result<std::uint32_t> length(DocId docid) const = 0;
  // Its term digest (term_digests.h); nothing if the partition has none. Read as length() is.
  virtual Result<std::optional<std::uint64_t>> term_digest(DocId docid) const = 0;
  virtual Result<OwnedDocument> document(DocId docid) const = 0;
  // As Partition::read_documents(), but documents are read whole.
  virtual void read_documents(std::span<const DocId> docids, const Partition::DocumentVisit& visit) const = 0;
  // As Partition::list() with FileReads::kMapped: ask PinnedBytes::intact(). kNotFound: it does not have the term.
  virtual Result<TermList> list(std::string_view term) const = 0;
  // All terms, in byte order.
  virtual std::unique_ptr<TermCursor> terms() const = 0;
  // Whether the files have the sizes that they were opened with and could be read: asked last.
  virtual Result<void> check_files() const = 0;
  virtual const std::filesystem::path& folder() const = 0;
};

}  // namespace frond::partition
