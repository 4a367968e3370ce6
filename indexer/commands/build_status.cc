#include "indexer/commands/build_report.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "common/base/threads/pause.h"
#include "common/base/threads/thread_name.h"
#include "common/config/options.h"
#include "common/http/server/router.h"
#include "common/http/server/server.h"
#include "common/metrics/registry.h"
#include "common/objects/counts.h"
#include "indexer/serve/serve.h"

namespace frond::indexer {
namespace {

using metrics::Family;
constexpr Family kStage{"frond_indexer_stage", "1 for the stage that the build is in."};
constexpr Family kInput{"frond_indexer_input_bytes", "Bytes of all inputs, as stored."};
constexpr Family kInputRead{"frond_indexer_input_read_bytes", "Of these, bytes read."};
constexpr Family kText{"frond_indexer_text_bytes_total", "Bytes of input, decompressed."};
constexpr Family kInverted{"frond_indexer_documents_inverted_total", "Documents parsed and inverted."};
constexpr Family kBadRecords{"frond_indexer_bad_records_total", "Records that gave no document."};
constexpr Family kDuplicates{"frond_indexer_duplicate_ids_total", "Documents whose id was there before."};
constexpr Family kSkipped{"frond_indexer_files_skipped_total", "Files that hold nothing to read, by reason."};
constexpr Family kRecordsSkipped{"frond_indexer_records_skipped_total", "Records that hold no document, by reason."};
constexpr Family kWritten{"frond_indexer_documents_written_total", "Documents written into partitions."};

constexpr std::array<std::pair<BuildProgress::Stage, const char*>, 5> kStages = {{
    {BuildProgress::Stage::kInvert, "invert"},
    {BuildProgress::Stage::kOrder, "order"},
    {BuildProgress::Stage::kWrite, "write"},
    {BuildProgress::Stage::kPublish, "publish"},
    {BuildProgress::Stage::kDone, "done"},
}};

void export_progress(metrics::Registry& registry, const BuildProgress& progress) {
  registry.before_scrape([&registry, &progress] {
    for (const auto& [stage, name] : kStages)
      registry.gauge(kStage, {{"stage", name}}).set(progress.stage == stage ? 1 : 0);
    registry.gauge(kInput).set(static_cast<double>(progress.invert.stored_total));
    registry.gauge(kInputRead).set(static_cast<double>(progress.invert.stored_bytes));
    const auto follow = [&registry](const Family& family, std::uint64_t now, const metrics::Labels& labels = {}) {
      registry.following_counter(family, labels).follow(now);
    };
    follow(kText, progress.invert.bytes);
    follow(kInverted, progress.invert.documents);
    follow(kBadRecords, progress.invert.bad_records);
    follow(kDuplicates, progress.invert.duplicates);
    for (std::size_t i = 0; i < ingest::kSkipReasons; ++i) {
      const metrics::Labels reason = {{"reason", std::string(name_of(static_cast<ingest::SkipReason>(i)))}};
      follow(kSkipped, progress.invert.skipped[i], reason);
      follow(kRecordsSkipped, progress.invert.skipped_records[i], reason);
    }
    follow(kWritten, progress.documents_written);
  });
}

class ServerThread {
 public:
  ServerThread(const BuildProgress& progress, const objects::Counts& requests, const Logger& logger)
      : registry_(config::version()) {
    export_progress(registry_, progress);
    objects::export_requests(registry_, serve::kObjectFamilies, requests);
    metrics::export_log(registry_, logger);
  }
  ServerThread(const ServerThread&) = delete;
  ServerThread& operator=(const ServerThread&) = delete;
  ~ServerThread() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }
  Result<void> start(const std::string& listen) {
    http::Router router;
    const auto add = [&](std::string_view path, http::Handler handler) {
      router.add("GET", path, std::move(handler), {.reserved = true});
    };
    add("/metrics", [this](http::Request&&, http::Responder responder) {
      responder.send({.content_type = std::string(metrics::kContentType), .body = registry_.exposition()});
    });
    add("/livez", [](http::Request&&, http::Responder responder) {
      responder.send({.content_type = "text/plain; charset=utf-8", .body = "alive\n"});
    });
    server_ = FROND_TRY(http::Server::create(io_, {.listen = listen, .max_connections = 64}, std::move(router)));
    thread_ = std::thread([this] {
      name_this_thread("status");
      io_.run();
    });
    return {};
  }

 private:
  metrics::Registry registry_;
  boost::asio::io_context io_{1};
  std::unique_ptr<http::Server> server_;  // before the thread that runs it, after what it answers from
  std::thread thread_;
};

}  // namespace

std::jthread progress_line(const BuildProgress& progress) {
  if (!::isatty(STDERR_FILENO)) return {};
  return std::jthread([&progress](std::stop_token stop) {
    name_this_thread("progress");
    const auto start = std::chrono::steady_clock::now();
    while (!stop.stop_requested()) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      std::fprintf(stderr, "\r\x1b[K%s", progress_text(progress, elapsed.count()).c_str());
      std::fflush(stderr);
      pause_for(std::chrono::milliseconds(250), stop);
    }
    std::fputs("\r\x1b[K", stderr);
  });
}

Result<std::shared_ptr<void>> serve_status(const std::string& listen, const BuildProgress& progress,
                                           const objects::Counts& requests, const Logger& logger) {
  const auto made = std::make_shared<ServerThread>(progress, requests, logger);
  FROND_TRY(made->start(listen));
  return std::shared_ptr<void>(made);
}

}  // namespace frond::indexer
