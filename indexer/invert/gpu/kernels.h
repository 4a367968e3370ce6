#pragma once
// What an inverter keeps on the device: the B-trees of its collections (dictionary/btree_node.h), and the token groups
// of the run at hand with a record of each term in them. Plain structs, passed to kernels by value. All pointers are to
// device memory.
#include <cstddef>
#include <cstdint>

#include "common/base/result.h"
#include "common/device/runtime.h"
#include "indexer/dictionary/btree_node.h"

namespace frond::indexer::invert::gpu {

inline constexpr std::uint32_t kNoString = 0xffffffff;

// Used parts of the arrays below. Kernels take from them by atomic additions.
struct Used {
  std::uint32_t nodes = 0, strings = 0, terms = 0, records = 0;
  std::uint32_t next_group = 0;  // of the launch; set to 0 before it
};

struct TreesOnDevice {
  dictionary::NodeRef* roots = nullptr;  // by collection; kNoNode: no terms
  // Node::values are numbers of terms, from 0 in the order of their insertion; Node::strings are places in `strings`.
  dictionary::BTreeNode* nodes = nullptr;
  std::uint32_t* strings = nullptr;   // of each string a u16 of its bytes, then these, padded to 4
  std::uint32_t* postings = nullptr;  // by term: so many in the records so far
  Used* used = nullptr;
};

// A part of a token group (parse/token_groups.h): terms of one collection with their postings.
struct GroupOnDevice {
  std::uint32_t collection = 0;
  std::uint32_t begin = 0, end = 0;  // bytes from the slice's begin
};

// Groups that come to the device in one copy. No two are of one collection.
struct SliceOnDevice {
  const std::uint32_t* numbers = nullptr;  // of the documents of the batch, from the run's first; kDroppedNumber
  const GroupOnDevice* groups = nullptr;
  const std::byte* bytes = nullptr;
  std::uint32_t group_count = 0;
  std::uint64_t numbers_at = 0, bytes_at = 0;  // where both are in the store, from its begin
};
inline constexpr std::uint32_t kDroppedNumber = 0xffffffff;

// A term of a group that has postings of documents that were not dropped.
struct TermRecord {
  std::uint64_t postings_at = 0, numbers_at = 0;  // in the store, from its begin; numbers_at is on 4 bytes
  std::uint32_t postings = 0;                     // those of dropped documents too
  std::uint32_t term = 0;
  std::uint32_t first = 0;  // the place of its first posting among the term's
  std::uint32_t padding = 0;
};

// Postings of all terms, those of term t from offsets[t] on.
struct ScatteredPostings {
  const std::uint32_t* offsets = nullptr;  // by term
  std::uint32_t* numbers = nullptr;        // of documents
  std::uint32_t* frequencies = nullptr;
};

// The kernels of an inverter on the GPU. Asynchronous. The caller makes sure that all arrays are large enough. kDevice.

// Looks the terms of a slice up in the B-trees of their collections, inserts those that are not there, and appends a
// record of each to `records`. Slices in the order of their documents. One warp a group, and as many groups at a time
// as the device has room for warps.
Result<void> insert_terms(const TreesOnDevice& trees, const SliceOnDevice& slice, TermRecord* records,
                          std::uint32_t processors, device::StreamHandle stream);

// Copies the postings of all records to their terms' places, in the order of the slices. `store`: where the records'
// offsets begin.
Result<void> scatter_postings(const TermRecord* records, std::uint32_t count, const std::byte* store,
                              const ScatteredPostings& to, std::uint32_t processors, device::StreamHandle stream);

}  // namespace frond::indexer::invert::gpu
