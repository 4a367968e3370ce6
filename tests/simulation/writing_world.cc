#include "tests/simulation/writing_world.h"

#include <algorithm>
#include <utility>

#include "common/files/read.h"
#include "common/repository/repository.h"

namespace frond::simulation {

namespace {
constexpr seconds kWritingFaults{12}, kAfterWritingFaults{20};
constexpr int kMostNested = 3;
}  // namespace

WritingWorld::WritingWorld(Run& run, const std::filesystem::path& folder)
    : run_(run),
      shared_{.run = run, .root = folder, .any_log = run.random.one_in(3)},
      one_fault_in_(run.random.from_to(8, 60)),
      faults_until_(run.now() + kWritingFaults) {
  shared_.fault = [this](WritingService& service, std::string_view what) { return fault(service, what); };
  for (std::uint64_t i = 0, many = run.random.from_to(1, 3); i < many; ++i)
    services_.push_back(std::make_unique<WritingService>(shared_, i));
  run.tell([&] {
    return std::to_string(services_.size()) + " services" + (shared_.any_log ? ", which take over without a log" : "");
  });
}

void WritingWorld::play() {
  for (const auto& service : services_) service->start();
  change_again();
  go_wrong_again();
  run_until(faults_until_);
  run_.tell([] { return std::string("all faults end"); });
  faults_ = false;
  for (const auto& service : services_) service->start();
  run_until(run_.now() + kAfterWritingFaults);
  check_end();
}

void WritingWorld::run_until(Instant end) {
  while (!run_.failed() && run_.events.next() <= end) {
    run_.clock.move_to(run_.events.next());
    run_.events.run_due();
    check_current();
  }
  run_.clock.move_to(end);
}

void WritingWorld::change_again() {
  if (!faults_) return;
  change();
  run_.after(run_.random.time(milliseconds(5), milliseconds(150)), [this] { change_again(); });
}

// A client asks a service that it believes to have the collection.
void WritingWorld::change() {
  WritingService& service = *run_.random.of(services_);
  if (service.stopped() || !service.runs()) return;
  const std::string id = "d" + std::to_string(run_.random.below(6));
  const Change change{++last_, run_.random.one_in(5)};
  auto& all = changes_[id];
  const std::size_t place = all.size();
  all.push_back(change);
  const bool acknowledged = service.accept(id, change.number, change.removes);
  changes_[id][place].end = ++last_;
  if (!acknowledged) return;
  changes_[id][place].acknowledged = true;
  ++acknowledged_;
  run_.tell([&] {
    return "service " + std::to_string(service.number()) + " acknowledges write " + std::to_string(change.number) +
           " of " + id + (change.removes ? ", a removal" : "");
  });
  for (const auto& other : services_)
    if (other.get() != &service && other->holds())
      run_.broken(Invariant::kOneWriter, "services " + std::to_string(service.number()) + " and " +
                                             std::to_string(other->number()) + " hold the collection together");
}

void WritingWorld::go_wrong_again() {
  if (!faults_) return;
  WritingService& service = *run_.random.of(services_);
  if (run_.random.one_in(2)) {
    service.die();
  } else if (service.runs() && !service.stopped()) {
    run_.tell([&] { return "service " + std::to_string(service.number()) + " is stopped"; });
    service.set_stopped(true);
    run_.after(run_.random.time(milliseconds(10), milliseconds(5'000)), [&service] { service.set_stopped(false); });
  }
  run_.after(run_.random.time(milliseconds(10), milliseconds(3'000)), [&service] { service.start(); });
  run_.after(run_.random.time(milliseconds(200), milliseconds(3'000)), [this] { go_wrong_again(); });
}

Result<void> WritingWorld::fault(WritingService& service, std::string_view what) {
  touched_ = true;
  if (service.doomed() || !service.runs()) throw Died();
  if (!faults_ || !run_.random.one_in(one_fault_in_)) return {};
  const std::uint64_t which = run_.random.below(6);
  run_.tell([&] {
    constexpr const char* kHow[] = {"dies", "fails", "is slow", "is stopped", "is stopped", "is stopped"};
    return "service " + std::to_string(service.number()) + " " + kHow[which] + " where it " + std::string(what);
  });
  if (which == 0) throw Died();
  if (which == 1) return Error(Code::kUnavailable, "the disk does not answer");
  if (nested_ >= kMostNested) return {};
  ++nested_;
  const bool stops = which > 2 && !service.stopped();
  if (stops) service.set_stopped(true);
  run_until(run_.now() + run_.random.time(milliseconds(10), milliseconds(6'000)));
  if (stops) service.set_stopped(false);
  --nested_;
  touched_ = true;
  if (service.doomed() || !service.runs()) throw Died();
  return {};
}

// Whoever took the collection over has the last word.
void WritingWorld::check_current() {
  if (!std::exchange(touched_, false)) return;
  const auto text = files::read_text(shared_.root / "example" / "CURRENT", 64);
  if (!text) return;
  const std::size_t space = text->find(' ');
  const std::uint64_t epoch = space == std::string::npos ? 0 : std::stoull(text->substr(space + 1));
  if (epoch < epoch_)
    run_.broken(Invariant::kOneWriter,
                "CURRENT is of epoch " + std::to_string(epoch) + " after one of " + std::to_string(epoch_));
  epoch_ = std::max(epoch, epoch_);
}

void WritingWorld::check_end() {
  if (run_.failed()) return;
  const auto holder = std::ranges::find_if(services_, [](const auto& one) { return one->holds(); });
  if (holder == services_.end()) return run_.broken(Invariant::kRecovered, "no service holds the collection");
  if (!(*holder)->has_nothing_to_publish())
    return run_.broken(Invariant::kRecovered, "what was accepted is not published");
  const auto source = *repository::RepositorySource::open(shared_.root.string(), "example");
  const auto number = source->current();
  const Contents contents = number ? shared_.contents[source->manifest(*number)->created] : Contents();
  if (shared_.any_log) return;  // what a lost log had is set aside
  for (const auto& one_document : changes_) {
    const auto& id = one_document.first;
    const auto& all = one_document.second;  // clang 14 captures no structured bindings
    const auto found = contents.find(id);
    const std::uint64_t there = found != contents.end() ? found->second.number : 0;
    // What no acknowledged change came after; others may have overtaken each other, or be nowhere.
    const auto may_be_last = [&](const Change& one) {
      return std::ranges::none_of(all,
                                  [&](const Change& other) { return other.acknowledged && other.number > one.end; });
    };
    const bool right = std::ranges::any_of(
        all, [&](const Change& one) { return there == (one.removes ? 0 : one.number) && may_be_last(one); });
    const bool any = std::ranges::any_of(all, &Change::acknowledged);
    if (right || (!any && there == 0)) continue;
    return run_.broken(Invariant::kAcknowledged,
                       id + " has write " + std::to_string(there) + ", not the last that was acknowledged");
  }
}

}  // namespace frond::simulation
