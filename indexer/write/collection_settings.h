#pragma once
// What a collection is made with, as clients of the indexer service say it.
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/codec/codec_choice.h"
#include "common/partition/partition_writer.h"
#include "common/scoring/bm25.h"
#include "common/text/analyzer_config.h"

namespace frond::indexer::write {

struct CollectionSettings {
  text::AnalyzerConfig analyzer;
  scoring::Bm25Parameters bm25;
  codec::CodecChoice codecs;
  partition::StoredCompression stored = partition::StoredCompression::kSmall;
};

// Any of "analyzer", "stemmer", "stop_words" (auto, on, off, or a language), "fold_accents", "split_case", "k1", "b",
// "codec" and "stored_compression"; the rest as `frond-indexer build` has it. Empty: all as there. kInvalid: no JSON
// object, or the member that is wrong or unknown, by name.
Result<CollectionSettings> settings_from_json(std::string_view json);

}  // namespace frond::indexer::write
