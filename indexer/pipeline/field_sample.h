#pragma once
// A sample of the collection's stored fields, to train a dictionary for their compression: every n-th document, where n
// doubles whenever the sample becomes too large. So it covers the whole input evenly, takes bounded memory, and depends
// on the documents and their numbers only.
#include <cstdint>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"

namespace frond::indexer::pipeline {

// One thread.
class FieldSample {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{2} << 20;
  // Of a longer document only the beginning is taken.
  static constexpr std::size_t kMaxDocumentBytes = std::size_t{32} << 10;

  // Whether add() would take document `number`.
  bool wants(std::uint64_t number) const { return number % stride_ == 0; }
  // Adds the fields of document `number`, which ascends from call to call, if it is wanted.
  void add(std::uint64_t number, ByteView fields);
  // All that were taken, one after the other, and the size of each.
  ByteView bytes() const { return bytes_; }
  const std::vector<std::size_t>& sizes() const { return sizes_; }
  std::uint64_t stride() const { return stride_; }  // n, of every n-th document
  // About the bytes of all documents' fields.
  std::uint64_t estimated_bytes() const { return stride_ * bytes_.size(); }
  // The sample with fewer documents, so that it has at most so many bytes.
  FieldSample thinned(std::size_t max_bytes) const;
  // The sample that has these three. kCorrupt: none has.
  static Result<FieldSample> of(std::uint64_t stride, ByteBuffer bytes, std::vector<std::size_t> sizes);

 private:
  void thin_out();
  std::uint64_t stride_ = 1;
  ByteBuffer bytes_;
  std::vector<std::size_t> sizes_;  // of the documents 0, stride_, 2 * stride_ ...
};

}  // namespace frond::indexer::pipeline
