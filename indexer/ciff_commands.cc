#include <iostream>
#include <nlohmann/json.hpp>

#include "common/base/line_writer.h"
#include "common/config/command_line.h"
#include "common/config/options.h"
#include "indexer/build.h"
#include "indexer/build_report.h"
#include "indexer/ciff/ciff_export.h"
#include "indexer/ciff/ciff_import.h"
#include "indexer/commands.h"

namespace frond::indexer {
namespace {

// Says what went wrong, and gives the exit code.
int failed(const StopOnSignal& signals, const Error& error, const std::string& nothing_happened) {
  if (signals.signal() != 0) {
    write_stderr("frond-indexer: stopped by signal " + std::to_string(signals.signal()) + "; " + nothing_happened +
                 "\n");
    return 128 + signals.signal();
  }
  write_stderr("frond-indexer: " + error.message() + "\n");
  return 1;
}

std::string shown(const ingest::Tally& terms) {
  if (terms.count == 0) return {};
  std::string text = std::to_string(terms.count) +
                     " terms that no query can have are left out (empty, longer than 1,024 bytes, or with a NUL)";
  for (std::size_t i = 0; i < terms.examples.size(); ++i) text += (i == 0 ? ": " : ", ") + terms.examples[i];
  return text + "\n";
}

}  // namespace

ImportCiffCommand::ImportCiffCommand(config::CommandLine& app)
    : command_(app.add_command("import-ciff",
                               "Publishes an index in the Common Index File Format as a new generation, which replaces "
                               "the current one. Documents have ids, but no text")),
      codec_(codec::kDefaultCodec),
      order_(name_of(order::DocumentOrder::kInput)),
      k1_(kNewCollectionBm25.k1),
      b_(kNewCollectionBm25.b) {
  add_place_flags(command_, place_);
  command_.add_option("--input", input_, "The file; gzip, zstd, bzip2 and xz are told by content")
      .required()
      .type_name("FILE");
  command_
      .add_option("--lengths", lengths_,
                  "Lengths of documents: records, as the file says, which must be the sums of their frequencies; "
                  "postings, these sums")
      .check(config::one_of({"records", "postings"}))
      .show_default()
      .group("Documents");
  command_.add_option("--partitions", partitions_, "Partitions that documents are dealt to")
      .check(config::range(1, 256))
      .show_default()
      .group("Resources");
  analyzer_.add(command_, "How the terms of the file were made from text, and those of queries will be");
  command_
      .add_option("--memory-limit", memory_limit_,
                  "Resident memory, at least 128MiB, of which documents take 4 bytes each, and 20 to 25 for ids")
      .transform(config::byte_size())
      .show_default("1GiB")
      .group("Resources");
  add_disk_reserve_flag(command_, disk_reserve_);
  command_.add_option("--codec", codec_, "Codec of posting lists, as of build").show_default();
  command_.add_option("--order", order_, "Order of the documents, as of build: " + std::string(order::kOrderNames))
      .show_default();
  command_.add_option("--k1", k1_, "BM25's k1").check(config::range(0.0, double{scoring::kMaxK1})).show_default();
  command_.add_option("--b", b_, "BM25's b").check(config::range(0.0, 1.0)).show_default();
  command_.add_flag("--json", json_, "Print the summary as one JSON object").group("Output");
}

int ImportCiffCommand::run(Logger& logger) {
  if (const auto well = settle_place(place_); !well) return command_.refuse(well.error().message());
  const auto refuse = [this](const std::string& why) { return command_.refuse(why); };
  const auto analyzer = analyzer_.made();
  if (!analyzer) return refuse(analyzer.error().message());
  const auto order = order::order_named(order_);
  if (!order) return refuse("--order: '" + order_ + "' is none of " + std::string(order::kOrderNames));
  if (*order == order::DocumentOrder::kUrl) return refuse("--order url: documents of CIFF have no URLs");
  const auto codecs = codec::codec_choice_named(codec_);
  if (!codecs) return refuse("--codec: " + codecs.error().message());
  if (memory_limit_ < pipeline::kMinMemoryLimit) return refuse("--memory-limit: at least 128MiB");
  if (!repository::is_safe_name(place_.collection))
    return refuse("--collection: '" + place_.collection + "' is no name: use [A-Za-z0-9._-]");
  std::error_code unknown;
  if (!std::filesystem::exists(input_, unknown)) return refuse("--input: " + input_.string() + " is not there");

  BuildOptions options;
  options.repository = place_.repository;
  options.collection = place_.collection;
  options.objects = place_.objects;
  options.invert.inputs = {input_};
  options.invert.analyzer = *analyzer;
  options.invert.partitions = partitions_;
  options.invert.memory = pipeline::plan_memory(memory_limit_, 1, 1, partitions_);
  options.codecs = *codecs;
  options.disk_reserve = disk_reserve_;
  options.order = *order;
  options.bm25 = {k1_, b_};
  options.threads = hardware_threads();

  const StopOnSignal signals;
  BuildProgress progress;
  ciff::Imported imported;
  const auto built = build_from(
      [&](const std::filesystem::path& folder, std::uint32_t partitions) -> Result<pipeline::InvertedDocuments> {
        const ciff::ImportOptions how{
            .input = input_,
            .partitions = partitions,
            .lengths = lengths_ == "postings" ? ciff::Lengths::kPostings : ciff::Lengths::kRecords,
            .memory = options.invert.memory};
        imported = FROND_TRY(ciff::import_ciff(how, folder, progress.invert, signals.token()));
        return std::move(imported.inverted);
      },
      options, progress, logger, signals.token());
  if (!built) return failed(signals, built.error(), "nothing is published");
  if (imported.terms_left_out.count > 0) logger.warn(shown(imported.terms_left_out));
  if (json_)
    std::cout << summary_json(*built) << std::endl;
  else
    std::cout << "the file says: " << (imported.description.empty() ? "nothing" : imported.description) << "\n"
              << shown(imported.terms_left_out) << summary_text(*built) << std::endl;
  return 0;
}

ExportCiffCommand::ExportCiffCommand(config::CommandLine& app)
    : command_(app.add_command("export-ciff",
                               "Writes a generation, all partitions merged, in the Common Index File Format: terms, "
                               "postings, and documents' ids and lengths; no text")) {
  add_place_flags(command_, place_);
  command_.add_option("--generation", generation_, "Which generation; 0: the current one")
      .show_default()
      .group("Generation");
  command_.add_option("--output", output_, "The file, which is replaced when the new one is whole")
      .required()
      .type_name("FILE");
  command_.add_flag("--json", json_, "Print the summary as one JSON object").group("Output");
}

int ExportCiffCommand::run(Logger&) {
  if (const auto well = settle_place(place_); !well) return command_.refuse(well.error().message());
  if (const auto there = expect_collection(place_); !there) return command_.refuse(there.error().message());
  const StopOnSignal signals;
  const auto made =
      ciff::export_ciff(place_.repository, place_.collection, generation_, output_, signals.token(), place_.objects);
  if (!made) return failed(signals, made.error(), "no file is written");
  const ciff::CiffHeader& header = made->header;
  if (json_) {
    const nlohmann::ordered_json json = {{"generation", made->generation},
                                         {"collection", place_.collection},
                                         {"terms", header.lists},
                                         {"postings", made->postings},
                                         {"documents", header.documents},
                                         {"tokens", header.tokens},
                                         {"bytes", made->bytes}};
    std::cout << json.dump() << std::endl;
  } else {
    std::cout << "generation " << made->generation << " of " << place_.collection << ": " << header.lists << " terms, "
              << made->postings << " postings, " << header.documents << " documents, " << made->bytes << " bytes in "
              << output_.string() << std::endl;
  }
  return 0;
}

}  // namespace frond::indexer
