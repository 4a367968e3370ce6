#pragma once
// Gives each document's length once, though a document may come in parts, and again from the CPU after the device has
// failed.
#include <cstdint>
#include <utility>

#include "common/base/result.h"
#include "indexer/invert/inverter.h"

namespace frond::indexer::invert::gpu {

// One thread. Errors: those of `take`.
class GivenLengths {
 public:
  explicit GivenLengths(TakeLength take) : take_(std::move(take)) {}  // null: nobody wants them

  // So many more terms of a document. Numbers do not descend.
  Result<void> add(DocumentNumber number, std::uint32_t terms);
  // The last document is whole.
  Result<void> end();
  // All so far is in runs.
  void note_written() { written_ = open_; }
  // The CPU goes on from what is in runs: with a new document (is_new), or within the last one.
  Result<void> go_on(bool is_new);
  // The length of what the CPU has of a document.
  Result<void> take_from_cpu(DocumentNumber number, std::uint32_t terms);

 private:
  struct Length {
    DocumentNumber number = kDropped;
    std::uint32_t terms = 0;
  };
  TakeLength take_;
  Length open_, written_;    // of the last document, so far; in runs
  DocumentNumber next_ = 0;  // lengths of documents before it were given
};

}  // namespace frond::indexer::invert::gpu
