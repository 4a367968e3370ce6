#include "tools/import/import_index.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "common/base/text.h"
#include "common/keys/api_key.h"
#include "tools/client/broker_client.h"
#include "tools/import/import_state.h"
#include "tools/import/mapping_schema.h"
#include "tools/import/source_index.h"

namespace frond::tools {
namespace {

constexpr std::size_t kMaxRequestBytes = 8 << 20;  // of documents to the service
constexpr std::uint64_t kMaxTold = 20;             // refused documents

std::string shown(const net::Url& url) { return (url.tls ? "https://" : "http://") + url.authority() + url.path; }

// The collection's side: makes it, and hands it documents.
class Destination {
 public:
  Destination(const ImportOptions& options, const ImportEvents& events)
      : requests_("the service", options.to, options.retries, events.said),
        path_("/v1/collections/" + percent_encoded(options.collection)),
        events_(events) {}

  // `key`: as of an earlier run that may have made it.
  Result<void> make(const std::string& settings, const std::string& key) {
    const auto made =
        FROND_TRY(requests_.ask("PUT", path_, settings, "application/json", "Idempotency-Key: " + key + "\r\n"));
    if (made.status == 201) return {};
    if (made.status == 409)
      return Error(Code::kInvalid, "there is a collection of this name already: give --collection another one");
    return refusal_of(made).within("making the collection");
  }

  // Returns how many were refused.
  Result<std::uint64_t> add(std::span<const std::string> lines) {
    std::uint64_t refused = 0;
    while (!lines.empty()) {
      std::size_t bytes = 0, count = 0;
      while (count < lines.size() && (count == 0 || bytes + lines[count].size() <= kMaxRequestBytes))
        bytes += lines[count++].size();
      refused += FROND_TRY(post(lines.first(count)));
      lines = lines.subspan(count);
    }
    return refused;
  }

  void tell(const std::string& document, const std::string& why) {
    if (told_++ < kMaxTold) events_.said(fmt::format("refused: {}: {}", document, why));
  }

  Result<void> publish() {
    const auto answer = FROND_TRY(requests_.ask("POST", path_ + "/refresh"));
    return answer.status == 200 ? Result<void>() : refusal_of(answer).within("publishing");
  }

 private:
  // Too many bytes go in halves; a document that alone has too many is refused.
  Result<std::uint64_t> post(std::span<const std::string> lines) {
    std::string body;
    for (const std::string& line : lines) body += line;
    const std::string key = "Idempotency-Key: " + FROND_TRY(keys::make_key()) + "\r\n";
    const auto answer = FROND_TRY(requests_.ask("POST", path_ + "/documents", body, "application/x-ndjson", key));
    if (answer.status == 413 && lines.size() > 1) {
      const std::uint64_t first = FROND_TRY(post(lines.first(lines.size() / 2)));
      return first + FROND_TRY(post(lines.subspan(lines.size() / 2)));
    }
    if (answer.status == 413) {
      tell(beginning_of(lines.front()), "it has too many bytes");
      return std::uint64_t{1};
    }
    if (answer.status != 200) return refusal_of(answer).within("adding documents");
    return refused_in(answer.body, lines);
  }

  Result<std::uint64_t> refused_in(std::string_view answer, std::span<const std::string> lines) {
    std::uint64_t refused = 0;
    if (const auto told = std::ranges::count(answer, '\n'); told != std::ssize(lines))
      return Error(Code::kCorrupt, fmt::format("{} documents were answered by {} lines", std::ssize(lines), told));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto end = std::min(answer.find('\n'), answer.size());
      const auto status = nlohmann::json::parse(answer.substr(0, end), nullptr, /*allow_exceptions=*/false);
      answer.remove_prefix(std::min(end + 1, answer.size()));
      if (status.is_object() && status.value("status", 0) == 200) continue;
      ++refused;
      tell(beginning_of(lines[i]), status.is_object() ? status.value("detail", std::string("no reason is told")) : "");
    }
    return refused;
  }
  static std::string beginning_of(const std::string& line) { return line.substr(0, 100) + "…"; }

  RetriedRequests requests_;
  const std::string path_;
  const ImportEvents& events_;
  std::uint64_t told_ = 0;
};

Result<ImportState> state_of(const ImportOptions& options, const ImportEvents& events) {
  ImportState fresh{.from = shown(options.from.url) + "/" + options.index,
                    .to = shown(options.to.url) + "/" + options.collection};
  auto known = FROND_TRY(load_state(options.state));
  if (!known) {
    fresh.key = FROND_TRY(keys::make_key());
    return fresh;
  }
  const std::string file = options.state.string();
  if (known->from != fresh.from || known->to != fresh.to)
    return Error(Code::kInvalid, fmt::format("{} is of an import from {} to {}: give --state another file", file,
                                             known->from, known->to));
  if (known->done)
    return Error(Code::kInvalid, fmt::format("{}: all {} documents were imported; remove the file to do it again", file,
                                             known->place.documents));
  events.said(known->place.documents > 0 ? fmt::format("goes on behind {} documents", known->place.documents)
                                         : std::string("begins again"));
  return *std::move(known);
}

}  // namespace

Result<Imported> import_index(const ImportOptions& options, const ImportEvents& events) {
  ImportState state = FROND_TRY(state_of(options, events));
  RetriedRequests node("the index's node", options.from, options.retries, events.said);
  SourceIndex source(node, percent_encoded(options.index));
  const std::string described = FROND_TRY(source.describe());
  const auto mapping = FROND_TRY(read_mapping(described, options.skip));
  for (const std::string& name : mapping.skipped) events.said("left out: " + name);
  const bool again = std::filesystem::exists(options.state);
  FROND_TRY(save_state(options.state, state));
  Destination destination(options, events);
  if (!state.made) {
    if (auto made = destination.make(mapping.settings, state.key); !made) {
      if (!again) std::filesystem::remove(options.state);  // nothing is begun
      return std::move(made).error();
    }
  }
  state.made = true;
  std::uint32_t hits = options.page;
  for (;;) {
    const std::uint64_t before = state.place.documents;
    auto page = source.next(mapping.fields, hits, state.place);
    if (!page && page.error().code() == Code::kCorrupt && hits > 1) {  // too many bytes, perhaps
      hits /= 2;
      events.said(fmt::format("{}; {} documents are asked for at a time", page.error().message(), hits));
      continue;
    }
    if (!page && page.error().code() == Code::kCorrupt) page = source.pass_over(page.error(), state.place);
    if (!page) return std::move(page).error();
    if (page->hits() == 0) break;
    if (page->first) {
      if (before > 0) events.said("the node has lost the place; it begins again");
      state.total = page->total;
      state.refused = 0;
    }
    state.total = std::max(state.total, state.place.documents);
    for (const auto& [id, why] : page->refused) destination.tell(id, why);
    state.refused += page->refused.size() + FROND_TRY(destination.add(page->lines));
    FROND_TRY(save_state(options.state, state));
    events.progress(state.place.documents, state.total);
    if (state.place.way != SourcePlace::Way::kScroll) hits = std::min(2 * hits, options.page);
  }
  const SourcePlace place = state.place;
  if (place.documents < state.total) {
    state.place = {};
    FROND_TRY(save_state(options.state, state));
    return Error(Code::kUnavailable, fmt::format("the node gave {} of {} documents: the next run begins again",
                                                 place.documents, state.total));
  }
  FROND_TRY(destination.publish());
  state.done = true;
  FROND_TRY(save_state(options.state, state));
  source.close(place);
  return Imported{place.documents, state.refused};
}

}  // namespace frond::tools
