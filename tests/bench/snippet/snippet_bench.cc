// Microseconds a snippet, by size of the body and number of query terms.
//
// usage: snippet_bench [--standard2|--standard3] ARTICLES QUERIES [BYTES TERMS [ROUNDS]]
// ARTICLES: JSON Lines with "contents". QUERIES: a line each, as NUMBER:TEXT. A body is the beginning of an article, or
// for large bodies of several articles joined. A query is shown with the body, of some hundreds, that has most of its
// terms, then most occurrences, since hits are such bodies. Without BYTES and TERMS: 1 KiB to 1 MiB, 1 to 5 terms.
//
// Instructions: valgrind --tool=callgrind --toggle-collect='frond::text::snippet(*' snippet_bench A Q BYTES TERMS 1,
// divided by the snippets printed.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/text/snippets/snippet.h"
#include "common/text/utf8.h"

namespace {

using frond::text::Analyzer;
using Terms = std::vector<std::string>;

constexpr std::size_t kJoinFrom = 64 << 10;  // few articles are as long
constexpr std::size_t kMaxBytes = 16 << 20;  // of all bodies
constexpr std::size_t kMaxQueries = 100;

std::vector<std::string> read_bodies(const char* path, std::size_t bytes) {
  std::ifstream file(path);
  std::vector<std::string> bodies;
  std::string line, body;
  const std::size_t most = std::clamp<std::size_t>(kMaxBytes / bytes, 1, 400);
  while (bodies.size() < most && std::getline(file, line)) {
    const auto record = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!record.is_object() || !record.contains("contents")) continue;
    if (bytes < kJoinFrom) body.clear();
    body += record["contents"].get_ref<const std::string&>();
    if (body.size() < bytes) continue;
    body.resize(frond::text::utf8_boundary(body, bytes));
    bodies.push_back(std::move(body));
    body.clear();
  }
  return bodies;
}

// Queries with `count` different terms.
std::vector<Terms> read_queries(const char* path, std::size_t count, Analyzer& analyzer) {
  std::ifstream file(path);
  std::vector<Terms> queries;
  for (std::string line; std::getline(file, line);) {
    Terms terms;
    for (std::string& term : analyzer.terms(std::string_view(line).substr(line.find(':') + 1)))
      if (std::ranges::find(terms, term) == terms.end()) terms.push_back(std::move(term));
    if (terms.size() == count) queries.push_back(std::move(terms));
  }
  return queries;
}

struct Shown {
  const std::string* body = nullptr;
  const Terms* terms = nullptr;
};

std::vector<Shown> pair_up(const std::vector<std::string>& bodies, const std::vector<Terms>& queries,
                           Analyzer& analyzer) {
  std::unordered_map<std::string, std::map<std::size_t, std::size_t>> occurrences;  // by term, then body
  for (const Terms& terms : queries)
    for (const std::string& term : terms) occurrences[term];
  for (std::size_t i = 0; i < bodies.size(); ++i)
    analyzer.analyze(bodies[i], [&](std::string_view term, auto) {
      const auto found = occurrences.find(std::string(term));
      if (found != occurrences.end()) ++found->second[i];
    });
  std::vector<Shown> shown;
  for (const Terms& terms : queries) {
    std::map<std::size_t, std::pair<std::size_t, std::size_t>> scores;  // of bodies
    for (const std::string& term : terms)
      for (const auto& [body, count] : occurrences[term]) ++scores[body].first, scores[body].second += count;
    const auto best =
        std::ranges::max_element(scores, [](const auto& a, const auto& b) { return a.second < b.second; });
    if (best == scores.end()) continue;
    shown.push_back({&bodies[best->first], &terms});
    if (shown.size() == kMaxQueries) break;
  }
  return shown;
}

double cpu_us() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

void measure(frond::text::AnalyzerKind kind, const char* articles, const char* log, std::size_t bytes,
             std::size_t terms, std::size_t rounds) {
  Analyzer analyzer({.kind = kind});
  const std::vector<std::string> bodies = read_bodies(articles, bytes);
  const std::vector<Terms> queries = read_queries(log, terms, analyzer);
  const std::vector<Shown> shown = pair_up(bodies, queries, analyzer);
  std::size_t shown_bytes = 0;
  double best = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const double start = cpu_us();
    for (const Shown& one : shown)
      shown_bytes += frond::text::snippet(analyzer, *one.body, *one.terms, frond::text::kSnippetBytes).size();
    const double took = cpu_us() - start;
    best = round == 0 ? took : std::min(best, took);
  }
  const auto count = static_cast<double>(std::max<std::size_t>(1, shown.size()));
  std::printf("%8zu bytes, %zu terms: %zu bodies, %zu snippets, %.2f us each, %.0f bytes shown\n", bytes, terms,
              bodies.size(), shown.size() * rounds, best / count,
              static_cast<double>(shown_bytes) / count / static_cast<double>(rounds));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  auto kind = frond::text::AnalyzerKind::kStandard;
  if (argc > 1 && std::string_view(argv[1]).starts_with("--")) {
    const auto named = frond::text::analyzer_named(std::string_view(argv[1]).substr(2));
    if (!named) return 2;
    kind = *named;
    --argc, ++argv;
  }
  if (argc != 3 && argc != 5 && argc != 6) {
    std::fprintf(stderr, "usage: snippet_bench [--standard2|--standard3] ARTICLES QUERIES [BYTES TERMS [ROUNDS]]\n");
    return 2;
  }
  const auto number = [&](int i) { return static_cast<std::size_t>(std::strtoull(argv[i], nullptr, 10)); };
  if (argc > 3) {
    measure(kind, argv[1], argv[2], number(3), number(4), argc > 5 ? number(5) : 5);
    return 0;
  }
  for (const std::size_t bytes : {1 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20})
    for (const std::size_t terms : {1, 2, 3, 5}) measure(kind, argv[1], argv[2], bytes, terms, 5);
}
