#pragma once
// The posting lists of one partition on their way from its runs to its files: the runs are merged by one thread,
// threads of the pool build and encode the lists of many terms at a time, and another thread stores them.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/codec/codec_choice.h"
#include "common/partition/partition_writer.h"
#include "common/partition/terms/term_digests.h"
#include "common/postings/list_builder.h"
#include "indexer/runs/run_merger.h"

namespace frond::indexer::publish {

struct ListSource {
  std::vector<std::filesystem::path> runs;
  std::uint32_t partition = 0;
  std::filesystem::path scratch;           // a folder for merging many runs into fewer
  std::span<const std::uint32_t> lengths;  // of the partition's documents
  const codec::CodecChoice& codecs;
  double b = 0, average_length = 0;
  const postings::DeficitTable* deficits = nullptr;  // of b and average_length; null: none
  TaskPool* ahead = nullptr;                         // reads runs, if they take no more than ahead_bytes for that
  std::uint64_t ahead_bytes = 0;
};

// The postings of terms that follow each other. A list that is longer than a segment is several pieces, one a segment,
// so that of a long list only the blobs are in memory as a whole.
struct PostingGroup {
  struct Piece {
    std::string term;
    std::size_t end = 0;               // of its postings in the arrays
    bool first = false, last = false;  // of its term
  };
  std::vector<Piece> pieces;
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
  std::uint64_t bytes = 0;
};

// The postings of the runs, merged. One thread.
class PostingMerger {
 public:
  // Merges runs into fewer first if there are too many. kCorrupt: the message names the run; kUnavailable.
  static Result<PostingMerger> open(const ListSource& source);
  // The postings of the next terms, about kPostingGroupBytes; no value at the end.
  Result<std::optional<PostingGroup>> next();

 private:
  explicit PostingMerger(runs::RunMerger runs) : runs_(std::move(runs)) {}
  Result<bool> add_piece(PostingGroup& group);
  runs::RunMerger runs_;
  bool in_term_ = false;  // the term at hand has a further piece
  // Postings of that piece which were read already.
  std::vector<DocId> docids_;
  std::vector<Frequency> frequencies_;
};
inline constexpr std::uint64_t kPostingGroupBytes = std::uint64_t{256} << 10;

// A piece of a list, or all of it.
struct BuiltList {
  std::string term;
  std::uint64_t document_frequency = 0, occurrences = 0;
  std::vector<ByteBuffer> segments;
  bool last = false;
};
// Lists of one piece each, then perhaps a piece of a longer one.
struct BuiltLists {
  partition::EncodedLists whole;
  std::optional<BuiltList> piece;
};
// Any thread. kCorrupt: a run names a document that the partition does not have; else as EncodedLists::add().
Result<std::vector<BuiltLists>> build_lists(const ListSource& source, const PostingGroup& group);

// Adds a group's postings. Postings of documents that are not there are left out: build_lists() finds them.
void add_digests(const PostingGroup& group, partition::TermDigests& digests);

// Puts the pieces of lists together and adds the lists. One thread.
class ListJoiner {
 public:
  explicit ListJoiner(partition::PartitionWriter& writer) : writer_(writer) {}
  // Errors as PartitionWriter::add_list().
  Result<void> add(std::vector<BuiltLists> lists);

 private:
  Result<void> add_piece(BuiltList piece);
  partition::PartitionWriter& writer_;
  BuiltList open_;  // a list whose last piece has not come
};

}  // namespace frond::indexer::publish
