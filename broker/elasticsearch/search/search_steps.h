#pragma once
// Plain searches one after the other, for one answer. Internal to this folder. On one thread of the broker.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "broker/elasticsearch/search/search_job.h"
#include "broker/http/search/search_parameters.h"

namespace frond::broker::elasticsearch {

inline constexpr std::uint32_t kPage = http::kMaxK;                   // hits of one search
inline constexpr std::size_t kMaxWindowBytes = std::size_t{8} << 20;  // of all hits' documents, read by the loop

std::string key_of(const Gathered& in, const Hit& hit);
// What matches `query`, of these hits alone, of whichever index. A null query matches everything.
Json narrowed(const Json& query, const std::vector<Hit>& hits, std::size_t from, std::size_t most);

class SearchSteps : public std::enable_shared_from_this<SearchSteps> {
 public:
  SearchSteps(const SearchSteps&) = delete;
  SearchSteps& operator=(const SearchSteps&) = delete;
  bool is_over() const { return !done_; }
  void abandon();

 protected:
  using Heard = std::function<void(Expected<Gathered>)>;
  using Next = std::function<void(Gathered)>;

  SearchSteps(SearchedTargets targets, SearchAsk ask, Heard done)
      : targets_(std::move(targets)), ask_(std::move(ask)), done_(std::move(done)) {}
  ~SearchSteps() = default;

  // One search: up to kPage hits, and of several indices up to kPage of from + size.
  void run_any(SearchAsk ask, Heard heard);
  // An error ends all.
  void run(SearchAsk ask, Next next);
  // Any page, in as many searches as it takes. 501: such a page of several indices, or of too many bytes.
  void run_page(SearchAsk ask, Heard heard);
  // The query of `ask` for these hits, which stay where they are, in as many searches as it takes.
  void run_for(const std::vector<Hit>& hits, SearchAsk ask, std::function<void(const Gathered&)> each,
               std::function<void()> last, std::size_t from = 0);
  // Which of the hits match a query.
  void match(const std::vector<Hit>& hits, const Json& query, std::function<void(std::set<std::string>)> next);
  void finish(Expected<Gathered> result);

  const SearchedTargets targets_;
  SearchAsk ask_;
  Heard done_;  // null: it was called, or the search is abandoned

 private:
  void add_pages(SearchAsk ask, std::shared_ptr<Gathered> all, std::size_t bytes, Heard heard);
  // An error if this search fails in more indices than the first one did: its hits would be kept as if they did not
  // match.
  Expected<Gathered> unless_fewer(Gathered answer);

  Abandon abandon_;  // of the search that is running
  std::uint64_t running_ = 0;
  std::optional<std::size_t> unfit_;  // indices that the first search did not fit
};

}  // namespace frond::broker::elasticsearch
