// gpu_bench decode | term-at-a-time | text | bisection: what the device does with lists and texts made up in memory, so
// that a machine without data will do. tests/gpu/on_device runs it.
#include "tests/bench/gpu/gpu_bench.h"

#include <cstdio>

#include "common/config/command_line.h"
#include "common/device/runtime.h"

int main(int argc, char** argv) {
  using namespace frond;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // finished lines are written even if the program is stopped
  config::CommandLine app("Times decoding, OR as the paper has it, and inverting texts, on a GPU", "gpu_bench");
  app.require_command();
  bench::DecodeBenchOptions decode;
  auto& decoding = app.add_command("decode", "docIDs to device memory, prefix sums included");
  decoding.add_option("--most", decode.max_log, "Lists of 2^16 .. 2^MOST docIDs").show_default();
  decoding.add_option("--rounds", decode.rounds, "Launches").show_default().check(config::range(1, 1000));
  bench::TermAtATimeBenchOptions compare;
  auto& comparing = app.add_command("term-at-a-time", "The engine beside the OR of the paper, by step");
  comparing.add_option("--documents", compare.documents, "Documents").show_default();
  comparing.add_option("--lists", compare.lists, "Lists").show_default().check(config::range(8, 100'000));
  comparing.add_option("--queries", compare.queries, "Queries").show_default().check(config::range(1, 100'000));
  comparing.add_option("--threads", compare.threads, "Threads that make the lists").show_default();
  comparing.add_option("--memory", compare.memory_bytes, "Device memory, bytes").show_default();
  bench::TextBenchOptions text;
  auto& inverting = app.add_command("text", "Text to postings, from pinned memory and of text on the device");
  inverting.add_option("--bytes", text.text_bytes, "Text").transform(config::byte_size()).show_default("2GiB");
  inverting.add_option("--batch", text.batch_bytes, "Of a batch").transform(config::byte_size()).show_default("128MiB");
  inverting.add_option("--memory", text.memory_bytes, "Device memory")
      .transform(config::byte_size())
      .show_default("24GiB");
  inverting.add_option("--vocabulary", text.vocabulary, "Words").show_default();
  inverting.add_option("--threads", text.threads, "Threads that make the text")
      .show_default()
      .check(config::range(1, 256));
  inverting.add_option("--rounds", text.rounds, "Rounds").show_default().check(config::range(1, 1000));
  bench::BisectionBenchOptions bisection;
  auto& ordering = app.add_command("bisection", "The order of made-up documents: time, and the gaps in lists");
  ordering.add_option("--documents", bisection.documents, "Documents").show_default();
  ordering.add_option("--terms", bisection.terms, "Drawn for a document, on average")
      .show_default()
      .check(config::range(2, 1000));
  ordering.add_option("--seed", bisection.seed, "Of the documents").show_default();
  ordering.add_option("--rounds", bisection.rounds, "On the GPU").show_default().check(config::range(1, 1000));
  ordering.add_option("--threads", bisection.threads, "Threads that make documents, and of the CPU's bisection")
      .show_default()
      .check(config::range(1, 256));
  ordering.add_option("--memory", bisection.memory_bytes, "Device memory")
      .transform(config::byte_size())
      .show_default("64GiB");
  ordering.add_flag("--on-cpu", bisection.on_cpu, "Also on the CPU, whose order must be the same");
  if (const auto exit_code = app.parse(argc, argv)) return *exit_code;
  if (device::count_devices() == 0) {
    std::printf("no GPU found\n");
    return 77;
  }
  if (const auto device = device::properties_of(0))
    std::printf("%s, %d processors, %.0f GB\n", device->name.c_str(), device->processors,
                static_cast<double>(device->memory_bytes) * 1e-9);
  if (ordering.chosen()) return bench::run_bisection_bench(bisection);
  if (inverting.chosen()) return bench::run_text_bench(text);
  return comparing.chosen() ? bench::run_term_at_a_time_bench(compare) : bench::run_decode_bench(decode);
}
