// frond search: prints the hits of one query for a person to read.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "common/base/text.h"
#include "common/config/command_line.h"
#include "tools/client/answer.h"
#include "tools/client/broker_client.h"
#include "tools/commands/commands.h"

namespace frond::tools {
namespace {

struct SearchFlags {
  QueryFlags query;
  std::vector<std::string> words;
  std::string sort, facets, search_after;
  std::uint32_t offset = 0;
  bool json = false;
};

void print(const Answer& answer, std::uint32_t offset, bool colour) {
  const std::string_view bold = colour ? "\x1b[1m" : "", plain = colour ? "\x1b[0m" : "";
  std::string out = summary(answer) + '\n';
  if (!answer.signs.empty()) out += fmt::format("Searched as text: {}\n", fmt::join(answer.signs, "; "));
  if (answer.empty_query == "stop_words")
    out += "The query has only stop words, which this collection does not index: add a rarer word.\n";
  else if (!answer.empty_query.empty())
    out += "The query has no words.\n";
  if (!answer.did_you_mean.empty()) out += fmt::format("Did you mean: {}\n", printable(answer.did_you_mean));
  std::uint64_t rank = offset;
  for (const auto& hit : answer.hits) {
    const auto order = hit.sort.empty() ? fmt::format("{:<9.4f}", std::strtod(hit.score.c_str(), nullptr))
                                        : printable(fmt::format("{}", fmt::join(hit.sort, ", ")));
    out +=
        fmt::format("\n{:>3}. {} {}{}{}  [{}]\n", ++rank, order, bold, printable(hit.title), plain, printable(hit.id));
    if (!hit.snippet.empty()) out += fmt::format("     {}\n", printable_snippet(hit.snippet, bold, plain));
  }
  out += facet_tables(answer.facets);
  if (!answer.cursor.empty()) out += fmt::format("\nThe next page: --search-after {}\n", printable(answer.cursor));
  std::fputs(out.c_str(), stdout);
}

Result<void> search(const SearchFlags& flags) {
  std::string query;
  for (const auto& word : flags.words) query += (query.empty() ? "" : " ") + word;
  auto endpoint = FROND_TRY(endpoint_of(flags.query.broker, flags.query.tls_ca, flags.query.key_file));
  BrokerClient broker(std::move(endpoint.url), std::move(endpoint.trust), patience(flags.query),
                      std::move(endpoint.authorization));
  auto target = search_target(flags.query, query, flags.offset) + "&did_you_mean=true";
  for (const auto& [name, value] : {std::pair("sort", &flags.sort), std::pair("facets", &flags.facets),
                                    std::pair("search_after", &flags.search_after)})
    if (!value->empty()) target += fmt::format("&{}={}", name, percent_encoded(*value));
  const auto reply = FROND_TRY(broker.get(target));
  const auto answer = FROND_TRY(parse_answer(reply.status, reply.body));
  if (flags.json)
    std::puts(reply.body.c_str());
  else
    print(answer, flags.offset, ::isatty(STDOUT_FILENO) == 1);
  return {};
}

}  // namespace

void add_search(config::CommandLine& program, int& status) {
  auto flags = std::make_shared<SearchFlags>();
  auto& command = program.add_command("search", "Ask a broker, print rank, score, title, id and snippet");
  command.add_option("query", flags->words, "What to search for, in the query language; behind -- it may begin with -")
      .required();
  add_query_flags(command, flags->query);
  command.add_option("--offset", flags->offset, "Hits to leave out at the front")
      .check(config::range(0, 9'999))
      .group("Search");
  command
      .add_option("--sort", flags->sort,
                  "By what hits are ordered: fields of the schema, _score, _order, each with :asc or :desc, as "
                  "year:desc,_score")
      .group("Search");
  command
      .add_option("--search-after", flags->search_after,
                  "With --sort: the page behind this cursor, which the page before told")
      .group("Search");
  command
      .add_option("--facets", flags->facets,
                  "What to count over all matches, as tag:10,year:[2000,2010],published:month,price:stats")
      .group("Search");
  command.add_flag("--json", flags->json, "Print the broker's answer as it came").group("Output");
  command.on_chosen([flags, &status] { status = exit_status("search", search(*flags)); });
}

}  // namespace frond::tools
