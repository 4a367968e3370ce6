#pragma once
// A published collection that is changed by the indexer's commands, leaves that follow it, and a broker over them, all
// in this process and on one thread: what a client sends is parsed, planned, scattered as wire messages, searched,
// merged and written as JSON by the code that the programs run.
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "broker/http/search/search_service.h"
#include "common/metrics/registry.h"
#include "common/wire/codec.h"
#include "indexer/change/compact.h"
#include "leaf/engine/exhaustive.h"
#include "leaf/serve/leaf_service.h"
#include "tests/differential/change/changed_collection.h"
#include "tests/support/inline_scheduler.h"

namespace frond::queries_test {

// What a leaf with a GPU has beside: its threads answer.
class LeafDevice {
 public:
  virtual ~LeafDevice() = default;
  virtual leaf::schedule::Scheduler& pool() = 0;
  virtual void add_to(leaf::serve::SearchParts& parts) = 0;
};

// One leaf of several, which share the partitions. It has caches of its own, which the searches before have filled.
class OneLeaf {
 public:
  using MakeDevice = std::function<std::unique_ptr<LeafDevice>(leaf::engine::QueryEngine& cpu, const Clock& clock)>;
  // `make_device`: empty: it has none.
  OneLeaf(const std::filesystem::path& repository, const std::filesystem::path& data, leaf::generation::ShardOf shard,
          std::unique_ptr<leaf::engine::QueryEngine> engine, const MakeDevice& make_device)
      : follower_(repository, data, shard),
        engine_(std::move(engine)),
        device_(make_device ? make_device(*engine_, follower_.clock()) : nullptr),
        service_(
            parts(), identity(), [] { return leaf::serve::CacheState(); }, brokers_, requests_) {}

  void follow() { follower_.step(); }
  wire::Reply ask(const wire::Request& request) {
    std::promise<wire::Reply> promised;
    auto got = promised.get_future();
    const ByteBuffer bytes = wire::encode(request);
    service_.on_request("broker", bytes,
                        [&](const ByteBuffer& reply) { promised.set_value(wire::decode_reply(reply).value()); });
    const bool answered = got.wait_for(std::chrono::seconds(device_ ? 60 : 0)) == std::future_status::ready;
    EXPECT_TRUE(answered) << "a leaf did not answer";
    return answered ? got.get() : wire::ErrorReply();
  }

 private:
  static leaf::serve::Identity identity() {
    leaf::serve::Identity identity;
    identity.collection = "c";
    identity.gpu = [] { return std::string("absent"); };
    return identity;
  }
  leaf::serve::SearchParts parts() {
    leaf::schedule::Scheduler& scheduler = device_ ? device_->pool() : scheduler_;
    leaf::serve::SearchParts parts{follower_.board(), follower_.store(), *engine_,
                                   exhaustive_,       scheduler,         follower_.clock()};
    if (device_) device_->add_to(parts);
    parts.terms = &terms_;
    parts.filters = &filters_;
    parts.keywords = &keywords_;
    return parts;
  }

  change_test::Follower follower_;
  support::InlineScheduler scheduler_{follower_.clock()};
  const std::unique_ptr<leaf::engine::QueryEngine> engine_;
  leaf::engine::ExhaustiveEngine exhaustive_;
  leaf::serve::TermTable terms_{std::size_t{4} << 20};
  leaf::serve::FilterCache filters_{std::size_t{1} << 20};
  leaf::collect::KeywordCache keywords_{std::size_t{4} << 20};
  leaf::serve::RequestsInFlight requests_;
  leaf::generation::BrokerRoll brokers_;
  const std::unique_ptr<LeafDevice> device_;
  leaf::serve::LeafService service_;
};

// The broker's side of a connection to a leaf of this process.
class DirectClient final : public broker::cluster::LeafClient {
 public:
  DirectClient(OneLeaf& leaf, broker::cluster::TimerQueue& timers) : leaf_(leaf), timers_(timers) {}
  broker::cluster::RequestId search(wire::SearchRequest request, Deadline deadline,
                                    broker::cluster::Done<wire::SearchReply> done) override {
    request.budget = deadline.left(timers_.clock());
    return send(std::move(request), std::move(done));
  }
  broker::cluster::RequestId fetch(wire::FetchRequest request, Deadline deadline,
                                   broker::cluster::Done<wire::FetchReply> done) override {
    request.budget = deadline.left(timers_.clock());
    return send(std::move(request), std::move(done));
  }
  void hello(wire::HelloRequest request, Deadline, broker::cluster::Done<wire::HelloReply> done) override {
    send(std::move(request), std::move(done));
  }
  void cancel(broker::cluster::RequestId) override {}
  std::size_t in_flight() const override { return 0; }

 private:
  template <class Request, class Reply>
  broker::cluster::RequestId send(Request request, broker::cluster::Done<Reply> done) {
    request.request_id = ++last_id_;
    timers_.after(std::chrono::microseconds(0), [this, request = std::move(request), done = std::move(done)] {
      const wire::Reply reply = leaf_.ask(request);
      if (const auto* const refused = std::get_if<wire::ErrorReply>(&reply))
        return done(
            Error(refused->reason == wire::UnsearchedReason::kInvalidQuery ? Code::kInvalid : Code::kUnavailable,
                  "leaf refused: " + refused->message));
      done(std::get<Reply>(reply));
    });
    return last_id_;
  }

  OneLeaf& leaf_;
  broker::cluster::TimerQueue& timers_;
  broker::cluster::RequestId last_id_ = 0;
};

class Broker {
 public:
  explicit Broker(std::vector<std::unique_ptr<OneLeaf>>& leaves)
      : leaves_(leaves),
        map_(timers_, log_, {.collection = "c", .name = "broker", .instance = 7},
             [this](const std::string& endpoint, const broker::cluster::News&) {
               const auto number = static_cast<std::size_t>(endpoint.back() - '0');
               return Result<std::unique_ptr<broker::cluster::LeafClient>>(
                   std::make_unique<DirectClient>(*leaves_[number], timers_));
             }) {
    std::vector<std::string> endpoints;
    for (std::size_t i = 0; i < leaves.size(); ++i) endpoints.push_back("tcp://127.0.0.1:900" + std::to_string(i));
    EXPECT_TRUE(map_.set_leaves(endpoints));
    hear();
  }
  // What leaves serve now.
  void hear() {
    clock_.advance(std::chrono::seconds(1));
    timers_.run_due();
    timers_.run_due();
  }
  frond::http::Response ask(const std::string& json, bool count) {
    const auto parsed = count ? broker::http::parse_count_json(json) : broker::http::parse_search_json(json);
    if (!parsed.ok) return parsed.error.response();
    std::optional<frond::http::Response> got;
    service_.search(parsed.parameters, [&](frond::http::Response response) { got = std::move(response); });
    for (int turns = 0; !got && turns < 100; ++turns) timers_.run_due();
    EXPECT_TRUE(got) << "the broker did not answer";
    return got.value_or(frond::http::Response());
  }

 private:
  std::vector<std::unique_ptr<OneLeaf>>& leaves_;
  support::ManualClock clock_;
  Logger log_{"test", LogLevel::kError};
  broker::cluster::TimerQueue timers_{clock_};
  broker::cluster::ClusterMap map_;
  broker::scatter::ScatterContext scatter_{map_, timers_};
  metrics::Registry registry_{"test"};
  broker::http::SearchMetrics metrics_{registry_};
  broker::cluster::OnlyThread home_;
  const broker::http::SearchService::Config config_{.cache_bytes = 1u << 20};
  broker::http::SearchService::Shared shared_{config_};
  broker::http::SearchService service_{scatter_, config_, shared_, home_, metrics_};
};

// A document as it is indexed.
struct Record {
  std::string id, json;
};

class AnsweringCluster {
 public:
  using MakeEngine = std::function<std::unique_ptr<leaf::engine::QueryEngine>()>;
  struct Shape {
    std::uint32_t partitions = 1, leaves = 1;
    MakeEngine engine;  // of plain words
    OneLeaf::MakeDevice device;
  };
  AnsweringCluster(Shape shape, std::shared_ptr<const schema::Schema> schema, const text::AnalyzerConfig& analyzer,
                   const scoring::Bm25Parameters& bm25)
      : shape_(std::move(shape)), schema_(std::move(schema)), analyzer_(analyzer), bm25_(bm25) {}

  void build(const std::vector<Record>& documents) { run(indexer::build, documents, shape_.partitions); }
  void add(const std::vector<Record>& documents, std::uint32_t partitions) { run(indexer::add, documents, partitions); }
  void remove(const std::vector<std::string>& ids) {
    std::size_t next = 0;
    const auto removed = indexer::change::remove_documents({repository(), "c", 0},
                                                           [&]() -> Result<std::optional<std::string>> {
                                                             if (next == ids.size())
                                                               return std::optional<std::string>();
                                                             return std::optional<std::string>(ids[next++]);
                                                           },
                                                           {});
    ASSERT_TRUE(removed) << removed.error().message();
  }
  void compact(const indexer::change::TierRules& rules) {
    const auto compacted = indexer::change::compact({repository(), "c", 0}, rules, {});
    ASSERT_TRUE(compacted) << compacted.error().message();
  }
  // Leaves and broker turn to what is published.
  void follow() {
    if (leaves_.empty())
      for (std::uint32_t i = 0; i < shape_.leaves; ++i)
        leaves_.push_back(std::make_unique<OneLeaf>(repository(), folder_ / ("data" + std::to_string(i)),
                                                    leaf::generation::ShardOf{i, shape_.leaves}, shape_.engine(),
                                                    shape_.device));
    for (const auto& leaf : leaves_) leaf->follow();
    if (broker_ == nullptr)
      broker_ = std::make_unique<Broker>(leaves_);
    else
      broker_->hear();
  }
  frond::http::Response ask(const std::string& json, bool count) { return broker_->ask(json, count); }

 private:
  std::filesystem::path repository() const { return folder_ / "repository"; }
  template <class Build>  // indexer::build or indexer::add
  void run(const Build& build, const std::vector<Record>& documents, std::uint32_t partitions) {
    const auto input = folder_ / "input.jsonl";
    std::string text;
    for (const Record& one : documents) text += one.json + "\n";
    support::write_file(input, text);
    auto options = change_test::options_for(repository(), input, partitions, schema_);
    options.invert.analyzer = analyzer_;
    options.bm25 = bm25_;
    indexer::BuildProgress progress;
    const auto done = build(options, progress, log_, {});
    ASSERT_TRUE(done) << done.error().message();
  }

  const Shape shape_;
  const std::shared_ptr<const schema::Schema> schema_;
  const text::AnalyzerConfig analyzer_;
  const scoring::Bm25Parameters bm25_;
  support::ScratchFolder folder_;
  Logger log_{"test", LogLevel::kError};
  std::vector<std::unique_ptr<OneLeaf>> leaves_;
  std::unique_ptr<Broker> broker_;
};

}  // namespace frond::queries_test
