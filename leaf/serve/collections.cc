#include "leaf/serve/collections.h"

#include <algorithm>
#include <variant>

#include "common/wire/codec.h"

namespace frond::leaf::serve {
namespace {

bool serves(const Collections::One& one, const GenerationId& wanted) {
  const auto set = one.board.get();
  return std::any_of(set->begin(), set->end(), [&](const auto& served) { return served->id().answers(wanted); });
}

Generation current_of(const Collections::One& one) {
  const auto set = one.board.get();
  return set->empty() ? 0 : set->back()->generation;
}

std::string named(const std::vector<Collections::One>& all, const Collections::One& one, const std::string& what) {
  return all.size() == 1 || what.empty() ? what : one.name + ": " + what;
}

}  // namespace

void Collections::set(std::vector<One> all) {
  auto next = std::make_shared<const std::vector<One>>(std::move(all));
  const MutexLock lock(mutex_);
  all_.swap(next);
}

// Null: no collection can answer.
const Collections::One* Collections::wanted(const std::vector<One>& all, ByteView bytes) const {
  if (all.size() == 1 && !identity_) return &all.front();
  using Kind = wire::RequestTarget::Kind;
  const auto target = wire::target_of(bytes);
  if (target && target->kind == Kind::kHello) {
    for (const One& one : all)
      if (one.name == target->collection) return &one;
    if (identity_ && !target->collection.empty()) return nullptr;
  } else if (target && target->generation.content != 0) {
    for (const One& one : all)
      if (serves(one, target->generation)) return &one;
  }
  return all.empty() ? nullptr : &all.front();
}

void Collections::on_request(const wire::Peer& peer, ByteView bytes, const LeafService::Answer& answer) const {
  const All all = this->all();
  const One* const one = all == nullptr ? nullptr : wanted(*all, bytes);
  if (one == nullptr) return answer_for_none(bytes, answer);
  // The roll of brokers keeps the answers to hellos, with the service.
  const auto target = one->in_use == nullptr ? std::nullopt : wire::target_of(bytes);
  if (!target || target->kind == wire::RequestTarget::Kind::kHello) return one->service.on_request(peer, bytes, answer);
  one->service.on_request(peer, bytes, [answer, in_use = one->in_use](ByteBuffer reply) { answer(std::move(reply)); });
}

void Collections::answer_for_none(ByteView bytes, const LeafService::Answer& answer) const {
  const auto request = wire::decode_request(bytes);
  if (!request || !identity_) return;
  if (const auto* const hello = std::get_if<wire::HelloRequest>(&*request)) {
    wire::HelloReply reply{hello->request_id, {}, identity_->node, identity_->version};
    reply.features = wire::kAllFeatures;
    return answer(wire::encode(wire::Reply(std::move(reply))));
  }
  const auto* const search = std::get_if<wire::SearchRequest>(&*request);
  const auto* const fetch = std::get_if<wire::FetchRequest>(&*request);
  if (search == nullptr && fetch == nullptr) return;
  answer(wire::encode(
      wire::Reply(wire::ErrorReply{search != nullptr ? search->request_id : fetch->request_id,
                                   "the collection is not served here", wire::reason_of(Code::kNotFound)})));
}

void Collections::withdraw() const {
  const All all = this->all();
  if (all == nullptr) return;
  for (const One& one : *all) one.service.withdraw();
}

bool Collections::needed() const {
  const All all = this->all();
  return all != nullptr && std::ranges::any_of(*all, [](const One& one) { return one.service.needed(); });
}

std::string Collections::why_not_ready() const {
  const All all = this->all();
  if (all == nullptr) return "the collections of the repository are not known yet";
  std::string broken, waiting;  // the first that cannot be loaded; that is not loaded
  bool serving = identity_ && all->empty();
  for (const One& one : *all) {
    const std::string why = one.service.why_not_ready();
    if (why.empty()) {
      serving = true;
    } else if (current_of(one) == 0 && !one.board.detail().empty()) {
      if (broken.empty()) broken = named(*all, one, why);
    } else if (waiting.empty()) {
      waiting = named(*all, one, why);
    }
  }
  // One that was made since waits for its first documents.
  if (identity_ && serving) return {};
  if (!waiting.empty()) return waiting;
  return serving ? std::string() : broken;
}

std::vector<Collections::State> Collections::states() const {
  std::vector<State> states;
  const All all = this->all();
  if (all == nullptr) return states;
  for (const One& one : *all) {
    const std::string why_not = one.service.why_not_ready(), detail = one.board.detail();
    states.push_back({one.name, why_not.empty(), current_of(one), detail.empty() ? why_not : detail});
  }
  return states;
}

}  // namespace frond::leaf::serve
