#include "broker/http/answers/answer_json.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "common/wire/messages.h"

namespace frond::broker::http {
namespace {

using Count = std::pair<std::string_view, std::uint64_t>;

void append_counts(std::string& out, std::initializer_list<Count> counts) {
  for (const auto& [name, value] : counts) append_count(out, name, value);
}
// Nanoseconds, shown as microseconds.
void append_times(std::string& out, std::initializer_list<Count> times) {
  for (const auto& [name, ns] : times) {
    append_name(out, name);
    append_thousandths(out, ns);
  }
}
void append_flag(std::string& out, std::string_view name, bool value) {
  append_name(out, name);
  out += value ? "true" : "false";
}

void append_partition(std::string& out, const wire::PartitionProfile& partition) {
  out += '{';
  append_counts(out, {{"partition", partition.partition}});
  append_text(out, "engine", partition.engine);
  append_counts(out, {{"queue_us", partition.queue_us},
                      {"lists_us", partition.lists_us},
                      {"engine_us", partition.engine_us},
                      {"postings", partition.postings}});
  out += '}';
}

std::string_view processor_of(const wire::SearchRun& run) {
  if (run.on_cpu && run.on_gpu) return "both";
  return run.on_gpu ? "gpu" : run.on_cpu ? "cpu" : "none";
}

// What a leaf does not know is left out: predictions without a scheduler, a batch where none took the search.
void append_run(std::string& out, const wire::SearchRun& run) {
  out += '{';
  append_text(out, "mode", name_of(run.mode));
  append_counts(out, {{"k", run.k},
                      {"partitions", run.partitions},
                      {"terms", run.terms},
                      {"postings", run.postings},
                      {"blocks", run.blocks},
                      {"shortest", run.shortest},
                      {"second", run.second}});
  if (run.resident != wire::Resident::kNotAsked) append_flag(out, "resident", run.resident == wire::Resident::kYes);
  if (run.predicted_cpu_ns != 0 || run.predicted_gpu_ns != 0)
    append_times(out, {{"predicted_cpu_us", run.predicted_cpu_ns}, {"predicted_gpu_us", run.predicted_gpu_ns}});
  append_text(out, "queue", wire::kRunQueues[static_cast<std::size_t>(run.queue)]);
  append_text(out, "processor", processor_of(run));
  append_text(out, "reason", name_of(run.reason));
  append_flag(out, "stolen", run.stolen);
  append_times(out, {{"wait_us", run.wait_ns}, {"cpu_us", run.cpu_ns}});
  if (run.batch_queries != 0) {
    out += ",\"batch\":{";
    append_counts(out, {{"queries", run.batch_queries}, {"plans", run.batch_plans}});
    append_times(out, {{"build_us", run.build_ns},
                       {"transfer_us", run.transfer_ns},
                       {"kernel_us", run.kernel_ns},
                       {"answer_us", run.answer_ns}});
    out += '}';
  }
  out += '}';
}

template <class T>
void append_list(std::string& out, std::string_view name, const std::vector<T>& list,
                 void (*append)(std::string&, const T&)) {
  append_name(out, name);
  out += '[';
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ',';
    append(out, list[i]);
  }
  out += ']';
}

void append_leaf(std::string& out, const merge::Page::LeafProfile& leaf) {
  out += '{';
  append_text(out, "leaf", leaf.leaf);
  append_counts(out, {{"round_trip_us", leaf.round_trip_us}});
  append_list(out, "partitions", leaf.partitions, append_partition);
  append_list(out, "runs", leaf.runs, append_run);
  out += '}';
}

}  // namespace

void append_profile(std::string& out, const merge::Page::Profile& profile) {
  out += ",\"profile\":{";
  append_counts(out, {{"search_us", profile.search_us}, {"fetch_us", profile.fetch_us}});
  append_list(out, "leaves", profile.leaves, append_leaf);
  out += '}';
}

}  // namespace frond::broker::http
