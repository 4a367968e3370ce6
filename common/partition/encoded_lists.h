#pragma once
// Posting lists as a partition's tables store them. Checking and encoding a list takes longer than storing it, so many
// threads do this for the one that stores.
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"

namespace frond::partition {

// Bytes of list blobs, by part.
struct ListBytes {
  std::uint64_t docids = 0, frequencies = 0, index = 0, bounds = 0, header = 0;
};
// Opens a segment, which validates it, adds its bytes to `bytes` and gives its postings. codec::kReadSlack bytes behind
// it are readable. Errors: kInvalid.
Result<std::uint64_t> measure_segment(ByteView segment, ListBytes& bytes);
// kInvalid: a term is empty, too long or has a NUL.
Result<void> check_term(std::string_view term);

// Lists of one segment each. One thread at a time.
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

}  // namespace frond::partition
