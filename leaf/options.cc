#include "leaf/options.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "common/base/process.h"
#include "common/config/auto_budgets.h"
#include "common/config/command_line.h"
#include "common/config/gpus.h"
#include "common/config/options.h"
#include "common/net/address.h"
#include "common/repository/manifest.h"
#include "common/wire/messages.h"

namespace frond::leaf {
namespace {

void add_trust_options(config::CommandLine& app, Options& options) {
  app.add_option("--tls-ca", options.tls_ca,
                 "PEM file of the authorities to believe of an https repository or object store; default: the system's")
      .group("Keys and TLS");
  app.add_option("--trusted-keys", options.trusted_keys,
                 "PEM file of Ed25519 public keys: only generations that one of them has signed (frond-indexer "
                 "--signing-key) are served; default: all are")
      .group("Keys and TLS");
  app.add_option("--curve-secret-key", options.curve_secret_key,
                 "File of the leaves' secret key (frond keygen): only brokers with CURVE are served")
      .group("Keys and TLS");
  app.add_option("--curve-clients", options.curve_clients,
                 "File of the brokers' public keys, one a line, read again when it changes; goes with the above")
      .group("Keys and TLS");
}

void add_disk_options(config::CommandLine& app, Options& options, std::string& files) {
  add_choice(app, "--repository-files", files, {"copy", "link"},
             "copy: the leaf has its own; link: of a directory on the file system of --data they are linked, so "
             "that they take no room, but what the disk damages is damaged for both");
  add_bytes(app, "--fetch-min-rate", options.fetch_min_rate, "16KiB",
            "Bytes a second: a repository's HTTP server that sends less, over 20 seconds, is asked anew from where it "
            "stopped; 0: however slow");
  add_bytes(app, "--disk-reserve", options.disk_reserve, "64MiB",
            "Free space that fetching leaves on the file system of --data: without it, and room for all that is to be "
            "fetched, nothing is")
      .group("Resources");
  add_bytes(
      app, "--scrub-rate", options.scrub_rate, "8MiB",
      "Bytes a second, at most, that are read again of what is served, past the system's cache, and compared with "
      "the digests of its manifests; what is damaged is fetched anew. 0: nothing is read again");
  add_number(app, "--scrub-interval", options.scrub_s, 1, 31'536'000,
             "Seconds after which a file is read again at the earliest, for --scrub-rate");
  add_number(app, "--lock-wait", options.lock_wait_s, 0, 86'400,
             "Seconds to wait for another leaf that still holds --data; then this one ends with exit code 2");
}

std::optional<Options::Drill> drill_of(std::string_view text) {
  Options::Drill drill;
  const char *const begin = text.data(), *const end = begin + text.size();
  const auto device = std::from_chars(begin, end, drill.device);
  if (device.ec != std::errc() || device.ptr == end || *device.ptr != ':') return std::nullopt;
  const auto seconds = std::from_chars(device.ptr + 1, end, drill.seconds);
  if (seconds.ec != std::errc() || seconds.ptr != end || drill.device < 0 || drill.device >= config::kMaxGpus)
    return std::nullopt;
  return drill;
}

std::string why_no_drill(const std::string& text) {
  return drill_of(text) ? std::string() : "'" + text + "' is not DEVICE:SECONDS, as 1:20";
}

void add_gpu_options(config::CommandLine& app, Options& options, std::string& gpu, std::string& drill) {
  app.add_option(
         "--gpu", gpu,
         "auto: use every GPU that is there; all: the same, with a warning where one can't be used; off; or the "
         "numbers of devices, as 0,2. Partitions are assigned to them by size; those that come while all take less "
         "than "
         "half of a device's memory are on every device")
      .check(config::gpus())
      .show_default()
      .group("Resources");
  add_budget(
      app, "--gpu-cache", options.gpu_cache_bytes,
      "Memory to use of each GPU: 24 MiB to 192 MiB to work in, 4 bytes a document, the rest for lists, which take "
      "about a third more than on disk. auto: four fifths of what is free when the leaf starts")
      .group("Resources");
  app.add_option("--gpu-least-postings", options.min_gpu_postings,
                 "Searches with fewer postings in every partition are the CPU's, unless a request asks for the GPU; 0: "
                 "all are the GPU's")
      .show_default();
  app.add_option("--gpu-drill", drill,
                 "DEVICE:SECONDS, for drills: so long after its start the leaf gives this GPU up, as one that hangs")
      .check(config::accepted(why_no_drill, "DEVICE:SECONDS"));
  app.add_option("--cost-model", options.cost_model,
                 "On a leaf with a GPU: file that predicts what searches cost, from frond bench schedule --train on a "
                 "machine like this one; observed times correct it. Default: a built-in one");

  add_number(app, "--gpu-check-share", options.check_share, 0.0, 1.0,
             "Share of the GPU's answers that the CPU evaluates again, 0 to 1. A difference is logged and counted, and "
             "the CPU's answer is sent");
  add_number(app, "--gpu-queue-limit", options.gpu_queue_limit, 1, 1 << 20,
             "On a leaf with a GPU: searches that may wait for a processor; more are refused");
}

void add_cache_options(config::CommandLine& app, Options& options) {
  add_budget(
      app, "--host-cache", options.host_cache_bytes,
      "Budget of the list cache in host memory; 0: no cache; auto: 35 % of the container's memory, or of half of "
      "the machine's")
      .group("Resources");
  add_budget(app, "--document-cache", options.document_cache_bytes,
             "Budget of the cache of stored fields, in uncompressed blocks of 4 or 8 KiB, for documents whose text is "
             "shown; 0: no cache; auto: 64MiB, where memory is short 5 % of it")
      .group("Resources");
  add_budget(app, "--term-cache", options.term_cache_bytes,
             "Budget of the table of terms, with their frequencies and where their lists are: 0.3 KiB a term, and 0.4 "
             "KiB for each partition; 0: no table; auto: 32MiB, where memory is short 4 % of it");
  add_budget(app, "--filter-cache", options.filter_cache_bytes,
             "Budget of the filters of searches that are kept, two bits a document of each partition; 0: none are; "
             "auto: 64MiB, where memory is short 5 % of it");
  add_number(app, "--max-expansions", options.max_expansions, 1, 65'536,
             "Terms that a prefix or wildcard of a search may stand for; one of more is answered 400");
  add_budget(app, "--keyword-cache", options.keyword_cache_bytes,
             "Budget of the numbers of keywords, for facets: 4 bytes for each value of a column in 4,096 documents, 8 "
             "for each in a partition. A facet of a column that may need more than half is answered 400; auto: 64MiB, "
             "where memory is short 5 % of it");
  add_number(app, "--max-facet-buckets", options.max_facet_buckets, std::size_t{1}, wire::kMaxFacetBuckets,
             "Different buckets that all facets of a search may have; one of more is answered 400");
}

void add_spans(config::CommandLine& app, Options& options) {
  add_number(app, "--poll-ms", options.poll_ms, 10, 3'600'000,
             "How often CURRENT and its manifest are read, in milliseconds, where the repository does not tell of a "
             "change");
  add_number(app, "--grace-seconds", options.grace_s, 0, 86'400,
             "How long a superseded generation stays after its last request, once every broker that talks to this leaf "
             "serves a newer one");
  add_number(
      app, "--superseded-limit-seconds", options.superseded_s, 0, 31'536'000,
      "The longest that a superseded generation stays for brokers that still serve it, or no longer send hellos");
  add_number(app, "--ready-after-ms", options.ready_after_ms, 0, 3'600'000,
             "/readyz is 200 this long after the start at the earliest. Where tools wait for it before they remove "
             "another leaf: longer than DNS answers may be old, plus the brokers' --leaf-dns-interval-ms");
  add_number(
      app, "--warm-ms", options.warm_ms, 0, 600'000,
      "The longest that a generation's lists are read into the caches, also the GPU's, before it is served: those "
      "that searches asked for first, then the largest; 0: searches fill them");
  add_number(app, "--drain-ms", options.drain_ms, 0, 60'000,
             "After SIGTERM: how long requests are still accepted, while brokers, which are told at once, turn to "
             "other leaves");
  add_number(app, "--drain-needed-ms", options.drain_needed_ms, 0, 3'600'000,
             "After --drain-ms: how much longer to serve, at most, while a broker knows no other leaf for a partition");
  add_number(
      app, "--stall-seconds", options.stall_s, 2, 3600,
      "/livez is 503, and names the loop, once a loop that the leaf needs has not turned for so long: a thread of "
      "its socket, the one that reads the keys, or all workers of a pool past their task's deadline");
}

// Their names become names of folders. Empty: they are good.
std::string wrong_collections(const std::vector<std::string>& names) {
  if (names.size() > kMaxCollections) return "--collection: there are more than " + std::to_string(kMaxCollections);
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (!repository::is_safe_name(*name)) return "--collection: '" + *name + "' is no name: use [A-Za-z0-9._-]";
    if (std::find(names.begin(), name, *name) != name) return "--collection: " + *name + " is given twice";
  }
  return {};
}

}  // namespace

std::vector<Budget> choose_budgets(Options& options, const Machine& machine) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  config::AutoBudgets budgets(machine);
  budgets.choose("--host-cache", options.host_cache_bytes, 350, kMiB << 20);
  budgets.choose("--document-cache", options.document_cache_bytes, 50, 64 * kMiB);
  budgets.choose("--term-cache", options.term_cache_bytes, 40, 32 * kMiB);
  budgets.choose("--filter-cache", options.filter_cache_bytes, 50, 64 * kMiB);
  budgets.choose("--keyword-cache", options.keyword_cache_bytes, 50, 64 * kMiB);
  return budgets.all();
}

std::variant<Options, int> read_options(int argc, const char* const* argv) {
  config::CommandLine app("Serves a shard of the partitions of one or more collections to brokers.", "frond-leaf");
  Options options;
  std::string shard = "0/1", log_level = "info", gpu = "auto", files = "copy", drill;

  app.add_option("--repository", options.repository,
                 "The repository: a directory, http[s]://host:port[/path] or s3://bucket[/prefix]")
      .required();
  app.add_option("--collection", options.collections,
                 "A collection to serve; may be repeated. Brokers that name none ask for the first. '*': those that "
                 "the repository has, as they come and go")
      .required();
  app.add_option("--data", options.data, "Folder of this leaf's own, for its partitions").required();
  app.add_option("--listen", options.listen, "Where brokers connect: tcp://HOST:PORT, or ipc://PATH on one machine")
      .required()
      .check(config::leaf_endpoint());
  app.add_option("--http", options.http, "Where /metrics, /livez and /readyz are served: HOST:PORT or unix:PATH")
      .required()
      .check(config::listen_address());
  config::add_object_flags(app, options.objects);
  add_trust_options(app, options);
  app.add_option("--shard", shard, "I/N: serve the partitions p with p mod N = I")
      .check(config::shard())
      .show_default()
      .group("Several machines");
  auto& workers = app.add_option("--cpu-threads", options.cpu_threads, "Worker threads")
                      .check(config::range(1, 1024))
                      .show_default("one for each core, or as many as a container's quota allows")
                      .group("Resources");
  auto& sockets = app.add_option("--io-threads", options.io_threads,
                                 "Threads that read, write and encrypt the brokers' connections")
                      .check(config::range(1, 16))
                      .show_default("1 + cores / 8, at most 4");
  add_number(app, "--max-peers", options.max_peers, 0, 65'536,
             "Connections to --listen, at most half of the open files that the system allows beyond 128. One more "
             "closes a connection that has sent no valid request for 3 s, or one of the address that has the most; "
             "else it is refused. 0: that half, at most 4096");
  add_number(app, "--max-peers-by-address", options.max_peers_by_address, 0, 65'536,
             "The same for one address (of IPv6 one /64 network); a broker has a connection for each of its --threads. "
             "0: a quarter of --max-peers, at least 16");
  add_number(app, "--at-once-us", options.at_once_us, 0, 1000,
             "A search that is predicted to take at most so many microseconds is evaluated by the thread that has read "
             "it, while no other waits and for half of that thread's time at most; not on a leaf with a GPU. 0: none");
  auto& costly =
      app.add_option("--costly-threads", options.costly_threads,
                     "Threads for costly work, so that it does not delay other work: searches deeper than 100, of more "
                     "than 64 terms or exhaustive, fetches of more than 100 documents, and searches with "
                     "--costly-postings. Default: as many as --cpu-threads")
          .check(config::range(1, 1024));
  app.add_option("--costly-postings", options.costly_postings,
                 "Estimated postings of a search in one partition that make it costly, four values of columns as one: "
                 "about a millisecond of work; while other work waits, 20,000 are enough")
      .show_default();
  add_cache_options(app, options);
  add_disk_options(app, options, files);
  add_gpu_options(app, options, gpu, drill);
  add_number(app, "--queue-limit", options.queue_limit, 1, 1 << 20,
             "Searches that may wait for a worker; more are refused. Without a GPU also those that would almost "
             "certainly come after their deadline");
  add_spans(app, options);
  app.add_option("--node-name", options.node_name,
                 "What brokers and logs call this leaf; default: the machine's name, and the port of --http");
  app.add_option("--log-level", log_level, "The least severe level that is logged: debug, info, warn or error")
      .check(config::log_level())
      .show_default()
      .group("Logs");
  config::add_log_buffer(app, options.log_buffer);
  if (const auto exit_code = app.parse(argc, argv)) return *exit_code;

  options.all_collections = std::erase(options.collections, "*") > 0;
  if (options.all_collections && !options.collections.empty())
    return app.refuse("--collection '*' stands for all: name no others");
  if (const std::string wrong = wrong_collections(options.collections); !wrong.empty()) return app.refuse(wrong);
  if (options.curve_secret_key.empty() != options.curve_clients.empty())
    return app.refuse("--curve-secret-key and --curve-clients go together");
  if (!costly.given()) options.costly_threads = options.cpu_threads;
  options.budgets = choose_budgets(options, this_machine());
  options.budgets.push_back({.flag = "--cpu-threads", .amount = options.cpu_threads, .chosen = !workers.given()});
  options.budgets.push_back({.flag = "--io-threads", .amount = options.io_threads, .chosen = !sockets.given()});
  options.budgets.push_back({.flag = "--costly-threads", .amount = options.costly_threads, .chosen = !costly.given()});
  const config::Shard parsed = *config::parse_shard(shard);  // both were checked
  options.shard = parsed.number;
  options.shards = parsed.count;
  options.links_files = files == "link";
  if (!drill.empty()) options.gpu_drill = drill_of(drill);
  const config::Gpus gpus = *config::parse_gpus(gpu);  // was checked
  options.gpu_off = gpus.off;
  options.gpu_named = gpus.named;
  options.gpu_devices = gpus.devices;
  options.log_level = *config::parse_log_level(log_level);
  options.objects.tls_ca = options.tls_ca;
  options.objects.min_bytes_per_second = options.fetch_min_rate;
  options.objects.counts = std::make_shared<objects::Counts>();
  if (options.node_name.empty()) {
    const auto at = net::parse_host_port(options.http);  // none of a unix:PATH
    options.node_name = default_node_name(at ? at->port : 0);
  }
  return options;
}

}  // namespace frond::leaf
