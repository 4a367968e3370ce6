// A broker's requests.
#include "common/wire/decode_parts.h"

#include <algorithm>

namespace frond::wire {
namespace {

using namespace decoding;

Result<std::string> text_within(capnp::Text::Reader from, std::size_t max_bytes, std::string_view what) {
  FROND_TRY(at_most(from.size(), max_bytes, what));
  return string_of(from);
}

Result<std::vector<std::string>> columns_of(capnp::List<capnp::Text>::Reader from) {
  FROND_TRY(at_most(from.size(), kMaxColumns, "columns"));
  std::vector<std::string> to;
  to.reserve(from.size());
  for (const auto name : from) {
    FROND_TRY(at_most(name.size(), frond::schema::kMaxFieldNameBytes, "bytes of a column's name"));
    to.push_back(string_of(name));
  }
  return to;
}

ClientShare client_of(schema::SearchRequest::Reader from) {
  return {from.getClient(), std::clamp<std::uint32_t>(from.getWeight(), 1, kMaxClientWeight)};
}

Result<void> get(schema::SearchRequest::Reader from, SearchRequest& to) {
  to.generation = from.getGeneration();
  to.mode = FROND_TRY(enum_of(from.getMode(), Mode::kAuto, "mode"));
  to.processor = FROND_TRY(enum_of(from.getProcessor(), Processor::kExhaustive, "processor"));
  to.rank = FROND_TRY(enum_of(from.getRank(), Rank::kNone, "rank"));
  to.profile = from.getProfile();
  to.depth = from.getDepth();
  FROND_TRY(at_most(to.depth, kMaxDepth, "hits wanted"));
  to.auto_needs = from.getAutoNeeds();
  to.budget = std::chrono::microseconds(from.getBudgetMicros());
  const auto terms = from.getTerms();
  FROND_TRY(at_most(terms.size(), kMaxTerms, "terms"));
  to.terms.reserve(terms.size());
  std::uint64_t occurrences = 0;
  for (const auto term : terms) {
    to.terms.push_back({FROND_TRY(term_of(term.getText())), term.getOccurrences()});
    if (to.terms.back().occurrences == 0) return corrupt("a term that occurs 0 times");
    occurrences += to.terms.back().occurrences;
  }
  FROND_TRY(at_most(occurrences, scoring::kMaxQueryTerms, "term occurrences"));
  const auto partitions = from.getPartitions();
  FROND_TRY(at_most(partitions.size(), kMaxPartitions, "partitions"));
  to.partitions.reserve(partitions.size());
  for (const auto number : partitions) to.partitions.push_back(number);
  to.content = from.getContent();
  to.profile_from = std::chrono::microseconds(from.getProfileFromMicros());
  to.trace = {from.getTraceHigh(), from.getTraceLow()};
  to.client = client_of(from);
  to.prior_weight = from.getPriorWeight();
  if (to.prior_weight > scoring::kMaxPriorWeight) return corrupt("the weight of priors is out of range");
  if (from.hasBm25()) to.bm25 = FROND_TRY(bm25_of(from.getBm25().getK1(), from.getBm25().getB()));
  const auto show = from.getShow();
  to.show = {show.getOffset(), show.getCount(), fields_of(show.getFields()), {}, show.getExplain()};
  FROND_TRY(at_most(to.show.count, kMaxOrdinals, "documents to show"));
  return at_most(std::size_t{to.show.offset} + to.show.count, to.depth, "hits to be shown");
}

Result<query::NearWord> near_word_of(schema::NearWord::Reader from) {
  query::NearWord to;
  to.field = FROND_TRY(text_within(from.getField(), frond::schema::kMaxFieldNameBytes, "bytes of a field's name"));
  to.word = FROND_TRY(text_within(from.getWord(), query::kMaxNearWordBytes, "bytes of a word"));
  to.edits = from.getEdits();
  FROND_TRY(at_most(to.edits, query::kAnyEnding, "edits"));
  if (to.word.empty() && to.edits != query::kAnyEnding) return corrupt("an empty word");
  to.swaps = from.getSwaps();
  to.same_letters = from.getSameLetters();
  to.least_nearness = from.getLeastNearness();
  if (!lies_in(to.least_nearness, 0, 1)) return corrupt("the least nearness is out of range");
  to.least_df = from.getLeastDf();
  to.more_frequent = from.getMoreFrequent();
  to.only_absent = from.getOnlyAbsent();
  to.most = from.getMost();
  FROND_TRY(at_most(to.most, query::kMaxNearTerms, "terms like a word"));
  return to;
}

Result<void> get(schema::ClauseSearch::Reader from, SearchRequest& to) {
  FROND_TRY(get(from.getSearch(), to));
  to.clause = FROND_TRY(text_within(from.getClause(), kMaxClauseBytes, "bytes of a clause"));
  to.filter = FROND_TRY(text_within(from.getFilter(), kMaxClauseBytes, "bytes of a filter"));
  to.exact_total = from.getExactTotal();
  to.show.columns = FROND_TRY(columns_of(from.getColumns()));
  to.sort = FROND_TRY(text_within(from.getSort(), query::kMaxSortTextBytes, "bytes of an order"));
  to.facets = FROND_TRY(text_within(from.getFacets(), query::kMaxFacetsBytes, "bytes of facets"));
  if ((!to.sort.empty() || !to.facets.empty()) && to.clause.empty()) return corrupt("an order or facets of no clause");
  const auto near = from.getNear();
  FROND_TRY(at_most(near.size(), query::kMaxNearWords, "words that others may be like"));
  for (const auto one : near) to.near.push_back(FROND_TRY(near_word_of(one)));
  if (!from.hasAfter()) return {};
  if (to.sort.empty()) return corrupt("a position in a ranking without an order");
  const auto after = from.getAfter();
  to.after = query::SortPosition{FROND_TRY(sort_bytes_of(after.getBytes())), after.getOrdinal()};
  return {};
}

Result<void> get(schema::FetchRequest::Reader from, FetchRequest& to) {
  to.generation = from.getGeneration();
  to.budget = std::chrono::microseconds(from.getBudgetMicros());
  const auto terms = from.getTerms();
  FROND_TRY(at_most(terms.size(), kMaxTerms, "terms"));
  to.terms.reserve(terms.size());
  for (const auto term : terms) to.terms.push_back(FROND_TRY(term_of(term)));
  const auto ordinals = from.getOrdinals();
  FROND_TRY(at_most(ordinals.size(), kMaxOrdinals, "ordinals"));
  to.ordinals.reserve(ordinals.size());
  for (const auto ordinal : ordinals) to.ordinals.push_back(ordinal);
  to.content = from.getContent();
  to.fields = fields_of(from.getFields());
  const auto id = from.getId();  // read once: reading counts towards the limit, also a second time
  FROND_TRY(at_most(id.size(), kMaxFetchedIdBytes, "bytes of an id"));
  to.id = string_of(id);
  to.body_bytes = from.getBodyBytes();
  to.columns = FROND_TRY(columns_of(from.getColumns()));
  if (!from.hasExplain()) return {};
  FROND_TRY(at_most(to.ordinals.size(), kMaxExplained, "documents to be explained"));
  SearchRequest explained;
  FROND_TRY(get(from.getExplain(), explained));
  to.explain = std::make_shared<const SearchRequest>(std::move(explained));
  return {};
}

Result<void> get(schema::Broker::Reader from, Broker& to) {
  to.instance = from.getInstance();
  FROND_TRY(at_most(from.getName().size(), kMaxBrokerNameBytes, "bytes of a broker's name"));
  to.name = string_of(from.getName());
  to.serving = {from.getGeneration(), from.getContent()};
  to.hello_every = std::chrono::milliseconds(from.getHelloMillis());
  to.needs_leaf = from.getNeedsLeaf();
  FROND_TRY(at_most(from.getCollection().size(), kMaxCollectionNameBytes, "bytes of a collection's name"));
  to.collection = string_of(from.getCollection());
  return {};
}

Result<Request> get(schema::Request::Reader from) {
  switch (from.which()) {
    case schema::Request::SEARCH: {
      SearchRequest to{.request_id = from.getRequestId()};
      FROND_TRY(get(from.getSearch(), to));
      return Request(std::move(to));
    }
    case schema::Request::CLAUSES: {
      SearchRequest to{.request_id = from.getRequestId()};
      FROND_TRY(get(from.getClauses(), to));
      return Request(std::move(to));
    }
    case schema::Request::FETCH: {
      FetchRequest to{.request_id = from.getRequestId()};
      FROND_TRY(get(from.getFetch(), to));
      return Request(std::move(to));
    }
    case schema::Request::HELLO: {
      HelloRequest to{.request_id = from.getRequestId()};
      if (from.hasBroker()) FROND_TRY(get(from.getBroker(), to.broker));
      return Request(std::move(to));
    }
    case schema::Request::CANCEL:
      return Request(CancelRequest{from.getRequestId()});
  }
  return corrupt("unknown kind " + std::to_string(static_cast<unsigned>(from.which())));
}

}  // namespace

Result<Request> decode_request(ByteView bytes) {
  return decode_as<schema::Request, Request>(bytes, "request", [](schema::Request::Reader from) { return get(from); });
}

std::optional<SearchHead> head_of_search(ByteView request) {
  return glance<schema::Request>(request, [](schema::Request::Reader from) -> std::optional<SearchHead> {
    if (!from.isSearch() && !from.isClauses()) return {};
    const auto search = from.isSearch() ? from.getSearch() : from.getClauses().getSearch();
    return SearchHead{from.getRequestId(), std::chrono::microseconds(search.getBudgetMicros()), from.isSearch(),
                      client_of(search)};
  });
}

std::optional<RequestTarget> target_of(ByteView request) {
  using Kind = RequestTarget::Kind;
  return glance<schema::Request>(request, [](schema::Request::Reader from) -> std::optional<RequestTarget> {
    switch (from.which()) {
      // Each is read once: reading counts towards the limit, also a second time.
      case schema::Request::SEARCH:
      case schema::Request::CLAUSES: {
        const auto search = from.isSearch() ? from.getSearch() : from.getClauses().getSearch();
        return RequestTarget{Kind::kSearch, {}, {search.getGeneration(), search.getContent()}};
      }
      case schema::Request::FETCH: {
        const auto fetch = from.getFetch();
        return RequestTarget{Kind::kFetch, {}, {fetch.getGeneration(), fetch.getContent()}};
      }
      case schema::Request::HELLO:
        return RequestTarget{Kind::kHello, string_of(from.getBroker().getCollection()), {}};
      case schema::Request::CANCEL:
        return RequestTarget{Kind::kCancel, {}, {}};
    }
    return {};
  });
}

}  // namespace frond::wire
