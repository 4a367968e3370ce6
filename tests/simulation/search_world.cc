#include "tests/simulation/search_world.h"

#include <algorithm>

namespace frond::simulation {

namespace {
constexpr seconds kBeforeFaults{2}, kFaults{6}, kAfterFaults{12}, kLast{3};
// Where answers have to be whole, none is refused: a leaf alone with a generation has room for what brokers let in.
constexpr std::size_t kPlaces = 128, kLeafPlaces = 2 * kPlaces, kLeafQueue = 2 * kPartitions * kLeafPlaces;
constexpr milliseconds kForgotten{500};  // for what is on its way, and for a slow task that runs
}  // namespace

SearchWorld::SearchWorld(Run& run, SearchParts& parts, const std::filesystem::path& folder)
    : run_(run),
      parts_(parts),
      kind_(static_cast<Kind>(run.random.below(3))),
      more_(run.seed % 4 == 0),
      repository_(parts.collection),
      network_(run),
      clients_(run, parts.collection),
      between_searches_(run.random.time(milliseconds(5), milliseconds(120))),
      faults_until_(run.now() + kBeforeFaults + kFaults) {
  Random& random = run.random;
  const std::uint32_t shards = random.one_in(3) ? 1 : 2;
  const auto replicas = static_cast<std::uint32_t>(random.from_to(2, shards == 1 ? 4 : 2));
  for (std::uint32_t shard = 0; shard < shards; ++shard)
    for (std::uint32_t replica = 0; replica < replicas; ++replica) {
      const auto data = folder / std::to_string(leaves_.size());
      std::filesystem::create_directories(data);
      disturbed_at_.push_back(run.now());
      leaves_.push_back(std::make_unique<LeafProcess>(run, network_, parts.collection, repository_, parts.log,
                                                      leaf::generation::ShardOf{shard, shards}, data,
                                                      kind_ == Kind::kRough ? std::size_t{16} : kLeafQueue));
    }
  options_ = {.threads = random.from_to(1, 2),
              .leaves = leaves_.size(),
              .max_leaf_in_flight = kind_ == Kind::kRough ? std::size_t{64} : kLeafPlaces,
              .search = {.in_flight = {.all = kind_ == Kind::kRough ? std::size_t{24} : kPlaces,
                                       .batch = 8,
                                       .costly = 3,
                                       .costly_per_client = 2,
                                       .waiting = 4},
                         .cache_bytes = random.one_in(4) ? std::size_t{0} : std::size_t{256} << 10},
              .hedge_share = random.one_in(5) ? 0.0 : 0.05};
  network_.delay(random.time(microseconds(100), milliseconds(3)));
  if (kind_ != Kind::kRough)
    asks_ = {.least_time = milliseconds(1'500), .most_time = milliseconds(3'000), .whole = true};
  asks_.queries = random.one_in(2) ? 3 : Collection::queries().size();
  run.tell([&] {
    return std::string(kind_ == Kind::kCalm      ? "calm"
                       : kind_ == Kind::kCrashes ? "crashes"
                                                 : "rough") +
           ": " + std::to_string(shards) + " shards × " + std::to_string(replicas) + ", " +
           std::to_string(options_.threads) + " threads of the broker";
  });
}

void SearchWorld::play() {
  for (const auto& leaf : leaves_) leaf->start();
  start_broker();
  run_until(run_.now() + kBeforeFaults);
  asks_until_ = faults_until_;
  ask_again();
  check_now();  // of what was asked now all may be taken back before the next event
  go_wrong_again();
  run_until(faults_until_);
  mend_all();
  run_until(run_.now() + kAfterFaults);
  clients_.expect_all_ended();
  clients_.ask_at_the_end(*broker_, repository_.current());
  run_until(run_.now() + kLast);
  clients_.expect_all_ended();
  for (const auto& leaf : leaves_)
    if (leaf->requests() > 0)
      run_.broken(Invariant::kForgotten, "leaf " + std::to_string(leaf->number()) + " still has requests");
}

void SearchWorld::run_until(Instant end) {
  while (!run_.failed()) {
    const Instant next = std::min(run_.events.next(), broker_ ? broker_->next() : Instant::max());
    if (next > end) break;
    run_.clock.move_to(next);
    run_.events.run_due();
    if (broker_) broker_->settle();
    check_now();
  }
  run_.clock.move_to(end);
}

void SearchWorld::check_now() {
  if (!broker_) return;
  const auto& shared = broker_->shared();
  const auto taken = shared.admission.taken();
  const auto& limits = shared.admission.limits();
  if (taken.all > limits.all || taken.costly > limits.costly || shared.cache.counters().bytes > shared.cache.budget())
    run_.broken(Invariant::kBounded, "places or bytes are beyond their limits");
  if (taken.all > clients_.waiting() || shared.flights.in_flight() > clients_.waiting())
    run_.broken(Invariant::kForgotten, std::to_string(taken.all) + " evaluations for " +
                                           std::to_string(clients_.waiting()) + " clients that wait");
  constexpr Invariant kCounted[] = {Invariant::kInTime, Invariant::kHonest, Invariant::kCached, Invariant::kBounded};
  for (std::size_t i = 0; i < std::size(kCounted); ++i)
    if (shared.promises.broken(i) > 0) run_.broken(kCounted[i], "the broker itself counts it");
  if (broker_->requests_to_leaves() > 0) {
    nothing_asked_since_ = run_.now();
    if (clients_.waiting() == 0) run_.broken(Invariant::kForgotten, "leaves are asked for nobody");
    return;
  }
  for (const auto& leaf : leaves_)
    if (leaf->requests() > 0 && leaf->accepts() &&
        run_.now() > std::max(nothing_asked_since_, disturbed_at_[leaf->number()]) + kForgotten)
      run_.broken(Invariant::kForgotten, "leaf " + std::to_string(leaf->number()) + " works for nobody");
}

void SearchWorld::ask_again() {
  if (run_.now() >= asks_until_) return;
  if (broker_ && broker_->map(0).ready() && run_.now() >= quiet_until_) {
    Clients::Asks asks = asks_;
    asks.costly = more_ && kind_ == Kind::kRough && run_.random.one_in(4);
    // Equal ones come together now and then.
    for (std::uint64_t i = 0, many = asks.costly || run_.random.one_in(8) ? 6 : 1; i < many; ++i)
      clients_.ask(*broker_, asks);
  }
  run_.after(run_.random.time(microseconds(1), 2 * between_searches_), [this] { ask_again(); });
}

void SearchWorld::go_wrong_again() {
  if (run_.now() >= faults_until_) return;
  go_wrong();
  run_.after(run_.random.time(milliseconds(20), milliseconds(900)), [this] { go_wrong_again(); });
}

void SearchWorld::go_wrong() {
  if (more_ && run_.random.one_in(4)) return be_late();
  LeafProcess& leaf = *run_.random.of(leaves_);
  switch (run_.random.below(kind_ == Kind::kRough ? 8 : 4)) {
    case 0:
    case 1:
      return swap();
    case 2:
      if (others_are_well(leaf)) leaf.restart_gracefully();
      return;
    case 3:
      if (kind_ == Kind::kCalm || (kind_ == Kind::kCrashes && !others_are_well(leaf))) return;
      leaf.die(kind_ == Kind::kRough && run_.random.one_in(2));
      run_.after(run_.random.time(milliseconds(1), milliseconds(2'500)), [&leaf] { leaf.start(); });
      return;
    case 4:
    case 5:
      return harm(leaf);
    case 6:
      return harm_link(leaf);
    default:
      return kill_broker();
  }
}

void SearchWorld::swap() {
  const auto& all = parts_.collection.generations();
  repository_.set_current(run_.random.below(all.size()));
  run_.tell([&] {
    const GenerationId id = repository_.current().id();
    return "CURRENT is " + std::to_string(id.number) + " " + to_hex(id.content);
  });
  for (const auto& leaf : leaves_)
    if (!run_.random.one_in(4)) leaf->announce_current();
}

void SearchWorld::be_late() {
  const std::uint32_t shard = run_.random.of(leaves_)->shard();
  const microseconds span = run_.random.time(milliseconds(500), milliseconds(5'000));
  quiet_until_ = run_.now() + span;
  run_.tell([&] { return "shard " + std::to_string(shard) + " hears nothing of the repository, and clients pause"; });
  for (const auto& leaf : leaves_) {
    if (leaf->shard() != shard) continue;
    leaf->hide_repository(true);
    run_.after(span, [&leaf] { leaf->hide_repository(false); });
  }
  swap();
}

void SearchWorld::harm(LeafProcess& leaf) {
  const microseconds span = run_.random.time(milliseconds(10), milliseconds(5'000));
  switch (run_.random.below(4)) {
    case 0:
      disturb(leaf, span);
      leaf.stop();
      run_.after(span, [&leaf] { leaf.go_on(); });
      return;
    case 1:
      leaf.be_slower(run_.random.one_in(2) ? 100 : 10);
      run_.after(span, [&leaf] { leaf.be_slower(1); });
      return;
    case 2:
      leaf.fill_disk(true);
      run_.after(span, [&leaf] { leaf.fill_disk(false); });
      return;
    default:
      repository_.be_away(true);
      run_.after(span, [this] { repository_.be_away(false); });
  }
}

void SearchWorld::harm_link(LeafProcess& leaf) {
  const std::size_t number = leaf.number();
  if (run_.random.one_in(3)) {
    run_.tell([&] { return "connections to leaf " + std::to_string(number) + " are lost"; });
    return network_.lose_connections(number);
  }
  const std::uint64_t which = run_.random.below(3);  // one direction, the other, or both
  for (const Direction direction : {kToLeaf, kToBroker})
    if (which == 2 || which == direction) network_.cut(number, direction, true);
  run_.tell([&] { return "the way to leaf " + std::to_string(number) + " is cut, " + std::to_string(which); });
  const microseconds span = run_.random.time(milliseconds(10), milliseconds(5'500));
  disturb(leaf, span);
  run_.after(span, [this, number] {
    run_.tell([&] { return "the way to leaf " + std::to_string(number) + " is whole"; });
    for (const Direction direction : {kToLeaf, kToBroker}) network_.cut(number, direction, false);
  });
}

void SearchWorld::start_broker() {
  if (broker_) return;
  broker_ = std::make_unique<BrokerProcess>(run_, network_, parts_.log, parts_.metrics, options_, ++brokers_);
}

void SearchWorld::kill_broker() {
  if (!broker_ || !run_.random.one_in(3)) return;
  run_.tell([] { return std::string("the broker dies"); });
  clients_.broker_died();
  broker_.reset();
  nothing_asked_since_ = run_.now();
  run_.after(run_.random.time(milliseconds(1), milliseconds(800)), [this] { start_broker(); });
}

void SearchWorld::mend_all() {
  run_.tell([] { return std::string("all faults end"); });
  repository_.be_away(false);
  start_broker();
  for (const auto& leaf : leaves_) {
    for (const Direction direction : {kToLeaf, kToBroker}) network_.cut(leaf->number(), direction, false);
    disturb(*leaf, microseconds(0));
    leaf->go_on();
    leaf->be_slower(1);
    leaf->fill_disk(false);
    leaf->start();
  }
}

void SearchWorld::disturb(const LeafProcess& leaf, microseconds span) {
  Instant& at = disturbed_at_[leaf.number()];
  at = std::max(at, run_.now() + span);
}

// Whether every other leaf serves each of the broker's threads, so that this one can be missed.
bool SearchWorld::others_are_well(const LeafProcess& leaf) const {
  if (!broker_) return false;
  const auto serves = [&](const LeafProcess& other, const auto& map) {
    const auto& known = map.leaves()[other.number()];
    if (!known->healthy || known->draining() || known->said->generations.empty()) return false;
    if (known->said->node != other.name()) return false;  // of a process that has died
    const auto& all = known->said->generations;
    const auto topology = map.topology();  // the thread may still be at another generation
    return all.back().id() == repository_.current().id() && topology &&
           std::ranges::any_of(all, [&](const auto& one) { return one.id() == topology->id(); });
  };
  return std::ranges::all_of(leaves_, [&](const auto& other) {
    if (other.get() == &leaf) return true;
    if (!other->accepts() || other->restarting()) return false;
    for (std::size_t thread = 0; thread < broker_->threads(); ++thread)
      if (!serves(*other, broker_->map(thread))) return false;
    return true;
  });
}

}  // namespace frond::simulation
