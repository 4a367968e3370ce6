#pragma once
// Consecutive records, parsed: what a parser gives to the sequencer and the inverters.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/scoring/prior.h"
#include "common/text/cut_form.h"
#include "indexer/ingest/records/raw_record.h"
#include "indexer/parse/large_pages.h"
#include "indexer/parse/token_groups.h"

namespace frond::indexer::parse {

// The texts of consecutive documents, one after the other, for those that analyze them later.
// Document i is bytes [ends[i - 1], ends[i]): title, a line feed, body, a line feed. A line feed ends every word, so
// title and body need not be kept apart.
struct DocumentTexts {
  std::basic_string<char, std::char_traits<char>, LargePageAllocator<char>> bytes;
  std::vector<std::uint64_t> ends;
  std::string_view of(std::size_t document) const {
    const std::uint64_t begin = document == 0 ? 0 : ends[document - 1];
    return std::string_view(bytes).substr(begin, ends[document] - begin);
  }
  // form: of standard3, whose texts are kept in it.
  void add(std::string_view title, std::string_view body, text::CutForm* form = nullptr) {
    for (const std::string_view text : {title, body}) {
      if (form != nullptr)
        form->in_pieces(text, [&](std::string_view piece, std::size_t from) { bytes.append(piece.substr(from)); });
      else
        bytes.append(text);
      bytes.push_back('\n');
    }
    ends.push_back(bytes.size());
  }
  void clear() {
    bytes.clear();
    ends.clear();
  }
  std::uint64_t memory_bytes() const { return in_large_pages(bytes.capacity() + 1) + ends.capacity() * sizeof ends[0]; }
};

// XXH3-128 of an external id, which stands for the id when duplicates are searched. Among 10^12 ids, two with equal
// hashes have a probability of 10^-14.
struct IdHash {
  std::uint64_t low = 0, high = 0;
  friend bool operator==(const IdHash&, const IdHash&) = default;
};
IdHash hash_id(std::string_view id);

struct ParsedDocument {
  IdHash id;
  std::uint32_t length = 0;       // terms
  std::uint32_t record = 0;       // which of the batch's records
  ingest::LinePlace line;         // in that record
  std::uint32_t field_bytes = 0;  // of its stored fields in its frame
  scoring::Prior prior = 0;
};

// A document that is not as it was given.
struct AlteredDocument {
  std::uint32_t record = 0;                                       // which of the batch's records
  ingest::LinePlace line;                                         // in that record
  bool title_cut = false, url_dropped = false, not_utf8 = false;  // as ingest::Document's
  bool values_left_out = false;                                   // DocumentFields::left_out
  bool impacts_cut = false;                                       // as DocumentFields'
};

struct ParsedBatch {
  std::vector<ParsedDocument> documents;  // at most kMaxBatchDocuments, in input order
  TokenGroups tokens;                     // of them, by their place in `documents`
  DocumentTexts texts;                    // of them, in place of tokens and lengths, if the parser only copies texts
  // frames[j] has the documents whose place is j modulo the number of partitions (DocumentFrameWriter). Only correct if
  // no document of the batch is a duplicate; otherwise they are made anew when they are written to spools.
  std::vector<ByteBuffer> frames;
  std::vector<ingest::BadRecord> bad;  // in input order
  std::vector<AlteredDocument> altered;
};

}  // namespace frond::indexer::parse
