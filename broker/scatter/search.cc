#include "broker/scatter/search.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "broker/merge/facet_merge.h"
#include "broker/merge/merge.h"
#include "broker/scatter/fan_out.h"
#include "broker/scatter/fetch.h"

namespace frond::broker::scatter {
namespace {
constexpr std::uint32_t kAlways = ~std::uint32_t{0};  // auto_needs of a search that needs OR in any case

class Search final : public Abandonable, public std::enable_shared_from_this<Search> {
 public:
  Search(ScatterContext& context, SearchPlan plan, Deadline deadline, std::function<void(merge::Page)> done)
      : context_(context),
        plan_(std::move(plan)),
        deadline_(deadline),
        done_(std::move(done)),
        started_(context.timers.clock().now()) {}

  void start() {
    page_.generation = plan_.request.generation = plan_.topology->generation;
    plan_.request.content = plan_.topology->content;
    page_.partitions_total = static_cast<std::uint32_t>(plan_.topology->partitions.size());
    plan_.request.depth = plan_.offset + plan_.k + (plan_.request.after ? 1 : 0);
    // AND that fills the page of every shorter offset is enough, unless the total, which is OR's, is to be exact.
    const bool counts = plan_.request.rank == wire::Rank::kNone || plan_.request.exact_total;
    plan_.request.auto_needs = counts ? kAlways : plan_.request.depth;
    plan_.explain = plan_.explain && plan_.k <= wire::kMaxExplained && plan_.request.rank == wire::Rank::kScore;
    plan_.request.show = {plan_.offset, plan_.k, plan_.fields, plan_.columns, plan_.explain};
    const Clock& clock = context_.timers.clock();
    const auto left = deadline_.left(clock);
    go_on_with(fan_out(context_, plan_.topology, plan_.request, plan_.arrangement,
                       merge::kMaxFacetBytes / std::max(plan_.facets_apart, 1u),
                       Deadline::after(clock, left - reserved_of(left)),
                       [self = shared_from_this()](FanOutResult result) { self->ranked(std::move(result)); }));
  }
  void abandon() override {
    if (!done_) return;
    const auto self = shared_from_this();  // what is destroyed here may hold the last reference
    const auto done = std::exchange(done_, nullptr);
    if (const auto trip = std::exchange(trip_, nullptr)) trip->abandon();
    if (step_) context_.timers.cancel(*std::exchange(step_, {}));
  }

 private:
  // Keeps a round trip that is still under way. One that ended at once has started the next one, or ended the search.
  void go_on_with(std::shared_ptr<Abandonable> trip) {
    if (done_ && !trip_) trip_ = std::move(trip);
  }
  std::uint64_t elapsed_us() const {
    const auto span = context_.timers.clock().now() - started_;
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(span).count());
  }

  void ranked(FanOutResult result) {
    trip_ = nullptr;
    page_.profile.search_us = elapsed_us();
    if (!result.unsearched.empty()) page_.profile.half_us = half_us(result);
    page_.unsearched = std::move(result.unsearched);
    page_.refusal = std::move(result.refusal);
    std::vector<wire::SearchReply> replies;
    replies.reserve(result.answers.size());
    for (auto& answer : result.answers) {
      if (page_.near.empty()) page_.near = std::move(answer.reply.near);  // all leaves say the same
      if (plan_.request.profile || plan_.request.profile_from.count() > 0)
        page_.profile.leaves.push_back({answer.leaf->endpoint, answer.round_trip_us, std::move(answer.reply.profile),
                                        std::move(answer.reply.runs), answer.sent_us});
      replies.push_back(std::move(answer.reply));
    }
    merge::Merged merged = merge::merge(plan_.request, replies, plan_.offset);
    page_.mode_used = merged.mode_used;
    page_.total = merged.total;
    page_.all_words = merged.all_words;
    if (!page_.whole()) counts_are_bounds();
    page_.hits.reserve(merged.page.size());
    for (const auto& [hit, source, sort_bytes] : merged.page) {
      merge::PageHit& shown = page_.hits.emplace_back();
      shown.hit = hit;
      shown.sort_bytes = sort_bytes;
    }
    if (merged.more && !page_.hits.empty())
      page_.last = frond::query::SortPosition{page_.hits.back().sort_bytes, page_.hits.back().hit.ordinal};
    count_buckets(replies);
    auto counts = merge::take_counts(replies, plan_.arrangement.facets.size());
    if (plan_.facets_apart > 0)
      page_.counted =
          std::make_shared<merge::CountedFacets>(merge::CountedFacets{plan_.arrangement, std::move(counts)});
    else
      facets_.emplace(plan_.arrangement, std::move(counts));
    take_documents(replies, merged);
    const bool all = missing_.empty();
    if (result.answers.size() > 1 && plan_.offset == 0 && !page_.hits.empty()) context_.ahead.learn(all);
    if (all)
      complete({});
    else
      fetch_documents(result.answers, merged);
    merge_facets();
  }

  std::optional<std::uint64_t> half_us(const FanOutResult& result) const {
    std::vector<std::uint64_t> each;
    for (const auto& answer : result.answers) each.insert(each.end(), answer.partitions.size(), answer.round_trip_us);
    const std::size_t half = (page_.partitions_total + 1) / 2;
    if (each.size() < half) return {};
    std::ranges::nth_element(each, each.begin() + static_cast<std::ptrdiff_t>(half - 1));
    return each[half - 1];
  }

  // A leaf that refuses the search for its facets does not say how many there are.
  void count_buckets(const std::vector<wire::SearchReply>& replies) {
    const bool refused = page_.refusal.find("facet") != std::string::npos;
    page_.facet_buckets.assign(plan_.arrangement.facets.size(), refused ? plan_.arrangement.max_buckets : 0);
    for (const wire::SearchReply& reply : replies)
      for (std::size_t i = 0; i < reply.facets.size() && i < page_.facet_buckets.size(); ++i)
        page_.facet_buckets[i] += reply.facets[i].buckets();
  }

  // While documents are fetched.
  void merge_facets() {
    if (!facets_) return;
    const auto merged = facets_->step(merge::kBucketsOfAStep);
    if (merged && !*merged && !deadline_.passed(context_.timers.clock())) {
      step_ = context_.timers.after(std::chrono::microseconds(1), [self = shared_from_this()] {
        self->step_.reset();
        self->merge_facets();
      });
      return;
    }
    if (!merged)
      page_.refusal = merged.error().message();
    else if (*merged)
      page_.facets = facets_->take();
    else
      run_out_of_time();
    facets_.reset();
    end_if_complete();
  }

  void fetch_documents(const std::vector<LeafAnswer>& answers, const merge::Merged& merged) {
    FetchPlan fetching{plan_.topology, {}, {}, plan_.fields, plan_.columns};
    if (plan_.explain) {
      wire::SearchRequest explained = plan_.request;
      // Only the clause, and how it is scored: what is explained is a document that was found.
      explained.filter.clear();
      explained.sort.clear();
      explained.after.reset();
      explained.facets.clear();
      explained.near.clear();
      explained.show = {};
      explained.partitions.clear();
      fetching.explain = std::make_shared<const wire::SearchRequest>(std::move(explained));
    }
    if ((plan_.fields & wire::kFieldSnippet) != 0) {
      fetching.terms = std::move(plan_.snippet_terms);
      for (const auto& term : plan_.request.terms) fetching.terms.push_back(term.text);
    }
    fetching.shares.resize(answers.size());
    for (std::size_t i = 0; i < answers.size(); ++i) fetching.shares[i].leaf = answers[i].leaf;
    for (const std::size_t i : missing_)
      fetching.shares[merged.page[i].source].ordinals.push_back(merged.page[i].hit.ordinal);
    go_on_with(fetch(context_, std::move(fetching), deadline_,
                     [self = shared_from_this()](FetchResult fetched) { self->complete(std::move(fetched)); }));
  }

  // Puts the documents that came with the rankings into the page, each from the leaf that found it. A leaf has them in
  // its own order, of which the page's is a part.
  void take_documents(std::vector<wire::SearchReply>& replies, const merge::Merged& merged) {
    std::vector<std::size_t> next(replies.size());
    for (std::size_t i = 0; i < page_.hits.size(); ++i) {
      const std::uint32_t source = merged.page[i].source;
      std::vector<wire::FetchedDocument>& documents = replies[source].documents;
      std::size_t at = next[source];
      while (at < documents.size() && documents[at].ordinal != page_.hits[i].hit.ordinal) ++at;
      if (at == documents.size() || !documents[at].found) {
        missing_.push_back(i);
        continue;
      }
      show(page_.hits[i], documents[at]);
      next[source] = at + 1;
    }
  }

  void complete(FetchResult fetched) {
    trip_ = nullptr;
    if (!missing_.empty()) page_.profile.fetch_us = elapsed_us() - page_.profile.search_us;
    show_fetched(std::move(fetched));
    fetched_ = true;
    end_if_complete();
  }
  void end_if_complete() {
    if (fetched_ && !facets_ && done_) std::exchange(done_, nullptr)(std::move(page_));
  }

  static void show(merge::PageHit& hit, wire::FetchedDocument& document) {
    hit.id = std::move(document.id);
    hit.title = std::move(document.title);
    hit.url = std::move(document.url);
    hit.snippet = std::move(document.snippet);
    hit.columns = std::move(document.columns);
    hit.explanation = std::move(document.explanation);
  }
  // Puts the documents that were missing into the page; hits that still have none are left out.
  void show_fetched(FetchResult fetched) {
    std::unordered_map<Ordinal, wire::FetchedDocument*> by_ordinal;
    by_ordinal.reserve(fetched.documents.size());
    for (auto& document : fetched.documents) by_ordinal.emplace(document.ordinal, &document);
    std::vector<std::size_t> without;
    for (const std::size_t i : std::exchange(missing_, {})) {
      const auto found = by_ordinal.find(page_.hits[i].hit.ordinal);
      if (found == by_ordinal.end()) {
        without.push_back(i);
        continue;
      }
      show(page_.hits[i], *found->second);
      by_ordinal.erase(found);  // so that no document is shown twice
    }
    for (auto i = without.rbegin(); i != without.rend(); ++i)
      page_.hits.erase(page_.hits.begin() + static_cast<std::ptrdiff_t>(*i));
    if (!fetched.unsearched.empty()) {
      counts_are_bounds();
      page_.last.reset();  // behind it the hits that are left out would be missing
      drop_hits_of(fetched.unsearched);
    }
  }
  // There are no counts in time: then all partitions are unsearched.
  void run_out_of_time() {
    page_.unsearched.clear();
    for (std::uint32_t i = 0; i < page_.partitions_total; ++i)
      page_.unsearched.push_back({i, wire::UnsearchedReason::kDeadline});
    page_.hits.clear();
    page_.last.reset();
    page_.facets.resize(plan_.arrangement.facets.size());
    counts_are_bounds();
  }
  void counts_are_bounds() {
    page_.total.exact = false;
    if (page_.all_words) page_.all_words->exact = false;
  }
  // Partitions whose hits could not be fetched count as unsearched: all of their hits are removed.
  void drop_hits_of(const std::vector<wire::UnsearchedPartition>& unsearched) {
    std::erase_if(page_.hits, [&](const merge::PageHit& hit) {
      const auto partition = plan_.topology->partition_of(hit.hit.ordinal);
      return std::any_of(unsearched.begin(), unsearched.end(),
                         [&](const auto& one) { return one.partition == partition; });
    });
    page_.unsearched.insert(page_.unsearched.end(), unsearched.begin(), unsearched.end());
    put_in_order(page_.unsearched);
  }

  ScatterContext& context_;
  SearchPlan plan_;
  Deadline deadline_;
  std::function<void(merge::Page)> done_;
  Instant started_;
  merge::Page page_;
  std::shared_ptr<Abandonable> trip_;            // the round trip under way
  std::vector<std::size_t> missing_;             // hits of the page without their documents, ascending
  bool fetched_ = false;                         // the page has its documents
  std::optional<merge::FacetMerge> facets_;      // until they are merged
  std::optional<cluster::TimerQueue::Id> step_;  // … the next step
};
}  // namespace

std::shared_ptr<Abandonable> search(ScatterContext& context, SearchPlan plan, Deadline deadline,
                                    std::function<void(merge::Page)> done) {
  auto started = std::make_shared<Search>(context, std::move(plan), deadline, std::move(done));
  started->start();
  return started;
}

}  // namespace frond::broker::scatter
