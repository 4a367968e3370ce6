// A plan's figures, each with a line that says why, as text and JSON.
#include "tools/plan/explanation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/check.h"

namespace frond::tools::plan {
namespace {

std::string bytes(double number) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  for (; number >= 1024 && unit + 1 < std::size(kUnits); ++unit) number /= 1024;
  return fmt::format("{:.{}f} {}", number, unit > 2 && number < 100 ? 1 : 0, kUnits[unit]);
}
std::string milliseconds(double us) { return fmt::format("{:.2f} ms", us / 1000); }
std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

}  // namespace

void explain_sizes(const Wanted& wanted, const Constants& constants, const Candidate& chosen, Plan& plan) {
  const LeafShare& share = chosen.share;
  const auto from = [&](std::string_view constant) { return " [" + constants.source_of(constant) + "]"; };
  const auto add = [&](std::string name, double value, std::string shown, std::string why) {
    plan.figures.push_back({std::move(name), value, std::move(shown), std::move(why)});
  };
  const auto count = [&](std::string name, double value, std::string why) {
    add(std::move(name), value, fmt::format("{:.0f}", value), std::move(why));
  };
  count("partitions", double{1} * chosen.partitions * chosen.shards,
        wanted.gpus > 0 ? "one of each shard: a GPU searches it whole, and the cores have less to do [cluster.md]"
                        : "so many of each shard as a leaf has cores, which share a search when they are idle");
  count("shards", chosen.shards,
        fmt::format("each has {:.3g} documents and {:.3g} postings", share.documents, share.postings));
  count(
      "replicas", chosen.replicas,
      fmt::format(
          "then all shards are there {:.5f} of the time, if a machine is {} of it; one down leaves the others {} busy",
          available(wanted, chosen.shards, chosen.replicas), wanted.machine_availability,
          chosen.replicas < 2 ? "-" : percent(chosen.busiest() * chosen.replicas / (chosen.replicas - 1))));
  count("leaves", chosen.leaves(), "shards x replicas");
  count("brokers", chosen.brokers,
        fmt::format("{} threads in all: {:.0f} us a search{}, {} busy, {}", chosen.broker_threads, chosen.broker_us,
                    from("broker_us_leaf"), percent(kBrokerBusy),
                    wanted.brokers_apart ? "on machines of their own" : "on the leaves' machines"));
  const double apart = wanted.brokers_apart ? std::max<double>(chosen.replicas > 1 ? 2 : 1,
                                                               std::ceil(double(chosen.broker_threads) / wanted.cores))
                                            : 0;
  count("machines", chosen.machines + apart,
        fmt::format("{} of a machine's {} cores are for its {}", chosen.cores, wanted.cores,
                    chosen.leaves_a_machine > 1 ? fmt::format("{} leaves", chosen.leaves_a_machine) : "leaf"));
  add("leaf_memory_bytes", share.memory, bytes(share.memory),
      "all lists, in --host-cache or as mapped files" + from("list_bytes_posting") + ", and 4 bytes a document");
  if (wanted.gpus > 0)
    add("gpu_memory_bytes", share.gpu_memory, bytes(share.gpu_memory), "all lists" + from("gpu_bytes_posting"));
  add("leaf_disk_bytes", share.disk, bytes(share.disk),
      "two generations of its share: lists" + from("generation_bytes_posting") + ", text" + from("text_bytes_byte"));
  add("repository_bytes", share.disk / 2 * chosen.shards, bytes(share.disk / 2 * chosen.shards), "a generation");
}

void explain_times(const Wanted& wanted, const Constants& constants, const Candidate& chosen,
                   const SimulatedLatency& usual, const SimulatedLatency* one_down, Plan& plan) {
  const LeafShare& share = chosen.share;
  const auto from = [&](std::string_view constant) { return " [" + constants.source_of(constant) + "]"; };
  const auto add = [&](std::string name, double value, std::string shown, std::string why) {
    plan.figures.push_back({std::move(name), value, std::move(shown), std::move(why)});
  };
  const bool gpu = share.gpu_us > 0;
  const double core_us = share.fixed_us + share.work_us;
  add("leaf_us", core_us, fmt::format("{:.0f} us", core_us),
      fmt::format("of a core for a search, {:.0f} whatever it finds{}, the rest for {:.3g} postings{}", share.fixed_us,
                  from("leaf_us"), share.read_postings,
                  gpu ? fmt::format(": {:.2f} us of the GPU", share.gpu_us) + from("gpu_us_posting")
                      : from(wanted.mode == Mode::kAnd ? "and_us_million" : "or_us_million")));
  add("busy", chosen.busiest(), percent(chosen.busiest()),
      gpu && chosen.gpu_busy > chosen.busy ? "GPUs" : "cores of leaves");
  const double rate = wanted.rate * (1 - wanted.cache_hits);
  add("most_rate", rate / chosen.busiest(), fmt::format("{:.0f}/s", rate / chosen.busiest()),
      "searches not in the result cache, when that is 100 %");
  const std::string simulated = fmt::format("simulated, {} searches, of which {:.1f} % go to a second replica as well",
                                            usual.sorted_us.size(), 100 * usual.hedges);
  add("p50_ms", usual.quantile_us(0.5) / 1000, milliseconds(usual.quantile_us(0.5)), simulated);
  add("p99_ms", usual.quantile_us(0.99) / 1000, milliseconds(usual.quantile_us(0.99)),
      "the slowest of all shards counts: work of searches" + from("leaf_spread") + ", stalls" + from("stall_share"));
  if (one_down != nullptr)
    add("p99_one_down_ms", one_down->quantile_us(0.99) / 1000, milliseconds(one_down->quantile_us(0.99)),
        "while a machine is down");
  const double hours = plan.value("machines") / (wanted.rate * 3600) * 1e6;
  add("machine_hours_million", hours, fmt::format("{:.3g}", hours),
      "for a million searches, if the rate is always this");
  if (wanted.machine_price > 0)
    add("price_million", hours * wanted.machine_price, fmt::format("{:.4g}", hours * wanted.machine_price),
        fmt::format("for a million searches, if a machine costs {} an hour", wanted.machine_price));
}

double Plan::value(std::string_view name) const {
  const auto found = std::ranges::find(figures, name, &Figure::name);
  FROND_CHECK(found != figures.end());
  return found->value;
}

std::string to_text(const Plan& plan) {
  std::string text;
  for (const Figure& figure : plan.figures)
    text += fmt::format("{:<22} {:>11}  {}\n", figure.name, figure.shown, figure.why);
  return text;
}

std::string to_json(const Plan& plan) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object(), why = nlohmann::ordered_json::object();
  for (const Figure& figure : plan.figures) {
    out[figure.name] = figure.value;
    why[figure.name] = figure.why;
  }
  out["why"] = std::move(why);
  return out.dump();
}

}  // namespace frond::tools::plan
