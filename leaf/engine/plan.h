#pragma once
// An engine's input, Plan: a query on one partition with its lists, weights and statistics. Its output: Outcome.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/deadline.h"
#include "common/base/placement.h"
#include "common/partition/documents/document_priors.h"
#include "common/partition/documents/hidden_documents.h"
#include "common/query/factor.h"
#include "common/scoring/bm25.h"
#include "common/topk/hit.h"
#include "leaf/engine/code_order.h"
#include "leaf/engine/document_codes.h"
#include "leaf/engine/term_role.h"
#include "leaf/lists/list_store.h"

namespace frond::leaf::engine {

enum class Mode : std::uint8_t { kAnd, kOr };  // a request's `auto` becomes AND, then OR if matches are few

// A score that at least k documents of one of the query's partitions on this leaf reach, so a document with a lower
// score can't be among the k best. Any thread. Relaxed atomics: an old value costs time but does not change results.
class SharedFloor {
 public:
  scoring::Score get() const { return floor_.load(std::memory_order_relaxed); }
  void raise(scoring::Score score) {
    auto now = floor_.load(std::memory_order_relaxed);
    while (now < score && !floor_.compare_exchange_weak(now, score, std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<scoring::Score> floor_{0};
};

struct PlanTerm {
  lists::ListLease list;       // null in a plan of device leases
  float weight = 0;            // scoring::term_weight(), query frequency included
  scoring::BoundScale bounds;  // turns packed deficits into bounds of contributions
  lists::DeviceLease on_device{};
  // With others than these the plan is for an accelerator alone (is_of_clauses()).
  TermRole role = TermRole::kRequired;
  query::Factor factor{};   // of its scores, which are rounded down
  std::uint32_t field = 0;  // whose lengths and norm they use: 0: of all text; else Plan::fields[field - 1]
};

// A text field, lists of which have scores of their own.
struct PlanField {
  std::uint32_t number = 0;  // in the schema
  std::shared_ptr<const DocumentCodes> lengths;
  scoring::LengthNorm norm;
};

// Words in their order, of which a document that matches has all, and whose places it has in some field. The score is
// that of a term with the number of such places as frequency.
struct PlanPhrase {
  struct Word {
    std::uint32_t number = 0;  // in the phrase
    std::uint64_t hash = 0;    // partition::term_hash()
    std::size_t term = 0;      // among the plan's, and required. A weight of 0: the phrase alone asks for it
  };
  std::vector<Word> words;        // by number, at least two
  float weight = 0;               // of the phrase
  query::Factor factor{};         // likewise
  std::uint32_t field = 0;        // as a term's
  std::uint32_t text = kAnyText;  // the field's number in the schema, in which alone it is looked for
  std::optional<scoring::BoundScale> bounds;
  // Bytes: as u32 where each document's record of token codes begins among these, and the end; then the records.
  std::shared_ptr<const DocumentCodes> sequences;
};

struct Plan {
  static constexpr std::uint64_t kCountAll = ~std::uint64_t{0};
  static constexpr std::uint64_t kCountOfLeaves = 1000;  // a leaf sets count_to to this, or to k if greater

  Mode mode = Mode::kOr;
  // False: the hits are the k first documents that match, by ordinal, with score 0, and `matches` is exact; count_to
  // and floor are ignored.
  bool ranked = true;
  std::uint32_t k = 10;  // 0 .. 10,000 (offset + k of the request)
  // kAnd, ranked: matches up to this number are counted exactly. If there are more, at least this many are counted, and
  // an engine may skip documents that can't be among the k best. kOr: ignored, but for `minimum`.
  std::uint64_t count_to = kCountAll;
  std::vector<PlanTerm>
      terms;  // distinct, in the query's order. kAnd: a list may be empty, then nothing matches. kOr: no list is empty.
  std::span<const std::uint32_t> lengths;  // lengths[docID]: tokens of the document
  std::uint64_t partition = 0;             // ListKey::partition of the lists; engines cache lengths under it
  scoring::LengthNorm norm;
  Placement placement;  // maps docIDs to ordinals
  // Documents that do not match, whatever the lists say; null: none.
  const partition::HiddenDocuments* hidden = nullptr;
  std::shared_ptr<const void> hidden_on_device{};  // in a plan of device leases: find_array() of their words()
  // Static priors of the documents, of which each hit's is added to its score, weighted; null: none. Ignored if nothing
  // is ranked.
  const partition::DocumentPriors* priors = nullptr;
  // In a ranked plan of device leases: find_array() of their arrays(), if it adds_priors().
  std::shared_ptr<const void> priors_on_device{};
  scoring::PriorWeight prior_weight = scoring::kUsualPriorWeight;
  // An accelerator counts all matches, in whatever mode; engines of the CPU ignore it.
  bool exact_matches = false;
  // What an accelerator counts over all matches beside finding the hits; engines of the CPU ignore it. With k = 0 it
  // counts only, whether the plan is ranked or not.
  std::vector<CountedCodes> counted{};
  // The order of an accelerator's hits, in place of that by scores: they are the k first of all matches, and `matches`
  // is exact. Their scores are 0 unless the order has_score(); then the plan is ranked. Engines of the CPU ignore it.
  std::optional<CodeOrder> order{};
  // Of a ranked plan for an accelerator alone (is_of_clauses()). kOr: of how many terms that are not excluded documents
  // must have a score, at least 1; matches are counted as those of kAnd. kAnd: of how many optional ones.
  std::uint32_t minimum = 0;
  std::vector<PlanField> fields{};  // those of terms and the phrase
  // Required beside the terms, in a ranked plan of kAnd; for an accelerator alone.
  std::optional<PlanPhrase> phrase{};
  // In a plan of device leases: find_array() of the owners of codes_of(), in their order.
  std::vector<std::shared_ptr<const void>> codes_on_device{};
  Deadline deadline = Deadline::never();
  SharedFloor* floor = nullptr;  // may be null; hits with score < floor->get() may be left out
};

// Whether the terms have leases on lists in device memory instead of lists in host memory: all of them, or none. Only
// the GPU's engine runs such a plan, and no other may be asked about it.
inline bool of_device_leases(const Plan& plan) { return !plan.terms.empty() && plan.terms.front().list == nullptr; }

// Whether documents must have more, or may have less, than all or any of the terms, or scores are multiplied or of
// fields: engines of the CPU know no such plan. It is ranked, and nothing is counted but matches.
inline bool is_of_clauses(const Plan& plan) {
  return plan.phrase || plan.minimum > 0 || !plan.fields.empty() ||
         std::any_of(plan.terms.begin(), plan.terms.end(), [](const PlanTerm& term) {
           return term.role != TermRole::kRequired || term.factor != query::Factor();
         });
}

// False: too few of the terms of which a document needs some are there.
inline bool has_enough_terms(const Plan& plan) {
  const TermRole role = plan.mode == Mode::kAnd ? TermRole::kOptional : TermRole::kRequired;
  return plan.minimum <=
         static_cast<std::size_t>(std::count_if(plan.terms.begin(), plan.terms.end(),
                                                [role](const PlanTerm& term) { return term.role == role; }));
}

// Whether priors change scores.
inline bool adds_priors(const Plan& plan) { return plan.ranked && plan.priors != nullptr && plan.prior_weight > 0; }

// All codes that the plan needs on a device: those that are counted, each with its places() behind it if it has some,
// then those of its order, then lengths of its fields, then the sequences of its phrase.
inline std::vector<std::shared_ptr<const DocumentCodes>> codes_of(const Plan& plan) {
  std::vector<std::shared_ptr<const DocumentCodes>> codes;
  for (const CountedCodes& counted : plan.counted) {
    codes.push_back(counted.codes);
    if (counted.codes->places() != nullptr) codes.push_back(counted.codes->places());
  }
  if (plan.order)
    for (const CodeKey& key : plan.order->keys)
      if (!key.is_score()) codes.push_back(key.codes);
  for (const PlanField& field : plan.fields) codes.push_back(field.lengths);
  if (plan.phrase) codes.push_back(plan.phrase->sequences);
  return codes;
}

// What the document's prior adds to its score.
inline scoring::Score prior_score(const Plan& plan, DocId docid) {
  return plan.priors == nullptr ? 0 : scoring::weighted(plan.priors->of(docid), plan.prior_weight);
}

// Of documents that match, `postings` of which may be hidden: how many there are at least.
inline std::uint64_t least_matches(const Plan& plan, std::uint64_t postings) {
  return plan.hidden == nullptr ? postings : postings - std::min<std::uint64_t>(postings, plan.hidden->count());
}

// The output of an engine for one plan.
struct Outcome {
  std::vector<topk::Hit> hits;  // the k best, best first; those below the floor may be missing. Unranked: the k first
  std::uint64_t matches = 0;    // documents that match; a lower bound if !exact
  bool exact = true;
  std::uint64_t postings_decoded = 0;  // for profiles
  // By Plan::counted, and by counter: how many of the documents that match have it. `matches` is exact then.
  std::vector<std::vector<std::uint32_t>> counts{};
};

// How a device spent its time on one call of an engine, for profiles. A call whose plans need several launches has the
// sum of all. Launches of several calls share the device, so kernels may take longer than they would alone.
struct BatchTimes {
  double build_us = 0;     // a host thread: finds the lists on the device, and writes the batch to pinned memory
  double transfer_us = 0;  // the launch, and the way of the batch and of its answers over the bus
  double kernel_us = 0;    // from the begin of the first kernel to the end of the last, by the device's clock
  std::uint32_t launches = 0;
  // By plan: whether its lists were on the device. Set only where the caller has made it as long as the plans are many.
  std::vector<bool> had_lists;
  // Likewise: whether it was left to the CPU because device memory has no room for an array by document.
  std::vector<bool> no_room;

  // All but had_lists and no_room.
  void add(const BatchTimes& other) {
    build_us += other.build_us;
    transfer_us += other.transfer_us;
    kernel_us += other.kernel_us;
    launches += other.launches;
  }
};

}  // namespace frond::leaf::engine
