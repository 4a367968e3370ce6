#include "tests/simulation/leaf_process.h"

#include <utility>

namespace frond::simulation {

namespace {
constexpr milliseconds kPoll{1000};
constexpr milliseconds kDrainNeeded{4000}, kDrainLook{20};
}  // namespace

LeafProcess::Life::Life(LeafProcess& process, leaf::generation::ShardOf shard)
    : lists(process.run_.clock),
      registration{[this](std::uint64_t number, auto partition) { lists.add(number, partition); },
                   [this](std::uint64_t number) { lists.remove(number); }},
      data(*leaf::generation::DataFolder::open(process.data_)),
      source(process.repository_),
      loader(process.collection_, source, *data, shard, registration, numbers),
      workers(process.run_, {.limit = process.queue_limit_},
              [&process](microseconds span, std::function<void()> action) { process.later(span, std::move(action)); }),
      service(
          {board, lists, engine, exhaustive, workers, process.run_.clock},
          {kCollection, process.name(), "1", [] { return std::string("absent"); }},
          [] { return leaf::serve::CacheState(); }, brokers, requests),
      follower(
          {.collection = kCollection, .poll = kPoll, .grace = seconds(2), .on_change = [this] { service.announce(); }},
          source, *data, loader, board, brokers, process.run_.clock, process.log_, nullptr) {
  loader.disk_is_full = process.disk_is_full_;
  source.hidden = process.hidden_ > 0;
  workers.be_slower(process.slowness_);
}

LeafProcess::LeafProcess(Run& run, Network& network, const Collection& collection, const Repository& repository,
                         Logger& log, leaf::generation::ShardOf shard, std::filesystem::path data,
                         std::size_t queue_limit)
    : run_(run),
      network_(network),
      collection_(collection),
      repository_(repository),
      log_(log),
      shard_(shard),
      data_(std::move(data)),
      queue_limit_(queue_limit),
      number_(network.add(*this)) {}

void LeafProcess::start() {
  if (life_) return;
  ++lives_;
  life_ = std::make_unique<Life>(*this, shard_);
  run_.tell([&] { return "leaf " + std::to_string(number_) + " starts"; });
  poll();
}

void LeafProcess::end() {
  stopped_ = restarting_ = false;
  deferred_.clear();
  if (life_) life_->workers.clear();
  life_.reset();
}

void LeafProcess::die(bool with_machine) {
  if (!life_) return;
  run_.tell([&] { return "leaf " + std::to_string(number_) + " dies" + (with_machine ? " with its machine" : ""); });
  end();
  network_.leaf_died(number_, with_machine);
}

void LeafProcess::stop() {
  if (!life_ || std::exchange(stopped_, true)) return;
  run_.tell([&] { return "leaf " + std::to_string(number_) + " is stopped"; });
  network_.leaf_stopped(number_);
}

void LeafProcess::go_on() {
  if (!std::exchange(stopped_, false)) return;
  run_.tell([&] { return "leaf " + std::to_string(number_) + " goes on"; });
  for (const auto& action : std::exchange(deferred_, {})) action();
}

void LeafProcess::be_slower(std::int64_t times) {
  slowness_ = times;
  if (life_) life_->workers.be_slower(times);
  run_.tell([&] { return "leaf " + std::to_string(number_) + " is slow × " + std::to_string(times); });
}

void LeafProcess::fill_disk(bool full) {
  disk_is_full_ = full;
  if (life_) life_->loader.disk_is_full = full;
  run_.tell([&] { return "leaf " + std::to_string(number_) + (full ? "'s disk is full" : "'s disk has room"); });
}

void LeafProcess::hide_repository(bool hide) {
  hidden_ += hide ? 1 : -1;
  if (life_) life_->source.hidden = hidden_ > 0;
}

void LeafProcess::restart_gracefully() {
  if (!accepts() || std::exchange(restarting_, true)) return;
  run_.tell([&] { return "leaf " + std::to_string(number_) + " gets SIGTERM"; });
  life_->service.withdraw();
  end_when_drained(run_.now() + kDrainNeeded);
}

void LeafProcess::end_when_drained(Instant at_the_latest) {
  later(kDrainLook, [this, at_the_latest] {
    if (life_->service.needed() && run_.now() < at_the_latest) return end_when_drained(at_the_latest);
    life_->workers.drain();
    if (!life_->workers.idle()) return end_when_drained(at_the_latest);
    run_.tell([&] { return "leaf " + std::to_string(number_) + " has drained"; });
    run_.after(microseconds(0), [this, ended = lives_] {
      if (ended != lives_ || !life_) return;
      end();
      network_.leaf_died(number_, false);
      run_.after(milliseconds(100), [this] { start(); });
    });
  });
}

void LeafProcess::later(microseconds span, std::function<void()> action) {
  run_.after(span, [this, of = lives_, action = std::move(action)] {
    if (life_ && of == lives_) do_or_defer(action);
  });
}

void LeafProcess::do_or_defer(std::function<void()> action) {
  if (stopped_) return deferred_.push_back(std::move(action));
  action();
}

void LeafProcess::poll() {
  life_->follower.step();
  tell_what_is_served();
  later(kPoll, [this] { poll(); });
}

void LeafProcess::announce_current() {
  if (life_)
    later(run_.random.time(milliseconds(1), milliseconds(400)), [this] {
      life_->follower.look();
      tell_what_is_served();
    });
}

void LeafProcess::tell_what_is_served() {
  std::string served;
  for (const auto& one : *life_->board.get())
    served += " " + std::to_string(one->generation) + "/" + to_hex(one->content).substr(0, 4);
  if (std::exchange(life_->told, served) == served) return;
  run_.tell([&] { return "leaf " + std::to_string(number_) + " has" + served; });
}

void LeafProcess::arrived(const WireRef& wire, ByteBuffer frame) {
  do_or_defer([this, wire, frame = std::move(frame)] {
    if (!wire->at_leaf) return;
    life_->service.on_request(wire->peer, frame,
                              [this, wire](ByteBuffer reply) { network_.answer(wire, std::move(reply)); });
  });
}

void LeafProcess::gone(const WireRef& wire) {
  if (life_) do_or_defer([this, wire] { life_->requests.cancel_all(wire->peer); });
}

}  // namespace frond::simulation
