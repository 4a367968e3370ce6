// JSON lines with "title" and "contents" on standard input; on standard output the tokens that our indexer makes of
// each (no stemming, no stop words), split by single spaces: what the peers index.
#include <nlohmann/json.hpp>

#include <cstdio>
#include <iostream>
#include <string>

#include "common/text/analyzer.h"

int main() {
  frond::text::Analyzer analyzer({.stemmer = frond::text::Stemmer::kNone, .stop_words = false});
  std::string line, out;
  while (std::getline(std::cin, line)) {
    const auto record = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!record.is_object()) {
      std::fprintf(stderr, "tokens: a line is no JSON object\n");
      return 1;
    }
    out.clear();
    for (const char* field : {"title", "contents"}) {
      const auto text = record.find(field);
      if (text == record.end() || !text->is_string()) continue;
      analyzer.analyze(text->get_ref<const std::string&>(),
                       [&](std::string_view term, auto) { out.append(out.empty() ? "" : " ").append(term); });
    }
    out += '\n';
    std::fwrite(out.data(), 1, out.size(), stdout);
  }
  return 0;
}
