#include "tools/synth/synth_command.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <thread>

#include "common/codec/codec_choice.h"
#include "common/config/command_line.h"
#include "tools/commands/commands.h"
#include "tools/synth/collection/collection.h"
#include "tools/synth/text/text_command.h"

namespace frond::tools::synth {
namespace {

struct SynthFlags {
  bool text = false;
  TextFlags of_text;
  std::string profile, order = "input", codec{codec::kDefaultCodec}, queries;
  std::filesystem::path repository;
  std::string collection;
  std::uint32_t partitions = 1, documents = 0;
  std::uint64_t seed = 1;
  std::size_t query_count = 1000;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  bool json = false;
};

Result<void> write_queries(const std::string& file, const QuerySet& queries) {
  std::ofstream out(file, std::ios::trunc);
  out << query_lines(queries);
  if (!out.flush()) return Error(Code::kInvalid, file + ": can't be written");
  return {};
}

void report(const SynthFlags& flags, const Profile& profile, const SynthSummary& summary) {
  const auto& manifest = summary.manifest;
  std::uint64_t docid_bytes = 0, frequency_bytes = 0, file_bytes = 0;
  for (const auto& entry : manifest.partitions) {
    docid_bytes += entry.summary.docid_bytes;
    frequency_bytes += entry.summary.frequency_bytes;
    for (const auto& file : entry.summary.files) file_bytes += file.bytes;
  }
  const double postings = static_cast<double>(manifest.postings);
  const double docid_bits = 8.0 * static_cast<double>(docid_bytes) / postings,
               frequency_bits = 8.0 * static_cast<double>(frequency_bytes) / postings;
  if (flags.json) {
    const nlohmann::ordered_json out{{"profile", profile.name},
                                     {"source", profile.source},
                                     {"order", flags.order},
                                     {"seed", flags.seed},
                                     {"collection", manifest.collection},
                                     {"generation", manifest.generation},
                                     {"codec", manifest.codec},
                                     {"partitions", manifest.partitions.size()},
                                     {"documents", manifest.statistics.documents},
                                     {"tokens", manifest.statistics.tokens},
                                     {"terms", manifest.terms},
                                     {"postings", manifest.postings},
                                     {"docid_bits", docid_bits},
                                     {"frequency_bits", frequency_bits},
                                     {"bytes", file_bytes},
                                     {"queries", summary.queries.queries.size()},
                                     {"postings_a_query", summary.queries.postings_a_query()},
                                     {"seconds", summary.seconds}};
    fmt::print("{}\n", out.dump());
    return;
  }
  fmt::print("{} after {} ({} order, seed {}), generation {}\n", manifest.collection, profile.name, flags.order,
             flags.seed, manifest.generation);
  fmt::print("  figures from {}\n", profile.source);
  fmt::print("  {} documents, {:.0f} tokens each, in {} partitions; {} bytes on disk\n", manifest.statistics.documents,
             manifest.statistics.average_length(), manifest.partitions.size(), file_bytes);
  fmt::print("  {} lists, {} postings of {:.2f} + {:.2f} bits (docIDs, frequencies; codec {})\n", manifest.terms,
             manifest.postings, docid_bits, frequency_bits, manifest.codec);
  fmt::print("  {} queries, {:.0f} postings each; made in {:.1f} s\n", summary.queries.queries.size(),
             summary.queries.postings_a_query(), summary.seconds);
}

Result<void> run(const SynthFlags& flags) {
  if (flags.text)
    return run_text(flags.of_text, {.profile = flags.profile.empty() ? "clueweb09" : flags.profile,
                                    .documents = flags.documents,
                                    .seed = flags.seed,
                                    .threads = flags.threads,
                                    .json = flags.json});
  const auto* profile = FROND_TRY(profile_named(flags.profile.empty() ? "gov2" : flags.profile));
  const auto codecs = FROND_TRY(codec::codec_choice_named(flags.codec));
  const SynthOptions options{.size = {.profile = profile,
                                      .documents = flags.documents == 0 ? profile->documents : flags.documents,
                                      .order = flags.order == "random" ? DocidOrder::kRandom : DocidOrder::kInput,
                                      .seed = flags.seed},
                             .repository = flags.repository,
                             .collection = flags.collection,
                             .partitions = flags.partitions,
                             .queries = flags.query_count,
                             .codecs = codecs,
                             .threads = flags.threads};
  if (options.partitions > options.size.documents) return Error(Code::kInvalid, "more partitions than documents");
  const auto summary = FROND_TRY(synthesize(options, {}));
  if (!flags.queries.empty()) FROND_TRY(write_queries(flags.queries, summary.queries));
  report(flags, *profile, summary);
  return {};
}

std::string profile_names() {
  std::string names;
  for (const auto& profile : all_profiles()) names.append(names.empty() ? "" : ", ").append(profile.name);
  return names;
}

}  // namespace

void add_synth(config::CommandLine& program, int& status) {
  auto flags = std::make_shared<SynthFlags>();
  auto& command =
      program.add_command("synth", "Makes up a collection, or text, of the papers' sizes and distributions");
  command
      .add_option("--profile", flags->profile,
                  "After which collection: " + profile_names() + "; with --text " + text_profile_names())
      .group("What");
  command.add_flag("--text", flags->text, "Write text for the indexer instead of publishing a collection")
      .group("What");
  add_text_flags(command, flags->of_text);
  command.add_option("--repository", flags->repository, "Directory of the repository; needed without --text")
      .group("A collection");
  command.add_option("--collection", flags->collection, "The collection's name; needed without --text")
      .group("A collection");
  command.add_option("--partitions", flags->partitions, "Contiguous parts of the documents")
      .check(config::range(1, 256))
      .show_default()
      .group("A collection");
  command.add_option("--documents", flags->documents, "Documents. 0: the profile's own; with --text no limit")
      .group("What");
  command.add_option("--order", flags->order, "docIDs clustered, or as if shuffled")
      .check(config::one_of({"input", "random"}))
      .show_default();
  command.add_option("--seed", flags->seed, "The same seed gives the same collection").show_default().group("What");
  command.add_option("--threads", flags->threads, "Threads that draw and pack lists, or make text")
      .check(config::range(1, 256))
      .show_default("one for each core");
  command.add_option("--codec", flags->codec, "As frond-indexer build --codec").show_default();
  command.add_option("--query-count", flags->query_count, "Queries; only their lists are made")
      .check(config::range(1, 1'000'000))
      .show_default();
  command.add_option("--queries", flags->queries, "Writes the queries to this file, for frond bench query and load")
      .group("A collection");
  command.add_flag("--json", flags->json, "Print one JSON object").group("Output");
  command.on_chosen([flags, &program, &status] {
    const bool complete = flags->text || (!flags->repository.empty() && !flags->collection.empty());
    status = complete ? exit_status("synth", run(*flags))
                      : program.refuse("--repository and --collection are needed, or --text");
  });
}

}  // namespace frond::tools::synth
