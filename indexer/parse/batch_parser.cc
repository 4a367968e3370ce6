#include "indexer/parse/batch_parser.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/base/check.h"

namespace frond::indexer {

IdHash hash_id(std::string_view id) {
  const XXH128_hash_t hash = XXH3_128bits(id.data(), id.size());
  return {hash.low64, hash.high64};
}

BatchParser::BatchParser(const text::AnalyzerConfig& analyzer, std::uint32_t partitions, ParseOptions options)
    : options_(options), analyzer_(analyzer), frames_(partitions) {}

void BatchParser::parse(std::span<const RawRecord> records, ParsedBatch& out) {
  FROND_CHECK(records.size() <= kMaxBatchDocuments);
  out.documents.clear();
  out.shortened.clear();
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    const Result<Document> document = parse_record(records[i], options_);
    if (!document) {
      out.bad.push_back(bad_record(records[i], document.error()));
      continue;
    }
    if (document->title_cut || document->url_dropped)
      out.shortened.push_back({i, document->title_cut, document->url_dropped});
    grouper_.begin_document(static_cast<std::uint32_t>(out.documents.size()));
    const std::uint32_t length = analyze(*document);
    frames_[out.documents.size() % frames_.size()].add({document->id, document->url, document->title, document->body},
                                                       length);
    out.documents.push_back({hash_id(document->id), length, i});
  }
  grouper_.finish(out.tokens);
  out.frames.clear();
  for (DocumentFrameWriter& frame : frames_) out.frames.push_back(frame.finish(compressor_));
}

std::uint32_t BatchParser::analyze(const Document& document) {
  // No word crosses from the title to the body, so they need not be joined.
  std::uint32_t length = 0;
  for (const std::string* text : {&document.title, &document.body})
    analyzer_.analyze(*text, [&](std::string_view term, text::TokenSpan) {
      grouper_.add(term);
      ++length;
    });
  return length;
}

}  // namespace frond::indexer
