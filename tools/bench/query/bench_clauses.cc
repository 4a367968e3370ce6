// frond bench clauses: measures queries of the query language on one partition, without a cluster.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/lines.h"
#include "common/config/command_line.h"
#include "common/query/bind.h"
#include "common/query/clause_json.h"
#include "common/query/normal_form.h"
#include "common/query/query_parser.h"
#include "leaf/clauses/evaluation.h"
#include "leaf/clauses/exhaustive.h"
#include "leaf/engines.h"
#include "tools/bench/commands.h"
#include "tools/bench/measure.h"
#include "tools/bench/query/partition_searcher.h"
#include "tools/commands/commands.h"
#include "tools/topics/topics.h"

namespace frond::tools::bench {
namespace {

struct BenchClausesFlags {
  PartitionChoice from;
  std::string queries, filter, mode = "or";
  std::uint32_t k = 10, rounds = 5;
  bool exhaustive = false, exact = false, flat = false, json = false;
};

// A query as the broker would hand it to a leaf.
struct ClauseQuery {
  query::Clause clause;
  BenchQuery words;  // with `flat`: plain words
};

query::Mode mode_of(std::string_view name) { return name == "and" ? query::Mode::kAnd : query::Mode::kOr; }

Result<query::Clause> normal_clause(std::string_view q, const schema::Schema& schema, std::string_view mode) {
  if (q.starts_with('{')) {
    query::Clause clause = query::resolved(FROND_TRY(query::parse_clause(q, "query")), mode_of(mode));
    return query::normal_form(FROND_TRY(query::bind(clause, schema, "query")), schema);
  }
  query::QueryOptions options;
  options.syntax = query::Syntax::kStrict;
  options.mode = mode_of(mode);
  const auto parsed = query::parse_query(q, schema, options);
  if (parsed.refused) return Error(Code::kInvalid, query::message_of(parsed.notes.front()));
  return query::normal_form(FROND_TRY(query::bind(parsed.clause, schema, "q")), schema);
}

Result<std::vector<ClauseQuery>> read_clauses(const BenchClausesFlags& flags, PartitionSearcher& searcher) {
  std::vector<ClauseQuery> all;
  const std::string text = FROND_TRY(read_topic_file(flags.queries));
  Lines lines(text);
  while (const auto line = lines.next()) {
    if (line->empty()) continue;
    ClauseQuery asked;
    if (flags.flat) {
      auto words = FROND_TRY(parse_queries(*line, {}, searcher.analyzer(), searcher.query_form()));
      asked.words = std::move(words.front());
    } else {
      auto clause = normal_clause(*line, searcher.schema(), flags.mode);
      if (!clause) return std::move(clause).error().within(fmt::format("{}, line {}", flags.queries, lines.number()));
      asked.clause = *std::move(clause);
    }
    all.push_back(std::move(asked));
  }
  if (all.empty()) return Error(Code::kInvalid, flags.queries + ": no query");
  return all;
}

Result<void> bench_clauses(const BenchClausesFlags& flags) {
  const auto searcher = FROND_TRY(PartitionSearcher::open(flags.from));
  const auto engine = FROND_TRY(leaf::engine_named(leaf::kDefaultEngine));
  const auto queries = FROND_TRY(read_clauses(flags, *searcher));
  const SteadyClock clock;
  std::shared_ptr<const partition::HiddenDocuments> left_out;
  double filter_us = 0;
  if (!flags.filter.empty()) {
    const query::Clause filter = FROND_TRY(normal_clause(flags.filter, searcher->schema(), "and"));
    const std::uint64_t begin = thread_nanoseconds();
    left_out = FROND_TRY(searcher->left_out_by(filter));
    filter_us = static_cast<double>(thread_nanoseconds() - begin) / 1e3;
  }
  constexpr double kNever = std::numeric_limits<double>::max();
  std::vector<double> whole(queries.size(), kNever), evaluation(queries.size(), kNever);
  std::uint64_t checksum = 0, matches = 0, postings = 0;
  for (std::uint32_t round = 0; round < flags.rounds; ++round) {
    checksum = matches = postings = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      PartitionSearcher::Resolved resolved;
      leaf::engine::Plan plan;
      const std::uint64_t begin = thread_nanoseconds();
      if (flags.flat) {
        const auto mode = flags.mode == "and" ? leaf::engine::Mode::kAnd : leaf::engine::Mode::kOr;
        plan = FROND_TRY(searcher->plan(queries[i].words, mode, flags.k));
        plan.count_to = flags.k;
        if (left_out != nullptr) plan.hidden = left_out.get();
      } else {
        FROND_TRY(searcher->resolve(queries[i].clause, left_out.get(), flags.k, resolved));
        resolved.plan.plan.count_to = flags.exact ? leaf::engine::Plan::kCountAll : flags.k;
      }
      const std::uint64_t planned = thread_nanoseconds();
      leaf::engine::Outcome outcome;
      if (flags.flat)
        outcome = FROND_TRY(std::move(engine->search(std::span(&plan, 1), clock)[0]));
      else
        outcome = FROND_TRY(flags.exhaustive ? leaf::clauses::search_exhaustively(resolved.plan, clock)
                                             : leaf::clauses::search(resolved.plan, clock));
      const std::uint64_t end = thread_nanoseconds();
      whole[i] = std::min(whole[i], static_cast<double>(end - begin) / 1e3);
      evaluation[i] = std::min(evaluation[i], static_cast<double>(end - planned) / 1e3);
      for (const auto& hit : outcome.hits) checksum = (checksum ^ hit.ordinal) * 0x9e3779b97f4a7c15u + hit.score;
      matches += outcome.matches;
      postings += outcome.postings_decoded;
    }
  }
  const Distribution all = distribution_of(whole), alone = distribution_of(evaluation);
  const auto count = static_cast<double>(queries.size());
  if (flags.json) {
    const nlohmann::ordered_json out{{"partition", searcher->description()},
                                     {"queries", queries.size()},
                                     {"k", flags.k},
                                     {"whole_us", as_json(all)},
                                     {"evaluation_us", as_json(alone)},
                                     {"filter_us", filter_us},
                                     {"matches", static_cast<double>(matches) / count},
                                     {"postings", static_cast<double>(postings) / count},
                                     {"answers", fmt::format("{:016x}", checksum)}};
    fmt::print("{}\n", out.dump());
    return {};
  }
  fmt::print("{}\n{} queries, k {}, best of {} rounds each; the filter took {:.0f} us once\n", searcher->description(),
             queries.size(), flags.k, flags.rounds, filter_us);
  fmt::print(
      "us: mean {:.1f} median {:.1f} p95 {:.1f} p99 {:.1f}; of these evaluation {:.1f} {:.1f} {:.1f} {:.1f}; "
      "matches {:.0f}, postings {:.0f}, answers {:016x}\n",
      all.mean, all.median, all.p95, all.p99, alone.mean, alone.median, alone.p95, alone.p99,
      static_cast<double>(matches) / count, static_cast<double>(postings) / count, checksum);
  return {};
}

}  // namespace

void add_bench_clauses(config::CommandLine& bench_command, int& status) {
  auto flags = std::make_shared<BenchClausesFlags>();
  auto& command = bench_command.add_command(
      "clauses", "Queries of the query language on one partition in this process, one thread: CPU time a query");
  command.add_option("--repository", flags->from.repository, "The repository: a directory or URL").required();
  command.add_option("--collection", flags->from.collection, "Its collection").required();
  command.add_option("--partition", flags->from.partition, "The partition's number").show_default();
  command.add_option("--host-cache", flags->from.host_cache_bytes, "Bytes of a list cache as leaves have it; 0: none");
  command.add_option("--queries", flags->queries, "A query a line, or a clause as JSON").required();
  command.add_option("--filter", flags->filter, "A filter for all of them, as a leaf has it in its cache");
  command.add_option("--mode", flags->mode, "Of words beside each other")
      .check(config::one_of({"and", "or"}))
      .show_default()
      .group("Search");
  add_number(command, "--k", flags->k, 1, 10'000, "Hits wanted").group("Search");
  add_number(command, "--rounds", flags->rounds, 1, 10'000, "A query's time is the best of so many").group("How");
  command.add_flag("--exact", flags->exact, "Count all matches");
  command.add_flag("--flat", flags->flat, "Lines are plain words, searched by the engine of plain words");
  command.add_flag("--exhaustive", flags->exhaustive, "By the slow reference");
  command.add_flag("--json", flags->json, "Print one JSON object").group("Output");
  command.on_chosen([flags, &status] { status = exit_status("bench clauses", bench_clauses(*flags)); });
}

}  // namespace frond::tools::bench
