#include <nlohmann/json.hpp>

#include "indexer/build/build.h"
#include "indexer/ciff/ciff.h"
#include "indexer/commands/build_report.h"
#include "indexer/commands/command.h"

namespace frond::indexer {
namespace {

std::string shown(const ingest::Tally& terms) {
  if (terms.count == 0) return {};
  std::string text = std::to_string(terms.count) +
                     " terms that no query can have are left out (empty, longer than 1,024 bytes, or with a NUL)";
  for (std::size_t i = 0; i < terms.examples.size(); ++i) text += (i == 0 ? ": " : ", ") + terms.examples[i];
  return text + "\n";
}

class ImportCiffCommand final : public Command {
 public:
  explicit ImportCiffCommand(config::CommandLine& app)
      : Command(app, "import-ciff",
                "Publishes an index in the Common Index File Format as a new generation, which replaces the current "
                "one. Documents have ids, but no text") {
    add_place_flags();
    line_.add_option("--input", how_.input, "The file; gzip, zstd, bzip2 and xz are told by content")
        .required()
        .type_name("FILE");
    add_choice(
        line_, "--lengths", lengths_, {"records", "postings"},
        "Lengths of documents: records, as the file says, which must be the sums of their frequencies; postings, "
        "these sums")
        .group("Documents");
    add_number(line_, "--partitions", options_.invert.partitions, 1, 256, "Partitions that documents are assigned to")
        .group("Resources");
    add_analyzer_flags(line_, names_, "How the terms of the file were made from text, and those of queries will be");
    add_memory_limit("Resident memory, at least 128MiB, of which documents take 4 bytes each, and 20 to 25 for ids");
    add_publishing_flags(target_.disk_reserve);
    line_.add_option("--codec", names_.codec, "Codec of posting lists, as of build").show_default();
    line_.add_option("--order", order_, "Order of the documents, as of build: " + std::string(order::kOrderNames))
        .show_default();
    add_choice(
        line_, "--scorer", scorer_, {"bm25", "impact"},
        "impact: frequencies are impacts, 1 to 255, of learned sparse vectors; a larger one counts as 255, and the "
        "summary tells how many do. Queries name them as the field `vector`");
    add_bm25_flags(line_, names_);
    add_json_flag();
  }

 private:
  Result<void> check() override;
  Result<std::string> work(Logger& logger) override;

  BuildOptions options_;
  ciff::ImportOptions how_;
  std::string lengths_ = "records", scorer_ = "bm25", order_{name_of(order::DocumentOrder::kInput)};
  CollectionNames names_{.analyzer = std::string(name_of(kImportedAnalyzer))};
};

Result<void> ImportCiffCommand::check() {
  const auto refuse = [](const std::string& why) { return Error(Code::kInvalid, why); };
  FROND_TRY(settle_place());
  FROND_TRY(take_kind_and_order(names_, order_, options_));
  if (scorer_ == "impact") {
    how_.max_frequency = scoring::kMaxImpact;
    options_.take_schema(
        FROND_TRY(schema_from_text(R"({"fields":{"vector":{"type":"weights"}},"source":"none","scorer":"impact"})")));
    FROND_TRY(expect_parameters_of(*options_.schema, names_, /*flags=*/true));
  }
  if (options_.order == order::DocumentOrder::kUrl) return refuse("--order url: documents of CIFF have no URLs");
  FROND_TRY(settle_memory_limit());
  FROND_TRY(expect_collection_name());
  std::error_code unknown;
  if (!std::filesystem::exists(how_.input, unknown)) return refuse("--input: " + how_.input.string() + " is not there");
  return {};
}

Result<std::string> ImportCiffCommand::work(Logger& logger) {
  static_cast<change::ChangeOptions&>(options_) = target_;
  options_.invert.inputs = {how_.input};
  options_.invert.memory = how_.memory = pipeline::plan_memory(memory_limit_, 1, 1, options_.invert.partitions);
  options_.threads = hardware_threads();
  how_.lengths = lengths_ == "postings" ? ciff::Lengths::kPostings : ciff::Lengths::kRecords;
  const auto stop = stop_on_signal();
  BuildProgress progress;
  ciff::Imported imported;
  const auto first_half = [&](const std::filesystem::path& folder,
                              std::uint32_t partitions) -> Result<pipeline::InvertedDocuments> {
    how_.partitions = partitions;
    imported = FROND_TRY(ciff::import_ciff(how_, folder, progress.invert, stop));
    return std::move(imported.inverted);
  };
  const auto built = FROND_TRY(build_from(first_half, options_, progress, logger, stop));
  const std::string left_out = shown(imported.terms_left_out);
  if (!left_out.empty()) logger.warn(left_out);
  if (json_) return summary_json(built);
  return "the file says: " + (imported.description.empty() ? "nothing" : imported.description) + "\n" + left_out +
         summary_text(built);
}

class ExportCiffCommand final : public Command {
 public:
  explicit ExportCiffCommand(config::CommandLine& app)
      : Command(app, "export-ciff",
                "Writes a generation, all partitions merged, in the Common Index File Format: terms, postings, and "
                "documents' ids and lengths; no text") {
    add_place_flags();
    line_.add_option("--generation", generation_, "Which generation; 0: the current one")
        .show_default()
        .group("Generation");
    line_.add_option("--output", output_, "The file, which is replaced when the new one is whole")
        .required()
        .type_name("FILE");
    add_json_flag();
    after_signal_ = "no file is written";
  }

 private:
  Result<std::string> work(Logger&) override {
    const auto made = FROND_TRY(ciff::export_ciff(target_.repository, target_.collection, generation_, output_,
                                                  stop_on_signal(), target_.objects));
    const ciff::CiffHeader& header = made.header;
    if (json_)
      return nlohmann::ordered_json({{"generation", made.generation},
                                     {"collection", target_.collection},
                                     {"terms", header.lists},
                                     {"postings", made.postings},
                                     {"documents", header.documents},
                                     {"tokens", header.tokens},
                                     {"bytes", made.bytes}})
          .dump();
    return "generation " + std::to_string(made.generation) + " of " + target_.collection + ": " +
           std::to_string(header.lists) + " terms, " + std::to_string(made.postings) + " postings, " +
           std::to_string(header.documents) + " documents, " + std::to_string(made.bytes) + " bytes in " +
           output_.string();
  }
  std::filesystem::path output_;
  Generation generation_ = 0;
};

}  // namespace

void add_ciff_commands(config::CommandLine& app, Commands& all) {
  all.push_back(std::make_unique<ImportCiffCommand>(app));
  all.push_back(std::make_unique<ExportCiffCommand>(app));
}

}  // namespace frond::indexer
