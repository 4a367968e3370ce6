#pragma once
// Clients of a broker: they ask what the run chooses, some leave before they are answered, and each answer is compared
// with what its generation has.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/http/search/search_service.h"
#include "tests/simulation/broker_process.h"
#include "tests/simulation/collection.h"
#include "tests/simulation/run.h"

namespace frond::simulation {

class Clients {
 public:
  Clients(Run& run, const Collection& collection) : run_(run), collection_(collection) {}

  // What a search may be; `whole`: none may be less than whole.
  struct Asks {
    milliseconds least_time{20}, most_time{2'000};
    bool leaves = true, whole = false;
    bool costly = false;         // one that waits for its turn if there are many
    std::uint64_t queries = 17;  // the first of Collection::queries()
  };
  void ask(BrokerProcess& broker, const Asks& asks);
  // Searches after everything has passed, as others asked before: each from the generation that is current, whole.
  void ask_at_the_end(BrokerProcess& broker, const Published& current);
  // The broker died: nobody is answered any more.
  void broker_died() { waiting_.clear(); }

  std::size_t waiting() const { return waiting_.size(); }
  std::uint64_t answered() const { return answered_; }
  std::uint64_t whole() const { return whole_; }
  void expect_all_ended();

 private:
  struct Asked {
    std::uint64_t number = 0;
    std::string words;
    wire::Mode mode = wire::Mode::kAuto;
    std::uint32_t k = 10, offset = 0;
    microseconds time{0};
    Instant deadline;
    bool has_left = false, must_be_whole = false, allows_partial = true;
    const Published* must_be_of = nullptr;
    int answers = 0;
    broker::http::SearchService::Ticket ticket;
    std::string text() const;
    std::string name() const { return "search " + std::to_string(number); }
  };
  using AskedRef = std::shared_ptr<Asked>;
  void send(BrokerProcess& broker, std::size_t thread, const AskedRef& asked, std::string text);
  void answered(const AskedRef& asked, const http::Response& response);
  void check_body(const Asked& asked, const std::string& body);

  Run& run_;
  const Collection& collection_;
  std::map<std::uint64_t, AskedRef> waiting_;
  std::uint64_t last_ = 0, answered_ = 0, whole_ = 0;
};

}  // namespace frond::simulation
