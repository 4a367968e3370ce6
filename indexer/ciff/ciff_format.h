#pragma once
// The Common Index File Format (Lin et al., "Supporting Interoperability Between Open-Source Search Engines with the
// Common Index File Format", SIGIR 2020): a header, postings lists in the order of their terms, and documents. Each is
// a protocol buffer behind its length, a varint. Field numbers:
//
//   Header        1 version, 2 num_postings_lists, 3 num_docs, 4 total_postings_lists, 5 total_docs,
//                 6 total_terms_in_collection, 7 average_doclength (double), 8 description
//   PostingsList  1 term, 2 df, 3 cf, 4 postings, repeated
//   Posting       1 docid, as its distance from the one before (of the first, from 0), 2 tf
//   DocRecord     1 docid, 2 collection_docid, 3 doclength
#include <cstdint>
#include <string>

namespace frond::indexer::ciff {

inline constexpr std::int32_t kCiffVersion = 1;
// A protocol buffer and a docID are below this.
inline constexpr std::uint64_t kMaxCiffNumber = 0x7fffffff;

struct CiffHeader {
  std::uint64_t lists = 0, documents = 0;              // in the file
  std::uint64_t total_lists = 0, total_documents = 0;  // of the collection
  std::uint64_t tokens = 0;
  double average_length = 0;
  std::string description;
};

}  // namespace frond::indexer::ciff
