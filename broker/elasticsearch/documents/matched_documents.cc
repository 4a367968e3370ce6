#include "broker/elasticsearch/documents/matched_documents.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include <simdjson.h>

namespace frond::broker::elasticsearch {
namespace {

using frond::http::Response;
using http::SearchService;

constexpr std::uint32_t kMatchedPage = 100;  // whole documents, which one turn of a thread reads

struct MatchedPage {
  std::uint64_t total = 0;
  std::string cursor;  // empty: there is no page behind it
  std::vector<MatchedDocument> documents;
};

// Nothing: it can't be read. What documents hold beside their number is passed over.
std::optional<MatchedPage> matched_page(const std::string& body, std::size_t index) {
  namespace json = simdjson::ondemand;
  thread_local json::parser parser;
  const simdjson::padded_string padded(body);
  json::document document;
  json::object root;
  json::array hits;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS || document.get_object().get(root) != simdjson::SUCCESS)
    return std::nullopt;
  MatchedPage page;
  std::string_view text;
  if (root["cursor"].get_string().get(text) == simdjson::SUCCESS) page.cursor = text;
  if (root["total"]["value"].get_uint64().get(page.total) != simdjson::SUCCESS) page.total = 0;
  if (root["hits"].get_array().get(hits) != simdjson::SUCCESS) return std::nullopt;
  for (auto hit : hits) {
    MatchedDocument& one = page.documents.emplace_back();
    one.index = index;
    json::object object;
    if (hit.get_object().get(object) != simdjson::SUCCESS || object["id"].get_string().get(text) != simdjson::SUCCESS)
      return std::nullopt;
    one.id = text;
    std::uint64_t number = 0;
    if (object["source"]["_seq_no"].get_uint64().get(number) == simdjson::SUCCESS) one.seq_no = number;
  }
  return page;
}

class Matching : public std::enable_shared_from_this<Matching> {
 public:
  Matching(SearchedTargets targets, SearchAsk ask, std::optional<std::size_t> most,
           std::function<void(Expected<Matched>)> done)
      : targets_(std::move(targets)), ask_(std::move(ask)), most_(most), done_(std::move(done)) {
    ask_.sort = {{.field = "_doc"}};
    ask_.size = kMatchedPage;
    ask_.partial = false;
  }

  void next_index() {
    if (at_ == targets_.meant.size() || is_full()) return finish(std::move(matched_));
    auto searched = searched_index(targets_.meant[at_++], targets_.indices);
    if (!searched) return finish(std::move(searched).error());
    if (searched->derived)
      return finish(not_supported("Documents by query of index [" + searched->name + "], not made by this API,"));
    const auto* const collection = http::find_collection(*targets_.collections, searched->name);
    if (collection == nullptr) return finish(unavailable("index [" + searched->name + "] is not served yet"));
    service_ = collection->service;
    in_use_ = service_->in_use();
    const auto topology = service_->scatter().map.topology();
    if (topology) *searched = without_new_fields(*std::move(searched), *topology->schema);
    Statistics statistics;  // of scores, which nobody asks for, and of patterns
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    auto read = parameters_of(ask_, *searched, analyzer_of(searched->mapping->analyzer), statistics,
                              std::chrono::duration_cast<std::chrono::milliseconds>(now).count(), /*several=*/false);
    if (!read) return finish(std::move(read).error());
    // Without the values it would match nothing, and everything where it is negated.
    if (statistics.lacks_words())
      return finish(
          not_supported("a pattern or a fuzzy word that is looked for among all values, in a change by query,"));
    parameters_ = std::move(read->hits);
    if (!topology && targets_.meant[at_ - 1].index->may_be_empty())
      parameters_.unpublished = no_documents(*searched->mapping);
    parameters_.cache = false;
    parameters_.exact_total = true;
    parameters_.timeout_ms = static_cast<std::uint32_t>(service_->config().max_timeout.count());
    matched_.indices.push_back(searched->name);
    ask_page();
  }

 private:
  bool is_full() const { return most_ && matched_.documents.size() >= *most_; }

  void ask_page() {
    (void)service_->search(
        parameters_,
        [self = shared_from_this()](const Response& response) {
          try {
            self->take_page(response);
          } catch (const std::exception& thrown) {  // nothing behind callbacks of leaves would catch it
            self->finish(ApiError{.status = 500, .type = "exception", .reason = thrown.what()});
          }
        },
        {}, targets_.asker);
  }

  void take_page(const Response& response) {
    if (response.status != 200) {
      ApiError error = error_of(response);
      return finish(response.status == 400 ? not_supported("this query (" + error.reason + ")") : std::move(error));
    }
    auto page = matched_page(response.body, matched_.indices.size() - 1);
    if (!page) return finish(unavailable("the answer of the search can't be read"));
    if (!most_ && matched_.documents.size() + page->total > kMaxMatched && parameters_.search_after.empty())
      return finish(illegal_argument("the query matches more than " + std::to_string(kMaxMatched) +
                                     " documents, which is not supported in one request: give [max_docs]"));
    for (MatchedDocument& one : page->documents) {
      if (is_full()) break;
      matched_.documents.push_back(std::move(one));
    }
    parameters_.exact_total = false;  // the first page has told
    parameters_.search_after = std::move(page->cursor);
    if (page->documents.size() < kMatchedPage || parameters_.search_after.empty() || is_full()) return next_index();
    ask_page();
  }

  void finish(Expected<Matched> result) {
    if (const auto done = std::exchange(done_, nullptr)) done(std::move(result));
  }

  const SearchedTargets targets_;
  SearchAsk ask_;
  const std::optional<std::size_t> most_;
  std::function<void(Expected<Matched>)> done_;
  std::size_t at_ = 0;  // the next index of the targets
  SearchService* service_ = nullptr;
  std::shared_ptr<const void> in_use_;  // SearchService::in_use(): the index may go before the answer comes
  http::SearchParameters parameters_;
  Matched matched_;
};

}  // namespace

void match_documents(SearchedTargets targets, SearchAsk ask, std::optional<std::size_t> most,
                     std::function<void(Expected<Matched>)> done) {
  std::make_shared<Matching>(std::move(targets), std::move(ask), most, std::move(done))->next_index();
}

}  // namespace frond::broker::elasticsearch
