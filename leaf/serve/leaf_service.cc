#include "leaf/serve/leaf_service.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <variant>

#include "common/topk/top_k.h"
#include "common/wire/messages.h"
#include "leaf/families/metric_families.h"
#include "leaf/serve/documents/explanations.h"
#include "leaf/serve/reply_bytes.h"

namespace frond::leaf::serve {
namespace {

Deadline deadline_of(Instant arrival, std::chrono::microseconds budget, const Cancellation& cancellation) {
  constexpr std::chrono::microseconds kLeast{0}, kMost = wire::kMaxBudget;
  return Deadline::at(arrival + std::clamp(budget, kLeast, kMost)).or_when(cancellation);
}

// The documents of a page in the reply to the search that found them, so that a broker with one leaf needs no second
// round trip: what is needed of the request once the search has it.
struct Wanted {
  wire::FetchRequest fetch;  // without ordinals
  wire::Show show;
  wire::Mode mode;
  std::size_t depth;
};

Wanted wanted_of(const wire::SearchRequest& request, std::vector<std::string> terms) {
  Wanted wanted{{.request_id = request.request_id,
                 .generation = request.generation,
                 .budget = request.budget,
                 .content = request.content},
                request.show,
                request.mode,
                request.depth};
  wanted.fetch.fields = request.show.fields;
  wanted.fetch.columns = request.show.columns;
  wanted.fetch.terms = std::move(terms);
  const bool explains = request.show.explain && request.rank == wire::Rank::kScore;
  if (explains && request.show.count <= wire::kMaxExplained)
    wanted.fetch.explain = std::make_shared<const wire::SearchRequest>(request);
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

// Adds the documents to the reply, unless one of them was not reached in time, or they would make it too large.
void add_documents(std::vector<wire::FetchedDocument> documents, std::size_t max_bytes, wire::SearchReply& reply) {
  const bool late = std::ranges::any_of(documents, [](const wire::FetchedDocument& one) {
    return !one.found && one.reason == wire::UnsearchedReason::kDeadline;
  });
  if (late || encoded_bytes(reply) + encoded_bytes(documents) > max_bytes) return;
  reply.documents = std::move(documents);
}

// Wraps `done`: adds the documents that the request wants shown to the reply, then calls `done`. The reply goes without
// documents, and the broker fetches them, if a partition is unsearched, if less than a tenth of the budget is left, if
// half of what is left is not enough to read them, if they cannot be read, or if there is no room for them. If the
// request wants none, `done` itself. `terms`: for snippets. `documents` and `parts` outlive the search. `kept` keeps
// alive what `deadline` points to: tasks of the search may still ask for it when `done` has gone on with the documents.
SearchQuery::Done with_documents(DocumentHandler& documents, const wire::SearchRequest& request,
                                 std::vector<std::string> terms, Deadline deadline, const SearchParts& parts,
                                 std::shared_ptr<const void> kept, SearchQuery::Done done) {
  if (request.show.count == 0) return done;
  return [&documents, &parts, deadline, kept = std::move(kept), wanted = wanted_of(request, std::move(terms)),
          done = std::move(done)](wire::SearchReply reply) mutable {
    if (!reply.unsearched.empty() || deadline.left(parts.clock) < wanted.fetch.budget / 10)
      return done(std::move(reply));
    wanted.fetch.ordinals = page_of(wanted, reply);
    if (wanted.fetch.ordinals.empty()) return done(std::move(reply));
    const auto held = std::make_shared<wire::SearchReply>(std::move(reply));
    // The hits must not wait for them until it is too late for the hits.
    auto add = [held, done = std::move(done), most = parts.max_reply_bytes](wire::Reply&& fetched) {
      if (auto* found = std::get_if<wire::FetchReply>(&fetched))
        add_documents(std::move(found->documents), most, *held);
      done(std::move(*held));
    };
    documents.fetch(std::move(wanted.fetch), deadline.half(parts.clock), std::move(add));
  };
}

SearchParts with_analyzers(SearchParts parts, AnalyzerPool& analyzers) {
  parts.analyzers = &analyzers;
  return parts;
}

}  // namespace

LeafService::LeafService(SearchParts parts, Identity identity, std::function<CacheState()> cache_state,
                         generation::BrokerRoll& brokers, RequestsInFlight& taken)
    : parts_(with_analyzers(parts, analyzers_)),
      identity_(std::move(identity)),
      cache_state_(std::move(cache_state)),
      brokers_(brokers),
      taken_(taken),
      search_metrics_(parts),
      documents_(parts.board, parts.scheduler, parts.clock, parts.costly, parts.damage,
                 [this](const generation::ServedGeneration& generation, const wire::SearchRequest& search,
                        Deadline deadline, std::span<wire::FetchedDocument> documents) {
                   return explain(generation, search, parts_, deadline, documents);
                 }) {
  if (parts_.registry == nullptr) return;
  constexpr const char* kNames[kKinds] = {"search", "fetch", "hello", "malformed"};
  for (int kind = 0; kind < kKinds; ++kind) {
    requests_[kind] = parts_.registry->counter(families::kRequests, {{"kind", kNames[kind]}});
    durations_[kind] =
        parts_.registry->histogram(families::kRequestTime, metrics::latency_seconds(), {{"kind", kNames[kind]}});
  }
  for (const Kind kind : {kSearch, kFetch})
    cancelled_[kind] = parts_.registry->counter(families::kRequestsCancelled, {{"kind", kNames[kind]}});
}

void LeafService::on_request(const wire::Peer& peer, ByteView bytes, const Answer& answer) {
  const Instant arrival = parts_.clock.now();
  try {
    if (const auto head = wire::head_of_search(bytes)) return take_search(peer, *head, bytes, arrival, answer);
    Result<wire::Request> request = wire::decode_request(bytes);
    // The request id is unknown, so the peer cannot match this reply; it is for debugging.
    if (!request) return replying(kMalformed, arrival, answer)(wire::ErrorReply{0, request.error().message()});
    dispatch(peer, std::move(*request), arrival, answer);
  } catch (const std::exception&) {  // out of memory: the peer's deadline ends the request
  }
}

std::function<void(const wire::Reply&)> LeafService::replying(Kind kind, Instant arrival, Answer answer,
                                                              InFlight entry) {
  requests_[kind].add();
  return [this, kind, arrival, answer = std::move(answer), entry = std::move(entry)](const wire::Reply& reply) {
    if (entry && entry->cancellation().cancelled()) return cancelled_[kind].add();
    durations_[kind].observe(std::chrono::duration<double>(parts_.clock.now() - arrival).count());
    answer(wire::encode(reply));
  };
}

// The closures hold the entry, so the deadline may point into it.
void LeafService::take_search(const wire::Peer& peer, const wire::SearchHead& head, ByteView bytes, Instant arrival,
                              const Answer& answer) {
  InFlight entry = taken_.add(peer, head.request_id);
  const Deadline deadline = deadline_of(arrival, head.budget, entry->cancellation());
  Result<void> room = entry->hold(bytes.size());
  Taken taken{deadline, arrival, answer, std::move(entry)};
  schedule::Task task{deadline, {}, 0, {head.client.id, head.client.weight}};
  if (room && head.is_words && parts_.at_once != nullptr && parts_.at_once->may_begin(arrival, bytes.size())) {
    Decoded search = decode(bytes, std::move(taken));
    task.run = [search](const SearchQuery::Waited& waited) { search.start(waited); };
    if (search.query == nullptr || search_at_once(search, arrival, task)) return;
  } else {
    task.run = [this, message = ByteBuffer(bytes.begin(), bytes.end()), taken = std::move(taken)](
                   const SearchQuery::Waited& waited) mutable { decode(message, std::move(taken)).start(waited); };
  }
  if (room) room = parts_.scheduler.admit(std::span(&task, 1), schedule::Lane::kSearch);
  if (!room) task.run(room.error());
}

// False: a worker must run the task.
bool LeafService::search_at_once(const Decoded& search, Instant arrival, schedule::Task& task) {
  if (!search.room || !search.query->is_little()) return false;
  search.query->bind(arrival + AtOnce::kMostTime);
  if (parts_.scheduler.run_here(task)) {
    parts_.at_once->ended(arrival, parts_.clock.now());
    return true;
  }
  search.query->bind(Instant::max());
  return false;
}

// Of the documents that the search is to show.
std::vector<std::string> LeafService::snippet_terms(const wire::SearchRequest& request) {
  std::vector<std::string> terms;
  if (request.show.count == 0 || (request.show.fields & wire::kFieldSnippet) == 0) return terms;
  terms.reserve(request.terms.size());
  for (const wire::QueryTerm& term : request.terms) terms.push_back(term.text);
  if (request.clause.empty()) return terms;
  const auto generation = parts_.board.find({request.generation, request.content}, parts_.clock.now());
  if (generation == nullptr) return terms;
  const AnalyzerPool::Lease analyzer = analyzers_.take(generation->analyzer);
  return words_of(request.clause, *analyzer);
}

LeafService::Decoded LeafService::decode(ByteView message, Taken taken) {
  const auto [deadline, arrival] = std::pair(taken.deadline, taken.arrival);
  Result<wire::Request> request = wire::decode_request(message);
  if (!request) {
    replying(kMalformed, arrival, std::move(taken.answer))(wire::ErrorReply{0, request.error().message()});
    return {};
  }
  auto& decoded = std::get<wire::SearchRequest>(*request);
  auto reply = replying(kSearch, arrival, std::move(taken.answer), taken.entry);
  SearchQuery::Refuse refuse;  // words alone are never wrong
  if (!decoded.clause.empty() || !decoded.filter.empty() || !decoded.near.empty())
    refuse = [reply, id = decoded.request_id](const Error& why) {
      reply(wire::ErrorReply{id, why.message(), wire::reason_of(why.code())});
    };
  auto done =
      with_documents(documents_, decoded, snippet_terms(decoded), deadline, parts_, taken.entry, std::move(reply));
  const auto query = std::make_shared<SearchQuery>(parts_, search_metrics_, std::move(decoded), deadline,
                                                   std::move(done), std::move(refuse), arrival);
  return {query, taken.entry->hold(query->bytes())};
}

void LeafService::dispatch(const wire::Peer& peer, wire::Request request, Instant arrival, const Answer& answer) {
  if (auto* fetch = std::get_if<wire::FetchRequest>(&request)) {
    InFlight entry = taken_.add(peer, fetch->request_id);
    const Deadline deadline = deadline_of(arrival, fetch->budget, entry->cancellation());
    const Result<void> room = entry->hold(bytes_of(*fetch));
    auto done = replying(kFetch, arrival, answer, std::move(entry));
    if (room) return documents_.fetch(std::move(*fetch), deadline, std::move(done));
    done(wire::ErrorReply{fetch->request_id, room.error().message(), wire::reason_of(room.error().code())});
  } else if (const auto* cancel = std::get_if<wire::CancelRequest>(&request)) {
    taken_.cancel(peer, cancel->request_id);
  } else if (const auto* asked = std::get_if<wire::HelloRequest>(&request)) {
    // A broker of another collection only finds out that this leaf is not for it.
    if (asked->broker.collection.empty() || asked->broker.collection == identity_.collection) {
      brokers_.heard(asked->broker, answer, arrival);
      list_again(asked->broker.serving);
    }
    telling_.run([this, id = asked->request_id, arrival, answer] { replying(kHello, arrival, answer)(hello(id)); });
  }
}

// A generation that was about to be left, since no broker served from it.
void LeafService::list_again(const GenerationId& wanted) {
  if (wanted.number == 0) return;
  const auto set = parts_.board.get();
  for (const auto& one : *set)
    if (one->id().answers(wanted)) one->leaving_since.store(Instant::max(), std::memory_order_relaxed);
}

void LeafService::withdraw() {
  withdrawn_.store(true, std::memory_order_relaxed);
  announce();
}

void LeafService::announce() {
  telling_.run([this] { brokers_.tell_all(wire::encode(wire::Reply(hello(/*request_id=*/0))), parts_.clock.now()); });
}

std::string LeafService::why_not_ready() const {
  if (withdrawn_.load(std::memory_order_relaxed)) return "draining";
  if (parts_.board.get()->empty()) return "no generation is served yet";
  if (parts_.clock.now() < identity_.ready_from) return "brokers are given the time to find this leaf";
  return {};
}

wire::HelloReply LeafService::hello(std::uint64_t request_id) const {
  wire::HelloReply reply{request_id, identity_.collection, identity_.node, identity_.version};
  reply.features = wire::kAllFeatures;
  reply.gpu = identity_.gpu();
  reply.machine = identity_.machine;
  reply.budgets = identity_.budgets;
  reply.detail = parts_.board.detail();
  if (std::string refusals = identity_.refusals(); !refusals.empty())
    reply.detail = reply.detail.empty() ? std::move(refusals) : reply.detail + "; " + refusals;
  const schedule::Scheduler::Load load = parts_.scheduler.load();
  reply.cpu_threads = static_cast<std::uint32_t>(load.workers);
  reply.queue_depth = static_cast<std::uint32_t>(load.waiting);
  reply.queue_limit = static_cast<std::uint32_t>(load.limit);
  const CacheState cache = cache_state_();
  reply.host_cache_bytes = cache.bytes;
  reply.host_cache_limit = cache.limit;
  reply.host_cache_hits = cache.hits;
  reply.host_cache_misses = cache.misses;
  if (withdrawn_.load(std::memory_order_relaxed)) {
    reply.detail = "draining";  // older brokers notice it by the empty list of generations
    reply.draining = true;
    return reply;
  }
  const auto set = parts_.board.get();
  for (const auto& one : *set) {
    if (one->leaving_since.load(std::memory_order_relaxed) != Instant::max()) continue;
    wire::ServedGeneration& told = reply.generations.emplace_back();
    told.generation = one->generation;
    told.content = one->content;
    told.partitions_total = one->partitions_total;
    told.analyzer = one->analyzer;
    told.bm25 = one->bm25;
    told.statistics = one->statistics;
    told.schema = one->schema_text;
    for (const generation::ServedPartition& partition : one->partitions)
      told.partitions.push_back(
          {partition.number, partition.placement, partition.hidden ? partition.hidden->count() : 0});
  }
  return reply;
}

}  // namespace frond::leaf::serve
