#pragma once
// A leaf in virtual time: the real service, board, roll of brokers and follower, over a data folder that outlives the
// process. It can die, with its machine or without, be stopped and go on, be slow, and be replaced as an operator does
// it: withdrawn, drained, ended, started again.
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "leaf/cpu/cpu_engine.h"
#include "leaf/engine/exhaustive.h"
#include "leaf/generation/generation_follower.h"
#include "leaf/serve/leaf_service.h"
#include "tests/simulation/links.h"
#include "tests/simulation/repository.h"
#include "tests/simulation/workers.h"

namespace frond::simulation {

class LeafProcess final : public LeafEnd {
 public:
  // All outlive it. `data`: its folder, which exists. `queue_limit`: of its workers.
  LeafProcess(Run& run, Network& network, const Collection& collection, const Repository& repository, Logger& log,
              leaf::generation::ShardOf shard, std::filesystem::path data, std::size_t queue_limit);
  ~LeafProcess() override { end(); }

  void start();
  void die(bool with_machine);
  void stop();
  void go_on();
  void be_slower(std::int64_t times);
  void fill_disk(bool full);
  // The repository can't be reached from here, until this was undone as often as it was done.
  void hide_repository(bool hide);
  // SIGTERM: brokers turn to replicas, what was admitted is answered, the process ends and is started again.
  void restart_gracefully();
  // CURRENT has changed: it is told.
  void announce_current();

  bool runs() const { return life_ != nullptr; }
  bool stopped() const { return stopped_; }
  bool restarting() const { return restarting_; }
  bool accepts() const override { return runs() && !stopped_; }
  std::uint64_t life() const override { return lives_; }
  void arrived(const WireRef& wire, ByteBuffer frame) override;
  void gone(const WireRef& wire) override;

  std::size_t requests() const { return life_ ? life_->requests.size() : 0; }
  std::uint32_t shard() const { return shard_.number; }
  std::size_t number() const { return number_; }
  // Of the process that runs: what its hellos say.
  std::string name() const { return "leaf " + std::to_string(number_) + ", life " + std::to_string(lives_); }

 private:
  // Of one process, in the order in which its parts are made.
  struct Life {
    Life(LeafProcess& process, leaf::generation::ShardOf shard);
    leaf::lists::PartitionListStore lists;
    leaf::generation::ListRegistration registration;
    leaf::generation::Numbers numbers;
    leaf::cpu::CpuEngine engine;
    leaf::engine::ExhaustiveEngine exhaustive;
    leaf::generation::ServedBoard board;
    leaf::generation::BrokerRoll brokers;
    leaf::serve::RequestsInFlight requests;
    std::unique_ptr<leaf::generation::DataFolder> data;
    RepositoryView source;
    MemoryLoader loader;
    VirtualWorkers workers;
    leaf::serve::LeafService service;
    leaf::generation::GenerationFollower follower;
    std::string told;  // of what it has, in the trace
  };
  void end();
  // As VirtualWorkers::Work.
  void later(microseconds span, std::function<void()> action);
  void do_or_defer(std::function<void()> action);
  void poll();
  void tell_what_is_served();
  void end_when_drained(Instant at_the_latest);

  Run& run_;
  Network& network_;
  const Collection& collection_;
  const Repository& repository_;
  Logger& log_;
  const leaf::generation::ShardOf shard_;
  const std::filesystem::path data_;
  const std::size_t queue_limit_;
  const std::size_t number_;
  std::unique_ptr<Life> life_;  // null: it does not run
  std::uint64_t lives_ = 0;
  int hidden_ = 0;  // how often the repository is hidden
  bool stopped_ = false, restarting_ = false, disk_is_full_ = false;
  std::int64_t slowness_ = 1;
  std::deque<std::function<void()>> deferred_;  // while it is stopped
};

}  // namespace frond::simulation
