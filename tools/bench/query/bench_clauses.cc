// frond bench clauses: measures queries of the query language on one partition, without a cluster.
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/lines.h"
#include "common/config/command_line.h"
#include "common/query/bind.h"
#include "common/query/json/clause_json.h"
#include "common/query/language/query_parser.h"
#include "common/query/normal_form.h"
#include "leaf/clauses/evaluation.h"
#include "leaf/collect/collect.h"
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
  std::string queries, filter, mode = "or", sort, facets, total = "bounded";
  std::uint32_t k = 10, rounds = 5;
  bool flat = false, unranked = false, json = false;
};

// A query as the broker would hand it to a leaf: a clause, or plain words.
struct AskedQuery {
  query::Clause clause;
  BenchQuery words;
};

// What all queries are asked for, and by whom.
struct Asking {
  const BenchClausesFlags& flags;
  PartitionSearcher& searcher;
  leaf::engine::QueryEngine& engine;
  leaf::collect::Wanted wanted;  // none: the engine of plain words runs them with `flat`
  std::shared_ptr<const partition::HiddenDocuments> left_out;
  leaf::collect::KeywordCache keywords{std::size_t{64} << 20};
  const SteadyClock clock{};

  bool collects() const { return !wanted.sort.empty() || !wanted.facets.empty(); }
  bool are_plain() const { return flags.flat && !collects(); }
  bool counts_all() const { return flags.total == "exact" || flags.unranked || collects(); }
};

struct Answer {
  leaf::collect::Collected found;
  std::uint64_t planning_ns = 0, evaluation_ns = 0;
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

Result<std::vector<AskedQuery>> read_clauses(const Asking& asking) {
  const BenchClausesFlags& flags = asking.flags;
  std::vector<AskedQuery> all;
  const std::string text = FROND_TRY(read_topic_file(flags.queries));
  Lines lines(text);
  while (const auto line = lines.next()) {
    if (line->empty()) continue;
    AskedQuery asked;
    if (asking.are_plain()) {
      auto words = FROND_TRY(parse_queries(*line, {}, asking.searcher.analyzer(), asking.searcher.query_form()));
      asked.words = std::move(words.front());
    } else if (flags.flat) {
      asked.clause.node = query::Words{{}, std::string(*line), mode_of(flags.mode)};
    } else {
      auto clause = normal_clause(*line, asking.searcher.schema(), flags.mode);
      if (!clause) return std::move(clause).error().within(fmt::format("{}, line {}", flags.queries, lines.number()));
      asked.clause = *std::move(clause);
    }
    all.push_back(std::move(asked));
  }
  if (all.empty()) return Error(Code::kInvalid, flags.queries + ": no query");
  return all;
}

Result<leaf::collect::Wanted> read_wanted(const BenchClausesFlags& flags, const schema::Schema& schema) {
  leaf::collect::Wanted wanted;
  if (!flags.sort.empty()) wanted.sort = FROND_TRY(query::parse_sort(flags.sort));
  FROND_TRY(query::check_sort(wanted.sort, schema));
  if (flags.facets.empty()) return wanted;
  auto facets = FROND_TRY(query::parse_facets(flags.facets));
  wanted.facets = FROND_TRY(query::bind_facets(std::move(facets), schema, "--facets"));
  return wanted;
}

// As a leaf: where a ranking's engine did not count all matches, it counts them apart.
Result<leaf::engine::Outcome> search_words(const Asking& asking, leaf::engine::Plan& plan) {
  auto outcome = FROND_TRY(std::move(asking.engine.search(std::span(&plan, 1), asking.clock)[0]));
  if (outcome.exact || !asking.counts_all()) return outcome;
  plan.ranked = false;
  plan.k = 0;
  const auto counted = FROND_TRY(std::move(asking.engine.search(std::span(&plan, 1), asking.clock)[0]));
  outcome.matches = counted.matches;
  outcome.postings_decoded += counted.postings_decoded;
  return outcome;
}

Result<leaf::collect::Collected> search_clause(Asking& asking, const leaf::clauses::ClausePlan& plan) {
  if (asking.collects())
    return leaf::collect::collect(plan, asking.wanted, asking.searcher.schema(), asking.keywords, nullptr,
                                  asking.clock);
  leaf::collect::Collected found;
  found.outcome = FROND_TRY(leaf::clauses::search(plan, asking.clock));
  return found;
}

Result<Answer> answer(Asking& asking, const AskedQuery& asked) {
  const BenchClausesFlags& flags = asking.flags;
  const std::uint64_t count_to = asking.counts_all() ? leaf::engine::Plan::kCountAll : flags.k;
  Answer made;
  PartitionSearcher::Resolved resolved;
  leaf::engine::Plan words;
  const std::uint64_t begin = thread_nanoseconds();
  if (asking.are_plain()) {
    const auto mode = flags.mode == "and" ? leaf::engine::Mode::kAnd : leaf::engine::Mode::kOr;
    words = FROND_TRY(asking.searcher.plan(asked.words, mode, flags.k));
    if (asking.left_out != nullptr) words.hidden = asking.left_out.get();
  } else {
    FROND_TRY(asking.searcher.resolve(asked.clause, asking.left_out.get(), flags.k, resolved));
  }
  leaf::engine::Plan& plan = asking.are_plain() ? words : resolved.plan.plan;
  plan.count_to = count_to;
  plan.ranked = !flags.unranked;
  const std::uint64_t planned = thread_nanoseconds();
  if (asking.are_plain())
    made.found.outcome = FROND_TRY(search_words(asking, words));
  else
    made.found = FROND_TRY(search_clause(asking, resolved.plan));
  made.planning_ns = planned - begin - thread_clock_nanoseconds();  // a reading is in `evaluation_ns`, as in any time
  made.evaluation_ns = thread_nanoseconds() - planned;
  return made;
}

// Adds what was found to a number that equal answers have.
void add_to(std::uint64_t& checksum, const leaf::collect::Collected& found) {
  const auto add = [&](std::uint64_t number) { checksum = (checksum ^ number) * 0x9e3779b97f4a7c15u; };
  for (const auto& hit : found.outcome.hits) checksum = (checksum ^ hit.ordinal) * 0x9e3779b97f4a7c15u + hit.score;
  for (const query::FacetCounts& facet : found.facets) {
    add(facet.with_value);
    add(facet.missing);
    for (const std::uint64_t key : facet.keys) add(key);
    for (const std::string& word : facet.words) add(std::hash<std::string>()(word));
    for (const std::uint64_t count : facet.counts) add(count);
  }
}

struct Figures {
  std::vector<double> whole_us, evaluation_us;  // by query, of the best round
  std::uint64_t checksum = 0, matches = 0, postings = 0;
  double filter_us = 0;
};

void show(const BenchClausesFlags& flags, const std::string& partition, const Figures& figures) {
  const Distribution all = distribution_of(figures.whole_us), alone = distribution_of(figures.evaluation_us);
  const auto count = static_cast<double>(figures.whole_us.size());
  const double matches = static_cast<double>(figures.matches) / count;
  const double postings = static_cast<double>(figures.postings) / count;
  if (flags.json) {
    const nlohmann::ordered_json out{{"partition", partition},
                                     {"queries", figures.whole_us.size()},
                                     {"k", flags.k},
                                     {"whole_us", as_json(all)},
                                     {"evaluation_us", as_json(alone)},
                                     {"filter_us", figures.filter_us},
                                     {"matches", matches},
                                     {"postings", postings},
                                     {"answers", fmt::format("{:016x}", figures.checksum)}};
    fmt::print("{}\n", out.dump());
    return;
  }
  fmt::print("{}\n{} queries, k {}, best of {} rounds each; the filter took {:.0f} us once\n", partition,
             figures.whole_us.size(), flags.k, flags.rounds, figures.filter_us);
  fmt::print(
      "us: mean {:.1f} median {:.1f} p95 {:.1f} p99 {:.1f}; of these evaluation {:.1f} {:.1f} {:.1f} {:.1f}; "
      "matches {:.0f}, postings {:.0f}, answers {:016x}\n",
      all.mean, all.median, all.p95, all.p99, alone.mean, alone.median, alone.p95, alone.p99, matches, postings,
      figures.checksum);
}

Result<void> bench_clauses(const BenchClausesFlags& flags) {
  const auto searcher = FROND_TRY(PartitionSearcher::open(flags.from));
  const auto engine = FROND_TRY(leaf::engine_named(leaf::kDefaultEngine));
  auto wanted = FROND_TRY(read_wanted(flags, searcher->schema()));
  Asking asking{flags, *searcher, *engine, std::move(wanted), nullptr};
  const auto queries = FROND_TRY(read_clauses(asking));
  Figures figures;
  if (!flags.filter.empty()) {
    const query::Clause filter = FROND_TRY(normal_clause(flags.filter, searcher->schema(), "and"));
    const std::uint64_t begin = thread_nanoseconds();
    asking.left_out = FROND_TRY(searcher->left_out_by(filter));
    figures.filter_us = static_cast<double>(thread_nanoseconds() - begin) / 1e3;
  }
  constexpr double kNever = std::numeric_limits<double>::max();
  figures.whole_us.assign(queries.size(), kNever);
  figures.evaluation_us.assign(queries.size(), kNever);
  for (std::uint32_t round = 0; round < flags.rounds; ++round) {
    figures.checksum = figures.matches = figures.postings = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const Answer made = FROND_TRY(answer(asking, queries[i]));
      const auto evaluation = static_cast<double>(made.evaluation_ns) / 1e3;
      figures.evaluation_us[i] = std::min(figures.evaluation_us[i], evaluation);
      figures.whole_us[i] = std::min(figures.whole_us[i], static_cast<double>(made.planning_ns) / 1e3 + evaluation);
      add_to(figures.checksum, made.found);
      figures.matches += made.found.outcome.matches;
      figures.postings += made.found.outcome.postings_decoded;
    }
  }
  show(flags, searcher->description(), figures);
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
  add_choice(command, "--mode", flags->mode, {"and", "or"}, "Of words beside each other").group("Search");
  add_number(command, "--k", flags->k, 0, 10'000, "Hits wanted").group("Search");
  command.add_option("--sort", flags->sort, "An order of hits, as the parameter `sort`: year:desc,_score");
  command.add_option("--facets", flags->facets, "What to count over all matches, as the parameter `facets`: tag:10");
  add_choice(command, "--total", flags->total, {"bounded", "exact"},
             "Whether all matches are counted; with an order or facets they are");
  command.add_flag("--unranked", flags->unranked, "Rank nothing: the first hits, and with --k 0 counts alone");
  add_number(command, "--rounds", flags->rounds, 1, 10'000, "A query's time is the best of so many").group("How");
  command.add_flag("--flat", flags->flat, "Lines are plain words, without an order or facets for their own engine");
  command.add_flag("--json", flags->json, "Print one JSON object").group("Output");
  command.on_chosen([flags, &status] { status = exit_status("bench clauses", bench_clauses(*flags)); });
}

}  // namespace frond::tools::bench
