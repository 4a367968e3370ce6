#pragma once
// One search in flight. A SearchRequest is one task, which looks the terms up once. On a leaf with a GPU it makes the
// plans of all partitions, and a QueryScheduler decides which processor runs them, and when. On the CPU one thread
// searches one partition after the other; if workers are idle and the partitions have many postings, other tasks search
// some of them. Whoever finishes the last partition merges the hits and replies. The closures of the tasks own the
// object.
//
// Mode `auto` runs AND on all partitions first. It then also runs OR if AND on this leaf has fewer matches than the
// broker needs. So the broker can decide over all leaves without a second request. A partition that could not be
// searched, with AND or with OR, is unsearched: the reply has its reason and none of its hits. The hits of the other
// partitions are in the reply.
//
// Work that costs many times the usual has threads of its own, so that it does not delay other searches. This is:
// requests that are costly by themselves (common/wire/messages.h), and searches that read many lists, or many postings
// and values in a partition (known after the look-up of the terms). Searches of medium size stay on the usual threads
// while no task waits there and another worker is idle.
//
// Plans that the GPU does not answer run on the CPU within the same deadline.
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/base/mutex.h"
#include "common/query/clause.h"
#include "leaf/clauses/resolve/device_phrase.h"
#include "leaf/clauses/resolve/flat_query.h"
#include "leaf/clauses/searched_partition.h"
#include "leaf/clauses/work.h"
#include "leaf/collect/collect.h"
#include "leaf/collect/device/device_facets.h"
#include "leaf/collect/device/device_order.h"
#include "leaf/collect/sorted_ranking.h"
#include "leaf/serve/search/at_once.h"
#include "leaf/serve/search/search_parts.h"
#include "leaf/serve/search/term_table.h"

namespace frond::leaf::serve {

// The terms of the words and phrases of a request's clause that score, for snippets. None, if it is no clause.
std::vector<std::string> words_of(std::string_view clause, text::Analyzer& analyzer);

class SearchQuery : public std::enable_shared_from_this<SearchQuery> {
 public:
  using Done = std::function<void(wire::SearchReply)>;
  using Waited = Result<std::chrono::microseconds>;

  // `parts` and `metrics` outlive the search. `deadline` counts from the request's arrival; what it points to lives as
  // long as `done`. `done` is called once: during start() or later, on any thread. The reply to a cancelled search is
  // empty.
  // `refuse` is called in place of `done` for a request that is wrong (kInvalid), or whose facets have too many
  // buckets, or whose hits have too long values of its order; empty: `done` gets a reply in which all partitions are
  // unsearched. `came`: when the request arrived; empty: now.
  using Refuse = std::function<void(const Error&)>;
  SearchQuery(const SearchParts& parts, SearchMetrics& metrics, wire::SearchRequest request, Deadline deadline,
              Done done, Refuse refuse = {}, std::optional<Instant> came = {});
  // Memory that the search holds for its request, about.
  std::size_t bytes() const;
  // Call once, as a task of parts.scheduler, with the time that the task waited; or anywhere, with the error for which
  // there is no such task. A shared_ptr must own the object.
  void start(const Waited& waited);

  // Before start(): whether the search may be evaluated at once (at_once.h): it is of plain words, finds all that it
  // reads in memory, and is predicted to take little. Does not block. What it has looked up start() need not.
  bool is_little();
  // Before start(): the search ends on the caller's thread, or goes on with a worker, soon after `bound`.
  // Instant::max(): there is no bound.
  void bind(Instant bound) { bound_ = bound; }

 private:
  // A partition of the search. One thread at a time writes it; the countdown of partitions orders these writes before
  // the reads of the thread that finishes.
  struct Slot {
    const generation::ServedPartition* partition = nullptr;
    std::optional<wire::UnsearchedReason> unsearched;
    std::vector<lists::ListLease> lists;  // of the known terms, once fetched; AND and OR both use them
    std::shared_ptr<const partition::HiddenDocuments> left_out;  // by the filter, and hidden; null: not evaluated
    engine::Outcome conjunction, disjunction;
    std::vector<std::string> sort_bytes;     // of a search with an order: of its hits, until sorted_ has these
    std::vector<query::FacetCounts> facets;  // until they are added to those of other partitions
    // Of the wave's plan: what a GPU counts for the facets, and orders hits by.
    std::optional<collect::DeviceFacets> facets_on_device;
    std::optional<collect::DeviceOrder> order_on_device;
    std::shared_ptr<const engine::DocumentCodes> sequences;  // … and looks for the phrase in
    wire::PartitionProfile profile;
    std::uint64_t cpu_us = 0;  // of the last search on the CPU
    bool on_cpu = false;       // searched there in this wave
  };

  // The search as the scheduler of a leaf with a GPU has it.
  struct Scheduled final : schedule::Query {
    explicit Scheduled(SearchQuery& owner) : of(owner) {}
    void search_on_cpu() override { of.search_on_scheduled_cpu(); }
    void take_answers(std::vector<schedule::GpuAnswer> answers) override { of.take_answers(std::move(answers)); }
    void drop() override { of.drop(); }
    SearchQuery& of;
    Instant submitted{};
    bool on_cpu = false;  // the scheduler counts it as running on the CPU
  };

  // How the waves ran, for a search that wants its profile.
  struct Profiled {
    Profiled() { runs.reserve(2); }
    std::vector<wire::SearchRun> runs;  // one for each wave; the last one is that of the present wave
    std::uint64_t waited_us = 0;        // by the present wave, in the queue of tasks
    schedule::QueryRun run;             // of the present wave, by the scheduler
  };

  // Evaluated at once (search_query_at_once.cc).
  bool needs_only_memory() const;
  bool find_terms();
  bool find_lists(Slot& slot);
  bool is_bound() const { return bound_ != Instant::max(); }
  void take_unless_bound_ended(Slot& slot, Result<engine::Outcome> outcome);
  bool go_on_unbound();
  void set_up();
  // A wave is AND or OR on all partitions that are not unsearched. Its steps run one after the other, on any thread.
  void begin();
  Result<void> look_up_terms();
  bool has_waited(const Waited& waited);
  void fail_todo(wire::UnsearchedReason reason);
  void wave(engine::Mode mode);
  bool submit_to_scheduler();
  bool make_plans();
  schedule::QueryFeatures features() const;
  bool runs_as_words() const { return !has_clause() || (flat_ && may_use_gpu()); }
  engine::Mode words_mode() const { return flat_ ? flat_->mode : mode_; }
  bool collect_on_device();
  bool collect_on_device(Slot& slot) const;
  bool find_arrays();
  scoring::Score most_score(const generation::ServedPartition& served) const;
  void add_codes(const Slot& slot, engine::Plan& plan) const;
  void add_counting(schedule::PredictedCosts& costs, std::uint64_t postings) const;
  static void add_looking(schedule::PredictedCosts& costs, const schedule::QueryFeatures& known);
  bool may_use_gpu() const;
  void search_on_scheduled_cpu();
  void take_answers(std::vector<schedule::GpuAnswer> answers);
  Result<engine::Outcome> with_collected(Slot& slot, Result<engine::Outcome> answer) const;
  void check_answers();
  Result<engine::Outcome> search_again(Slot& slot, engine::SharedFloor& floor);
  void drop();
  bool is_too_much_here() const;
  std::uint64_t work_in_largest() const;
  std::size_t lists() const;
  void move_to_costly_threads(std::uint64_t weight, void (SearchQuery::*next)());
  void search_here();
  void search_now();
  std::size_t idle_workers() const;
  void cpu_done();
  void profile_begin();
  void profile_submit();
  void profile_answers(Instant now, std::span<const schedule::GpuAnswer> answers);
  void profile_end();
  wire::RunReason run_reason(const wire::SearchRun& run) const;
  void wave_done();
  void begin_disjunction();
  void finish();
  void log_slow(std::chrono::microseconds took);
  // Several threads may run share() at a time, for different partitions.
  void share();
  void search(std::size_t number);
  // Plans (search_query_plans.cc).
  clauses::Work work() const;
  std::uint64_t in_largest(std::uint64_t of_all) const;
  std::uint32_t depth() const;
  Result<void> fetch_lists(Slot& slot);
  // What the search passes over in the partition.
  const partition::HiddenDocuments* hidden(const Slot& slot) const {
    return slot.left_out != nullptr ? slot.left_out.get() : slot.partition->hidden.get();
  }
  Result<std::vector<lists::ListLease>> lists_of(Slot& slot, const KnownTerms& known);
  // Clauses (search_query_clauses.cc).
  bool has_clause() const { return !request_.clause.empty() && !are_weights_; }
  struct Clauses {
    query::Clause clause;
    clauses::ResolvedQuery resolved;
    clauses::Work work;  // of the generation
    KnownTerms known;    // its lists
  };
  Result<void> find_near();
  Result<void> read_clauses();
  Result<bool> take_weights(const query::Clause& clause);
  Result<void> resolve_clause();
  Result<void> resolve(const query::Clause& clause, Clauses& into) const;
  clauses::ClausePlan clause_plan(const Slot& slot, const Clauses& clauses, std::vector<lists::ListLease> lists,
                                  const clauses::SearchedPartition& partition);
  Result<void> resolve_filter(query::Clause clause, Clauses& into) const;
  Result<void> filter(Slot& slot);
  Result<FilterCache::Documents> left_out_by(Slot& slot, const std::string& text, const Clauses& clauses);
  Result<engine::Outcome> search_clause(Slot& slot);
  Result<void> count_exactly(Slot& slot, engine::Outcome& outcome);
  const schema::Schema& schema() const;
  // Orders and facets (search_query_collect.cc).
  bool sorts() const { return !wanted_.sort.empty(); }
  bool collects() const { return sorts() || counts_facets(); }
  bool counts_facets() const {
    return !wanted_.facets.empty() && (mode_ == engine::Mode::kOr || request_.mode == wire::Mode::kAnd);
  }
  Result<void> read_wanted();
  Result<engine::Outcome> collect(Slot& slot, const clauses::ClausePlan& plan);
  Result<void> add_facets(Slot& slot);
  void add_sorted(Slot& slot, engine::Outcome& outcome);
  collect::SortedHits take_sorted();
  std::optional<Error> refusal() const;
  std::size_t place_of(const generation::ServedPartition& partition) const {
    return static_cast<std::size_t>(&partition - generation_->partitions.data());
  }
  engine::Plan without_terms(const Slot& slot, engine::SharedFloor& floor) const;
  const scoring::Bm25Parameters& bm25() const {
    return request_.bm25 && !scoring::are_impacts(generation_->bm25) ? *request_.bm25 : generation_->bm25;
  }
  // Of scores of all text, or of a field.
  scoring::BoundScale bounds(float weight, const partition::Partition& partition,
                             std::uint32_t field = clauses::kAllText) const;
  std::uint32_t field_of(std::size_t term) const {
    return flat_ ? clause_->resolved.lists[term].field : clauses::kAllText;
  }
  engine::PlanTerm plan_term(std::size_t term, const partition::Partition& partition, engine::Plan& plan) const;
  engine::TermRole role_of(std::size_t term) const {
    return flat_ ? flat_->terms[term].role : engine::TermRole::kRequired;
  }
  std::uint32_t minimum() const { return flat_ ? static_cast<std::uint32_t>(flat_->minimum) : 0; }
  bool has_phrase() const { return flat_ && flat_->phrase != nullptr; }
  bool is_required(std::size_t term) const {
    return words_mode() == engine::Mode::kAnd && role_of(term) == engine::TermRole::kRequired;
  }
  void add_phrase(const Slot& slot, std::span<const clauses::ListNumber> terms, engine::Plan& plan) const;
  static bool add_lengths(const Slot& slot, engine::Plan& plan);
  bool find_codes(engine::Plan& plan) const;
  Result<std::optional<engine::Plan>> plan(Slot& slot, engine::SharedFloor& floor);
  std::optional<engine::Plan> plan_on_device(Slot& slot);

  Result<engine::Outcome> search(Slot& slot, engine::Plan& plan);
  void take(Slot& slot, Result<engine::Outcome> outcome);
  static Result<void> intact(const Slot& slot);
  void fail(Slot& slot, const Error& why);
  bool needs_disjunction() const;
  wire::Ranking merged(engine::Mode mode);
  std::size_t partitions_here() const { return generation_ == nullptr ? 0 : generation_->partitions.size(); }
  schedule::Client client() const { return {request_.client.id, request_.client.weight}; }
  schedule::Scheduler& scheduler() const { return costly_ ? *parts_.costly : parts_.scheduler; }
  engine::SharedFloor& floor() { return mode_ == engine::Mode::kAnd ? and_floor_ : or_floor_; }

  const SearchParts& parts_;
  SearchMetrics& metrics_;
  const wire::SearchRequest request_;
  const Deadline deadline_;
  const Instant came_;
  const Done done_;
  const Refuse refuse_;
  const std::shared_ptr<const generation::ServedGeneration> generation_;  // null: this leaf does not serve it
  Result<KnownTerms> known_ = KnownTerms();  // looked up once; kCorrupt, kUnavailable: from reading their statistics
  std::optional<Clauses> clause_, filter_;   // of the request, if it has them
  bool clause_has_auto_ = false;             // AND and OR of it differ
  // The wave's clause as lists of terms that a GPU may take, with a phrase of clause_.
  std::optional<clauses::FlatQuery> flat_;
  bool are_weights_ = false;                // the request's clause is known_ instead: the engines of plain words run it
  std::vector<Slot> slots_;                 // of the partitions that the generation has here
  std::vector<std::uint32_t> lacking_;      // the others that are wanted
  bool costly_ = false;                     // the costly threads run it from now on
  engine::Mode mode_ = engine::Mode::kAnd;  // of the wave
  // The wave's partitions without an outcome yet. The CPU's threads take them in order: `untaken_` are left to take,
  // `unfinished_` without an outcome. `untaken_` is set after everything that a thread reads once it has taken
  // one, and is 0 while no wave is on the CPU, so that a thread that comes late finds nothing.
  std::vector<Slot*> todo_;
  std::atomic<std::size_t> untaken_{0}, unfinished_{0};
  engine::SharedFloor and_floor_, or_floor_;
  Scheduled scheduled_{*this};             // its plans are those of todo_, or there are none
  std::atomic<bool> damage_found_{false};  // a partition was found damaged after it was searched
  bool has_and_ = false, has_or_ = false;
  collect::Wanted wanted_;
  std::map<std::string, Clauses> facet_clauses_;  // of the facets, by query::cache_key()
  collect::SortFloor sort_floor_;
  mutable Mutex collected_mutex_;
  std::vector<query::FacetCounts> facets_ FROND_GUARDED_BY(collected_mutex_);  // of the partitions so far
  collect::SortedRanking sorted_ FROND_GUARDED_BY(collected_mutex_){request_.depth, parts_.max_sort_bytes};  // likewise
  std::optional<Error> refusal_ FROND_GUARDED_BY(collected_mutex_);  // the request is wrong, it turned out
  const std::unique_ptr<Profiled> profiled_;                         // null: no profile is wanted
  std::vector<query::NearTerms> near_;                               // of each of the request, once found
  bool looked_up_ = false;                                           // known_ is right, for a search of plain words
  Instant bound_ = Instant::max();                                   // see bind(); then one thread runs the search
  std::optional<schedule::PredictedCost> predicted_;                 // of the present wave; none: nobody wants to know
  std::vector<Slot*> unfinished_at_bound_;                           // of the wave
};

}  // namespace frond::leaf::serve
