// frond run: sends every topic of a file to the broker and writes a TREC run file.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <ostream>
#include <utility>

#include "common/config/command_line.h"
#include "tools/client/answer.h"
#include "tools/client/broker_client.h"
#include "tools/commands/commands.h"
#include "tools/commands/output_file.h"
#include "tools/topics/topics.h"

namespace frond::tools {
namespace {

constexpr std::size_t kMaxQueryBytes = 4096;  // the broker refuses longer ones

struct RunFlags {
  QueryFlags query;
  std::string topics, field, output = "-", tag = "frond";
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

std::string why_no_tag(const std::string& tag) {
  if (tag.empty()) return "the last column can't be empty";
  return column(tag) == tag ? std::string() : "\"" + printable(tag) + "\" has white space, which separates the columns";
}

// What is said after the run.
struct Told {
  std::vector<std::string> with_signs;  // topics of which the broker took signs as text
  std::uint64_t ids_changed = 0;        // hits whose ids have white space, which separates the columns
};

Result<void> ask(BrokerClient& broker, const RunFlags& flags, const Topic& topic, OutputFile& file, Told& told) {
  const auto reply = FROND_TRY(broker.get(search_target(flags.query, cut_to_limit(topic))));
  const auto answer = FROND_TRY(parse_answer(reply.status, reply.body));
  if (answer.unsearched > 0)
    return Error(Code::kUnavailable, fmt::format("{} partitions did not answer", answer.unsearched));
  std::ostream& out = *FROND_TRY(file.stream());
  std::uint64_t rank = 0;
  for (const auto& hit : answer.hits) {
    const auto id = column(hit.id);
    told.ids_changed += id == hit.id ? 0 : 1;
    out << fmt::format("{} Q0 {} {} {} {}\n", topic.id, id, ++rank, hit.score, flags.tag);
  }
  if (!answer.signs.empty()) told.with_signs.push_back(topic.id);
  return {};
}

Result<void> run(const RunFlags& flags) {
  auto topics = read_topics(flags.topics, flags.field);
  if (!topics) return std::move(topics).error();
  if (const auto distinct = check_distinct_ids(*topics); !distinct) return Error(distinct.error()).within(flags.topics);
  auto endpoint = FROND_TRY(endpoint_of(flags.query.broker, flags.query.tls_ca, flags.query.key_file));
  BrokerClient broker(std::move(endpoint.url), std::move(endpoint.trust), patience(flags.query),
                      std::move(endpoint.authorization));
  OutputFile file(flags.output);
  Told told;
  for (const auto& topic : *topics)
    if (const auto asked = ask(broker, flags, topic, file, told); !asked)
      return Error(asked.error()).within("topic " + topic.id);
  FROND_TRY(file.finish());
  std::fprintf(stderr, "frond run: %zu topics\n", topics->size());
  if (!told.with_signs.empty())
    std::fprintf(stderr,
                 "frond run: of %zu topics something was searched as text that looks like signs of the query language: "
                 "%s, for example\n",
                 told.with_signs.size(), told.with_signs.front().c_str());
  if (told.ids_changed > 0)
    std::fprintf(stderr, "frond run: %llu ids have white space or control characters, written as '_'\n",
                 static_cast<unsigned long long>(told.ids_changed));
  return {};
}

}  // namespace

void add_run(config::CommandLine& program, int& status) {
  auto flags = std::make_shared<RunFlags>();
  flags->query.k = 1000;
  flags->query.mode = "or";
  auto& command =
      program.add_command("run", "Topics to a TREC run file (topic Q0 id rank score tag), through a broker");
  command.add_option("--topics", flags->topics, kTopicForms).required();
  command
      .add_option("--topic-field", flags->field,
                  "The element or member that is the query, as desc; default: title, query …")
      .group("Topics");
  command.add_option("--output", flags->output, "The run file; -: standard output").show_default().group("Output");
  command.add_option("--tag", flags->tag, "The run's name, its last column")
      .check(config::accepted(why_no_tag, "WORD"))
      .show_default()
      .group("Output");
  flags->query.topics = true;
  add_query_flags(command, flags->query);
  command.on_chosen([flags, &status] { status = exit_status("run", run(*flags)); });
}

}  // namespace frond::tools
