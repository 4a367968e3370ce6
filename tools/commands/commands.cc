#include "tools/commands/commands.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "common/base/line_writer.h"
#include "common/base/process.h"
#include "common/base/text.h"
#include "common/config/command_line.h"
#include "common/query/language/query_parser.h"
#include "common/scoring/prior.h"
#include "tools/client/broker_client.h"

namespace frond::tools {

void add_query_flags(config::CommandLine& command, QueryFlags& flags, const std::string& what_k) {
  command.add_option("--broker", flags.broker, "The broker's address, http[s]://HOST:PORT")
      .show_default()
      .group("Broker");
  add_tls_ca(command, flags.tls_ca);
  add_key_file(command, flags.key_file);
  command.add_option("--collection", flags.collection, "One of the broker's collections; default: its first")
      .group("Broker");
  command.add_option("--mode", flags.mode, "Which documents match: all terms, any, or all and then any")
      .check(config::one_of({"and", "or", "auto"}))
      .group("Search");
  add_number(command, "--k", flags.k, 1, 1000, what_k).group("Search");
  command.add_option("--processor", flags.processor, "What evaluates: auto, cpu, gpu, exhaustive").group("Search");
  command.add_option("--cache", flags.cache, "The broker's result cache").check(config::one_of({"on", "off"}));
  command
      .add_option("--fields", flags.fields,
                  "The fields of a hit, separated by commas: id, title, url, snippet, source, fields of the "
                  "collection's schema; id alone is the least work for the leaves")
      .group("Search");
  command.add_option("--filter", flags.filter, "What documents must match besides, in the query language")
      .group("Search");
  command.add_option("--minimum-should-match", flags.minimum, "How many optional words must match: N or N%");
  command
      .add_option("--syntax", flags.syntax,
                  flags.topics ? "How queries are read; default: plain, so that all of it is words"
                               : "How the query is read: in the query language, refused where that makes no sense, or "
                                 "as words")
      .check(config::one_of({"query", "strict", "plain"}))
      .group("Search");
  command.add_option("--timeout-ms", flags.timeout_ms, "The deadline to ask for; 0: the broker's default")
      .check(config::range(0, 600'000))
      .group("Search");
  add_bm25_flags(command, flags.bm25_k1, flags.bm25_b);
  command
      .add_option("--prior-weight", flags.prior_weight,
                  "What documents' static priors are multiplied by before they are added to scores; 0: not added")
      .check(config::range(0.0, double{scoring::kMaxPriorWeightValue}));
}

void add_bm25_flags(config::CommandLine& command, std::optional<double>& k1, std::optional<double>& b) {
  command.add_option("--k1", k1, "BM25's k1 to rank by; default: the collection's")
      .check(config::range(0.0, double{scoring::kMaxK1}));
  command.add_option("--b", b, "BM25's b to rank by; default: the collection's").check(config::range(0.0, 1.0));
}

void add_tls_ca(config::CommandLine& command, std::string& file) {
  const auto authorities = config::accepted(
      [](const std::string& given) {
        const auto trust = tls::Trust::load(given);
        return trust ? std::string() : trust.error().message();
      },
      "FILE");
  command.add_option("--tls-ca", file, "PEM file of the authorities to believe under https; default: the system's")
      .check(authorities)
      .group("Broker");
}

void add_key_file(config::CommandLine& command, std::string& file) {
  command.add_option("--key-file", file, "File of the API key to send; default: the key in FROND_API_KEY, if it is set")
      .group("Broker");
}

Result<Endpoint> endpoint_of(std::string_view url, const std::string& tls_ca, const std::string& key_file) {
  auto parsed = net::parse_url(url, net::Scheme::kOptional);
  if (!parsed) return std::move(parsed).error().within("broker address");
  Endpoint endpoint{*std::move(parsed), nullptr, {}};
  endpoint.authorization = FROND_TRY(authorization(key_file));
  if (endpoint.url.tls) endpoint.trust = FROND_TRY(tls::Trust::load(tls_ca));
  return endpoint;
}

namespace {
// The path of a route; empty collection: the broker's first.
std::string route_of(const QueryFlags& flags, std::string_view route) {
  if (flags.collection.empty()) return fmt::format("/v1/{}", route);
  return fmt::format("/v1/collections/{}/{}", percent_encoded(flags.collection), route);
}

// Of searches and counts.
std::string shared_parameters(const QueryFlags& flags, std::string_view query) {
  std::string parameters;
  if (!flags.filter.empty()) parameters += "&filter=" + percent_encoded(flags.filter);
  if (const auto syntax = syntax_of(flags, query); !syntax.empty()) parameters += fmt::format("&syntax={}", syntax);
  if (!flags.mode.empty()) parameters += "&mode=" + flags.mode;
  if (!flags.minimum.empty()) parameters += "&minimum_should_match=" + percent_encoded(flags.minimum);
  if (!flags.processor.empty()) parameters += "&processor=" + percent_encoded(flags.processor);
  if (!flags.cache.empty()) parameters += "&cache=" + flags.cache;
  if (flags.timeout_ms > 0) parameters += "&timeout_ms=" + std::to_string(flags.timeout_ms);
  return parameters;
}
}  // namespace

std::string search_target(const QueryFlags& flags, std::string_view query, std::uint32_t offset) {
  std::string target = route_of(flags, "search") + "?q=" + percent_encoded(query) + "&k=" + std::to_string(flags.k);
  target += shared_parameters(flags, query);
  if (!flags.fields.empty()) target += "&fields=" + percent_encoded(flags.fields);
  if (flags.bm25_k1) target += fmt::format("&k1={}", *flags.bm25_k1);
  if (flags.bm25_b) target += fmt::format("&b={}", *flags.bm25_b);
  if (flags.prior_weight) target += fmt::format("&prior_weight={}", *flags.prior_weight);
  if (offset > 0) target += "&offset=" + std::to_string(offset);
  return target;
}

std::string count_target(const QueryFlags& flags, std::string_view query) {
  return route_of(flags, "count") + "?q=" + percent_encoded(query) + shared_parameters(flags, query);
}

std::string_view syntax_of(const QueryFlags& flags, std::string_view query) {
  if (flags.topics && flags.syntax.empty() && query::may_have_signs(query)) return "plain";
  return flags.syntax;
}

std::chrono::milliseconds patience(const QueryFlags& flags) {
  return std::chrono::milliseconds(std::max<std::uint32_t>(flags.timeout_ms, 25'000) + 5'000);
}

int main_of(const char* program, int argc, char** argv, int (*run)(int argc, char** argv)) {
  try {
    hold_standard_descriptors();
    return finish_output(program, run(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 1;
  }
}

Result<void> write_text(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::trunc);
  out << text;
  if (!out.flush()) return Error(Code::kInvalid, file + ": can't be written");
  return {};
}

int exit_status(std::string_view command, const Result<void>& outcome) {
  if (outcome) return 0;
  write_stderr("frond " + std::string(command) + ": " + outcome.error().message() + "\n");
  return 1;
}

}  // namespace frond::tools
