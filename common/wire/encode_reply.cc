// Replies to Cap'n Proto.
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/wire/codec.h"
#include "common/wire/encode_parts.h"
#include "common/wire/leaf.capnp.h"
#include "common/wire/messages.h"

namespace frond::wire {
namespace {

using namespace encoding;

static_assert(static_cast<int>(RunQueue::kEither) == static_cast<int>(schema::RunQueue::EITHER));
static_assert(static_cast<int>(Resident::kYes) == static_cast<int>(schema::Resident::YES));
static_assert(static_cast<int>(text::Stemmer::kEnglish) == static_cast<int>(schema::Stemmer::ENGLISH));

void put(const std::vector<std::uint64_t>& from, capnp::List<std::uint64_t>::Builder to) {
  for (unsigned i = 0; i < to.size(); ++i) to.set(i, from[i]);
}

void put(const query::NearTerms& from, schema::NearTerms::Builder to) {
  to.setDf(from.df);
  to.setWhole(from.whole);
  auto terms = to.initTerms(count_of(from.terms));
  for (unsigned i = 0; i < terms.size(); ++i) {
    terms[i].setText(text_of(from.terms[i].text));
    terms[i].setDf(from.terms[i].df);
    terms[i].setEdits(static_cast<std::uint8_t>(from.terms[i].edits));
  }
}

void put(const Ranking& from, schema::Ranking::Builder to) {
  auto hits = to.initHits(count_of(from.hits));
  for (unsigned i = 0; i < hits.size(); ++i) {
    hits[i].setOrdinal(from.hits[i].ordinal);
    hits[i].setScore(from.hits[i].score);
  }
  to.setMatches(from.matches);
  to.setExact(from.exact);
  if (from.sort_bytes.empty()) return;
  auto sort_bytes = to.initSortBytes(count_of(from.sort_bytes));
  for (unsigned i = 0; i < sort_bytes.size(); ++i) sort_bytes.set(i, data_of(from.sort_bytes[i]));
}

void put(const query::FacetCounts& from, schema::FacetCounts::Builder to) {
  to.setWithValue(from.with_value);
  to.setMissing(from.missing);
  if (!from.keys.empty()) put(from.keys, to.initKeys(count_of(from.keys)));
  if (!from.words.empty()) put_texts(from.words, to.initWords(count_of(from.words)));
  if (!from.counts.empty()) put(from.counts, to.initCounts(count_of(from.counts)));
  to.setValues(from.values);
  to.setLeast(from.least);
  to.setGreatest(from.greatest);
  const auto sum = from.sum.words();
  if (!sum.empty()) put(sum, to.initSum(count_of(sum)));
  if (from.nested.empty()) return;
  auto nested = to.initNested(count_of(from.nested));
  for (unsigned i = 0; i < nested.size(); ++i) put(from.nested[i], nested[i]);
}

void put(const std::vector<FetchedDocument>& from, capnp::List<schema::Document>::Builder to) {
  for (unsigned i = 0; i < to.size(); ++i) {
    to[i].setOrdinal(from[i].ordinal);
    to[i].setFound(from[i].found);
    if (!from[i].id.empty()) to[i].setId(text_of(from[i].id));
    if (!from[i].title.empty()) to[i].setTitle(text_of(from[i].title));
    if (!from[i].url.empty()) to[i].setUrl(text_of(from[i].url));
    if (!from[i].snippet.empty()) to[i].setSnippet(text_of(from[i].snippet));
    to[i].setReason(static_cast<schema::UnsearchedReason>(from[i].reason));
    if (!from[i].body.empty()) to[i].setBody(text_of(from[i].body));
    to[i].setTruncated(from[i].truncated);
    if (!from[i].columns.empty()) to[i].setColumns(text_of(from[i].columns));
    if (!from[i].explanation.empty()) to[i].setExplanation(text_of(from[i].explanation));
  }
}

void put(const SearchRun& from, schema::SearchRun::Builder to) {
  to.setMode(static_cast<schema::Mode>(from.mode));
  to.setOnCpu(from.on_cpu);
  to.setOnGpu(from.on_gpu);
  to.setQueue(static_cast<schema::RunQueue>(from.queue));
  to.setReason(static_cast<schema::RunReason>(from.reason));
  to.setStolen(from.stolen);
  to.setResident(static_cast<schema::Resident>(from.resident));
  to.setK(from.k);
  to.setPartitions(from.partitions);
  to.setTerms(from.terms);
  to.setPostings(from.postings);
  to.setBlocks(from.blocks);
  to.setShortest(from.shortest);
  to.setSecond(from.second);
  to.setPredictedCpuNanos(from.predicted_cpu_ns);
  to.setPredictedGpuNanos(from.predicted_gpu_ns);
  to.setWaitNanos(from.wait_ns);
  to.setCpuNanos(from.cpu_ns);
  to.setBatchQueries(from.batch_queries);
  to.setBatchPlans(from.batch_plans);
  to.setBuildNanos(from.build_ns);
  to.setTransferNanos(from.transfer_ns);
  to.setKernelNanos(from.kernel_ns);
  to.setAnswerNanos(from.answer_ns);
}

void put(const SearchReply& from, schema::SearchReply::Builder to) {
  if (from.has_and) put(from.and_ranking, to.initAnd());
  if (from.has_or) put(from.or_ranking, to.initOr());
  auto unsearched = to.initUnsearched(count_of(from.unsearched));
  for (unsigned i = 0; i < unsearched.size(); ++i) {
    unsearched[i].setPartition(from.unsearched[i].partition);
    unsearched[i].setReason(static_cast<schema::UnsearchedReason>(from.unsearched[i].reason));
  }
  auto profile = to.initProfile(count_of(from.profile));
  for (unsigned i = 0; i < profile.size(); ++i) {
    const PartitionProfile& one = from.profile[i];
    profile[i].setPartition(one.partition);
    profile[i].setEngine(text_of(one.engine));
    profile[i].setQueueMicros(one.queue_us);
    profile[i].setListsMicros(one.lists_us);
    profile[i].setEngineMicros(one.engine_us);
    profile[i].setPostings(one.postings);
  }
  if (!from.documents.empty()) put(from.documents, to.initDocuments(count_of(from.documents)));
  if (!from.facets.empty()) {
    auto facets = to.initFacets(count_of(from.facets));
    for (unsigned i = 0; i < facets.size(); ++i) put(from.facets[i], facets[i]);
  }
  if (!from.near.empty()) {
    auto near = to.initNear(count_of(from.near));
    for (unsigned i = 0; i < near.size(); ++i) put(from.near[i], near[i]);
  }
  if (from.runs.empty()) return;
  auto runs = to.initRuns(count_of(from.runs));
  for (unsigned i = 0; i < runs.size(); ++i) put(from.runs[i], runs[i]);
}

void put(const FetchReply& from, schema::FetchReply::Builder to) {
  put(from.documents, to.initDocuments(count_of(from.documents)));
}

void put(const text::AnalyzerConfig& from, schema::Analyzer::Builder to) {
  const bool old_stop_words = from.stop_words.are_none() || from.stop_words.are_english();
  to.setStopWords(from.stop_words.are_english());
  if (from.kind == text::AnalyzerKind::kStandard && old_stop_words) {
    to.setStemmer(static_cast<schema::Stemmer>(from.stemmer));
    return;
  }
  to.setStemmer(old_stop_words ? schema::Stemmer::BY_NAME : schema::Stemmer::BY_NAME_WITH_STOP_WORDS);
  to.setName(name_of(from.kind).data());
  to.setStemmerName(name_of(from.stemmer).data());
  to.setFoldAccents(from.fold_accents);
  to.setSplitCase(from.split_case);
  if (old_stop_words) return;
  if (!from.stop_words.are_own()) return to.setStopWordList(std::string(from.stop_words.name()).c_str());
  const auto words = from.stop_words.own_words();
  auto own = to.initOwnStopWords(static_cast<unsigned>(words.size()));
  for (unsigned i = 0; i < own.size(); ++i) own.set(i, words[i].c_str());
}

void put(const ServedGeneration& from, schema::ServedGeneration::Builder to) {
  to.setGeneration(from.generation);
  to.setPartitionsTotal(from.partitions_total);
  put(from.analyzer, to.initAnalyzer());
  to.setK1(from.bm25.k1);
  to.setB(from.bm25.b);
  to.setDocuments(from.statistics.documents);
  to.setTokens(from.statistics.tokens);
  auto partitions = to.initPartitions(count_of(from.partitions));
  for (unsigned i = 0; i < partitions.size(); ++i) {
    partitions[i].setNumber(from.partitions[i].number);
    partitions[i].setBase(from.partitions[i].placement.base);
    partitions[i].setStride(from.partitions[i].placement.stride);
    partitions[i].setDocuments(from.partitions[i].placement.documents);
    partitions[i].setHidden(from.partitions[i].hidden);
  }
  to.setContent(from.content);
  if (!from.schema.empty()) to.setSchema(text_of(from.schema));
}

void put(const HelloReply& from, schema::HelloReply::Builder to) {
  to.setCollection(text_of(from.collection));
  to.setNode(text_of(from.node));
  to.setVersion(text_of(from.version));
  auto generations = to.initGenerations(count_of(from.generations));
  for (unsigned i = 0; i < generations.size(); ++i) put(from.generations[i], generations[i]);
  to.setGpu(text_of(from.gpu));
  to.setCpuThreads(from.cpu_threads);
  to.setQueueDepth(from.queue_depth);
  to.setQueueLimit(from.queue_limit);
  to.setHostCacheBytes(from.host_cache_bytes);
  to.setHostCacheLimit(from.host_cache_limit);
  to.setHostCacheHits(from.host_cache_hits);
  to.setHostCacheMisses(from.host_cache_misses);
  to.setDetail(text_of(from.detail));
  to.setDraining(from.draining);
  to.setFeatures(from.features);
  to.setMachine(text_of(from.machine));
  auto budgets = to.initBudgets(count_of(from.budgets));
  for (unsigned i = 0; i < budgets.size(); ++i) {
    budgets[i].setFlag(text_of(from.budgets[i].flag));
    budgets[i].setAmount(from.budgets[i].amount);
    budgets[i].setBytes(from.budgets[i].bytes);
    budgets[i].setChosen(from.budgets[i].chosen);
    budgets[i].setDevice(from.budgets[i].device);
  }
}

void put(const Reply& from, schema::Reply::Builder to) {
  if (const auto* search = std::get_if<SearchReply>(&from)) {
    to.setRequestId(search->request_id);
    put(*search, to.initSearch());
  } else if (const auto* fetch = std::get_if<FetchReply>(&from)) {
    to.setRequestId(fetch->request_id);
    put(*fetch, to.initFetch());
  } else if (const auto* hello = std::get_if<HelloReply>(&from)) {
    to.setRequestId(hello->request_id);
    put(*hello, to.initHello());
  } else {
    const ErrorReply& error = std::get<ErrorReply>(from);
    to.setRequestId(error.request_id);
    to.setError(text_of(error.message));
    to.setErrorReason(static_cast<schema::UnsearchedReason>(error.reason));
  }
}

// What hits and documents take, about.
std::size_t words_of(const std::vector<FetchedDocument>& documents) {
  constexpr std::size_t kDocument = 16;  // the struct with its pointers, and the ends of its texts
  std::size_t bytes = 0;
  for (const FetchedDocument& one : documents)
    bytes += one.id.size() + one.title.size() + one.url.size() + one.snippet.size() + one.body.size() +
             one.columns.size() + one.explanation.size();
  return documents.size() * kDocument + bytes / sizeof(capnp::word);
}
std::size_t words_of(const Ranking& ranking) {
  constexpr std::size_t kSortBytes = 3;  // a pointer and the bytes of one column with the ordinal
  return 2 * ranking.hits.size() + kSortBytes * ranking.sort_bytes.size();
}
std::size_t words_of(const Reply& reply) {
  if (const auto* fetch = std::get_if<FetchReply>(&reply)) return words_of(fetch->documents);
  const auto* search = std::get_if<SearchReply>(&reply);
  if (search == nullptr) return 0;
  return words_of(search->and_ranking) + words_of(search->or_ranking) + words_of(search->documents);
}

ByteBuffer encoded(const Reply& reply) {
  return encode_as<schema::Reply>(words_of(reply), [&](schema::Reply::Builder root) { put(reply, root); });
}

}  // namespace

ByteBuffer encode(const Reply& reply) {
  ByteBuffer bytes = encoded(reply);
  if (bytes.size() <= kMaxMessageBytes) return bytes;
  const std::uint64_t id = std::visit([](const auto& message) { return message.request_id; }, reply);
  return encoded(ErrorReply{id,
                            "the reply would have " + std::to_string(bytes.size()) + " bytes, more than a message may",
                            UnsearchedReason::kCorrupt});
}

}  // namespace frond::wire
