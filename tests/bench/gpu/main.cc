// gpu_bench decode | query | term-at-a-time | break-even: what the device does with lists made up in memory, so that a
// machine without data will do. tests/gpu/on_device runs it.
#include "tests/bench/gpu/gpu_bench.h"

#include <CLI/CLI.hpp>

#include <cstdio>

#include "common/device/runtime.h"

int main(int argc, char** argv) {
  using namespace frond;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what is known stays known when the time is up
  CLI::App app{"Times decoding and ranked queries on a GPU"};
  app.require_subcommand(1);
  bench::DecodeBenchOptions decode;
  auto* decoding = app.add_subcommand("decode", "docIDs to device memory, sums included");
  decoding->add_option("--most", decode.most, "Lists of 2^16 .. 2^MOST docIDs")->capture_default_str();
  decoding->add_option("--rounds", decode.rounds, "Launches")->capture_default_str()->check(CLI::Range(1, 1000));
  bench::QueryBenchOptions query;
  auto* querying = app.add_subcommand("query", "Ranked queries of both engines on the gov2 profile");
  auto* comparing = app.add_subcommand("term-at-a-time", "The engine beside the OR of the paper, by step");
  auto* breaking = app.add_subcommand("break-even", "Both engines by postings of a query and size of a batch");
  for (auto* one : {comparing, breaking}) {
    one->add_option("--documents", query.documents, "Documents")->capture_default_str();
    one->add_option("--lists", query.lists, "Lists")->capture_default_str()->check(CLI::Range(8, 100'000));
    one->add_option("--queries", query.queries, "Queries")->capture_default_str()->check(CLI::Range(1, 100'000));
    one->add_option("--threads", query.threads, "Threads that make the lists")->capture_default_str();
    one->add_option("--memory", query.memory_bytes, "Device memory, bytes")->capture_default_str();
  }
  querying->add_option("--documents", query.documents, "Documents")->capture_default_str();
  querying->add_option("--lists", query.lists, "Lists")->capture_default_str()->check(CLI::Range(8, 100'000));
  querying->add_option("--queries", query.queries, "Queries")->capture_default_str()->check(CLI::Range(1, 100'000));
  querying->add_option("--times", query.times, "Passes over the queries that one round takes")->capture_default_str();
  querying->add_option("--threads", query.threads, "Threads of the CPU engine")->capture_default_str();
  querying->add_option("--memory", query.memory_bytes, "Device memory, bytes")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (device::count_devices() == 0) {
    std::printf("no GPU\n");
    return 77;
  }
  if (const auto device = device::properties_of(0))
    std::printf("%s, %d processors, %.0f GB\n", device->name.c_str(), device->processors,
                static_cast<double>(device->memory_bytes) * 1e-9);
  if (comparing->parsed()) return bench::run_term_at_a_time_bench(query);
  if (breaking->parsed()) return bench::run_break_even_bench(query);
  return decoding->parsed() ? bench::run_decode_bench(decode) : bench::run_query_bench(query);
}
