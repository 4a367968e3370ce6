// frond bench cache: tells how much of a query log a list cache of a given size on a GPU would answer.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <unordered_map>

#include "common/config/command_line.h"
#include "tools/bench/commands.h"
#include "tools/bench/gpu/bench_gpu.h"
#include "tools/bench/gpu/cache_simulation.h"
#include "tools/bench/query/partition_searcher.h"
#include "tools/bench/table.h"
#include "tools/commands/commands.h"

namespace frond::tools::bench {
namespace {

struct BenchCacheFlags {
  PartitionChoice from;
  std::string queries, tag;
  std::vector<double> shares{1, 2, 5, 10, 20, 30, 50, 75, 100};
  std::vector<std::uint64_t> sizes;
  double warm_up = 0.5;
  std::uint64_t min_postings = 0;
  bool json = false;
};

// Keeps the queries with at least `min_postings` postings, as a leaf selects queries for the GPU. Asks for each list's
// size on the device only once.
Result<CacheLog> log_of(PartitionSearcher& searcher, std::span<const BenchQuery> queries, std::uint64_t min_postings) {
  CacheLog log;
  std::unordered_map<std::string, std::uint32_t> lists;
  std::vector<std::uint64_t> postings;  // by list
  constexpr std::uint32_t kNone = 0xffffffff;
  for (const auto& query : queries) {
    std::vector<std::uint32_t> wanted;
    std::uint64_t sum = 0;
    for (const auto& term : query) {
      const auto [found, is_new] = lists.emplace(term.text, kNone);
      if (is_new) {
        const auto plan = FROND_TRY(searcher.plan({term}, leaf::engine::Mode::kOr, 1));
        if (!plan.terms.empty()) {
          found->second = static_cast<std::uint32_t>(log.bytes.size());
          postings.push_back(plan.terms[0].list->postings.count());
          log.bytes.push_back(FROND_TRY(
              bytes_on_device(plan.terms[0].list->postings, static_cast<std::uint32_t>(plan.lengths.size()))));
        }
      }
      if (found->second == kNone) continue;
      wanted.push_back(found->second);
      sum += postings[found->second];
    }
    if (sum >= min_postings) log.queries.push_back(std::move(wanted));
  }
  if (log.all_bytes() == 0)
    return Error(Code::kInvalid,
                 fmt::format("no query has {} postings in the partition", std::max<std::uint64_t>(min_postings, 1)));
  return log;
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

Result<void> bench_cache(const BenchCacheFlags& flags) {
  const auto searcher = FROND_TRY(PartitionSearcher::open(flags.from));
  const auto queries = FROND_TRY(read_queries(flags.queries, flags.tag, searcher->analyzer(), searcher->query_form()));
  const CacheLog log = FROND_TRY(log_of(*searcher, queries, flags.min_postings));
  const auto count_from = static_cast<std::size_t>(flags.warm_up * static_cast<double>(log.queries.size()));
  std::vector<std::uint64_t> sizes = flags.sizes;
  if (sizes.empty())
    for (const double share : flags.shares)
      sizes.push_back(static_cast<std::uint64_t>(std::ceil(share / 100 * static_cast<double>(log.all_bytes()))));
  Table table{.title = "Hits",
              .columns = {{"cache bytes"},
                          {"% of all", 1},
                          {"% of lists hit", 1},
                          {"% of whole queries", 1},
                          {"% of bytes hit", 1},
                          {"evictions"},
                          {"refused"}},
              .rows = {}};
  for (const auto size : sizes) {
    const auto counted = replay(log, size, count_from);
    table.rows.push_back({size, percent(size, log.all_bytes()), percent(counted.list_hits, counted.lists),
                          percent(counted.query_hits, counted.queries), percent(counted.hit_bytes, counted.asked_bytes),
                          counted.evictions, counted.refused});
  }
  if (flags.json) {
    const nlohmann::ordered_json out{{"partition", searcher->description()},
                                     {"queries", log.queries.size()},
                                     {"least_postings", flags.min_postings},
                                     {"list_bytes", log.all_bytes()},
                                     {"table", as_json(table)}};
    fmt::print("{}\n", out.dump());
  } else {
    fmt::print(
        "{}\n{} of {} queries have {} postings or more; counted from the {}th on; they ask for {} bytes of lists\n"
        "(Ding 2009, section 4, expects 50 to 80 % of a GPU's cache)\n{}",
        searcher->description(), log.queries.size(), queries.size(), flags.min_postings, count_from, log.all_bytes(),
        text_of(table));
  }
  return {};
}

}  // namespace

void add_bench_cache(config::CommandLine& bench_command, int& status) {
  auto flags = std::make_shared<BenchCacheFlags>();
  auto& command = bench_command.add_command(
      "cache", "Hits of the GPU's list cache by its size, on a query log: simulated, no GPU needed");
  command.add_option("--repository", flags->from.repository, "The repository: a directory or URL").required();
  command.add_option("--collection", flags->from.collection, "Its collection").required();
  command.add_option("--partition", flags->from.partition, "The partition's number").show_default();
  command.add_option("--queries", flags->queries, "The log: number:text, id<TAB>text, plain lines, or JSON lines")
      .required();
  command.add_option("--tag", flags->tag, "Only JSON lines with this tag");
  command.add_option("--sizes", flags->sizes, "Sizes of the cache in bytes, instead of --shares")
      .transform(config::byte_size());
  add_number(command, "--shares", flags->shares, 0.0, 1000.0, "Sizes in percent of all lists that the log asks for");
  command
      .add_option("--least-postings", flags->min_postings, "Only queries with so many: a leaf's --gpu-least-postings")
      .show_default();
  add_number(command, "--warm-up", flags->warm_up, 0.0, 1.0, "This share of the log is replayed without being counted");
  command.add_flag("--json", flags->json, "Print one JSON object");
  command.on_chosen([flags, &status] { status = exit_status("bench cache", bench_cache(*flags)); });
}

}  // namespace frond::tools::bench
