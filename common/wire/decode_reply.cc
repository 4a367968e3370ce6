// A leaf's replies.
#include "common/wire/decode_parts.h"

namespace frond::wire {
namespace {

using namespace decoding;

// Whether hit `at` comes behind the one before it.
bool in_order(const Ranking& ranking, std::size_t at) {
  const topk::Hit &before = ranking.hits[at - 1], &hit = ranking.hits[at];
  if (ranking.sort_bytes.empty()) return topk::better(before, hit);
  const int order = ranking.sort_bytes[at - 1].compare(ranking.sort_bytes[at]);
  return order < 0 || (order == 0 && before.ordinal < hit.ordinal);
}

Result<void> get(schema::Ranking::Reader from, Ranking& to) {
  const auto hits = from.getHits();
  FROND_TRY(at_most(hits.size(), kMaxDepth, "hits"));
  to.hits.reserve(hits.size());
  const auto sort_bytes = from.getSortBytes();
  if (sort_bytes.size() != 0 && sort_bytes.size() != hits.size())
    return corrupt("sort bytes of " + std::to_string(sort_bytes.size()) + " of " + std::to_string(hits.size()) +
                   " hits");
  to.sort_bytes.reserve(sort_bytes.size());
  for (const auto one : sort_bytes) to.sort_bytes.push_back(FROND_TRY(sort_bytes_of(one)));
  for (const auto hit : hits) {
    to.hits.push_back({hit.getOrdinal(), hit.getScore()});
    const std::size_t at = to.hits.size() - 1;
    if (at > 0 && !in_order(to, at)) return corrupt("hits out of order at place " + std::to_string(at));
  }
  to.matches = from.getMatches();
  to.exact = from.getExact();
  return {};
}

// Of a document's texts most are empty.
void get(capnp::Text::Reader from, std::string& to) {
  if (from.size() > 0) to.assign(from.begin(), from.size());
}

// Its members become part of an answer's JSON.
Result<void> get_object(capnp::Text::Reader from, std::string& to, std::size_t most, const char* what) {
  if (from.size() == 0) return {};
  if (from.size() > most) return at_most(from.size(), most, std::string("bytes of a document's ") + what);
  get(from, to);
  if (to.size() >= 2 && to.front() == '{' && to.back() == '}') return {};
  return corrupt(std::string(what) + " that are no JSON object");
}

Result<void> get(capnp::List<schema::Document>::Reader from, std::vector<FetchedDocument>& to) {
  FROND_TRY(at_most(from.size(), kMaxOrdinals, "documents"));
  to.reserve(from.size());
  for (const auto one : from) {
    FetchedDocument& document = to.emplace_back();
    document.ordinal = one.getOrdinal();
    document.found = one.getFound();
    document.reason = FROND_TRY(enum_of(one.getReason(), kLastUnsearchedReason, "reason"));
    document.truncated = one.getTruncated();
    // Not behind has…(): that looks at a pointer into another segment, which counts as reading it.
    get(one.getId(), document.id);
    get(one.getTitle(), document.title);
    get(one.getUrl(), document.url);
    get(one.getSnippet(), document.snippet);
    get(one.getBody(), document.body);
    FROND_TRY(get_object(one.getColumns(), document.columns, kMaxColumnsBytes, "columns"));
    FROND_TRY(get_object(one.getExplanation(), document.explanation, kMaxExplanationBytes, "explanations"));
  }
  return {};
}

SearchRun run_of(schema::SearchRun::Reader from) {
  SearchRun to;
  to.mode = known_or_first(from.getMode(), Mode::kOr);
  to.on_cpu = from.getOnCpu();
  to.on_gpu = from.getOnGpu();
  to.queue = known_or_first(from.getQueue(), RunQueue::kEither);
  to.reason = known_or_first(from.getReason(), kLastRunReason);
  to.stolen = from.getStolen();
  to.resident = known_or_first(from.getResident(), Resident::kYes);
  to.k = from.getK();
  to.partitions = from.getPartitions();
  to.terms = from.getTerms();
  to.postings = from.getPostings();
  to.blocks = from.getBlocks();
  to.shortest = from.getShortest();
  to.second = from.getSecond();
  to.predicted_cpu_ns = from.getPredictedCpuNanos();
  to.predicted_gpu_ns = from.getPredictedGpuNanos();
  to.wait_ns = from.getWaitNanos();
  to.cpu_ns = from.getCpuNanos();
  to.batch_queries = from.getBatchQueries();
  to.batch_plans = from.getBatchPlans();
  to.build_ns = from.getBuildNanos();
  to.transfer_ns = from.getTransferNanos();
  to.kernel_ns = from.getKernelNanos();
  to.answer_ns = from.getAnswerNanos();
  return to;
}

Result<std::vector<std::uint64_t>> numbers_of(capnp::List<std::uint64_t>::Reader from, std::size_t max,
                                              std::string_view what) {
  FROND_TRY(at_most(from.size(), max, what));
  std::vector<std::uint64_t> to;
  to.reserve(from.size());
  for (const auto number : from) to.push_back(number);
  return to;
}

constexpr std::size_t kMaxFacetsInBuckets =
    100'000;  // more than leaves have room for (leaf/collect/facets/facet_room.h)

// What the facets of a reply have together.
struct FacetsRead {
  std::size_t buckets = 0, word_bytes = 0, nested = 0;
};
Result<void> get(schema::FacetCounts::Reader from, query::FacetCounts& to, FacetsRead& all, std::size_t depth) {
  to.with_value = from.getWithValue();
  to.missing = from.getMissing();
  const std::size_t max = kMaxFacetBuckets - all.buckets;
  to.keys = FROND_TRY(numbers_of(from.getKeys(), max, "more buckets"));
  const auto words = from.getWords();
  FROND_TRY(at_most(to.keys.size() + words.size(), max, "more buckets"));
  to.words.reserve(words.size());
  for (const auto word : words) {
    FROND_TRY(at_most(all.word_bytes += word.size(), kMaxFacetWordBytes, "bytes of buckets"));
    to.words.push_back(string_of(word));
  }
  all.buckets += to.buckets();
  to.counts = FROND_TRY(numbers_of(from.getCounts(), to.buckets(), "counts"));
  to.values = from.getValues();
  to.least = from.getLeast();
  to.greatest = from.getGreatest();
  constexpr std::size_t kAnySum = 64;  // more words than it may have
  if (!to.sum.set_words(FROND_TRY(numbers_of(from.getSum(), kAnySum, "words of a sum"))))
    return corrupt("a sum of too many words");
  const auto nested = from.getNested();
  if (nested.size() == 0) return {};
  FROND_TRY(at_most(depth + 1, query::kMaxFacetDepth, "facets in each other"));
  FROND_TRY(at_most(all.nested += nested.size(), kMaxFacetsInBuckets, "facets in buckets"));
  for (const auto one : nested) FROND_TRY(get(one, to.nested.emplace_back(), all, depth + 1));
  return {};
}

Result<void> get(schema::NearTerms::Reader from, query::NearTerms& to) {
  to.df = from.getDf();
  to.whole = from.getWhole();
  const auto terms = from.getTerms();
  FROND_TRY(at_most(terms.size(), 2 * query::kMaxNearTerms, "terms like a word"));  // with one edit, and of all
  to.terms.reserve(terms.size());
  for (const auto one : terms) {
    to.terms.push_back({FROND_TRY(term_of(one.getText())), one.getDf(), one.getEdits()});
    if (to.terms.back().edits == 0 || to.terms.back().edits > query::kMaxNearEdits)
      return corrupt("a term with " + std::to_string(to.terms.back().edits) + " edits");
  }
  return {};
}

Result<void> get(schema::SearchReply::Reader from, SearchReply& to) {
  to.has_and = from.hasAnd();
  if (to.has_and) FROND_TRY(get(from.getAnd(), to.and_ranking));
  to.has_or = from.hasOr();
  if (to.has_or) FROND_TRY(get(from.getOr(), to.or_ranking));
  const auto unsearched = from.getUnsearched();
  FROND_TRY(at_most(unsearched.size(), kMaxPartitions, "unsearched partitions"));
  to.unsearched.reserve(unsearched.size());
  for (const auto one : unsearched) {
    const auto reason = FROND_TRY(enum_of(one.getReason(), kLastUnsearchedReason, "reason"));
    to.unsearched.push_back({one.getPartition(), reason});
  }
  const auto profile = from.getProfile();
  FROND_TRY(at_most(profile.size(), 2 * kMaxPartitions, "profiles"));  // AND and OR
  to.profile.reserve(profile.size());
  for (const auto one : profile)
    to.profile.push_back({one.getPartition(), string_of(one.getEngine()), one.getQueueMicros(), one.getListsMicros(),
                          one.getEngineMicros(), one.getPostings()});
  const auto runs = from.getRuns();
  FROND_TRY(at_most(runs.size(), kMaxRuns, "runs"));
  to.runs.reserve(runs.size());
  for (const auto one : runs) to.runs.push_back(run_of(one));
  const auto facets = from.getFacets();
  FROND_TRY(at_most(facets.size(), query::kMaxFacets, "facets"));
  to.facets.resize(facets.size());
  FacetsRead all;
  for (unsigned i = 0; i < facets.size(); ++i) FROND_TRY(get(facets[i], to.facets[i], all, 1));
  const auto near = from.getNear();
  FROND_TRY(at_most(near.size(), query::kMaxNearWords, "words that others may be like"));
  to.near.resize(near.size());
  for (unsigned i = 0; i < near.size(); ++i) FROND_TRY(get(near[i], to.near[i]));
  return get(from.getDocuments(), to.documents);
}

Result<text::StopWords> stop_words_of(schema::Analyzer::Reader from) {
  const auto words = from.getOwnStopWords();
  if (words.size() == 0) {
    const std::string name = string_of(from.getStopWordList());
    const auto known = text::StopWords::named(name);
    if (!known) return corrupt("unknown stop words '" + name.substr(0, kMaxShownName) + "'");
    return *known;
  }
  FROND_TRY(at_most(words.size(), text::StopWords::kMaxOwn, "stop words"));
  std::vector<std::string> own;
  own.reserve(words.size());
  for (const auto word : words) own.push_back(string_of(word));
  auto made = text::StopWords::own(std::move(own));
  if (!made) return corrupt(made.error().message());
  return made;
}

Result<void> get(schema::Analyzer::Reader from, text::AnalyzerConfig& to) {
  to = {};
  to.stop_words = from.getStopWords();
  const bool more_stop_words = from.getStemmer() == schema::Stemmer::BY_NAME_WITH_STOP_WORDS;
  if (from.getStemmer() != schema::Stemmer::BY_NAME && !more_stop_words) {
    to.stemmer = FROND_TRY(enum_of(from.getStemmer(), text::Stemmer::kEnglish, "stemmer"));
    return {};
  }
  const std::string name = string_of(from.getName()), stemmer_name = string_of(from.getStemmerName());
  const auto kind = text::analyzer_named(name);
  if (!kind) return corrupt("unknown analyzer '" + name.substr(0, kMaxShownName) + "'");
  const auto stemmer = text::stemmer_named(stemmer_name);
  if (!stemmer) return corrupt("unknown stemmer '" + stemmer_name.substr(0, kMaxShownName) + "'");
  to = {*stemmer, from.getStopWords(), *kind, from.getFoldAccents(), from.getSplitCase()};
  if (more_stop_words) to.stop_words = FROND_TRY(stop_words_of(from));
  if (!is_valid(to)) return corrupt("analyzer " + name + " with a stemmer, folding or splitting that it does not have");
  return {};
}

Result<void> get(schema::ServedGeneration::Reader from, ServedGeneration& to) {
  to.generation = from.getGeneration();
  to.partitions_total = from.getPartitionsTotal();
  FROND_TRY(at_most(to.partitions_total, kMaxPartitions, "partitions in all"));
  FROND_TRY(get(from.getAnalyzer(), to.analyzer));
  to.bm25 = {from.getK1(), from.getB()};
  if (!scoring::are_impacts(to.bm25)) to.bm25 = FROND_TRY(bm25_of(from.getK1(), from.getB()));
  to.statistics = {from.getDocuments(), from.getTokens()};
  const auto partitions = from.getPartitions();
  FROND_TRY(at_most(partitions.size(), kMaxPartitions, "partitions"));
  to.partitions.reserve(partitions.size());
  for (const auto one : partitions) {
    to.partitions.push_back({one.getNumber(), {one.getBase(), one.getStride(), one.getDocuments()}, one.getHidden()});
    if (one.getStride() == 0) return corrupt("a stride of 0");
    if (one.getHidden() > one.getDocuments()) return corrupt("more hidden documents than documents");
    if (one.getNumber() >= to.partitions_total)
      return corrupt("partition " + std::to_string(one.getNumber()) + " of " + std::to_string(to.partitions_total));
  }
  to.content = from.getContent();
  const auto schema = from.getSchema();
  FROND_TRY(at_most(schema.size(), frond::schema::kMaxSchemaBytes, "bytes of a schema"));
  to.schema = string_of(schema);
  return {};
}

Result<void> get(schema::HelloReply::Reader from, HelloReply& to) {
  to.collection = string_of(from.getCollection());
  to.node = string_of(from.getNode());
  to.version = string_of(from.getVersion());
  const auto generations = from.getGenerations();
  FROND_TRY(at_most(generations.size(), kMaxGenerations, "generations"));
  to.generations.resize(generations.size());
  for (unsigned i = 0; i < generations.size(); ++i) FROND_TRY(get(generations[i], to.generations[i]));
  to.gpu = string_of(from.getGpu());
  to.cpu_threads = from.getCpuThreads();
  to.queue_depth = from.getQueueDepth();
  to.queue_limit = from.getQueueLimit();
  to.host_cache_bytes = from.getHostCacheBytes();
  to.host_cache_limit = from.getHostCacheLimit();
  to.host_cache_hits = from.getHostCacheHits();
  to.host_cache_misses = from.getHostCacheMisses();
  to.detail = string_of(from.getDetail());
  to.draining = from.getDraining();
  to.features = from.getFeatures();
  to.machine = string_of(from.getMachine());
  const auto budgets = from.getBudgets();
  FROND_TRY(at_most(budgets.size(), kMaxBudgets, "budgets"));
  for (const auto one : budgets)
    to.budgets.push_back({string_of(one.getFlag()), one.getAmount(), one.getBytes(), one.getChosen(), one.getDevice()});
  return {};
}

Result<Reply> get(schema::Reply::Reader from) {
  switch (from.which()) {
    case schema::Reply::SEARCH: {
      SearchReply to{.request_id = from.getRequestId()};
      FROND_TRY(get(from.getSearch(), to));
      return Reply(std::move(to));
    }
    case schema::Reply::FETCH: {
      FetchReply to{.request_id = from.getRequestId()};
      FROND_TRY(get(from.getFetch().getDocuments(), to.documents));
      return Reply(std::move(to));
    }
    case schema::Reply::HELLO: {
      HelloReply to{.request_id = from.getRequestId()};
      FROND_TRY(get(from.getHello(), to));
      return Reply(std::move(to));
    }
    case schema::Reply::ERROR: {
      const UnsearchedReason reason = FROND_TRY(enum_of(from.getErrorReason(), kLastUnsearchedReason, "reason"));
      return Reply(ErrorReply{from.getRequestId(), string_of(from.getError()), reason});
    }
  }
  return corrupt("unknown kind " + std::to_string(static_cast<unsigned>(from.which())));
}

}  // namespace

Result<Reply> decode_reply(ByteView bytes) {
  return decode_as<schema::Reply, Reply>(bytes, "reply", [](schema::Reply::Reader from) { return get(from); });
}

std::optional<std::uint64_t> request_id_of(ByteView damaged_reply) {
  return glance<schema::Reply>(damaged_reply, [](schema::Reply::Reader from) {
    const std::uint64_t id = from.getRequestId();
    return id == 0 ? std::optional<std::uint64_t>() : id;
  });
}

}  // namespace frond::wire
