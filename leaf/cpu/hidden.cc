#include "leaf/cpu/hidden.h"

namespace frond::leaf::cpu {

std::size_t drop_hidden(const partition::HiddenDocuments& hidden, Selection documents, std::size_t count) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    documents.docids[kept] = documents.docids[i];
    documents.scores[kept] = documents.scores[i];
    kept += hidden.contains(documents.docids[i]) ? 0 : 1;
  }
  return kept;
}

std::uint64_t hidden_postings(TermReader& term, const partition::HiddenDocuments& hidden) {
  std::uint64_t count = 0;
  std::uint32_t block = 0;
  for (DocId docid = hidden.next(0); docid != kNoDoc;) {
    block = term.list().find_block(docid, block);
    if (block == term.blocks()) break;
    term.enter(block);
    if (term.corrupt()) break;
    for (; docid <= term.last() && docid != kNoDoc; docid = hidden.next(docid + 1))
      count += term.docids()[term.position_of(docid)] == docid;  // a list's end is followed by kNoDoc
  }
  return count;
}

}  // namespace frond::leaf::cpu
