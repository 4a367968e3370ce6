#pragma once
// A search evaluated by the leaves, and its page as the API prints it: what any number of equal searches may share.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "broker/http/admission.h"
#include "broker/http/search_parameters.h"
#include "broker/scatter/scatter_context.h"
#include "broker/scatter/search.h"

namespace frond::broker::http {

// What is looked for.
struct Question {
  SearchParameters parameters;
  std::shared_ptr<const cluster::Topology> topology;
  std::vector<wire::QueryTerm> terms;
  Admission::Kind kind;
};
// Told by what it asks for: see common/wire/cost.h.
bool is_costly(const SearchParameters& parameters, std::size_t terms);

// What an evaluation gave, ready to be sent to any number of searches, and to be cached.
struct Answer {
  std::string rest;  // of the body (answer_json.h)
  Generation generation = 0;
  std::uint32_t partitions_total = 0, partitions_answered = 0;
  bool timed_out = false, all_overloaded = false;
  bool whole() const { return partitions_answered == partitions_total; }
};

// Holds a place in flight until it is over. Broker's thread only.
class Evaluation {
 public:
  using Done = std::function<void(const std::shared_ptr<const Answer>&)>;
  // A place was taken for it. `done` is called once, by the deadline, perhaps before start() returns; not once it is
  // stopped. `scatter` and `admission` outlive it.
  static std::shared_ptr<Evaluation> start(scatter::ScatterContext& scatter, Admission& admission,
                                           std::shared_ptr<const Question> question, Deadline deadline, Done done);
  Evaluation(Admission& admission, Admission::Kind kind) : admission_(admission), kind_(kind) {}
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;
  // Nobody waits for it any more; harmless when it is over.
  void stop();

 private:
  Admission& admission_;
  const Admission::Kind kind_;
  std::shared_ptr<scatter::Abandonable> search_;
  bool over_ = false;
};

}  // namespace frond::broker::http
