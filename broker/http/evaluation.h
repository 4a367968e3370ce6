#pragma once
// One evaluation of a search by the leaves, and its rendered answer, which any number of equal searches may share.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/http/admission.h"
#include "broker/http/search_parameters.h"
#include "broker/scatter/scatter_context.h"
#include "broker/scatter/search.h"

namespace frond::broker::http {

// What is searched, and how.
struct Question {
  SearchParameters parameters;
  std::shared_ptr<const cluster::Topology> topology;
  std::vector<wire::QueryTerm> terms;
  Admission::Kind kind;
  std::optional<scoring::Bm25Parameters> bm25 = {};  // own_bm25()
  std::string signs = {};                            // of q that are not applied, rendered (answer_json.h)
};
// In fixed point; the usual one if nothing is ranked.
scoring::PriorWeight prior_weight(const SearchParameters& parameters);
// The k1 and b to rank by; empty: those of the generation, or nothing is ranked. Equal searches have equal ones,
// however they say it.
std::optional<scoring::Bm25Parameters> own_bm25(const SearchParameters& parameters,
                                                const scoring::Bm25Parameters& of_generation);
// Whether the search costs many times the usual (common/wire/messages.h).
bool is_costly(const SearchParameters& parameters, std::size_t terms);

// The result of an evaluation, ready to be sent and cached.
struct Answer {
  std::string rest;  // the second part of the body (answer_json.h)
  Generation generation = 0;
  std::uint32_t partitions_total = 0, partitions_answered = 0;
  bool timed_out = false, all_overloaded = false;
  bool whole() const { return partitions_answered == partitions_total; }
};

// Holds a place (admission.h) until it is over. Its loop's thread only.
class Evaluation {
 public:
  using Done = std::function<void(const std::shared_ptr<const Answer>&)>;
  // The caller has taken a place for it. `done` is called once, at the latest when the deadline passes, possibly before
  // start() returns; not after stop(). `scatter` and `admission` outlive the evaluation.
  static std::shared_ptr<Evaluation> start(scatter::ScatterContext& scatter, Admission& admission,
                                           std::shared_ptr<const Question> question, Deadline deadline, Done done);
  Evaluation(Admission& admission, Admission::Kind kind) : admission_(admission), kind_(kind) {}
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;
  // Gives the evaluation up: the leaves are told to stop. Does nothing when it is over.
  void stop();

 private:
  Admission& admission_;
  const Admission::Kind kind_;
  std::shared_ptr<scatter::Abandonable> search_;
  bool over_ = false;
};

}  // namespace frond::broker::http
