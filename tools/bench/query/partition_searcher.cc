#include "tools/bench/query/partition_searcher.h"

#include "common/schema/schema_json.h"
#include "leaf/clauses/evaluation.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "common/partition/documents/document_priors.h"
#include "common/partition/documents/hidden_documents.h"
#include "common/partition/partition.h"
#include "common/partition/terms/change_file.h"
#include "common/partition/terms/term_statistics.h"
#include "common/repository/repository.h"
#include "common/text/analyzer.h"
#include "leaf/generation/served_generation.h"
#include "leaf/lists/cached_list_store.h"
#include "leaf/lists/partition_list_store.h"
#include "leaf/serve/search/term_table.h"
#include "tools/bench/measure.h"

namespace frond::tools::bench {
namespace {

namespace fs = std::filesystem;

// A value for nine documents of ten; the square of a number drawn evenly. The same in every process.
class MadeUpColumn final : public leaf::engine::DocumentCodes {
 public:
  MadeUpColumn(std::uint32_t documents, std::uint32_t values)
      : DocumentCodes(std::make_shared<int>(), documents, std::uint64_t{values} + 1) {
    std::mt19937_64 random(17);
    all_.reserve(documents);
    for (std::uint32_t i = 0; i < documents; ++i) {
      const std::uint64_t drawn = random();
      const double share = static_cast<double>(drawn >> 11) * 0x1p-53;
      const double value = 1 + share * share * values;
      all_.push_back(drawn % 10 == 0 ? std::uint32_t{0} : static_cast<std::uint32_t>(value));
    }
  }
  void write(DocId first, std::span<std::byte> out) const override {
    for (std::size_t i = 0; i < out.size() / width(); ++i) {
      const std::uint32_t code = first + i < all_.size() ? all_[first + i] : std::uint32_t{0};
      std::memcpy(&out[i * width()], &code, width());
    }
  }

 private:
  std::vector<std::uint32_t> all_;
};

using KnownTermPtr = std::shared_ptr<const leaf::serve::KnownTerm>;

class Searcher final : public PartitionSearcher {
 public:
  Searcher(std::unique_ptr<ScratchFolder> scratch, repository::Manifest manifest, const PartitionChoice& choice)
      : number_(choice.number),
        scratch_(std::move(scratch)),
        manifest_(std::move(manifest)),
        entry_(manifest_.partitions[choice.partition]),
        hide_(choice.hide),
        most_prior_(choice.priors),
        facet_values_(choice.facet_values),
        sort_values_(choice.sort_values),
        sort_score_(choice.sort_score),
        bm25_{choice.k1.value_or(manifest_.bm25.k1), choice.b.value_or(manifest_.bm25.b)} {}

  Result<void> fetch(const repository::RepositorySource& source) {
    const fs::path files = scratch_->path() / "files";
    const fs::path terms = scratch_->path() / "terms.sst";
    std::error_code failure;
    fs::create_directories(files, failure);
    if (failure) return Error(Code::kUnavailable, files.string() + ": " + failure.message());
    for (const auto& file : entry_.summary.files)
      FROND_TRY(source.fetch(repository::partition_file_path(entry_, file), file, files / file.name));
    FROND_TRY(
        source.fetch(repository::generation_file_path(manifest_.term_statistics), manifest_.term_statistics, terms));
    partition_ = FROND_TRY(partition::Partition::open(files, entry_.summary.files, partition::FileReads::kMapped));
    opened_ = std::make_unique<leaf::clauses::OpenedPartition>(*partition_);
    if (!manifest_.schema.empty()) schema_ = FROND_TRY(schema::parse_schema(manifest_.schema));
    generation_.terms = FROND_TRY(partition::GenerationTerms::open(terms));
    std::vector<partition::ChangesPtr> changes;
    for (const auto& file : manifest_.changes) {
      const fs::path place = scratch_->path() / file.name;
      FROND_TRY(source.fetch(repository::generation_file_path(file), file, place));
      changes.push_back(FROND_TRY(partition::Changes::open(place)));
    }
    auto hidden = FROND_TRY(partition::hidden_documents_of(entry_.id, partition_->documents(), changes));
    hide_more(hidden);
    make_priors();
    if (facet_values_ > 0) facet_ = std::make_shared<MadeUpColumn>(partition_->documents(), facet_values_);
    if (sort_values_ > 0) sort_ = std::make_shared<MadeUpColumn>(partition_->documents(), sort_values_);
    if (!hidden.empty()) hidden_.emplace(partition_->documents(), hidden);
    if (!changes.empty()) generation_.terms = partition::changed_terms(generation_.terms, std::move(changes));
    return {};
  }

  // Most are small: values are the fourth power of a number drawn evenly. The same in every process.
  void make_priors() {
    if (most_prior_ <= 0) return;
    std::mt19937_64 random(15);
    std::vector<scoring::Prior> priors(partition_->documents());
    for (scoring::Prior& prior : priors) {
      const double drawn = static_cast<double>(random() >> 11) * 0x1p-53;
      prior = scoring::prior_of(most_prior_ * drawn * drawn * drawn * drawn);
    }
    priors_.emplace(std::move(priors));
  }

  // Draws the same documents in every process.
  void hide_more(std::vector<DocId>& hidden) const {
    if (hide_ <= 0) return;
    std::mt19937_64 random(16);
    std::vector<DocId> all;
    for (DocId docid = 0, next = 0; docid < partition_->documents(); ++docid) {
      const bool is_hidden = next < hidden.size() && hidden[next] == docid;
      next += is_hidden;
      const double drawn = static_cast<double>(random() >> 11) * 0x1p-53;
      if (drawn < hide_ || is_hidden) all.push_back(docid);
    }
    hidden = std::move(all);
  }

  void serve(std::uint64_t cache_bytes) {
    generation_.serial = 1;
    generation_.bm25 = bm25_;
    generation_.statistics = manifest_.statistics;
    generation_.partitions.push_back(
        {0, entry_.placement(),
         std::make_shared<leaf::generation::OpenPartition>(number_, entry_.id, partition_, registration_)});
    if (cache_bytes > 0) cache_.emplace(store_, leaf::lists::CachedListStore::Options{.budget_bytes = cache_bytes});
  }

  Result<leaf::engine::Plan> plan(const BenchQuery& query, leaf::engine::Mode mode, std::uint32_t k) override {
    leaf::engine::Plan plan;
    plan.mode = mode;
    plan.k = k;
    plan.lengths = partition_->lengths();
    plan.partition = number_;
    plan.norm = scoring::length_norm(bm25_, manifest_.statistics);
    plan.placement = entry_.placement();
    plan.priors = priors_ ? &*priors_ : partition_->priors();
    plan.hidden = hidden_ ? &*hidden_ : nullptr;
    if (facet_ != nullptr) plan.counted.push_back({facet_});
    std::vector<KnownTermPtr> terms;
    terms.reserve(query.size());
    for (const auto& term : query) terms.push_back(FROND_TRY(known_.look_up(generation_, term.text)));
    auto lists = FROND_TRY(lists_of(terms));
    plan.terms.reserve(query.size());
    for (std::size_t i = 0; i < query.size(); ++i) {
      if (mode == leaf::engine::Mode::kOr && lists[i]->postings.count() == 0) continue;
      const float weight = query_form() == QueryForm::kWeights ? scoring::impact_weight(query[i].units)
                           : query[i].occurrences == 1         ? terms[i]->weight()
                                                               : scoring::term_weight(bm25_, manifest_.statistics,
                                                                                      terms[i]->df(), query[i].occurrences);
      plan.terms.push_back({std::move(lists[i]), weight,
                            scoring::BoundScale(weight, bm25_, manifest_.statistics,
                                                {manifest_.bm25.b, partition_->built_average_length()})});
    }
    if (sort_ != nullptr) add_order(plan);
    return plan;
  }

  Result<void> resolve(const query::Clause& clause, const partition::HiddenDocuments* left_out, std::uint32_t k,
                       Resolved& resolved) override {
    if (analyzer_ == nullptr) {
      text::AnalyzerConfig pieces = manifest_.analyzer;
      pieces.stemmer = text::Stemmer::kNone;
      pieces.stop_words = false;
      analyzer_ = std::make_unique<text::Analyzer>(manifest_.analyzer);
      pieces_ = std::make_unique<text::Analyzer>(pieces);
    }
    const auto df = [this](std::string_view term) -> Result<std::uint64_t> {
      return FROND_TRY(known_.look_up(generation_, term))->df();
    };
    resolved.query = FROND_TRY(leaf::clauses::resolve(
        clause, {schema_, bm25_, manifest_.statistics, manifest_.field_tokens,
                 [this](const schema::Field*) -> text::Analyzer& { return *analyzer_; },
                 [this](const schema::Field*) -> text::Analyzer& { return *pieces_; }, df,
                 [this](std::string_view first, const leaf::clauses::ResolverSource::Visit& visit) {
                   return generation_.terms->for_each_from(first, visit);
                 }}));
    std::vector<KnownTermPtr> terms;
    terms.reserve(resolved.query.lists.size());
    for (const auto& list : resolved.query.lists) terms.push_back(FROND_TRY(known_.look_up(generation_, list.term)));
    auto empty = FROND_TRY(plan({}, leaf::engine::Mode::kOr, k));
    auto lists = FROND_TRY(lists_of(terms));
    resolved.plan = {std::move(empty),
                     &resolved.query,
                     std::move(lists),
                     opened_.get(),
                     {manifest_.bm25.b, partition_->built_average_length()}};
    if (left_out != nullptr) resolved.plan.plan.hidden = left_out;
    return {};
  }
  Result<std::shared_ptr<const partition::HiddenDocuments>> left_out_by(const query::Clause& filter) override {
    Resolved resolved;
    FROND_TRY(resolve(filter, nullptr, 0, resolved));
    const auto shown = FROND_TRY(leaf::clauses::matching(resolved.plan, clock_));
    return partition::HiddenDocuments::all_but(partition_->documents(), shown, hidden_ ? &*hidden_ : nullptr);
  }
  const schema::Schema& schema() const override { return schema_; }

  Result<std::size_t> known_terms(const BenchQuery& query) const override {
    std::size_t known = 0;
    for (const auto& term : query) {
      auto df = generation_.terms->df(term.text);
      if (!df && df.error().code() != Code::kNotFound) return std::move(df).error();
      known += df.has_value();
    }
    return known;
  }

  const text::AnalyzerConfig& analyzer() const override { return manifest_.analyzer; }
  QueryForm query_form() const override {
    return scoring::are_impacts(manifest_.bm25) ? QueryForm::kWeights : QueryForm::kWords;
  }
  std::string description() const override {
    return fmt::format("{}, generation {}, partition {}: {} documents, {} postings, codec {}{}{}", manifest_.collection,
                       manifest_.generation, entry_.id, entry_.summary.documents, entry_.summary.postings,
                       manifest_.codec, hidden_ ? fmt::format(", {} documents hidden", hidden_->count()) : "",
                       priors_ ? fmt::format(", priors up to {}", most_prior_) : "") +
           (facet_values_ > 0 ? fmt::format(", a column of {} values", facet_values_) : "") +
           (sort_values_ > 0 ? fmt::format(", in the order of a column of {} values", sort_values_) : "") +
           (sort_score_ == PartitionChoice::SortScore::kFirst  ? ", after scores"
            : sort_score_ == PartitionChoice::SortScore::kLast ? ", then of scores"
                                                               : "");
  }

 private:
  void add_order(leaf::engine::Plan& plan) const {
    using SortScore = PartitionChoice::SortScore;
    auto& keys = plan.order.emplace().keys;
    keys.push_back({sort_, true});
    if (sort_score_ == SortScore::kNone) return;
    scoring::Score most = plan.priors == nullptr ? 0 : scoring::weighted(plan.priors->max(), plan.prior_weight);
    for (const auto& term : plan.terms) most += term.bounds.bound(0);
    keys.insert(sort_score_ == SortScore::kFirst ? keys.begin() : keys.end(), {nullptr, true, false, most});
  }
  // From where the terms were found before, as a leaf; else of the store. An empty list: the partition lacks the term.
  Result<std::vector<leaf::lists::ListLease>> lists_of(std::span<const KnownTermPtr> terms) {
    std::vector<leaf::lists::ListLease> lists;
    lists.reserve(terms.size());
    for (const KnownTermPtr& term : terms) {
      auto found = term->df() == 0 ? std::optional(leaf::lists::ListLease()) : term->on_host(0);
      if (!found) {
        const leaf::lists::ListKey key{number_, term->text()};
        found = FROND_TRY(lists_from().fetch(std::span(&key, 1), Deadline::never())).front();
        term->keep(0, *found);
      }
      lists.push_back(*found != nullptr ? *std::move(found) : empty_list(term->text()));
    }
    return lists;
  }
  leaf::lists::ListLease empty_list(std::string_view term) const {
    auto list = std::make_shared<leaf::lists::List>();
    list->key = {number_, std::string(term)};
    return list;
  }
  leaf::lists::ListStore& lists_from() {
    if (cache_) return *cache_;
    return store_;
  }

  const std::uint64_t number_;                    // of the partition in list keys
  const std::unique_ptr<ScratchFolder> scratch_;  // declared first: removed after all that uses it
  const repository::Manifest manifest_;
  const repository::PartitionEntry& entry_;
  const double hide_, most_prior_;  // PartitionChoice::hide, priors
  const std::uint32_t facet_values_, sort_values_;
  const PartitionChoice::SortScore sort_score_;
  const scoring::Bm25Parameters bm25_;  // to rank by
  std::shared_ptr<const partition::Partition> partition_;
  std::optional<partition::HiddenDocuments> hidden_;          // none: the generation has all documents
  std::optional<partition::DocumentPriors> priors_;           // made up; none: the partition's own
  std::shared_ptr<const leaf::engine::DocumentCodes> facet_;  // made up; null: nothing is counted
  std::shared_ptr<const leaf::engine::DocumentCodes> sort_;   // likewise; null: no order
  std::unique_ptr<leaf::clauses::OpenedPartition> opened_;
  schema::Schema schema_;
  std::unique_ptr<text::Analyzer> analyzer_, pieces_;  // once clauses are resolved
  const SteadyClock clock_;
  leaf::lists::PartitionListStore store_{clock_};
  const leaf::generation::ListRegistration registration_{
      [this](std::uint64_t number, auto partition) { store_.add(number, std::move(partition)); },
      [this](std::uint64_t number) { store_.remove(number); }};
  leaf::generation::ServedGeneration generation_;  // of one partition, for `known_`
  leaf::serve::TermTable known_{std::size_t{32} << 20};
  std::optional<leaf::lists::CachedListStore> cache_;
};

}  // namespace

Result<std::unique_ptr<PartitionSearcher>> PartitionSearcher::open(const PartitionChoice& choice) {
  const auto source = FROND_TRY(repository::RepositorySource::open(choice.repository, choice.collection));
  const Generation current = FROND_TRY(source->current());
  auto manifest = FROND_TRY(source->manifest(current));
  if (choice.partition >= manifest.partitions.size())
    return Error(Code::kNotFound, fmt::format("collection {} has no partition {}, only {}", choice.collection,
                                              choice.partition, manifest.partitions.size()));
  if (scoring::are_impacts(manifest.bm25) && (choice.k1 || choice.b))
    return Error(Code::kInvalid, fmt::format("{}: k1 and b are of BM25, and the scorer of collection {} is impact",
                                             choice.k1 ? "k1" : "b", choice.collection));
  auto scratch = FROND_TRY(ScratchFolder::create());
  auto searcher = std::make_unique<Searcher>(std::move(scratch), std::move(manifest), choice);
  FROND_TRY(searcher->fetch(*source));
  searcher->serve(choice.host_cache_bytes);
  return std::unique_ptr<PartitionSearcher>(std::move(searcher));
}

}  // namespace frond::tools::bench
