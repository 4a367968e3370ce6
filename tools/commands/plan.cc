// frond plan: how many leaves, replicas and brokers a collection needs, and how fast its searches will be.

#include <cstdio>
#include <memory>
#include <string>

#include "common/config/command_line.h"
#include "common/files/read.h"
#include "tools/commands/commands.h"
#include "tools/plan/constants.h"
#include "tools/plan/planner.h"

namespace frond::tools {
namespace {

struct PlanFlags {
  plan::Wanted wanted;
  double document_bytes = 0;
  std::uint64_t memory = std::uint64_t{64} << 30, gpu_memory = std::uint64_t{80} << 30;
  std::string mode = "or", constants;
  bool json = false;
};

Result<void> print_plan(PlanFlags& flags) {
  plan::Constants constants = plan::Constants::built_in();
  if (!flags.constants.empty()) {
    auto parsed = plan::Constants::parse(FROND_TRY(files::read_text(flags.constants, 1 << 20)));
    if (!parsed) return std::move(parsed).error().within(flags.constants);
    constants = *std::move(parsed);
  }
  plan::Wanted& wanted = flags.wanted;
  if (flags.document_bytes > 0) wanted.words = flags.document_bytes / constants.bytes_word;
  wanted.mode = flags.mode == "and" ? plan::Mode::kAnd : plan::Mode::kOr;
  wanted.memory = static_cast<double>(flags.memory);
  wanted.gpu_memory = static_cast<double>(flags.gpu_memory);
  const plan::Plan made = FROND_TRY(plan::make_plan(wanted, constants));
  std::fputs((flags.json ? plan::to_json(made) + '\n' : plan::to_text(made)).c_str(), stdout);
  return {};
}

void add_collection_flags(config::CommandLine& command, PlanFlags& flags) {
  plan::Wanted& wanted = flags.wanted;
  command.add_option("--documents", wanted.documents, "Documents of the collection")
      .required()
      .check(config::range(1.0, 1e13));
  auto& words = add_number(command, "--words", wanted.words, 1.0, 1e7, "Words of a document").group("Collection");
  command.add_option("--document-bytes", flags.document_bytes, "Bytes of a document's text, instead of --words")
      .check(config::range(1.0, 6.4e7))
      .excludes(words)
      .group("Collection");
  command
      .add_option("--query-postings", wanted.query_postings,
                  "Postings that a search reads, the sum of its words' document frequencies; default: 0.148 for each "
                  "document")
      .check(config::range(1.0, 1e13))
      .group("Collection");
}

void add_target_flags(config::CommandLine& command, PlanFlags& flags) {
  plan::Wanted& wanted = flags.wanted;
  command.add_option("--rate", wanted.rate, "Searches a second in the busiest minute")
      .required()
      .check(config::range(0.001, 1e7));
  add_number(command, "--p99-ms", wanted.p99_ms, 0.001, 60'000.0, "99 of 100 searches take so long at most")
      .group("Target");
  add_number(command, "--availability", wanted.availability, 0.0, 0.9999999,
             "Share of time in which all shards are there")
      .group("Target");
  add_number(command, "--machine-availability", wanted.machine_availability, 0.5, 0.9999999,
             "Share of time in which a machine is there; an assumption, not measured")
      .group("Target");
  add_choice(command, "--mode", flags.mode, {"and", "or"}, "Which documents match");
  add_number(command, "--k", wanted.k, 1, 1000, "Hits of a search");
  command.add_flag("--with-text", wanted.with_text, "Hits are shown with text, as snippets are");
  add_number(command, "--cache-hits", wanted.cache_hits, 0.0, 0.99, "Share of searches that the result cache answers")
      .group("Target");
  add_number(command, "--hedge-share", wanted.hedge_share, 0.0, 1.0, "As the broker's");
}

void add_budget_flags(config::CommandLine& command, PlanFlags& flags) {
  plan::Wanted& wanted = flags.wanted;
  command.add_option("--machines", wanted.machines, "The most there may be; 0: any number")
      .check(config::range(0, 1'000'000))
      .group("Budget");
  add_number(command, "--cores", wanted.cores, 1, 1024, "Cores of a machine").group("Budget");
  add_bytes(command, "--memory", flags.memory, "64GiB", "Memory of a machine").group("Budget");
  add_number(command, "--gpus", wanted.gpus, 0, 16, "GPUs of a machine, one leaf for each").group("Budget");
  add_bytes(command, "--gpu-memory", flags.gpu_memory, "80GiB", "Memory of a GPU").group("Budget");
  command.add_option("--machine-price", wanted.machine_price, "Of a machine an hour")
      .check(config::range(0.0, 1e6))
      .group("Budget");
  command.add_flag("--brokers-apart", wanted.brokers_apart, "Brokers have machines of their own");
}

void add_given_flags(config::CommandLine& command, PlanFlags& flags) {
  plan::Wanted& wanted = flags.wanted;
  auto& shards = command.add_option("--shards", wanted.shards, "Say what these would do, instead of planning")
                     .check(config::range(1, 4096));
  command.add_option("--replicas", wanted.replicas, "Of these shards").check(config::range(1, 64)).needs(shards);
  command.add_option("--partitions", wanted.partitions, "Of all of these shards")
      .check(config::range(1, 4096))
      .needs(shards);
  command.add_option("--constants", flags.constants, "File of measured constants; default: those of docs/measurements");
  command.add_option("--seed", wanted.seed, "Of the simulation").show_default();
  command.add_flag("--json", flags.json, "Print one JSON object").group("Output");
}

}  // namespace

void add_plan(config::CommandLine& program, int& status) {
  const auto flags = std::make_shared<PlanFlags>();
  flags->wanted.words = 300;
  flags->wanted.p99_ms = 100;
  flags->wanted.availability = flags->wanted.machine_availability = 0.999;
  flags->wanted.cores = 16;
  flags->wanted.hedge_share = 0.05;
  auto& command = program.add_command(
      "plan",
      "Says how many partitions, leaves, replicas and brokers a collection needs, and how fast searches will be");
  add_collection_flags(command, *flags);
  add_target_flags(command, *flags);
  add_budget_flags(command, *flags);
  add_given_flags(command, *flags);
  command.on_chosen([flags, &status] { status = exit_status("plan", print_plan(*flags)); });
}

}  // namespace frond::tools
