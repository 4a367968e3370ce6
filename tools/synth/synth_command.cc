#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

#include "common/base/machine.h"
#include "common/codec/codec_choice.h"
#include "common/config/command_line.h"
#include "tools/bench/commands.h"
#include "tools/commands/commands.h"
#include "tools/synth/collection/collection.h"
#include "tools/synth/text/text_output.h"

namespace frond::tools::synth {
namespace {

struct SynthFlags {
  bool text = false;
  std::string output, markup = "jsonl";     // of --text
  std::uint64_t bytes = 0, file_bytes = 0;  // of --text
  SpellingShares shares;                    // of --text
  std::string profile, order = "input", codec{codec::kDefaultCodec}, queries;
  std::filesystem::path repository;
  std::string collection;
  std::uint32_t partitions = 1, documents = 0;
  std::uint64_t seed = 1;
  std::size_t query_count = 1000;
  unsigned threads = this_machine().cores;
  bool json = false;
};

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

void report(const TextOptions& options, const TextSummary& summary, bool json, std::FILE* out) {
  const auto& totals = summary.totals;
  const auto a_document = [&](std::uint64_t count) {
    return static_cast<double>(count) / static_cast<double>(totals.documents);
  };
  if (json) {
    const nlohmann::ordered_json object{{"profile", options.profile->name},
                                        {"source", options.profile->source},
                                        {"markup", options.markup == Markup::kHtml ? "html" : "jsonl"},
                                        {"seed", options.seed},
                                        {"threads", options.threads},
                                        {"documents", totals.documents},
                                        {"bytes", totals.bytes},
                                        {"files", totals.files},
                                        {"words", totals.words},
                                        {"tokens", totals.tokens},
                                        {"expected_terms", summary.expected_terms},
                                        {"tail_exponent", summary.tail_exponent},
                                        {"seconds", summary.seconds},
                                        {"cpu_seconds", summary.cpu_seconds}};
    fmt::print(out, "{}\n", object.dump());
    return;
  }
  const double megabytes = static_cast<double>(totals.bytes) * 1e-6;
  fmt::print(out, "text after {} (seed {}): {} documents, {} bytes, {} files\n", options.profile->name, options.seed,
             totals.documents, totals.bytes, totals.files);
  fmt::print(out, "  figures from {}\n", options.profile->source);
  fmt::print(out, "  a document: {:.0f} bytes, {:.0f} words, {:.0f} of them not stop words\n", a_document(totals.bytes),
             a_document(totals.words), a_document(totals.tokens));
  fmt::print(out, "  about {:.0f} different words (tail exponent {:.3f}: Heaps' exponent {:.3f})\n",
             summary.expected_terms, summary.tail_exponent, 1 / summary.tail_exponent);
  fmt::print(out, "  made in {:.2f} s: {:.0f} MB/s, {:.0f} MB per CPU-second\n", summary.seconds,
             megabytes / summary.seconds, megabytes / summary.cpu_seconds);
}

// Makes the text and prints a summary, on stderr if the text goes to standard output.
Result<void> run_text(const SynthFlags& flags) {
  if (flags.output.empty()) return Error(Code::kInvalid, "--text needs --output");
  if (flags.bytes == 0 && flags.documents == 0)
    return Error(Code::kInvalid, "--text needs --bytes, --documents or both");
  const bool to_stdout = flags.output == "-";
  if (to_stdout && flags.file_bytes != 0)
    return Error(Code::kInvalid, "--file-bytes makes files: give a folder as --output");
  const Markup markup = flags.markup == "html" ? Markup::kHtml : Markup::kJsonLines;
  const TextOptions options{
      .profile = FROND_TRY(text_profile_named(flags.profile.empty() ? "clueweb09" : flags.profile)),
      .markup = markup,
      .shares = flags.shares,
      .seed = flags.seed,
      .threads = flags.threads,
      .output = {.path = flags.output,
                 .suffix = suffix_of(markup),
                 .file_bytes = flags.file_bytes,
                 .max_bytes = flags.bytes,
                 .max_documents = flags.documents}};
  const auto summary = FROND_TRY(make_text(options));
  report(options, summary, flags.json, to_stdout ? stderr : stdout);
  return {};
}

Result<void> run(const SynthFlags& flags) {
  if (flags.text) return run_text(flags);
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
  if (!flags.queries.empty()) FROND_TRY(write_text(flags.queries, query_lines(summary.queries)));
  report(flags, *profile, summary);
  return {};
}

// "clueweb09, wikipedia, …".
template <class Profile>
std::string names_of(std::span<const Profile> profiles) {
  std::string names;
  for (const auto& profile : profiles) names.append(names.empty() ? "" : ", ").append(profile.name);
  return names;
}

// Adds the flags that only --text has.
void add_text_flags(config::CommandLine& command, SynthFlags& flags) {
  command
      .add_option("--output", flags.output,
                  "With --text: the file, which is replaced, or - for standard output; with --file-bytes a "
                  "folder, new or empty")
      .group("Text");
  command.add_option("--bytes", flags.bytes, "With --text: ends with the document that reaches this size")
      .transform(config::byte_size())
      .group("Text");
  command.add_option("--file-bytes", flags.file_bytes, "With --text: files of this size in the folder --output")
      .transform(config::byte_size())
      .group("Text");
  add_choice(command, "--markup", flags.markup, {"jsonl", "html"},
             "With --text: JSON Lines without tags, or HTML pages in TREC's <DOC>")
      .group("Text");
  add_number(command, "--numbers", flags.shares.numbers, 0.0, 0.3, "With --text: share of words that are numbers");
  add_number(command, "--non-ascii", flags.shares.non_ascii, 0.0, 0.2, "With --text: share of words outside ASCII");
}

}  // namespace

void add_synth(config::CommandLine& program, int& status) {
  auto flags = std::make_shared<SynthFlags>();
  auto& command =
      program.add_command("synth", "Makes up a collection, or text, of the papers' sizes and distributions");
  command
      .add_option("--profile", flags->profile,
                  "After which collection: " + names_of(all_profiles()) + "; with --text " + names_of(text_profiles()))
      .group("What");
  command.add_flag("--text", flags->text, "Write text for the indexer instead of publishing a collection")
      .group("What");
  add_text_flags(command, *flags);
  command.add_option("--repository", flags->repository, "Directory of the repository; needed without --text")
      .group("A collection");
  command.add_option("--collection", flags->collection, "The collection's name; needed without --text")
      .group("A collection");
  add_number(command, "--partitions", flags->partitions, 1, 256, "Contiguous parts of the documents")
      .group("A collection");
  command.add_option("--documents", flags->documents, "Documents. 0: the profile's own; with --text no limit")
      .group("What");
  add_choice(command, "--order", flags->order, {"input", "random"}, "docIDs clustered, or as if shuffled");
  command.add_option("--seed", flags->seed, "The same seed gives the same collection").show_default().group("What");
  command.add_option("--threads", flags->threads, "Threads that draw and pack lists, or make text")
      .check(config::range(1, 256))
      .show_default("one for each core");
  command.add_option("--codec", flags->codec, "As frond-indexer build --codec").show_default();
  add_number(command, "--query-count", flags->query_count, 1, 1'000'000,
             "Queries; only their lists are made, of splade all");
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
