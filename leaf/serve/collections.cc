#include "leaf/serve/collections.h"

#include <algorithm>

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

}  // namespace

void Collections::on_request(const wire::Peer& peer, ByteView bytes, const LeafService::Answer& answer) const {
  if (all_.size() == 1) return all_.front().service.on_request(peer, bytes, answer);
  using Kind = wire::RequestTarget::Kind;
  const auto target = wire::target_of(bytes);
  const One* wanted = &all_.front();
  if (target && target->kind == Kind::kHello) {
    for (const One& one : all_)
      if (one.name == target->collection) wanted = &one;
  } else if (target && target->generation.content != 0) {
    for (const One& one : all_)
      if (serves(one, target->generation)) wanted = &one;
  }
  wanted->service.on_request(peer, bytes, answer);
}

void Collections::withdraw() const {
  for (const One& one : all_) one.service.withdraw();
}

bool Collections::needed() const {
  return std::any_of(all_.begin(), all_.end(), [](const One& one) { return one.service.needed(); });
}

std::string Collections::named(const One& one, const std::string& what) const {
  return all_.size() == 1 || what.empty() ? what : one.name + ": " + what;
}

std::string Collections::why_not_ready() const {
  std::string broken;  // the first that cannot be loaded
  bool serving = false;
  for (const One& one : all_) {
    const std::string why = one.service.why_not_ready();
    if (why.empty()) {
      serving = true;
    } else if (current_of(one) == 0 && !one.board.detail().empty()) {
      if (broken.empty()) broken = named(one, why);
    } else {
      return named(one, why);
    }
  }
  return serving ? std::string() : broken;
}

std::vector<Collections::State> Collections::states() const {
  std::vector<State> states;
  for (const One& one : all_) {
    const std::string why_not = one.service.why_not_ready(), detail = one.board.detail();
    states.push_back({one.name, why_not.empty(), current_of(one), detail.empty() ? why_not : detail});
  }
  return states;
}

}  // namespace frond::leaf::serve
