#pragma once
// What a collection is made with, as flags and clients of the service say it, and as builds take it. Where nothing else
// is said, it is what stands here: the parameters' own default values belong to what reads manifests and must not
// change; these may, and do not touch collections that exist (ADR 22).
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/codec/codec_choice.h"
#include "common/partition/partition_writer.h"
#include "common/schema/schema.h"
#include "common/scoring/bm25.h"
#include "common/text/analyzer_config.h"
#include "indexer/ingest/records/document.h"

namespace frond::indexer {

// The best of the usual values on four sets with judgments: docs/measurements/analyzer-and-quality.md.
inline constexpr scoring::Bm25Parameters kNewCollectionBm25 = {.k1 = 1.5, .b = 0.75};

// More of what people look for is found by it: docs/measurements/analyzer-and-quality.md. A file in the Common Index
// File Format has terms that others made, most often by rules that are nearer to the older analyzer.
inline constexpr text::AnalyzerKind kNewCollectionAnalyzer = text::AnalyzerKind::kStandard3;
inline constexpr text::AnalyzerKind kImportedAnalyzer = text::AnalyzerKind::kStandard;

struct CollectionKind {
  text::AnalyzerConfig analyzer;
  scoring::Bm25Parameters bm25;
  codec::CodecChoice codecs = *codec::codec_named(codec::kDefaultCodec);
  partition::StoredCompression stored = partition::StoredCompression::kSmall;
  std::shared_ptr<const schema::Schema> schema = nullptr;  // null: none
};

// By name: --stemmer of a build is the member "stemmer" of a collection's settings.
struct CollectionNames {
  std::string analyzer{name_of(kNewCollectionAnalyzer)}, stemmer = "porter";
  std::string stop_words = "auto";  // or on, off, a language; as a flag also a file
  bool fold_accents = false, split_case = false;
  std::string codec{codec::kDefaultCodec};
  std::string stored_compression{name_of(partition::StoredCompression::kSmall)};
  std::optional<double> k1, b;  // empty: kNewCollectionBm25's
};

// kInvalid: a name stands for nothing, they do not go together, or the file of stop words can't be used. Errors name
// the flag, or without `flags` the member.
Result<CollectionKind> kind_of(const CollectionNames& names, bool flags);
// kInvalid: k1 or b is said, and the schema's scorer is impact, which has neither. Errors name it as those of
// kind_of().
Result<void> expect_parameters_of(const schema::Schema& schema, const CollectionNames& names, bool flags);
// A schema as users write it. kInvalid: as schema::parse_schema(), and what is not built: texts that are not stored,
// and texts beside weights that could be searched.
Result<std::shared_ptr<const schema::Schema>> schema_from_text(std::string_view text);
// kInvalid: a field of text but title and body has a name by which records have their title or body, so that its text
// would count twice. (Columns of CSV have these names in any case: its rows are told then.)
Result<void> expect_own_texts(const schema::Schema& schema, const ingest::FieldNames& names);
// The member "schema" of a JSON object; null: it has none. kInvalid also: it is no object, or as expect_own_texts().
Result<std::shared_ptr<const schema::Schema>> schema_in_json(std::string_view object);
// Any of the members, and "schema". Empty: all as usual. kInvalid also: no JSON object, a member that is wrong or
// unknown, or as expect_parameters_of().
Result<CollectionKind> kind_from_json(std::string_view json);

// "danish|dutch|…": those that analyzer standard does not have, and those with stop words.
std::string more_stemmers();
std::string languages_with_stop_words();

}  // namespace frond::indexer
