// frond run: sends every topic of a file to the broker and writes a TREC run file.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <utility>

#include "common/config/command_line.h"
#include "tools/answer.h"
#include "tools/broker_client.h"
#include "tools/commands.h"
#include "tools/topics.h"

namespace frond::tools {
namespace {

constexpr std::size_t kMaxQueryBytes = 4096;  // the broker refuses longer ones

struct RunFlags {
  QueryFlags query;
  std::string topics, output = "-", tag = "frond";
};

// The topic's text, cut at a space to at most kMaxQueryBytes.
std::string_view cut_to_limit(const Topic& topic) {
  std::string_view text = topic.text;
  if (text.size() <= kMaxQueryBytes) return text;
  const auto space = text.rfind(' ', kMaxQueryBytes);
  text = text.substr(0, space == std::string_view::npos ? 0 : space);
  std::fprintf(stderr, "frond run: topic %s is longer than %zu bytes; only its first %zu are asked\n", topic.id.c_str(),
               kMaxQueryBytes, text.size());
  return text;
}

// Replaces white space, which separates the columns of a run file.
std::string column(std::string_view text) {
  std::string out = printable(text);
  for (char& c : out)
    if (c == ' ') c = '_';
  return out;
}

// True: the topic has signs of a query language, which the broker took as plain text.
Result<bool> ask(BrokerClient& broker, const RunFlags& flags, const Topic& topic, std::ostream& out) {
  const auto reply = FROND_TRY(broker.get(search_target(flags.query, cut_to_limit(topic))));
  const auto answer = FROND_TRY(parse_answer(reply.status, reply.body));
  if (answer.unsearched > 0)
    return Error(Code::kUnavailable, fmt::format("{} partitions did not answer", answer.unsearched));
  std::uint64_t rank = 0;
  for (const auto& hit : answer.hits)
    out << fmt::format("{} Q0 {} {} {} {}\n", topic.id, column(hit.id), ++rank, hit.score, flags.tag);
  return !answer.signs.empty();
}

Result<void> run(const RunFlags& flags) {
  const auto topics = FROND_TRY(read_topics(flags.topics));
  auto endpoint = FROND_TRY(endpoint_of(flags.query.broker, flags.query.tls_ca, flags.query.key_file));
  BrokerClient broker(std::move(endpoint.url), std::move(endpoint.trust), patience(flags.query),
                      std::move(endpoint.authorization));
  std::ofstream file;
  if (flags.output != "-") file.open(flags.output);
  std::ostream& out = flags.output == "-" ? std::cout : file;
  std::vector<std::string> with_signs;
  for (const auto& topic : topics) {
    const auto asked = ask(broker, flags, topic, out);
    if (!asked) return Error(asked.error()).within("topic " + topic.id);
    if (*asked) with_signs.push_back(topic.id);
  }
  out.flush();
  if (!out) return Error(Code::kInvalid, flags.output + ": can't be written");
  std::fprintf(stderr, "frond run: %zu topics\n", topics.size());
  if (!with_signs.empty())
    std::fprintf(
        stderr,
        "frond run: %zu topics have signs of a query language, which are taken as plain text: %s, for example\n",
        with_signs.size(), with_signs.front().c_str());
  return {};
}

}  // namespace

void add_run(config::CommandLine& program, int& status) {
  auto flags = std::make_shared<RunFlags>();
  flags->query.k = 1000;
  flags->query.mode = "or";
  auto& command =
      program.add_command("run", "Topics to a TREC run file (topic Q0 id rank score tag), through a broker");
  command.add_option("--topics", flags->topics, "id<TAB>text, number:text, JSON lines, TREC <top> or <DOC><DOCNO> form")
      .required();
  command.add_option("--output", flags->output, "The run file; -: standard output").show_default();
  command.add_option("--tag", flags->tag, "The run's name, its last column").show_default();
  add_query_flags(command, flags->query);
  command.on_chosen([flags, &status] { status = exit_status("run", run(*flags)); });
}

}  // namespace frond::tools
