#pragma once
// Sorts external ids in bounded memory: sorted runs go to one scratch file, then one merge reads them.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/files/descriptor.h"

namespace frond::partition {

// One thread. Uses at most `memory_bytes`, and half as much again while merging.
class IdSorter {
 public:
  // `scratch` is created when the first run is spilled, and unlinked at once, so that a crash leaves no file.
  IdSorter(std::filesystem::path scratch, std::size_t memory_bytes);
  ~IdSorter();
  IdSorter(const IdSorter&) = delete;
  IdSorter& operator=(const IdSorter&) = delete;

  // Errors: kUnavailable if the scratch file cannot be written.
  Result<void> add(std::string_view id, DocId docid);
  // Visits every id in byte order. Called once, last. Errors: kInvalid, naming an id that was added twice; kUnavailable
  // if the scratch file cannot be written or read.
  Result<void> finish(const std::function<Result<void>(std::string_view id, DocId docid)>& visit);
  std::size_t runs() const { return runs_.size(); }  // spilled so far

 private:
  struct Entry {
    std::uint64_t head;    // while they are sorted: the first bytes behind what all ids begin with, in their order
    std::uint64_t offset;  // in text_
    std::uint32_t length;
    DocId docid;
  };
  struct Run {
    std::uint64_t begin, end;  // in the scratch file
  };
  class RunReader;

  std::string_view id_of(const Entry& entry) const { return {text_.data() + entry.offset, entry.length}; }
  std::size_t common_bytes() const;
  void sort();
  Result<void> spill();
  Result<void> write_out(ByteView bytes);
  Result<void> merge(const std::function<Result<void>(std::string_view, DocId)>& visit);

  std::filesystem::path scratch_;
  std::size_t memory_bytes_;
  std::string text_;
  std::vector<Entry> entries_;
  files::Descriptor file_;
  std::uint64_t file_bytes_ = 0;
  std::vector<Run> runs_;
};

}  // namespace frond::partition
