// Microseconds a query, engine `cpu` (and on request `exhaustive`), OR and AND, k 10 and 1000.

#include <cstdio>

#include "common/config/command_line.h"
#include "leaf/engines.h"
#include "tests/bench/query/measure.h"
#include "tests/bench/query/synthetic.h"

int main(int argc, char** argv) {
  using namespace frond;
  std::uint32_t documents = 500'000;
  std::uint64_t postings = 40'000'000;
  std::size_t queries = 2000;
  int rounds = 3;
  std::vector<std::string> engines{"cpu"};
  std::vector<std::uint32_t> ks{10, 1000};
  config::CommandLine app("Times query engines on a synthetic collection in memory", "query_bench");
  app.add_option("--documents", documents, "Documents").show_default().check(config::range(1, 100'000'000));
  app.add_option("--postings", postings, "Postings to stop at").show_default();
  app.add_option("--queries", queries, "Queries").show_default().check(config::range(1, 10'000'000));
  app.add_option("--rounds", rounds, "Each query's best of so many").show_default().check(config::range(1, 1000));
  app.add_option("--engine", engines, "Engines").show_default();
  app.add_option("-k", ks, "Hits asked for").show_default();
  if (const auto exit_code = app.parse(argc, argv)) return *exit_code;

  auto collection = bench::synthetic_collection(1, documents, postings);
  const auto asked = bench::synthetic_queries(2, collection, queries);
  std::uint64_t made = 0;
  for (const auto& list : collection.postings) made += list.size();
  const support::IndexedCollection index(collection, {});
  std::printf("%u documents, %zu terms, %llu postings, %zu queries, best of %d\n", documents,
              collection.postings.size(), static_cast<unsigned long long>(made), asked.size(), rounds);
  collection.postings.clear();
  bench::print_header();
  for (const auto& name : engines) {
    auto engine = leaf::engine_named(name);
    if (!engine) {
      std::fprintf(stderr, "query_bench: %s\n", engine.error().message().c_str());
      return 2;
    }
    for (const auto mode : {leaf::engine::Mode::kOr, leaf::engine::Mode::kAnd})
      for (const auto k : ks) bench::print_row(name, mode, k, bench::measure(**engine, index, asked, mode, k, rounds));
  }
  return 0;
}
