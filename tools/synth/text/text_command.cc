#include "tools/synth/text/text_command.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <cstdio>

#include "common/config/command_line.h"
#include "tools/synth/text/text_collection.h"

namespace frond::tools::synth {
namespace {

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

}  // namespace

void add_text_flags(config::CommandLine& command, TextFlags& flags) {
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
  command.add_option("--markup", flags.markup, "With --text: JSON Lines without tags, or HTML pages in TREC's <DOC>")
      .check(config::one_of({"jsonl", "html"}))
      .show_default()
      .group("Text");
  command.add_option("--numbers", flags.shares.numbers, "With --text: share of words that are numbers")
      .check(config::range(0.0, 0.3))
      .show_default();
  command.add_option("--non-ascii", flags.shares.non_ascii, "With --text: share of words outside ASCII")
      .check(config::range(0.0, 0.2))
      .show_default();
}

Result<void> run_text(const TextFlags& flags, const SharedFlags& shared) {
  if (flags.output.empty()) return Error(Code::kInvalid, "--text needs --output");
  if (flags.bytes == 0 && shared.documents == 0)
    return Error(Code::kInvalid, "--text needs --bytes, --documents or both");
  const bool to_stdout = flags.output == "-";
  if (to_stdout && flags.file_bytes != 0)
    return Error(Code::kInvalid, "--file-bytes makes files: give a folder as --output");
  const Markup markup = flags.markup == "html" ? Markup::kHtml : Markup::kJsonLines;
  const TextOptions options{.profile = FROND_TRY(text_profile_named(shared.profile)),
                            .markup = markup,
                            .shares = flags.shares,
                            .seed = shared.seed,
                            .threads = shared.threads,
                            .output = {.path = flags.output,
                                       .suffix = suffix_of(markup),
                                       .file_bytes = flags.file_bytes,
                                       .max_bytes = flags.bytes,
                                       .max_documents = shared.documents}};
  const auto summary = FROND_TRY(make_text(options));
  report(options, summary, shared.json, to_stdout ? stderr : stdout);
  return {};
}

std::string text_profile_names() {
  std::string names;
  for (const auto& profile : text_profiles()) names.append(names.empty() ? "" : ", ").append(profile.name);
  return names;
}

}  // namespace frond::tools::synth
