#pragma once
// The lists of partitions on their way to the files: from each partition's runs, or from the postings of all partitions
// in the memory of inverters or on a device, which may code the lists, too.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/base/threads/parallel.h"
#include "common/partition/partition_writer.h"
#include "common/partition/terms/term_digests.h"
#include "common/postings/list_builder.h"
#include "indexer/pipeline/invert_documents.h"
#include "indexer/publish/encoded_groups.h"
#include "indexer/publish/partition_build.h"
#include "indexer/publish/split_postings.h"
#include "indexer/publish/term_statistics.h"
#include "indexer/runs/document_spool.h"

namespace frond::indexer::publish {

// What all partitions share.
class ListSupply {
 public:
  ListSupply(const PartitionBuildOptions& options, TaskPool& pool) : options_(options), pool_(pool) {}

  // Before the partitions are written. kCorrupt, kUnavailable: a spool cannot be read, terms cannot be written.
  Result<void> prepare(const std::vector<pipeline::InvertedDocuments::Part>& parts,
                       const std::filesystem::path& folder);
  bool splits() const { return !split_.empty() || !coded_.empty(); }
  // Gives the partitions what the device, or the inverters, have, if splits(). One thread. Errors as split_slices(),
  // split_in_memory() and distribute_encoded_lists().
  Result<void> split_all(std::stop_token stop);
  // What prepare() had to read of a partition's spool; null: nothing.
  const runs::SpoolContents* contents(std::uint32_t partition) const {
    return contents_.empty() ? nullptr : &contents_[partition];
  }
  // When all partitions are written: the statistics of terms, if they were. Errors as TermsWriter::put().
  Result<std::optional<TermsFile>> finish_terms();
  double merge_seconds() const;

 private:
  friend class PartitionLists;
  Result<void> read_contents(const std::vector<pipeline::InvertedDocuments::Part>& parts);
  Result<void> split_in_memory(SplitPostings& to);
  void add_merge_seconds(double seconds);

  const PartitionBuildOptions& options_;
  TaskPool& pool_;
  // One of the two, or none: statistics of terms are not written.
  std::unique_ptr<TermsWriter> terms_;               // one thread sees all postings of a term
  std::unique_ptr<PartitionTerms> partition_terms_;  // each partition's threads see its own
  std::filesystem::path terms_file_;
  // By partition; one of the two where a device, or inverters, have the postings of all.
  std::vector<std::unique_ptr<Groups>> split_;
  std::vector<std::unique_ptr<EncodedGroups>> coded_;
  std::vector<std::vector<std::uint64_t>> digests_;  // with coded_: set before that is closed
  std::vector<runs::SpoolContents> contents_;        // with coded_, by partition
  runs::ListEncoding coding_;
  mutable Mutex times_;
  double merge_seconds_ FROND_GUARDED_BY(times_) = 0;
};

// The threads that write one partition's lists. Not a byte depends on where postings come from.
class PartitionLists {
 public:
  struct Of {
    const std::vector<std::filesystem::path>& runs;
    std::uint32_t number;
    std::filesystem::path scratch;
    std::span<const std::uint32_t> lengths;  // of its documents
  };
  // Begins. Errors go to `error`, which stops the threads, too. Borrows its arguments.
  PartitionLists(partition::PartitionWriter& writer, const Of& of, ListSupply& supply, FirstError& error);
  void join() { threads_.join(); }
  // After join(), without an error.
  std::vector<std::uint64_t> take_digests();

 private:
  Result<void> merge_runs();
  template <class Queue, class Begin>
  Result<void> write_lists(Queue& from, const Begin& begin);
  Result<void> write_postings();
  Result<void> write_encoded();
  Result<void> sum_digests();
  Groups& postings() { return supply_.split_.empty() ? of_runs_ : *supply_.split_[number_]; }

  partition::PartitionWriter& writer_;
  const std::uint32_t number_;
  ListSupply& supply_;
  FirstError& error_;
  const postings::DeficitTable deficits_;
  const ListSource source_;
  partition::TermDigests digests_;
  Groups of_runs_, built_;
  ThreadGroup threads_;  // last: they use the others
};

}  // namespace frond::indexer::publish
