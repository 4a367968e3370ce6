#pragma once
// An indexer service in virtual time that writes one collection of a directory with a lease: the real log with its
// head, the real lease, and the real writer of repositories with its gates. What it puts into a generation is a file of
// text, and between these classes it does what CollectionWriter does with threads and builds.
//
// Wherever it touches what others see it may be stopped, be slow, fail or die (FaultPoint). While it is stopped the
// world goes on, inside of that call.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "common/repository/leases/writer_lease.h"
#include "indexer/write/operation_log.h"
#include "tests/simulation/run.h"

namespace frond::simulation {

// Thrown where a process dies.
struct Died {};

// What the generations have, which the files of the simulation do not say.
struct Written {
  std::uint64_t number = 0;  // of the write; 0: removed
  std::string log;           // that it came from, and its number there
  indexer::write::Sequence sequence = 0;
};
using Contents = std::map<std::string, Written>;  // by document

// Of a machine, that goes up to a tenth too fast or too slow.
class OwnClock final : public Clock {
 public:
  explicit OwnClock(Run& run) : run_(run), begun_(run.now()), per_mille_(run.random.from_to(900, 1'100)) {}
  Instant now() const override {
    return begun_ + (run_.now() - begun_) * static_cast<std::int64_t>(per_mille_) / 1'000;
  }

 private:
  const Run& run_;
  const Instant begun_;
  const std::uint64_t per_mille_;
};

class WritingService {
 public:
  struct Shared {
    Run& run;
    std::filesystem::path root;
    bool any_log = false;
    std::map<std::string, Contents> contents{};  // by Manifest::created, which is another for each publication
    std::uint64_t publications = 0, opened = 0;
    // Called where something may go wrong; may throw Died, and may run the world. An error is what is reported.
    std::function<Result<void>(WritingService&, std::string_view)> fault{};
  };
  WritingService(Shared& shared, std::size_t number);

  void start();
  // Whatever it does, if anything, throws Died at its next fault point.
  void die();
  bool runs() const { return runs_; }
  bool stopped() const { return stopped_; }
  void set_stopped(bool stopped) { stopped_ = stopped; }
  bool doomed() const { return doomed_; }
  bool holds() const { return runs_ && lease_ && lease_->expect_held().has_value(); }
  std::size_t number() const { return number_; }
  std::uint64_t epoch() const { return lease_ ? lease_->epoch() : 0; }
  bool has_nothing_to_publish() const { return operations_ && operations_->last() <= published_; }

  // A client's change, one document; whether it is acknowledged.
  bool accept(const std::string& id, std::uint64_t write, bool removes);

 private:
  class Place;
  static std::string line_of(const std::string& id, std::uint64_t write);
  static std::uint64_t write_of(const std::string& line);
  void every(microseconds span, void (WritingService::*step)());
  // As a thread of the process: what it throws ends the process.
  bool within(const std::function<void()>& work);
  void end();
  void open_soon();
  void renew();
  void publish_soon();
  Result<void> open();
  Result<void> publish();
  Result<repository::Manifest> current(const repository::RepositorySource& source) const;
  Result<void> point(std::string_view what) { return shared_.fault(*this, what); }
  void let_go();

  Shared& shared_;
  Run& run_;
  const std::size_t number_;
  const OwnClock clock_;
  const std::filesystem::path folder_;
  const std::size_t most_;  // changes of a publication
  bool runs_ = false, stopped_ = false, doomed_ = false;
  int depth_ = 0;  // of its calls that are under way
  bool opening_ = false, renewing_ = false, publishing_ = false;
  std::uint64_t lives_ = 0;
  std::string log_id_;  // as Standby::log_id
  repository::LeaseWatch watch_;
  std::unique_ptr<indexer::write::OperationLog> operations_;
  std::unique_ptr<repository::LeasePlace> place_;
  std::unique_ptr<repository::WriterLease> lease_;
  indexer::write::Sequence published_ = 0;
};

}  // namespace frond::simulation
