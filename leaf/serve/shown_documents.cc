#include "leaf/serve/shown_documents.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <variant>

#include "common/topk/top_k.h"

namespace frond::leaf::serve {
namespace {

// What is needed of the request once the search has it.
struct Wanted {
  wire::FetchRequest fetch;  // without ordinals
  wire::Show show;
  wire::Mode mode;
  std::size_t depth;
};

Wanted wanted_of(const wire::SearchRequest& request) {
  Wanted wanted{{.request_id = request.request_id,
                 .generation = request.generation,
                 .budget = request.budget,
                 .content = request.content},
                request.show,
                request.mode,
                request.depth};
  wanted.fetch.fields = request.show.fields;
  if ((request.show.fields & wire::kFieldSnippet) == 0) return wanted;
  wanted.fetch.terms.reserve(request.terms.size());
  for (const wire::QueryTerm& term : request.terms) wanted.fetch.terms.push_back(term.text);
  return wanted;
}

std::vector<Ordinal> page_of(const wire::Show& show, std::span<const topk::Hit> hits) {
  const std::size_t begin = std::min<std::size_t>(show.offset, hits.size());
  const std::size_t end = std::min<std::size_t>(begin + show.count, hits.size());
  std::vector<Ordinal> ordinals;
  ordinals.reserve(end - begin);
  for (std::size_t i = begin; i < end; ++i) ordinals.push_back(hits[i].ordinal);
  return ordinals;
}

// The page that the broker will show if no other leaf was asked: the rule of broker/merge.
std::vector<Ordinal> page_of(const Wanted& wanted, const wire::SearchReply& reply) {
  if (wanted.mode == wire::Mode::kOr) return page_of(wanted.show, reply.or_ranking.hits);
  const std::vector<topk::Hit>& all_words = reply.and_ranking.hits;
  if (wanted.mode == wire::Mode::kAnd || all_words.size() >= std::size_t{wanted.show.offset} + wanted.show.count)
    return page_of(wanted.show, all_words);
  std::vector<topk::Hit> hits = all_words;
  topk::append_others(hits, std::span(reply.or_ranking.hits), wanted.depth);
  return page_of(wanted.show, hits);
}

}  // namespace

SearchQuery::Done with_documents(DocumentHandler& documents, const wire::SearchRequest& request, Deadline deadline,
                                 const Clock& clock, std::shared_ptr<const void> kept, SearchQuery::Done done) {
  if (request.show.count == 0) return done;
  return [&documents, &clock, deadline, kept = std::move(kept), wanted = wanted_of(request),
          done = std::move(done)](wire::SearchReply reply) mutable {
    if (!reply.unsearched.empty() || deadline.left(clock) < wanted.fetch.budget / 10) return done(std::move(reply));
    wanted.fetch.ordinals = page_of(wanted, reply);
    if (wanted.fetch.ordinals.empty()) return done(std::move(reply));
    const auto held = std::make_shared<wire::SearchReply>(std::move(reply));
    documents.fetch(std::move(wanted.fetch), deadline, [held, done = std::move(done)](wire::Reply fetched) {
      if (auto* found = std::get_if<wire::FetchReply>(&fetched)) held->documents = std::move(found->documents);
      done(std::move(*held));
    });
  };
}

}  // namespace frond::leaf::serve
