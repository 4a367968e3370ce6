#include "broker/http/document_route.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include "broker/scatter/look_up.h"
#include "broker/scatter/replica_choice.h"
#include "common/wire/limits.h"

namespace frond::broker::http {
namespace {
using frond::http::Responder;
using frond::http::Response;

// A document may be large.
constexpr Admission::Kind kPlace{.batch = false, .costly = true};

Response found(const wire::FetchedDocument& document, Generation generation) {
  const nlohmann::ordered_json body = {{"id", document.id},
                                       {"title", document.title},
                                       {"url", document.url},
                                       {"body", document.body},
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

}  // namespace

void serve_document(SearchService& service, const std::string& id, Responder responder) {
  scatter::ScatterContext& scatter = service.scatter();
  const auto topology = scatter.map.topology();
  if (!topology) return responder.send(frond::http::problem(503, "Unavailable", "No leaf serves this collection yet."));
  if (id.size() > wire::kMaxFetchedIdBytes) return responder.send(missing(id));
  if (const auto old = scatter::too_old_for(*topology, wire::kFeatureById))
    return responder.send(frond::http::problem(
        503, "Unavailable",
        "The leaf " + *old +
            " is of an older version, which finds no document by its id; no other has its partitions."));
  Admission& admission = service.shared().admission;
  if (!admission.try_begin(kPlace)) return responder.send(overloaded());

  // Given back when the look-up ends, or is given up.
  const std::shared_ptr<void> place(nullptr, [&admission](void*) { admission.end(kPlace); });
  const auto shared = std::make_shared<Responder>(std::move(responder));
  const auto answered = std::make_shared<bool>(false);
  const auto deadline = Deadline::after(scatter.timers.clock(), service.config().default_timeout);
  const auto asked = scatter::look_up(
      scatter, topology, id, deadline, [place, shared, answered, id, topology](scatter::LookUpResult result) {
        *answered = true;
        if (result.document) return shared->send(found(*result.document, topology->generation));
        shared->send(result.unsearched.empty() ? missing(id) : unknown(result.unsearched));
      });
  if (*answered) return;
  shared->on_client_gone([asked, held = std::weak_ptr<Responder>(shared)] {
    const auto unanswered = held.lock();
    asked->abandon();
    if (unanswered) unanswered->send(abandoned());
  });
}

}  // namespace frond::broker::http
