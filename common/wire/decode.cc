// Cap'n Proto to plain structs, from any bytes. Cap'n Proto checks pointers and throws, which is caught here; ranges,
// orders and limits are checked here.
#include <capnp/message.h>
#include <capnp/serialize.h>
#include <kj/exception.h>

#include <cstring>
#include <exception>
#include <utility>

#include "common/text/term_limits.h"
#include "common/wire/codec.h"
#include "common/wire/leaf.capnp.h"
#include "common/wire/limits.h"

namespace frond::wire {
namespace {

constexpr std::size_t kMaxShownName = 64;  // bytes of an unknown name in an error

Error corrupt(std::string what) { return Error(Code::kCorrupt, std::move(what)); }

Result<void> at_most(std::size_t count, std::size_t limit, std::string_view what) {
  if (count <= limit) return {};
  return corrupt(std::to_string(count) + " " + std::string(what) + ", at most " + std::to_string(limit) + " allowed");
}

std::string text_of(capnp::Text::Reader from) { return {from.begin(), from.size()}; }

// The enum value with this number, up to `last`; a newer peer may send higher numbers.
template <class Ours, class Theirs>
Result<Ours> enum_of(Theirs from, Ours last, std::string_view what) {
  const auto number = static_cast<unsigned>(from);
  if (number <= static_cast<unsigned>(last)) return static_cast<Ours>(number);
  return corrupt("unknown " + std::string(what) + " " + std::to_string(number));
}

// The enum value with this number; the first one where a newer peer sends a higher number.
template <class Ours, class Theirs>
Ours known_or_first(Theirs from, Ours last) {
  const auto number = static_cast<unsigned>(from);
  return number <= static_cast<unsigned>(last) ? static_cast<Ours>(number) : Ours{};
}

Result<std::string> term_of(capnp::Text::Reader from) {
  if (from.size() == 0 || from.size() > text::kMaxTermBytes)
    return corrupt("a term of " + std::to_string(from.size()) + " bytes");
  return text_of(from);
}

// A newer broker may send more bits.
std::uint8_t fields_of(std::uint16_t bits) { return static_cast<std::uint8_t>(bits & kAllFields); }

// False for NaN.
bool lies_in(double value, double low, double high) { return value >= low && value <= high; }

Result<scoring::Bm25Parameters> bm25_of(double k1, double b) {
  if (!lies_in(k1, 0, scoring::kMaxK1)) return corrupt("k1 out of range");
  if (!lies_in(b, 0, 1)) return corrupt("b out of range");
  return scoring::Bm25Parameters{k1, b};
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
  to.prior_weight = from.getPriorWeight();
  if (to.prior_weight > scoring::kMaxPriorWeight) return corrupt("the weight of priors is out of range");
  if (from.hasBm25()) to.bm25 = FROND_TRY(bm25_of(from.getBm25().getK1(), from.getBm25().getB()));
  const auto show = from.getShow();
  to.show = {show.getOffset(), show.getCount(), fields_of(show.getFields())};
  FROND_TRY(at_most(to.show.count, kMaxOrdinals, "documents to show"));
  return at_most(std::size_t{to.show.offset} + to.show.count, to.depth, "hits to be shown");
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
  to.id = text_of(id);
  to.body_bytes = from.getBodyBytes();
  return {};
}

Result<void> get(schema::Broker::Reader from, Broker& to) {
  to.instance = from.getInstance();
  FROND_TRY(at_most(from.getName().size(), kMaxBrokerNameBytes, "bytes of a broker's name"));
  to.name = text_of(from.getName());
  to.serving = {from.getGeneration(), from.getContent()};
  to.hello_every = std::chrono::milliseconds(from.getHelloMillis());
  to.needs_leaf = from.getNeedsLeaf();
  FROND_TRY(at_most(from.getCollection().size(), kMaxCollectionNameBytes, "bytes of a collection's name"));
  to.collection = text_of(from.getCollection());
  return {};
}

Result<void> get(schema::Ranking::Reader from, Ranking& to) {
  const auto hits = from.getHits();
  FROND_TRY(at_most(hits.size(), kMaxDepth, "hits"));
  to.hits.reserve(hits.size());
  for (const auto hit : hits) {
    to.hits.push_back({hit.getOrdinal(), hit.getScore()});
    if (to.hits.size() > 1 && !topk::better(to.hits.end()[-2], to.hits.back()))
      return corrupt("hits out of order at place " + std::to_string(to.hits.size() - 1));
  }
  to.matches = from.getMatches();
  to.exact = from.getExact();
  return {};
}

Result<void> get(capnp::List<schema::Document>::Reader from, std::vector<FetchedDocument>& to) {
  FROND_TRY(at_most(from.size(), kMaxOrdinals, "documents"));
  to.reserve(from.size());
  for (const auto one : from) {
    const auto reason = FROND_TRY(enum_of(one.getReason(), kLastUnsearchedReason, "reason"));
    to.push_back({one.getOrdinal(), one.getFound(), text_of(one.getId()), text_of(one.getTitle()),
                  text_of(one.getUrl()), text_of(one.getSnippet()), reason, text_of(one.getBody()),
                  one.getTruncated()});
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
    to.profile.push_back({one.getPartition(), text_of(one.getEngine()), one.getQueueMicros(), one.getListsMicros(),
                          one.getEngineMicros(), one.getPostings()});
  const auto runs = from.getRuns();
  FROND_TRY(at_most(runs.size(), kMaxRuns, "runs"));
  to.runs.reserve(runs.size());
  for (const auto one : runs) to.runs.push_back(run_of(one));
  return get(from.getDocuments(), to.documents);
}

Result<text::StopWords> stop_words_of(schema::Analyzer::Reader from) {
  const auto words = from.getOwnStopWords();
  if (words.size() == 0) {
    const std::string name = text_of(from.getStopWordList());
    const auto known = text::StopWords::named(name);
    if (!known) return corrupt("unknown stop words '" + name.substr(0, kMaxShownName) + "'");
    return *known;
  }
  FROND_TRY(at_most(words.size(), text::StopWords::kMaxOwn, "stop words"));
  std::vector<std::string> own;
  own.reserve(words.size());
  for (const auto word : words) own.push_back(text_of(word));
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
  const std::string name = text_of(from.getName()), stemmer_name = text_of(from.getStemmerName());
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
  to.bm25 = FROND_TRY(bm25_of(from.getK1(), from.getB()));
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
  return {};
}

Result<void> get(schema::HelloReply::Reader from, HelloReply& to) {
  to.collection = text_of(from.getCollection());
  to.node = text_of(from.getNode());
  to.version = text_of(from.getVersion());
  const auto generations = from.getGenerations();
  FROND_TRY(at_most(generations.size(), kMaxGenerations, "generations"));
  to.generations.resize(generations.size());
  for (unsigned i = 0; i < generations.size(); ++i) FROND_TRY(get(generations[i], to.generations[i]));
  to.gpu = text_of(from.getGpu());
  to.cpu_threads = from.getCpuThreads();
  to.queue_depth = from.getQueueDepth();
  to.queue_limit = from.getQueueLimit();
  to.host_cache_bytes = from.getHostCacheBytes();
  to.host_cache_limit = from.getHostCacheLimit();
  to.host_cache_hits = from.getHostCacheHits();
  to.host_cache_misses = from.getHostCacheMisses();
  to.detail = text_of(from.getDetail());
  to.draining = from.getDraining();
  to.features = from.getFeatures();
  return {};
}

Result<Request> get(schema::Request::Reader from) {
  switch (from.which()) {
    case schema::Request::SEARCH: {
      SearchRequest to{.request_id = from.getRequestId()};
      FROND_TRY(get(from.getSearch(), to));
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
      return Reply(ErrorReply{from.getRequestId(), text_of(from.getError()), reason});
    }
  }
  return corrupt("unknown kind " + std::to_string(static_cast<unsigned>(from.which())));
}

// The bytes as 8-byte words: in place if they are aligned, as Cap'n Proto needs them, else a copy.
struct Words {
  explicit Words(ByteView bytes)
      : words(reinterpret_cast<const capnp::word*>(bytes.data()), bytes.size() / sizeof(capnp::word)) {
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % sizeof(capnp::word) == 0) return;
    copy = kj::heapArray<capnp::word>(words.size());
    std::memcpy(copy.begin(), bytes.data(), words.size() * sizeof(capnp::word));
    words = copy;
  }
  kj::ArrayPtr<const capnp::word> words;
  kj::Array<capnp::word> copy;
};

template <class Root, class Message>
Result<Message> decode_as(ByteView bytes, std::string_view what) {
  if (bytes.empty() || bytes.size() % sizeof(capnp::word) != 0 || bytes.size() > kMaxMessageBytes)
    return corrupt(std::string(what) + " of " + std::to_string(bytes.size()) + " bytes");
  try {
    const Words in(bytes);
    const auto& words = in.words;
    // Each word may be read once, so that many pointers to one object cannot make a small message large.
    const capnp::ReaderOptions options{.traversalLimitInWords = words.size() + 64, .nestingLimit = 8};
    capnp::FlatArrayMessageReader reader(words, options);
    if (reader.getEnd() != words.end()) return corrupt(std::string(what) + " with bytes after its end");
    Result<Message> result = get(reader.template getRoot<Root>());
    if (!result) return std::move(result).error().within(what);
    return result;
  } catch (const kj::Exception& e) {
    return corrupt(std::string(what) + ": " + e.getDescription().cStr());
  } catch (const std::exception& e) {
    return corrupt(std::string(what) + ": " + e.what());
  }
}

// What `look` finds in a message that may be damaged; nothing where it cannot be read.
template <class Root, class Look>
auto glance(ByteView bytes, const Look& look) -> decltype(look(std::declval<typename Root::Reader>())) {
  if (bytes.size() < sizeof(capnp::word)) return {};
  try {
    const Words in(bytes);
    const capnp::ReaderOptions options{.traversalLimitInWords = in.words.size() + 64, .nestingLimit = 8};
    capnp::FlatArrayMessageReader reader(in.words, options);
    return look(reader.template getRoot<Root>());
  } catch (const std::exception&) {  // kj's exceptions derive from it
    return {};
  }
}

}  // namespace

Result<Request> decode_request(ByteView bytes) { return decode_as<schema::Request, Request>(bytes, "request"); }
Result<Reply> decode_reply(ByteView bytes) { return decode_as<schema::Reply, Reply>(bytes, "reply"); }

std::optional<SearchHead> head_of_search(ByteView request) {
  return glance<schema::Request>(request, [](schema::Request::Reader from) -> std::optional<SearchHead> {
    if (!from.isSearch()) return {};
    return SearchHead{from.getRequestId(), std::chrono::microseconds(from.getSearch().getBudgetMicros())};
  });
}

std::optional<RequestTarget> target_of(ByteView request) {
  using Kind = RequestTarget::Kind;
  return glance<schema::Request>(request, [](schema::Request::Reader from) -> std::optional<RequestTarget> {
    switch (from.which()) {
      // Each is read once: reading counts towards the limit, also a second time.
      case schema::Request::SEARCH: {
        const auto search = from.getSearch();
        return RequestTarget{Kind::kSearch, {}, {search.getGeneration(), search.getContent()}};
      }
      case schema::Request::FETCH: {
        const auto fetch = from.getFetch();
        return RequestTarget{Kind::kFetch, {}, {fetch.getGeneration(), fetch.getContent()}};
      }
      case schema::Request::HELLO:
        return RequestTarget{Kind::kHello, text_of(from.getBroker().getCollection()), {}};
      case schema::Request::CANCEL:
        return RequestTarget{Kind::kCancel, {}, {}};
    }
    return {};
  });
}

std::optional<std::uint64_t> request_id_of(ByteView damaged_reply) {
  return glance<schema::Reply>(damaged_reply, [](schema::Reply::Reader from) {
    const std::uint64_t id = from.getRequestId();
    return id == 0 ? std::optional<std::uint64_t>() : id;
  });
}

}  // namespace frond::wire
