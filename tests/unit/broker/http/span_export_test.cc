#include "broker/http/monitoring/span_export.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/scripted_broker.h"
#include "tests/support/scripted_http.h"
#include "tests/support/scripted_replies.h"

namespace frond::broker::http {
namespace {
using nlohmann::json;
using support::ScriptedHttp;
using namespace std::chrono_literals;

const frond::http::Trace kKept{
    .high = 0x4bf92f3577b34da6, .low = 0xa3ce929d0e0e4736, .span = 7, .parent = 0x00f067aa0ba902b7, .sampled = true};

Span some_span() {
  const Instant now = SteadyClock().now();
  return {.name = "a \"name\"",
          .kind = Span::Kind::kClient,
          .id = 0xab,
          .parent = 7,
          .begin = now - 3ms,
          .end = now - 1ms,
          .error = {},
          .attributes = {{"text", std::string("x\ny")}, {"count", std::uint64_t{1} << 63}}};
}

// Takes what it is sent.
class Collector {
 public:
  explicit Collector(std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
      : answer_(std::move(answer)) {}
  std::string url() const { return server_.url(); }
  const ScriptedHttp& server() const { return server_; }
  std::vector<json> spans() const {
    const std::lock_guard lock(mutex_);
    std::vector<json> all;
    for (const json& body : bodies_)
      for (const json& span : body["resourceSpans"][0]["scopeSpans"][0]["spans"]) all.push_back(span);
    return all;
  }
  std::vector<json> bodies() const {
    const std::lock_guard lock(mutex_);
    return bodies_;
  }

 private:
  void take(const ScriptedHttp::Talk& talk) {
    const std::size_t at = talk.request.find("Content-Length: ");
    std::string body(at == std::string::npos ? 0 : std::stoul(talk.request.substr(at + 16)), ' ');
    for (std::size_t got = 0; got < body.size();)
      got += static_cast<std::size_t>(std::max<ssize_t>(::recv(talk.connection, &body[got], body.size() - got, 0), 0));
    {
      const std::lock_guard lock(mutex_);
      bodies_.push_back(json::parse(body));
    }
    talk.send(answer_);
  }

  const std::string answer_;
  mutable std::mutex mutex_;
  std::vector<json> bodies_;
  const ScriptedHttp server_{[this](const ScriptedHttp::Talk& talk) { take(talk); }};
};

SpanExport::Config to(const std::string& url) {
  return {.collector = url, .version = "9", .instance = "b1", .patience = 200ms, .pause = 5ms};
}
std::string text_of(const json& attributes, const std::string& key) {
  for (const json& one : attributes)
    if (one["key"] == key) return one["value"].begin()->get<std::string>();
  return "none";
}

TEST(ASpanExport, SendsWhatTheProtocolWants) {
  const Collector collector;
  const std::string url = collector.url() + "/base";
  const auto before = std::chrono::system_clock::now().time_since_epoch();
  {
    const auto spans = *SpanExport::create(to(url), nullptr);
    const Span two[] = {some_span(), some_span()};
    spans->add(kKept, two);
  }
  ASSERT_EQ(collector.bodies().size(), 1u);
  EXPECT_TRUE(collector.server().requests()[0].starts_with("POST /base/v1/traces HTTP/1.1\r\n"));
  EXPECT_NE(collector.server().requests()[0].find("Content-Type: application/json\r\n"), std::string::npos);
  const json resource = collector.bodies()[0]["resourceSpans"][0]["resource"]["attributes"];
  EXPECT_EQ(text_of(resource, "service.name"), "frond-broker");
  EXPECT_EQ(text_of(resource, "service.version"), "9");
  EXPECT_EQ(text_of(resource, "service.instance.id"), "b1");
  ASSERT_EQ(collector.spans().size(), 2u);
  const json span = collector.spans()[0];
  EXPECT_EQ(span["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(span["spanId"], "00000000000000ab");
  EXPECT_EQ(span["parentSpanId"], "0000000000000007");
  EXPECT_EQ(span["name"], "a \"name\"");
  EXPECT_EQ(span["kind"], 3);
  EXPECT_EQ(span["status"], json::object());
  EXPECT_EQ(span["attributes"], json::parse(R"([{"key":"text","value":{"stringValue":"x\ny"}},
                                                {"key":"count","value":{"intValue":"9223372036854775808"}}])"));
  const auto begin = std::stoll(span["startTimeUnixNano"].get<std::string>());
  const auto end = std::stoll(span["endTimeUnixNano"].get<std::string>());
  EXPECT_NEAR(static_cast<double>(end - begin), 2e6, 1e5);
  EXPECT_NEAR(static_cast<double>(begin), static_cast<double>(std::chrono::nanoseconds(before).count()), 5e9);
}

TEST(ASpanExport, KeepsTheTracesThatClientsKeepAndAShareOfTheOthers) {
  const Collector collector;
  const auto url = collector.url();
  auto none = to(url), half = to(url);
  half.share = 0.5;
  const auto without = *SpanExport::create(none, nullptr), with = *SpanExport::create(half, nullptr);
  EXPECT_TRUE(without->keeps(kKept));
  frond::http::Trace trace = kKept;
  trace.sampled = false;
  trace.span = ~std::uint64_t{0};
  EXPECT_FALSE(with->keeps(trace)) << "its client does not keep it";
  trace.parent = 0;
  EXPECT_FALSE(without->keeps(trace));
  EXPECT_TRUE(with->keeps(trace));
  trace.span = 1;
  EXPECT_FALSE(with->keeps(trace));
}

TEST(ASpanExport, HasASpanForARequest) {
  const Collector collector;
  const auto url = collector.url();
  {
    const auto spans = *SpanExport::create(to(url), nullptr);
    spans->add({.route = "/v1/search", .method = "GET", .status = 503, .seconds = 0.25, .bytes = 12, .trace = kKept},
               SteadyClock().now());
    frond::http::Trace other = kKept;
    other.sampled = false;
    spans->add({.route = "/v1/search", .method = "GET", .status = 200, .seconds = 0, .bytes = 0, .trace = other},
               SteadyClock().now());
  }
  ASSERT_EQ(collector.spans().size(), 1u);
  const json span = collector.spans()[0];
  EXPECT_EQ(span["name"], "GET /v1/search");
  EXPECT_EQ(span["kind"], 2);
  EXPECT_EQ(span["spanId"], "0000000000000007");
  EXPECT_EQ(span["parentSpanId"], "00f067aa0ba902b7");
  EXPECT_EQ(span["status"], json::parse(R"({"code":2,"message":"status 503"})"));
  EXPECT_EQ(text_of(span["attributes"], "http.response.status_code"), "503");
}

// Also one whose text is known, so that it is not read.
TEST(ASpanExport, HasASpanForEachSearchThatTheCacheAnswers) {
  const Collector collector;
  const auto url = collector.url();
  support::ScriptedBroker broker{{}};
  broker.up();
  {
    const auto spans = *SpanExport::create(to(url), nullptr);
    broker.service.shared().spans = spans.get();
    SearchParameters parameters;
    parameters.q = "cell";
    for (int i = 0; i < 2; ++i) {
      broker.service.search(parameters, [](const auto&) {}, "q=cell", {.trace = kKept});
      broker.play();
    }
    EXPECT_TRUE(broker.service.known_answer("q=cell", kKept));
    EXPECT_TRUE(broker.service.known_answer("q=cell")) << "of a trace that is not kept";
    broker.service.shared().spans = nullptr;
  }
  std::vector<std::string> caches;
  for (const json& span : collector.spans())
    if (span["name"] == "search") {
      caches.push_back(text_of(span["attributes"], "frond.cache"));
      EXPECT_EQ(span["parentSpanId"], "0000000000000007");
    }
  EXPECT_EQ(caches, (std::vector<std::string>{"miss", "hit", "hit"}));
}

TEST(ASpanExport, WaitsForNoCollectorThatHangs) {
  const ScriptedHttp collector(
      [](const ScriptedHttp::Talk& talk) {
        char byte = 0;
        while (::recv(talk.connection, &byte, 1, 0) == 1) continue;
      },
      ScriptedHttp::Begins::kAtOnce);
  const auto url = collector.url();
  auto config = to(url);
  config.most_bytes = 64 << 10;
  config.patience = 60s;
  auto spans = *SpanExport::create(config, nullptr);
  const auto begin = SteadyClock().now();
  const std::vector<Span> many(10, some_span());
  for (int i = 0; i < 1'000; ++i) spans->add(kKept, many);
  EXPECT_LT(SteadyClock().now() - begin, 5s);
  const auto counts = spans->counts();
  EXPECT_EQ(counts.sent + counts.failed, 0u);
  EXPECT_GT(counts.dropped, 9'000u) << "64 KiB wait, and as much is on its way";
  spans.reset();
  EXPECT_LT(SteadyClock().now() - begin, 10s) << "the end waits for it for a second";
}

// A collector that takes spans, and sends its answer byte by byte, for ever.
TEST(ASpanExport, GivesUpACollectorWhoseAnswerNeverEnds) {
  std::atomic<int> asked = 0;
  const ScriptedHttp collector([&](const ScriptedHttp::Talk& talk) {
    ++asked;
    talk.send("HTTP/1.1 200 OK\r\n");
    while (talk.send("x")) std::this_thread::sleep_for(100ms);
  });
  const auto url = collector.url();
  auto config = to(url);
  const Span span = some_span();
  const auto eventually = [](const auto& is) {
    for (const auto end = SteadyClock().now() + 10s; !is() && SteadyClock().now() < end;)
      std::this_thread::sleep_for(1ms);
    return is();
  };
  {
    config.longest = 300ms;
    const auto spans = *SpanExport::create(config, nullptr);
    spans->add(kKept, {&span, 1});
    EXPECT_TRUE(eventually([&] { return spans->counts().failed == 1; })) << "though it is never silent for 200 ms";
  }
  config.longest = 60s;
  auto spans = *SpanExport::create(config, nullptr);
  asked = 0;
  spans->add(kKept, {&span, 1});
  EXPECT_TRUE(eventually([&] { return asked > 0; }));
  spans->add(kKept, {&span, 1});
  const auto begin = SteadyClock().now();
  spans.reset();
  EXPECT_LT(SteadyClock().now() - begin, config.longest / 2);
}

TEST(ASpanExport, WaitsAtItsEndForACollectorThatIsWell) {
  std::atomic<bool> asked = false, answered = false;
  const ScriptedHttp collector([&](const ScriptedHttp::Talk& talk) {
    asked = true;
    std::this_thread::sleep_for(300ms);
    ssize_t got = 1;
    for (char byte = 0; got == 1;) got = ::recv(talk.connection, &byte, 1, MSG_DONTWAIT);
    answered = got < 0 && talk.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");  // 0: it was closed
  });
  const auto url = collector.url();
  auto config = to(url);
  config.patience = config.at_end = 60s;  // however busy the machine is
  auto spans = *SpanExport::create(config, nullptr);
  const Span span = some_span();
  spans->add(kKept, {&span, 1});
  while (!asked) std::this_thread::sleep_for(1ms);
  spans.reset();
  EXPECT_TRUE(answered) << "the request under way has its time, too";
}

TEST(ASpanExport, HasNoSpanThatEndsBeforeItBegins) {
  const Collector collector;
  const auto url = collector.url();
  {
    const auto spans = *SpanExport::create(to(url), nullptr);
    Span span = some_span();
    span.end = span.begin;
    spans->add(kKept, std::vector<Span>(1'000, span));
  }
  ASSERT_EQ(collector.spans().size(), 1'000u);
  const auto all = collector.spans();
  for (const json& span : all) EXPECT_EQ(span["startTimeUnixNano"], all[0]["endTimeUnixNano"]);
}

TEST(ASpanExport, CountsWhatTheCollectorDoesNotTake) {
  const auto failed_at = [](const std::string& url) {
    auto config = to(url);
    const auto spans = *SpanExport::create(config, nullptr);
    const Span span = some_span();
    spans->add(kKept, {&span, 1});
    const auto begin = SteadyClock().now();
    while (spans->counts().failed == 0 && SteadyClock().now() - begin < 10s) std::this_thread::sleep_for(1ms);
    return spans->counts().failed;
  };
  EXPECT_EQ(failed_at("http://127.0.0.1:1"), 1u) << "nobody listens";
  const Collector refuses("HTTP/1.1 429 No\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(failed_at(refuses.url()), 1u);
  EXPECT_FALSE(SpanExport::create({.collector = "ftp://x"}, nullptr));
}

TEST(ASpanExport, ShowsWhatASearchWaitedFor) {
  const Collector collector;
  const auto url = collector.url();
  std::uint64_t leaf_is_asked = 0;
  {
    const auto spans = *SpanExport::create(to(url), nullptr);
    support::ScriptedBroker broker;
    broker.shared.spans = spans.get();
    broker.up();
    const auto ask = [&](bool sampled) {
      support::Answered answered;
      SearchParameters asked;
      asked.q = sampled ? "one" : "two";
      frond::http::Trace trace = kKept;
      trace.sampled = sampled;
      broker.service.search(asked, answered.reply(), {}, {.client = {}, .trace = trace});
      leaf_is_asked += broker.leaf().searches.last().profile;
      broker.leaf().searches.answer(support::found({{0, 9}, {1, 8}}));
      broker.cluster.clock.advance(5ms);
      broker.play_fetches();
      EXPECT_EQ(answered.status(), 200);
      EXPECT_FALSE(answered.body().contains("profile"));
    };
    ask(true);
    ask(false);
  }
  EXPECT_EQ(leaf_is_asked, 1u) << "where its time went, of the one that is kept";
  const auto spans = collector.spans();
  const auto find = [&](const std::string& name) {
    for (const json& one : spans)
      if (one["name"] == name) return one;
    return json::object();
  };
  ASSERT_EQ(spans.size(), 6u) << json(spans).dump(1);
  EXPECT_EQ(find("search")["parentSpanId"], "0000000000000007");
  EXPECT_EQ(text_of(find("search")["attributes"], "frond.outcome"), "whole");
  EXPECT_EQ(find("evaluation")["parentSpanId"], find("search")["spanId"]);
  EXPECT_EQ(find("leaf")["parentSpanId"], find("evaluation")["spanId"]);
  EXPECT_EQ(find("leaf queue")["parentSpanId"], find("leaf")["spanId"]);
  EXPECT_EQ(find("leaf evaluation")["parentSpanId"], find("leaf")["spanId"]);
  EXPECT_EQ(find("fetch")["parentSpanId"], find("evaluation")["spanId"]);
}

}  // namespace
}  // namespace frond::broker::http
