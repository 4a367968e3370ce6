#pragma once
// Posting lists that are made on the device (docs/adr/0045-lists-are-coded-on-the-device.md): the postings of some
// terms of all partitions are assigned to these, cut into lists, and encoded as blobs. Plain structs, passed to kernels
// by value. All pointers are to device memory.
//
//   window   whole terms that follow each other in byte order, with all their postings
//   list     a term's postings in a partition
//   piece    a segment of a list, or all of it: one blob. Pieces are in the order of partitions, then terms, then
//   docIDs
#include <cstdint>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "indexer/invert/gpu/text/device/kernels.h"
#include "indexer/runs/encoded_piece.h"

namespace frond::indexer::invert::gpu {

// What postings are split and encoded with.
struct ListRules {
  std::uint64_t first_document = 0;  // numbers of documents in a run begin there
  std::uint32_t partitions = 1;
  double b = 0, usable_length = 1;         // of deficits (scoring::deficit_bits())
  const std::uint32_t* lengths = nullptr;  // of documents, by number in the run
  unsigned long long* digests = nullptr;   // the same; partition/terms/term_digests.h
};

using ListPiece = runs::EncodedPiece;

struct ListCounts {
  std::uint32_t postings = 0, lists = 0, pieces = 0, bytes = 0;
  std::uint32_t long_pieces = 0;
};

// A window, with the memory that its steps use. Arrays have an item for each of its postings and one more.
struct ListWindow {
  std::uint32_t postings = 0, terms = 0;
  // In the order of terms, then numbers; equal ones are parts of one document.
  const std::uint32_t *numbers = nullptr, *frequencies = nullptr;
  const std::uint32_t* starts = nullptr;       // of each term's postings, in the run; and the end
  std::uint32_t first = 0;                     // of its postings, in the run: starts[0]
  const unsigned long long* hashes = nullptr;  // of each term; partition::hash_of_term()

  std::uint32_t* ranks = nullptr;  // of each posting: its term
  // Postings by partition.
  std::uint32_t *keys = nullptr, *values = nullptr, *other_keys = nullptr, *other_values = nullptr;
  std::uint64_t* marks = nullptr;
  // Postings whose parts are added up, partition after partition.
  DocId* docids = nullptr;
  Frequency* sums = nullptr;
  std::uint32_t* deficits = nullptr;
  // Lists.
  std::uint32_t *list_begins = nullptr, *list_terms = nullptr, *list_partitions = nullptr, *list_pieces = nullptr;
  ListPiece* pieces = nullptr;
  std::uint32_t* long_pieces = nullptr;  // places of those of 128 postings and more, in no order
  std::uint32_t* offsets = nullptr;      // of each piece's blob
  std::uint8_t* blobs = nullptr;         // kMaxPostingBlobBytes of each posting
  ListCounts* counts = nullptr;
};

// The codec that they are packed with: simd-bp128.
inline constexpr std::uint8_t kListCodec = 1;

// A blob takes no more for each posting: of a short one 33 bits for the docID, 33 for the frequency and 4 bytes of the
// header; of one posting 12 bytes. Rounded up to 4.
inline constexpr std::uint32_t kMaxPostingBlobBytes = 16;

// The kernels of lists, in order. Asynchronous. Errors: kDevice.

// Deals the window's postings to partitions, adds up parts of documents, cuts lists and pieces: docids, sums, deficits,
// pieces without bytes, counts->postings, lists, pieces. Adds the postings to the digests.
Result<void> split_lists(const ListWindow& window, const ListRules& rules, const KernelPlace& place);
// Codes the pieces: blobs, in simd-bp128; the pieces' bytes and where they begin; counts->bytes.
Result<void> code_lists(const ListWindow& window, const KernelPlace& place);
// Parts of it, for pieces of fewer than 128 postings: bytes, and offsets of all; then blobs, and counts->bytes.
Result<void> measure_short_pieces(const ListWindow& window, const KernelPlace& place);
Result<void> write_short_pieces(const ListWindow& window, const KernelPlace& place);

}  // namespace frond::indexer::invert::gpu
