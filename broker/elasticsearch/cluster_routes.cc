// What clients and people ask about the cluster as a whole.
#include "broker/elasticsearch/routes.h"
#include "common/config/options.h"

namespace frond::broker::elasticsearch {
namespace {
using frond::http::Access;
using frond::http::Responder;

void serve_root(const Targets&, Call&&, Responder responder) {
  responder.send(json_response({{"name", "frond"},
                                {"cluster_name", "frond"},
                                {"cluster_uuid", "frond"},
                                {"version",
                                 {{"number", kVersion},
                                  {"build_flavor", "default"},
                                  {"build_type", "deb"},
                                  {"build_hash", config::version()},
                                  {"build_snapshot", false},
                                  {"lucene_version", "9.12.0"},
                                  {"minimum_wire_compatibility_version", "7.17.0"},
                                  {"minimum_index_compatibility_version", "7.0.0"}}},
                                {"tagline", "You Know, for Search"}}));
}

constexpr Route kRoutes[] = {
    {"GET", "/", Access::kSearch, 0, "", serve_root},
};

}  // namespace

std::span<const Route> cluster_routes() { return kRoutes; }

}  // namespace frond::broker::elasticsearch
