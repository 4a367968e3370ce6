#include "tests/support/collections/indexed_collection.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "common/codec/codec_choice.h"
#include "common/postings/list_builder.h"
#include "tests/support/collections/memory_list_store.h"

namespace frond::support {
namespace {

std::atomic<std::uint64_t> partitions_made{0};

leaf::lists::ListLease build_list(const postings::ListBuilder& builder, std::span<const Posting> postings,
                                  const IndexedPartition& partition) {
  std::vector<DocId> docids;
  std::vector<Frequency> frequencies;
  for (const auto& [document, frequency] : postings) {
    const auto docid = partition.placement.docid(document);
    if (!docid) continue;
    docids.push_back(*docid);
    frequencies.push_back(frequency);
  }
  if (docids.empty()) return std::make_shared<const leaf::lists::List>();
  return make_lease(builder.build(docids, frequencies), {partition.number, std::to_string(partition.lists.size())});
}

}  // namespace

IndexedCollection::IndexedCollection(const Collection& collection, const IndexOptions& options)
    : options_(options),
      asked_(options.bm25),
      statistics_{collection.lengths.size(), collection.tokens()},
      built_documents_(collection.lengths.size()) {
  const auto codecs = codec::codec_choice_named(options.codec.empty() ? codec::kDefaultCodec : options.codec);
  FROND_CHECK(codecs.has_value());
  if (options_.built_average_length == 0) options_.built_average_length = statistics_.average_length();
  for (const auto& postings : collection.postings) document_frequencies_.push_back(postings.size());
  for (std::uint32_t p = 0; p < options.partitions; ++p) {
    IndexedPartition partition{
        .lengths = {}, .lists = {}, .number = ++partitions_made, .placement = {p, options.partitions, 0}};
    for (std::size_t document = p; document < collection.lengths.size(); document += options.partitions)
      partition.lengths.push_back(collection.lengths[document]);
    partition.placement.documents = partition.lengths.size();
    const postings::ListBuilder builder(*codecs, partition.lengths, options.bm25.b, options_.built_average_length);
    for (const auto& postings : collection.postings)
      partition.lists.push_back(build_list(builder, postings, partition));
    partitions_.push_back(std::move(partition));
  }
}

void IndexedCollection::set_priors(std::span<const scoring::Prior> priors, scoring::PriorWeight weight) {
  prior_weight_ = weight;
  for (IndexedPartition& partition : partitions_) {
    std::vector<scoring::Prior> own;
    for (std::uint64_t docid = 0; docid < partition.placement.documents; ++docid)
      own.push_back(priors[partition.placement.ordinal(static_cast<DocId>(docid))]);
    partition.priors = std::make_shared<const partition::DocumentPriors>(std::move(own));
  }
}

HiddenParts IndexedCollection::hidden_parts(const std::vector<bool>& hidden) const {
  HiddenParts parts;
  for (const IndexedPartition& partition : partitions_) {
    const auto documents = static_cast<std::uint32_t>(partition.lengths.size());
    std::vector<DocId> own;
    for (DocId docid = 0; docid < documents; ++docid)
      if (hidden[partition.placement.ordinal(docid)]) own.push_back(docid);
    parts.push_back(own.empty() ? nullptr
                                : std::make_shared<const partition::HiddenDocuments>(documents, std::move(own)));
  }
  return parts;
}

void IndexedCollection::set_hidden(const HiddenParts& parts) {
  for (std::size_t p = 0; p < partitions_.size(); ++p) partitions_[p].hidden = parts[p];
}

leaf::engine::Plan IndexedCollection::plan(std::size_t partition, std::span<const TermNumber> query,
                                           leaf::engine::Mode mode, std::uint32_t k,
                                           leaf::engine::SharedFloor* floor) const {
  const auto& part = partitions_[partition];
  std::vector<std::pair<TermNumber, std::uint32_t>> counted;  // in the query's order
  for (const auto term : query) {
    const auto same = std::find_if(counted.begin(), counted.end(), [&](const auto& c) { return c.first == term; });
    if (same != counted.end())
      ++same->second;
    else
      counted.emplace_back(term, 1);
  }
  leaf::engine::Plan plan{.mode = mode,
                          .k = k,
                          .terms = {},
                          .lengths = part.lengths,
                          .partition = part.number,
                          .norm = scoring::length_norm(asked_, statistics_),
                          .placement = part.placement,
                          .hidden = part.hidden.get(),
                          .priors = part.priors.get(),
                          .prior_weight = prior_weight_,
                          .floor = floor};
  for (const auto& [term, query_frequency] : counted) {
    const bool known = term < part.lists.size();
    auto list = known ? part.lists[term] : std::make_shared<const leaf::lists::List>();
    if (mode == leaf::engine::Mode::kOr && list->postings.count() == 0) continue;
    const std::uint64_t df = known ? document_frequencies_[term] * statistics_.documents / built_documents_ : 0;
    const float weight = scoring::term_weight(asked_, statistics_, df, query_frequency);
    plan.terms.push_back(
        {std::move(list), weight,
         scoring::BoundScale(weight, asked_, statistics_, {options_.bm25.b, options_.built_average_length})});
  }
  return plan;
}

}  // namespace frond::support
