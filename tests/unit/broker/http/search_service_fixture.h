#pragma once
// A search service over one scripted leaf, with room for two searches.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "broker/http/search/search_service.h"
#include "tests/support/scripted_broker.h"

namespace frond::broker::http {

inline SearchParameters asking(std::string q, std::uint32_t timeout_ms = 0) {
  SearchParameters out;
  out.q = std::move(q);
  out.timeout_ms = timeout_ms;
  return out;
}

class ASearchService : public testing::Test {
 protected:
  ASearchService() { broker.up(); }
  support::ScriptedBroker broker{{.in_flight = {.all = 2, .batch = 2, .costly = 1}}};
  SearchService& service = broker.service;
  std::size_t asked() { return broker.leaf().searches.asked.size(); }
};

}  // namespace frond::broker::http
