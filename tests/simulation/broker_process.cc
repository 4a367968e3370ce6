#include "tests/simulation/broker_process.h"

#include <algorithm>
#include <utility>

namespace frond::simulation {

BrokerProcess::Thread::Thread(BrokerProcess& process, std::size_t number, Logger& log,
                              broker::http::SearchMetrics& metrics)
    : timers(process.run_.clock),
      clients(io, timers, log,
              {.max_in_flight = process.options_.max_leaf_in_flight,
               .loads = process.loads_,
               .curve = {},
               .connect =
                   [&process, number](const std::string& endpoint) {
                     const auto name = "broker " + std::to_string(process.life_) + "/" + std::to_string(number);
                     return process.network_.connection(endpoint, name,
                                                        [&process, number, alive = process.alive_](const auto& action) {
                                                          if (*alive) process.on(number, action);
                                                        });
                   }}),
      map(timers, log,
          {.collection = kCollection,
           .name = "broker/" + std::to_string(number),
           .instance = 1 + process.life_ * 100 + number,
           .on_generation =
               [&process, number](const GenerationId& id) {
                 process.run_.tell([&] {
                   return "broker thread " + std::to_string(number) + " serves generation " +
                          std::to_string(id.number) + " " + to_hex(id.content);
                 });
                 for (std::size_t other = 0; other < process.threads_.size(); ++other)
                   if (other != number)
                     process.threads_[other]->home.post(
                         [&map = process.threads_[other]->map, id] { map.refresh_unless(id); });
               }},
          [this](const std::string& leaf, broker::cluster::News news) {
            return clients.create(leaf, std::move(news));
          }),
      scatter{map, timers,
              broker::scatter::Hedging(
                  {.share = process.options_.hedge_share, .max_leaf_in_flight = process.options_.max_leaf_in_flight})},
      service(scatter, process.options_.search, process.shared_, home, metrics) {}

BrokerProcess::BrokerProcess(Run& run, Network& network, Logger& log, broker::http::SearchMetrics& metrics,
                             const Options& options, std::uint64_t life)
    : run_(run), network_(network), options_(options), life_(life), shared_(options.search) {
  std::vector<std::string> endpoints;
  for (std::size_t i = 0; i < options.leaves; ++i) endpoints.push_back(Network::endpoint_of(i));
  for (std::size_t i = 0; i < options.threads; ++i) {
    threads_.push_back(std::make_unique<Thread>(*this, i, log, metrics));
    on(i, [&] { (void)threads_[i]->map.set_leaves(endpoints).has_value(); });
  }
}

// As a process that dies: nobody is told, and what was under way is nothing any more.
BrokerProcess::~BrokerProcess() {
  network_.broker_died();
  for (const auto& thread : threads_) {
    const support::Mailbox::Here here(thread->home);
    thread->clients.close();
  }
  settle();
  *alive_ = false;
}

void BrokerProcess::on(std::size_t thread, const std::function<void()>& action) {
  const support::Mailbox::Here here(threads_[thread]->home);
  action();
}

Instant BrokerProcess::next() const {
  Instant first = Instant::max();
  for (const auto& thread : threads_) first = std::min(first, thread->timers.next());
  return first;
}

bool BrokerProcess::settle(Thread& thread) {
  const support::Mailbox::Here here(thread.home);
  bool any = false;
  if (thread.timers.next() <= run_.now()) {
    thread.timers.run_due();
    any = true;
  }
  thread.io.restart();
  any = thread.io.poll() > 0 || any;
  while (thread.home.run_one()) any = true;
  return any;
}

void BrokerProcess::settle() {
  for (bool any = true; any;) {
    any = false;
    for (const auto& thread : threads_) any = settle(*thread) || any;
  }
}

std::size_t BrokerProcess::requests_to_leaves() const {
  std::size_t all = 0;
  for (std::size_t i = 0; i < options_.leaves; ++i) all += loads_->of(Network::endpoint_of(i))->searches_and_fetches;
  return all;
}

}  // namespace frond::simulation
