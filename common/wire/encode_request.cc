// Requests to Cap'n Proto.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <variant>

#include "common/wire/codec.h"
#include "common/wire/encode_parts.h"
#include "common/wire/leaf.capnp.h"
#include "common/wire/messages.h"

namespace frond::wire {
namespace {

using namespace encoding;

static_assert(static_cast<int>(Mode::kAuto) == static_cast<int>(schema::Mode::AUTO));
static_assert(static_cast<int>(Rank::kNone) == static_cast<int>(schema::Rank::NONE));
static_assert(static_cast<int>(Processor::kExhaustive) == static_cast<int>(schema::Processor::EXHAUSTIVE));

void put(const SearchRequest& from, schema::SearchRequest::Builder to) {
  to.setGeneration(from.generation);
  to.setMode(static_cast<schema::Mode>(from.mode));
  to.setProcessor(static_cast<schema::Processor>(from.processor));
  to.setProfile(from.profile);
  to.setDepth(from.depth);
  to.setAutoNeeds(from.auto_needs);
  to.setBudgetMicros(micros_of(from.budget));
  auto terms = to.initTerms(count_of(from.terms));
  for (unsigned i = 0; i < terms.size(); ++i) {
    terms[i].setText(text_of(from.terms[i].text));
    terms[i].setOccurrences(from.terms[i].occurrences);
  }
  auto partitions = to.initPartitions(count_of(from.partitions));
  for (unsigned i = 0; i < partitions.size(); ++i) partitions.set(i, from.partitions[i]);
  to.setContent(from.content);
  to.setRank(static_cast<schema::Rank>(from.rank));
  to.setPriorWeight(from.prior_weight);
  to.setProfileFromMicros(micros_of(from.profile_from));
  to.setTraceHigh(from.trace.high);
  to.setTraceLow(from.trace.low);
  to.setClient(from.client.id);
  static_assert(kMaxClientWeight <= std::numeric_limits<std::uint8_t>::max());
  to.setWeight(static_cast<std::uint8_t>(from.client.weight));
  if (from.bm25) {
    auto bm25 = to.initBm25();
    bm25.setK1(from.bm25->k1);
    bm25.setB(from.bm25->b);
  }
  if (from.show.count == 0) return;
  auto show = to.initShow();
  show.setOffset(from.show.offset);
  show.setCount(from.show.count);
  show.setFields(from.show.fields);
  show.setExplain(from.show.explain);
}

void put(const query::NearWord& from, schema::NearWord::Builder to) {
  if (!from.field.empty()) to.setField(text_of(from.field));
  to.setWord(text_of(from.word));
  to.setEdits(static_cast<std::uint8_t>(from.edits));
  to.setSwaps(from.swaps);
  to.setSameLetters(from.same_letters);
  to.setLeastNearness(from.least_nearness);
  to.setLeastDf(from.least_df);
  to.setMoreFrequent(from.more_frequent);
  to.setOnlyAbsent(from.only_absent);
  to.setMost(from.most);
}

void put(const SearchRequest& from, schema::ClauseSearch::Builder to) {
  put(from, to.initSearch());
  if (!from.clause.empty()) to.setClause(text_of(from.clause));
  if (!from.filter.empty()) to.setFilter(text_of(from.filter));
  to.setExactTotal(from.exact_total);
  if (!from.show.columns.empty()) put_texts(from.show.columns, to.initColumns(count_of(from.show.columns)));
  if (!from.sort.empty()) to.setSort(text_of(from.sort));
  if (from.after) {
    auto after = to.initAfter();
    after.setBytes(data_of(from.after->bytes));
    after.setOrdinal(from.after->ordinal);
  }
  if (!from.facets.empty()) to.setFacets(text_of(from.facets));
  if (from.near.empty()) return;
  auto near = to.initNear(count_of(from.near));
  for (unsigned i = 0; i < near.size(); ++i) put(from.near[i], near[i]);
}

void put(const FetchRequest& from, schema::FetchRequest::Builder to) {
  to.setGeneration(from.generation);
  to.setBudgetMicros(micros_of(from.budget));
  put_texts(from.terms, to.initTerms(count_of(from.terms)));
  auto ordinals = to.initOrdinals(count_of(from.ordinals));
  for (unsigned i = 0; i < ordinals.size(); ++i) ordinals.set(i, from.ordinals[i]);
  to.setContent(from.content);
  to.setFields(from.fields);
  if (!from.id.empty()) to.setId(text_of(from.id));
  to.setBodyBytes(from.body_bytes);
  if (!from.columns.empty()) put_texts(from.columns, to.initColumns(count_of(from.columns)));
  if (from.explain != nullptr) put(*from.explain, to.initExplain());
}

void put(const Broker& from, schema::Broker::Builder to) {
  to.setInstance(from.instance);
  to.setName(text_of(from.name));
  to.setGeneration(from.serving.number);
  to.setContent(from.serving.content);
  to.setHelloMillis(static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(from.hello_every.count(), 0, std::numeric_limits<std::uint32_t>::max())));
  to.setNeedsLeaf(from.needs_leaf);
  if (!from.collection.empty()) to.setCollection(text_of(from.collection));
}

void put(const Request& from, schema::Request::Builder to) {
  if (const auto* search = std::get_if<SearchRequest>(&from)) {
    to.setRequestId(search->request_id);
    if (has_clauses(*search))
      put(*search, to.initClauses());
    else
      put(*search, to.initSearch());
  } else if (const auto* fetch = std::get_if<FetchRequest>(&from)) {
    to.setRequestId(fetch->request_id);
    put(*fetch, to.initFetch());
  } else if (const auto* hello = std::get_if<HelloRequest>(&from)) {
    to.setRequestId(hello->request_id);
    to.setHello();
    if (hello->broker.instance != 0) put(hello->broker, to.initBroker());
  } else {
    to.setRequestId(std::get<CancelRequest>(from).request_id);
    to.setCancel();
  }
}

}  // namespace

ByteBuffer encode(const Request& request) {
  return encode_as<schema::Request>(0, [&](schema::Request::Builder root) { put(request, root); });
}

}  // namespace frond::wire
