#include "tests/simulation/writing_service.h"

#include <algorithm>
#include <utility>

#include "common/repository/repository.h"
#include "tests/support/manifests.h"

namespace frond::simulation {

using indexer::write::Operation;
using indexer::write::OperationLog;
using indexer::write::Sequence;
using repository::Manifest;

namespace {
constexpr const char* kName = "example";  // of support::example_manifest()
constexpr milliseconds kLease{2'000}, kLook{300}, kPublish{150};
constexpr std::uint64_t kMostBytes = 1 << 20;

std::string time_of(std::uint64_t publication) {
  char text[32];
  std::snprintf(text, sizeof text, "2026-01-02T%02u:%02u:%02uZ", static_cast<unsigned>(publication / 3600 % 24),
                static_cast<unsigned>(publication / 60 % 60), static_cast<unsigned>(publication % 60));
  return text;
}
}  // namespace

// The records of the lease, on a disk that may be slow or away.
class WritingService::Place final : public repository::LeasePlace {
 public:
  Place(WritingService& service, std::unique_ptr<LeasePlace> place) : service_(service), place_(std::move(place)) {}
  Result<std::optional<Found>> newest() const override {
    FROND_TRY(service_.point("reads the lease"));
    return place_->newest();
  }
  Result<std::uint64_t> current_epoch() const override { return place_->current_epoch(); }
  Result<bool> take(const repository::LeaseRecord& record, const std::optional<Found>& last) override {
    FROND_TRY(service_.point("takes the lease"));
    return place_->take(record, last);
  }
  Result<void> rewrite(const repository::LeaseRecord& record) override {
    FROND_TRY(service_.point("renews the lease"));
    FROND_TRY(place_->rewrite(record));
    return service_.point("has renewed the lease");
  }
  Result<void> remove(std::uint64_t epoch) override { return place_->remove(epoch); }

 private:
  WritingService& service_;
  const std::unique_ptr<LeasePlace> place_;
};

WritingService::WritingService(Shared& shared, std::size_t number)
    : shared_(shared),
      run_(shared.run),
      number_(number),
      clock_(shared.run),
      folder_(shared.root / ("state-" + std::to_string(number))),
      most_(shared.run.random.one_in(2) ? 2 : OperationLog::kAll) {
  std::filesystem::create_directories(folder_);
}

std::string WritingService::line_of(const std::string& id, std::uint64_t write) {
  return R"({"id":")" + id + R"(","body":")" + std::to_string(write) + "\"}";
}
std::uint64_t WritingService::write_of(const std::string& line) {
  return std::stoull(line.substr(line.find(R"("body":")") + 8));
}

void WritingService::start() {
  if (runs_ || depth_ > 0) return;
  runs_ = true;
  doomed_ = stopped_ = false;
  ++lives_;
  watch_ = {};
  log_id_.clear();
  run_.tell([&] { return "service " + std::to_string(number_) + " starts"; });
  every(kLook, &WritingService::open_soon);
  every(kLease / 4, &WritingService::renew);
  every(kPublish, &WritingService::publish_soon);
}

void WritingService::die() {
  if (!runs_) return;
  run_.tell([&] { return "service " + std::to_string(number_) + " dies"; });
  runs_ = false;
  doomed_ = depth_ > 0;
  if (!doomed_) end();
}

void WritingService::end() {
  runs_ = doomed_ = false;
  opening_ = renewing_ = publishing_ = false;
  let_go();
}

void WritingService::let_go() {
  lease_.reset();
  place_.reset();
  operations_.reset();
}

void WritingService::every(microseconds span, void (WritingService::*step)()) {
  run_.after(run_.random.time(span / 2, span), [this, span, step, life = lives_] {
    if (!runs_ || life != lives_) return;
    if (!stopped_) (this->*step)();
    if (runs_ && life == lives_) every(span, step);
  });
}

bool WritingService::within(const std::function<void()>& work) {
  ++depth_;
  bool lives = true;
  try {
    work();
  } catch (const Died&) {
    lives = false;
  }
  --depth_;
  if (!lives) {
    if (runs_) run_.tell([&] { return "service " + std::to_string(number_) + " dies there"; });
    runs_ = false;
    doomed_ = depth_ > 0;
  }
  if (depth_ == 0 && !runs_) end();
  return lives;
}

void WritingService::open_soon() {
  if (depth_ > 0) return;
  if (lease_ && !lease_->lost()) return;
  opening_ = true;
  within([&] {
    if (const auto opened = open(); !opened) {
      run_.tell([&] { return "service " + std::to_string(number_) + " stands by: " + opened.error().message(); });
      let_go();
    }
  });
  opening_ = false;
}

Result<Manifest> WritingService::current(const repository::RepositorySource& source) const {
  const auto number = source.current();
  if (!number && number.error().code() == Code::kNotFound) return Manifest();
  return source.manifest(FROND_TRY(number));
}

// As CollectionWriter::take().
Result<void> WritingService::open() {
  let_go();
  repository::ObjectWriting writing;
  const auto source = FROND_TRY(repository::RepositorySource::open(shared_.root.string(), kName));
  place_ = std::make_unique<Place>(*this, FROND_TRY(repository::open_lease_place(shared_.root, kName, writing)));
  repository::LeaseTerms terms{.log = log_id_, .length = kLease, .any_log = shared_.any_log, .life = 1};
  if (!log_id_.empty()) FROND_TRY(repository::WriterLease::expect_free(*place_, watch_, terms, clock_));
  const auto open_log = [&]() -> Result<void> {
    const Manifest published = FROND_TRY(current(*source));
    operations_.reset();
    operations_ =
        FROND_TRY(OperationLog::open(folder_ / indexer::write::kLogFolder, {published.log_id, published.log_sequence}));
    return {};
  };
  FROND_TRY(open_log());
  terms.log = log_id_ = operations_->id();
  const auto set_aside_overtaken = [&](const auto& last, std::uint64_t epoch) -> Result<void> {
    FROND_TRY(point("looks at its log"));
    if (!last || last->log == log_id_ || operations_->operations() == 0) return {};
    return operations_->set_aside(indexer::write::overtaken_file(folder_, epoch));
  };
  auto lease = FROND_TRY(repository::WriterLease::acquire(*place_, watch_, terms, clock_, set_aside_overtaken));
  FROND_TRY(operations_->set_epoch(lease->epoch()));
  FROND_TRY(open_log());
  published_ = operations_->published();
  lease_ = std::move(lease);
  run_.tell([&] { return "service " + std::to_string(number_) + " holds epoch " + std::to_string(epoch()); });
  return {};
}

void WritingService::renew() {
  if (!lease_ || lease_->lost() || renewing_ || opening_) return;
  renewing_ = true;
  within([&] {
    if (const auto renewed = lease_->renew(operations_->operations()); !renewed)
      run_.tell([&] { return "service " + std::to_string(number_) + " can't renew: " + renewed.error().message(); });
  });
  renewing_ = false;
}

bool WritingService::accept(const std::string& id, std::uint64_t write, bool removes) {
  if (!holds() || opening_) return false;
  bool acknowledged = false;
  const bool lives = within([&] {
    const Operation operation{id, removes ? "" : line_of(id, write)};
    if (!point("logs a change")) return;
    if (!operations_ || !lease_->expect_held() || !operations_->append({&operation, 1}, {}, kMostBytes)) return;
    if (!point("has logged a change")) return;
    acknowledged = lease_->expect_held().has_value();
  });
  return acknowledged && lives;
}

void WritingService::publish_soon() {
  if (!lease_ || lease_->lost() || publishing_ || opening_) return;
  publishing_ = true;
  within([&] {
    if (const auto published = publish(); !published)
      run_.tell(
          [&] { return "service " + std::to_string(number_) + " can't publish: " + published.error().message(); });
  });
  publishing_ = false;
}

// As CollectionWriter::publish_next().
Result<void> WritingService::publish() {
  FROND_TRY(lease_->expect_held());
  const auto taken = FROND_TRY(operations_->read(published_, kMostBytes, most_));
  if (taken.operations.empty()) return {};
  repository::ObjectWriting writing;
  writing.epoch = lease_->epoch();
  writing.log = log_id_;
  const auto step = [this](std::string_view what) { (void)point(what).has_value(); };
  const auto writer = FROND_TRY(repository::RepositoryWriter::open(shared_.root, kName, step, writing));
  const Manifest base = FROND_TRY(current(writer->source()));
  Manifest manifest = support::write_example_generation(writer->building(), writer->next_generation(), 1);
  std::string& made = manifest.partitions[0].id;
  const std::string own = made + std::to_string(++shared_.publications);
  std::filesystem::rename(writer->building() / made, writer->building() / own);
  made = own;
  manifest.created = time_of(shared_.publications);
  manifest.log_sequence = taken.last;
  manifest.log_id = log_id_;
  Contents contents = shared_.contents[base.created];
  std::string wrong;  // if it is published
  Sequence sequence = taken.last - taken.operations.size();
  for (const Operation& one : taken.operations) {
    const Written now{one.removes() ? 0 : write_of(one.line), log_id_, ++sequence};
    Written& there = contents[one.id];
    const bool same_log = there.log == log_id_;
    if (same_log ? now.sequence < there.sequence : now.number != 0 && now.number < there.number)
      wrong = "write " + std::to_string(there.number) + " of " + one.id + " is replaced by the older write " +
              std::to_string(now.number);
    there = now;
  }
  shared_.contents[manifest.created] = std::move(contents);
  FROND_TRY(writer->publish(manifest, writer->building() / manifest.term_statistics.name));
  if (!wrong.empty()) run_.broken(Invariant::kOrder, wrong);
  run_.tell([&] {
    return "service " + std::to_string(number_) + " has published generation " + std::to_string(manifest.generation) +
           ", changes to " + std::to_string(taken.last);
  });
  published_ = taken.last;
  FROND_TRY(point("forgets what is published"));
  return operations_->forget(taken);
}

}  // namespace frond::simulation
