// frond export-matches: all matches of a query as CSV or JSON Lines.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/config/command_line.h"
#include "tools/client/broker_client.h"
#include "tools/commands/commands.h"
#include "tools/commands/output_file.h"
#include "tools/commands/progress.h"
#include "tools/export/export_matches.h"
#include "tools/export/match_text.h"

namespace frond::tools {
namespace {

struct ExportFlags {
  ExportOptions options;
  std::vector<std::string> words;
  std::string format = "jsonl", output = "-";
  bool escape_formulas = false, quiet = false;
};

std::vector<std::string> split(const std::string& names) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at <= names.size();) {
    const auto comma = std::min(names.find(',', at), names.size());
    all.push_back(names.substr(at, comma - at));
    at = comma + 1;
  }
  return all;
}

Result<void> export_all(ExportFlags flags) {
  auto& options = flags.options;
  for (const auto& word : flags.words) options.words += (options.words.empty() ? "" : " ") + word;
  auto endpoint = FROND_TRY(endpoint_of(options.query.broker, options.query.tls_ca, options.query.key_file));
  BrokerClient broker(std::move(endpoint.url), std::move(endpoint.trust), patience(options.query),
                      std::move(endpoint.authorization));
  const MatchText text(flags.format == "csv" ? MatchFormat::kCsv : MatchFormat::kJsonLines, split(options.query.fields),
                       flags.escape_formulas);
  OutputFile output(flags.output);
  Progress progress("export-matches", flags.quiet);
  const ExportEvents events{
      .wait = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); },
      .retried = [&](const std::string& why) { progress.say(why); },
      .progress = [&](std::uint64_t written, std::uint64_t total) { progress.show(written, total); }};
  const auto begun = std::chrono::steady_clock::now();
  auto written = export_matches(broker, options, text, events, output);
  if (!written) {
    progress.say(output.standard() ? "what was written is not all of it" : flags.output + " is not written");
    return std::move(written).error();
  }
  FROND_TRY(output.finish());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  progress.say(fmt::format("{} documents in {:.1f} s", *written, took.count()));
  return {};
}

}  // namespace

void add_export_matches(config::CommandLine& program, int& status) {
  auto flags = std::make_shared<ExportFlags>();
  auto& query = flags->options.query;
  query.k = 1000;
  query.cache = "off";
  query.fields = "id,title,url";
  auto& command =
      program.add_command("export-matches", "All matches of a query as CSV or JSON Lines, through a broker");
  command.add_option("query", flags->words, "What to search for, in the query language; behind -- it may begin with -")
      .required();
  add_query_flags(command, query, "Hits of one request at most");
  command
      .add_option("--sort", flags->options.sort,
                  "In which order: fields of the schema, _score, _order, each with :asc or :desc")
      .show_default()
      .group("Search");
  add_number(command, "--retries", flags->options.retries, 0, 100,
             "How often one request is sent again that the broker has no time for");
  add_choice(command, "--format", flags->format, {"csv", "jsonl"},
             "csv (RFC 4180, with a header), or jsonl, an object a line")
      .group("Output");
  command
      .add_flag("--escape-formulas", flags->escape_formulas,
                "In CSV, write an apostrophe before strings that a spreadsheet takes for formulas")
      .group("Output");
  command.add_option("--output", flags->output, "The file, which gets its name when all is written; -: standard output")
      .show_default()
      .group("Output");
  command.add_flag("--quiet", flags->quiet, "Print no progress").group("Output");
  command.on_chosen([flags, &status] { status = exit_status("export-matches", export_all(*flags)); });
}

}  // namespace frond::tools
