// frond load: puts load on a broker and measures how long its answers take.

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

#include "common/config/command_line.h"
#include "tools/commands/commands.h"
#include "tools/load/load_generator.h"
#include "tools/topics/topics.h"

namespace frond::tools {
namespace {

struct LoadFlags {
  QueryFlags query;
  std::string queries, field;
  double rate = 0, seconds = 10, warmup = 0, drain = 5;
  unsigned concurrency = 0, connections = 256, msearch = 0;
  std::uint64_t seed = 1;
  std::string rank;
  bool count = false, json = false;
};

std::string get_request(const Endpoint& to, const LoadFlags& flags, std::string_view query) {
  std::string target = flags.count ? count_target(flags.query, query) : search_target(flags.query, query);
  if (!flags.rank.empty()) target += "&rank=" + flags.rank;
  return "GET " + to.url.path + target + " HTTP/1.1\r\nHost: " + to.url.authority() + "\r\n" + to.authorization +
         "\r\n";
}

// A request with flags.msearch searches as NDJSON, from topics[first] on, wrapping around at the end.
std::string msearch_request(const Endpoint& to, const LoadFlags& flags, const std::vector<Topic>& topics,
                            std::size_t first) {
  std::string body;
  for (std::size_t i = 0; i < flags.msearch; ++i) {
    nlohmann::json search{{"q", topics[(first + i) % topics.size()].text}};
    if (flags.count)
      search["count"] = true;
    else
      search["k"] = flags.query.k;
    if (!flags.rank.empty()) search["rank"] = flags.rank;
    if (flags.query.bm25_k1 && !flags.count) search["k1"] = *flags.query.bm25_k1;
    if (flags.query.bm25_b && !flags.count) search["b"] = *flags.query.bm25_b;
    if (flags.query.prior_weight && !flags.count) search["prior_weight"] = *flags.query.prior_weight;
    if (!flags.query.mode.empty()) search["mode"] = flags.query.mode;
    if (!flags.query.minimum.empty()) search["minimum_should_match"] = flags.query.minimum;
    if (!flags.query.processor.empty()) search["processor"] = flags.query.processor;
    if (!flags.query.filter.empty()) search["filter"] = flags.query.filter;
    if (const auto syntax = syntax_of(flags.query, topics[(first + i) % topics.size()].text); !syntax.empty())
      search["syntax"] = syntax;
    if (!flags.query.cache.empty()) search["cache"] = flags.query.cache;
    if (!flags.query.fields.empty()) search["fields"] = flags.query.fields;
    if (flags.query.timeout_ms > 0) search["timeout_ms"] = flags.query.timeout_ms;
    body += search.dump() + '\n';
  }
  return "POST " + to.url.path + "/v1/msearch HTTP/1.1\r\nHost: " + to.url.authority() + "\r\n" + to.authorization +
         "Content-Type: application/x-ndjson\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::vector<std::string> requests_of(const Endpoint& to, const LoadFlags& flags, const std::vector<Topic>& topics) {
  std::vector<std::string> requests;
  const std::size_t step = std::max(flags.msearch, 1u);
  for (std::size_t i = 0; i < topics.size(); i += step)
    requests.push_back(flags.msearch > 0 ? msearch_request(to, flags, topics, i)
                                         : get_request(to, flags, topics[i].text));
  return requests;
}

LoadOptions options_of(const LoadFlags& flags) {
  const auto span = [](double seconds) { return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9)); };
  LoadOptions options;
  options.rate = flags.rate;
  options.connections = flags.rate > 0 ? flags.connections : flags.concurrency;
  options.warmup = span(flags.warmup);
  options.seconds = span(flags.seconds);
  options.drain = span(flags.drain);
  options.queries_per_request = std::max(flags.msearch, 1u);
  options.seed = flags.seed;
  return options;
}

Result<void> load(const LoadFlags& flags) {
  const Endpoint to = FROND_TRY(endpoint_of(flags.query.broker, flags.query.tls_ca, flags.query.key_file));
  const auto topics = FROND_TRY(read_topics(flags.queries, flags.field));
  auto options = options_of(flags);
  options.trust = to.trust;
  auto report = generate_load(to.url, requests_of(to, flags, topics), options);
  if (!report) return std::move(report).error().within("broker " + to.url.authority());
  const std::string out = flags.json ? to_json(*report, options) + '\n' : to_text(*report);
  std::fputs(out.c_str(), stdout);
  if (report->answers == 0) return Error(Code::kUnavailable, "no request was answered");
  return {};
}

}  // namespace

void add_load(config::CommandLine& program, int& status) {
  auto flags = std::make_shared<LoadFlags>();
  auto& command = program.add_command(
      "load",
      "Queries at a given rate (open loop, Poisson arrivals) or concurrency (closed loop); latencies and throughput");
  command.add_option("--queries", flags->queries, kTopicForms).required();
  command
      .add_option("--topic-field", flags->field,
                  "The element or member that is the query, as desc; default: title, query …")
      .group("Load");
  command.add_option("--rate", flags->rate, "Requests a second, open loop; latency counts from when each was due")
      .check(config::range(0.001, 1e6))
      .group("Load");
  command.add_option("--concurrency", flags->concurrency, "Connections that each ask again when answered, closed loop")
      .check(config::range(1, 10'000))
      .group("Load");
  add_number(command, "--seconds", flags->seconds, 0.01, 86'400.0, "Recorded time").group("Load");
  command.add_option("--warmup", flags->warmup, "Seconds of load before, not recorded")
      .check(config::range(0.0, 3'600.0))
      .group("Load");
  add_number(command, "--drain", flags->drain, 0.0, 600.0, "Seconds to await answers after the end");
  add_number(command, "--connections", flags->connections, 1, 10'000, "Open loop: the most connections at a time");
  command.add_option("--msearch", flags->msearch, "Queries a request, through /v1/msearch; 0: one, through /v1/search")
      .check(config::range(0, 1'000))
      .group("Load");
  command.add_option("--seed", flags->seed, "Of the arrivals").show_default();
  command.add_option("--rank", flags->rank, "none: hits in the collection's order, with an exact total")
      .check(config::one_of({"score", "none"}));
  command.add_flag("--count", flags->count,
                   "Count the matches instead of searching; without the flags of hits and ranking");
  command.add_flag("--json", flags->json, "Print one JSON object").group("Output");
  flags->query.topics = true;
  add_query_flags(command, flags->query);
  command.on_chosen([flags, &program, &status] {
    status = (flags->rate > 0) == (flags->concurrency > 0)
                 ? program.refuse("one of --rate and --concurrency is required")
                 : exit_status("load", load(*flags));
  });
}

}  // namespace frond::tools
