#include "broker/http/routes.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "broker/http/answers/answer.h"
#include "broker/scatter/fetch.h"
#include "broker/scatter/scatter_context.h"
#include "common/base/text.h"
#include "common/text/utf8.h"

namespace frond::broker::http {
namespace {
using frond::http::Responder;
using frond::http::Response;

struct Wanted {
  std::optional<std::string> id;
  std::optional<std::uint32_t> body_bytes;
};

Response refused(const std::string& name, std::string_view why) {
  return frond::http::problem(400, "Bad request", name + (name.empty() ? "" : " ") + std::string(why), name);
}
// Reads the parameters, among which the id is if `wanted` has none. Nothing, or the refusal.
std::optional<Response> read_parameters(const std::string& query, Wanted& wanted) {
  const auto pairs = frond::http::parse_query(query);
  if (!pairs) return refused("", "the query string: " + pairs.error().message());
  const bool with_id = !wanted.id;
  for (const auto& [name, value] : *pairs) {
    if (with_id && name == "id") {
      if (wanted.id) return refused(name, "is given twice");
      wanted.id = value;
    } else if (name == "body_bytes") {
      if (wanted.body_bytes) return refused(name, "is given twice");
      wanted.body_bytes = number_in<std::uint32_t>(value);
      if (wanted.body_bytes.value_or(0) == 0 || *wanted.body_bytes > wire::kMaxFetchedBodyBytes)
        return refused(name, "must be a whole number from 1 to " + std::to_string(wire::kMaxFetchedBodyBytes));
    } else {
      return refused(name, "is not a parameter of this route");
    }
  }
  if (!wanted.id || wanted.id->empty()) return refused("id", "is missing");
  return {};
}

Response found(wire::FetchedDocument document, std::uint32_t body_bytes, Generation generation) {
  if (document.body.size() > body_bytes) {  // from a leaf of an older version
    document.body.resize(text::utf8_boundary(document.body, body_bytes));
    document.truncated = true;
  }
  const nlohmann::ordered_json body = {{"id", document.id},
                                       {"title", document.title},
                                       {"url", document.url},
                                       {"body", std::move(document.body)},
                                       {"truncated", document.truncated},
                                       {"generation", generation}};
  return {.body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"};
}

Response missing(const std::string& id) {
  return frond::http::problem(404, "Not found", "There is no document '" + id.substr(0, 200) + "'.", "id");
}

Response unknown(const std::vector<wire::UnsearchedPartition>& unsearched) {
  const auto late = [](const auto& one) { return one.reason == wire::UnsearchedReason::kDeadline; };
  const std::string why = std::to_string(unsearched.size()) + " partitions that may have the document did not answer";
  if (std::any_of(unsearched.begin(), unsearched.end(), late))
    return frond::http::problem(504, "Deadline", why + " within the time allowed.");
  return frond::http::problem(503, "Unavailable", why + ".");
}

// A document that is waited for: first for a place, as costly searches do, then for the leaves.
class LookUpJob : public std::enable_shared_from_this<LookUpJob> {
 public:
  LookUpJob(SearchService& service, std::shared_ptr<const cluster::Topology> topology, Wanted wanted,
            const frond::http::Asker& asker, Responder responder)
      : service_(service),
        in_use_(service.in_use()),
        topology_(std::move(topology)),
        wanted_(std::move(wanted)),
        kind_{.batch = false, .costly = true, .client = asker.client, .weight = asker.weight},
        deadline_(Deadline::after(timers().clock(), service.config().default_timeout)),
        responder_(std::move(responder)) {}

  void begin() {
    // Called on the thread of what makes room; this is passed on and not kept there.
    turn_ = admission().wait(kind_, [self = shared_from_this()]() mutable {
      auto& home = self->service_.home();
      home.run([self = std::move(self)] { self->take_place(); });
    });
    if (!turn_) {
      ask();
    } else if (*turn_ == Admission::kRefused) {
      turn_.reset();
      return send(overloaded());
    } else {
      timer_ = timers().at(deadline_.when(), [self = shared_from_this()] {
        self->timer_.reset();
        self->end(frond::http::problem(504, "Deadline", "No answer within the time allowed."));
      });
    }
    if (responder_)
      responder_->on_client_gone([held = weak_from_this()] {
        if (const auto self = held.lock()) self->end(abandoned());
      });
  }

 private:
  cluster::TimerQueue& timers() { return service_.scatter().timers; }
  Admission& admission() { return service_.shared().admission; }
  void take_place() {
    if (!turn_) return admission().end(kind_);  // it was ended meanwhile
    turn_.reset();
    timers().cancel(*std::exchange(timer_, {}));
    ask();
  }
  void ask() {
    // Given back when the look-up ends, or is given up.
    const std::shared_ptr<void> place(nullptr, [&places = admission(), kind = kind_](void*) { places.end(kind); });
    const auto asked = scatter::look_up(
        service_.scatter(), topology_, *wanted_.id, body_bytes(), deadline_,
        [self = shared_from_this(), place](scatter::LookUpResult result) { self->heard(std::move(result)); });
    if (responder_) asked_ = asked;
  }
  void heard(scatter::LookUpResult result) {
    if (result.document) return send(found(*std::move(result.document), body_bytes(), topology_->generation));
    send(result.unsearched.empty() ? missing(*wanted_.id) : unknown(result.unsearched));
  }
  // Answers before there is a document.
  void end(Response instead) {
    if (timer_) timers().cancel(*std::exchange(timer_, {}));
    if (turn_) admission().leave(*std::exchange(turn_, {}));
    if (const auto asked = std::exchange(asked_, nullptr)) asked->abandon();
    send(std::move(instead));
  }
  void send(Response response) {
    asked_ = nullptr;  // it keeps this
    if (auto responder = std::exchange(responder_, std::nullopt)) responder->send(std::move(response));
  }
  std::uint32_t body_bytes() const { return wanted_.body_bytes.value_or(kDefaultBodyBytes); }

  SearchService& service_;
  const std::shared_ptr<const void> in_use_;
  const std::shared_ptr<const cluster::Topology> topology_;
  const Wanted wanted_;
  const Admission::Kind kind_;
  const Deadline deadline_;
  std::optional<Responder> responder_;            // until it is answered
  std::optional<Admission::Ticket> turn_;         // while it waits for a place
  std::optional<cluster::TimerQueue::Id> timer_;  // ends that wait
  std::shared_ptr<scatter::Abandonable> asked_;   // while leaves are asked
};

}  // namespace

void serve_document(SearchService& service, std::optional<std::string> id, const frond::http::Request& request,
                    Responder responder) {
  Wanted wanted{std::move(id), {}};
  if (auto refusal = read_parameters(request.query, wanted)) return responder.send(*std::move(refusal));
  auto topology = service.scatter().map.topology();
  if (!topology) return responder.send(frond::http::problem(503, "Unavailable", "No leaf serves this collection yet."));
  if (wanted.id->size() > wire::kMaxFetchedIdBytes) return responder.send(missing(*wanted.id));
  if (const auto old = scatter::too_old_for(*topology, wire::kFeatureById))
    return responder.send(frond::http::problem(
        503, "Unavailable",
        "The leaf " + *old +
            " is of an older version, which finds no document by its id; no other has its partitions."));
  std::make_shared<LookUpJob>(service, std::move(topology), std::move(wanted), request.asker(), std::move(responder))
      ->begin();
}

}  // namespace frond::broker::http
