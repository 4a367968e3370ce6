#include <algorithm>
#include <filesystem>
#include <system_error>

#include "common/base/process.h"
#include "common/http/server/router.h"
#include "common/keys/guard.h"
#include "indexer/commands/command.h"
#include "indexer/pipeline/memory.h"
#include "indexer/serve/serve.h"

namespace frond::indexer {
namespace {

bool is_in(const std::filesystem::path& folder, const std::filesystem::path& other) {
  if (objects::is_object_place(other.string())) return false;
  std::error_code failed;
  const auto inner = std::filesystem::weakly_canonical(folder, failed) / "";
  const auto outer = std::filesystem::weakly_canonical(other, failed) / "";
  return !failed && inner.string().starts_with(outer.string());
}

class ServeCommand final : public Command {
 public:
  explicit ServeCommand(config::CommandLine& app)
      : Command(app, "serve",
                "Serves the published files of a repository over HTTP, for leaves on other machines; with API keys it "
                "writes collections, too") {
    failed_code_ = 2;
    add_repository_flags();
    add_object_flags();
    add_http_flags();
    add_writing_flags();
    add_number(
        line_, "--drain-publish-ms", drain_publish_ms_, 0, 3'600'000,
        "Milliseconds after SIGTERM to publish what was accepted, before --drain-ms; what is left stays in the log");
    add_number(line_, "--drain-ms", drain_ms_, 0, 3'600'000, "Milliseconds for open requests after SIGTERM");
  }

 private:
  void add_object_flags();
  void add_http_flags();
  void add_writing_flags();
  Result<void> check() override;
  Result<std::string> work(Logger& logger) override;

  serve::ServeOptions options_;
  std::string take_over_ = "own-log";
  std::uint32_t lease_s_ = 15;
  std::uint32_t drain_publish_ms_ = 15'000, drain_ms_ = 10'000, refresh_ms_ = 1000;
};

// Of a repository that is written with leases.
void ServeCommand::add_object_flags() {
  line_
      .add_option(
          "--state", target_.objects.scratch,
          "Local folder of accepted changes, which must outlive the process; of an s3:// repository that is written, "
          "which needs it, also of what is being built. Of a directory: collections are written with a lease, so that "
          "a service on another machine can follow; default: accepted changes are in the repository")
      .type_name("DIR")
      .group("Several services");
  add_number(
      line_, "--lease-seconds", lease_s_, 2, 3600,
      "With --state: a service that writes a collection and was silent for so long is followed by one that stands "
      "by");
  add_choice(line_, "--take-over", take_over_, {"own-log", "any-log"},
             "With --state: a collection is taken over with the log of its last writer, or if that left nothing "
             "unpublished (own-log); or also without what it accepted and did not publish (any-log)")
      .group("Several services");
}

void ServeCommand::add_http_flags() {
  line_.add_option("--listen", options_.listen, "Where it is served: HOST:PORT, or unix:PATH")
      .required()
      .check(config::listen_address());
  line_
      .add_option("--http-hosts", options_.hosts,
                  "Names of this server, separated by commas: requests under another name are answered 421, but for "
                  "addresses and probes; none: any name")
      .delimiter(',')
      .group("Addresses");
  auto& certificate = line_
                          .add_option("--tls-certificate", options_.tls_certificate,
                                      "PEM file, the server's certificate first: served over HTTPS")
                          .group("Keys and TLS");
  auto& key = line_.add_option("--tls-key", options_.tls_key, "PEM file of the certificate's private key")
                  .group("Keys and TLS");
  certificate.needs(key);
  key.needs(certificate);
  add_number(line_, "--readers", options_.readers, 1, 256, "Threads that read files");
  add_number(line_, "--max-connections", options_.max_connections, 1, 1 << 20,
             "HTTP connections; more are answered 503. Half of them may wait for the next generation");
  add_bytes(line_, "--max-unsent-bytes", options_.max_unsent_bytes, "256MiB",
            "Bytes that are held of files being sent, 512 KiB each; past this a file is answered 503");
  line_
      .add_option("--access-log", options_.access_log,
                  "Share of the HTTP requests that are logged, without what they ask for; 1: all")
      .check(config::range(0.0, 1.0))
      .show_default()
      .group("Logs");
  line_
      .add_option("--min-client-rate", options_.min_client_rate,
                  "Bytes a second that a client must take of a file; 0: any")
      .show_default();
}

void ServeCommand::add_writing_flags() {
  write::WriterOptions& writing = options_.writing;
  line_
      .add_option("--api-keys", options_.api_keys,
                  "File of API keys (frond keygen --api-key), read again when it changes: documents and "
                  "collections are written over "
                  "HTTP with keys of scope write and admin; none: nothing is written")
      .group("Keys and TLS");
  keys::add_limit_flags(line_, options_.of_key, options_.of_address);
  add_number(line_, "--refresh-ms", refresh_ms_, 10, 3'600'000,
             "Milliseconds from one publication of accepted changes to the next; a refresh does not wait")
      .group("Writing");
  add_bytes(line_, "--max-request-bytes", options_.max_request_bytes, "16MiB",
            "Bytes of documents in one request; more are answered 413");
  add_bytes(
      line_, "--max-body-bytes", options_.max_body_bytes, "64MiB",
      "Bytes of all requests that are received or not answered yet, at least twice --max-request-bytes and 1 MiB, "
      "but for those of less than 4 KiB, of which a connection has 8 KiB. One key may use as much as it leaves for "
      "all others. Beyond, a request waits up to 10 s, then it is answered 503");
  add_bytes(line_, "--max-pending-bytes", writing.max_pending_bytes, "256MiB",
            "Bytes of a collection that are accepted and not published, and 128 for each change; more "
            "are answered 429");
  add_bytes(line_, "--memory-limit", writing.memory_limit, "256MiB",
            "Memory of indexing accepted changes, one collection at a time, and as much again of merging "
            "partitions, at least 128MiB; what does not fit is merged in pieces, or stays apart")
      .group("Writing");
  add_bytes(line_, "--compact-rate", writing.compact_rate, "0",
            "Bytes a second of documents, uncompressed, and lists that are merged in the background; 0: no limit");
  add_publishing_flags(writing.disk_reserve);
  add_number(line_, "--keep", writing.keep, 1, 1000,
             "How many generations before the current one of a written collection stay, for rollbacks")
      .group("Writing");
  add_number(line_, "--max-collections", writing.max_collections, 1, 1024,
             "Collections that are written; each has up to 8 MiB of log in memory, and two threads");
}

Result<void> ServeCommand::check() {
  const auto refuse = [](const std::string& why) { return Error(Code::kInvalid, why); };
  if (const auto hosts = http::HostList::parse(options_.hosts); !hosts)
    return refuse("--http-hosts: " + hosts.error().message());
  if (options_.writing.memory_limit < pipeline::kMinMemoryLimit) return refuse("--memory-limit: at least 128MiB");
  FROND_TRY(settle_place(options_.api_keys.empty() ? "" : "--state"));
  std::error_code failed;
  const std::filesystem::path& where = target_.repository;
  if (!objects::is_object_place(where.string()) && !std::filesystem::is_directory(where, failed) &&
      std::filesystem::exists(where, failed))
    return refuse("--repository: " + where.string() + " is no folder");
  const std::filesystem::path& state = target_.objects.scratch;
  if (!state.empty() && options_.api_keys.empty())
    return refuse("--state: is only for a repository that is written (--api-keys)");
  if (!state.empty() && is_in(state, where))
    return refuse("--state: it is the repository, or in it: give a folder of its own, on this machine's disk");
  return {};
}

Result<std::string> ServeCommand::work(Logger& logger) {
  std::error_code failed;
  const std::string where = target_.repository.string();
  if (!objects::is_object_place(where) && !std::filesystem::is_directory(where, failed))
    logger.warn("the repository is not there yet", {{"repository", where}});
  // One client has half of them, with its header.
  options_.max_body_bytes = std::max(options_.max_body_bytes, 2 * options_.max_request_bytes + (1 << 20));
  options_.writing.repository = target_.repository;
  options_.writing.objects = target_.objects;
  options_.writing.lease = std::chrono::seconds(lease_s_);
  options_.writing.any_log = take_over_ == "any-log";
  options_.writing.refresh = std::chrono::milliseconds(refresh_ms_);
  options_.drain = std::chrono::milliseconds(drain_ms_);
  options_.drain_publish = std::chrono::milliseconds(drain_publish_ms_);
  constexpr std::chrono::seconds kMore{4};  // than the steps of an orderly end take
  const auto stop = stop_on_signal(options_.drain + options_.drain_publish + kMore);
  prepare_server_process();
  FROND_TRY(serve::serve(options_, logger, stop));
  return std::string();
}

class AcceptLossCommand final : public Command {
 public:
  explicit AcceptLossCommand(config::CommandLine& app)
      : Command(app, "accept-loss",
                "Lets a service write a collection again whose log has lost acknowledged changes, without these; says "
                "which they are") {
    add_repository_flags();
    line_.add_option("--collection", target_.collection, "Collection whose log is damaged")
        .required()
        .type_name("NAME");
    line_.add_option("--state", target_.objects.scratch, "As the service has it: the local folder with the log")
        .type_name("DIR")
        .group("Several services");
  }

 private:
  Result<void> check() override {
    FROND_TRY(settle_place("--state"));
    return expect_collection();
  }
  Result<std::string> work(Logger&) override {
    const auto places = FROND_TRY(write::CollectionPlaces::open(target_.repository, target_.objects));
    const auto lost = FROND_TRY(write::CollectionWriter::accept_loss(*places, target_.collection));
    return lost.any() ? "given up: " + lost.text() : std::string("nothing is missing, and nothing is changed");
  }
};

}  // namespace

void add_serve_commands(config::CommandLine& app, Commands& all) {
  all.push_back(std::make_unique<ServeCommand>(app));
  all.push_back(std::make_unique<AcceptLossCommand>(app));
}

}  // namespace frond::indexer
