#include "indexer/serve/current_news.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>

namespace frond::indexer::serve {
namespace {
namespace asio = boost::asio;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr metrics::Family kWaiting{"frond_indexer_waiting_for_generations",
                                   "Requests that wait for a collection's next generation: leaves, most often."};
constexpr seconds kLookForExpired{1};
}  // namespace

seconds asked_wait(const http::Request& request) {
  constexpr std::string_view kWait = "wait=";
  const std::string_view field = request.header("prefer");
  const auto at = field.find(kWait);
  if (at == field.npos || (at > 0 && field[at - 1] != ' ' && field[at - 1] != ',')) return seconds(0);
  std::uint32_t number = 0;
  const char* const begin = field.data() + at + kWait.size();
  if (std::from_chars(begin, field.data() + field.size(), number).ec != std::errc()) return seconds(0);
  return std::min<seconds>(seconds(number), kMaxWait);
}

CurrentNews::CurrentNews(asio::io_context& io, std::filesystem::path repository, std::size_t max_waiting,
                         std::function<http::Response(const http::Request&)> answer,
                         std::function<void(std::function<void()>)> run, metrics::Registry& registry)
    : io_(io),
      repository_(std::move(repository)),
      max_waiting_(max_waiting),
      answer_(std::move(answer)),
      run_(std::move(run)),
      waiting_gauge_(registry.gauge(kWaiting)),
      timer_(io),
      readable_(io),
      alive_(std::make_shared<CurrentNews*>(this)) {
  auto folders = files::FolderWatch::open();
  if (!folders) return;
  folders_ = *std::move(folders);
  const int copy = ::dup(folders_->fd());  // Asio closes its own
  boost::system::error_code failed;
  if (copy >= 0) readable_.assign(copy, failed);
  if (copy < 0 || failed)
    folders_.reset();
  else
    read_events_later();
}

CurrentNews::~CurrentNews() { *alive_ = nullptr; }

void CurrentNews::read_events_later() {
  readable_.async_wait(asio::posix::stream_descriptor::wait_read, [this](const boost::system::error_code& cancelled) {
    if (cancelled) return;
    read_events();
    read_events_later();
  });
}

void CurrentNews::read_events() {
  std::vector<std::string> changed_ones;
  for (const auto& event : folders_->events()) {
    if (event.overflow)
      for (const auto& [folder, collection] : watched_) changed_ones.push_back(collection);
    const auto found = watched_.find(event.folder);
    if (found == watched_.end() || (event.name != "CURRENT" && !event.gone)) continue;
    changed_ones.push_back(found->second);
    if (!event.gone) continue;
    folders_->remove(event.folder);
    watched_.erase(found);
  }
  std::ranges::sort(changed_ones);
  changed_ones.erase(std::unique(changed_ones.begin(), changed_ones.end()), changed_ones.end());
  for (const std::string& collection : changed_ones) changed(collection);
}

void CurrentNews::changed(const std::string& collection) {
  for (auto& [id, one] : waiting_)
    if (one.collection == collection) look(id);
}

bool CurrentNews::watch(const std::string& collection) {
  if (!folders_ || repository_.empty()) return false;
  const auto folder = folders_->add(repository_ / collection);
  if (folder) watched_[*folder] = collection;
  return folder.has_value();
}

void CurrentNews::take(const std::string& collection, http::Request&& request, http::Responder responder) {
  const seconds wait = asked_wait(request);
  request.permit.reset();  // waiting takes no place of those that its client's other requests have
  auto held = std::make_shared<const http::Request>(std::move(request));
  // It is watched before it is looked at, so no change is missed in between.
  if (wait.count() == 0 || draining_ || waiting_.size() >= max_waiting_ || !watch(collection)) {
    auto answered = std::make_shared<http::Responder>(std::move(responder));
    return run_([answer = answer_, held, answered] { answered->send(answer(*held)); });
  }
  const std::uint64_t id = next_++;
  responder.on_client_gone([alive = alive_, id] {
    if (*alive == nullptr) return;
    (*alive)->waiting_.erase(id);
    (*alive)->waiting_gauge_.set(static_cast<double>((*alive)->waiting_.size()));
  });
  waiting_.emplace(id, Waiting{collection, std::move(held), std::move(responder), steady_clock::now() + wait});
  waiting_gauge_.set(static_cast<double>(waiting_.size()));
  look(id);
  expire_later();
}

// Finds out, on another thread, whether CURRENT is still what the request knows.
void CurrentNews::look(std::uint64_t id) {
  Waiting& one = waiting_.at(id);
  ++one.looks;
  run_([&io = io_, answer = answer_, request = one.request, alive = alive_, id] {
    asio::post(io, [alive, id, response = answer(*request)]() mutable {
      if (*alive != nullptr) (*alive)->looked(id, std::move(response));
    });
  });
}

void CurrentNews::looked(std::uint64_t id, http::Response response) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return;
  --found->second.looks;
  const bool late = draining_ || steady_clock::now() >= found->second.until;
  if (response.status != 304 || late) finish(id, std::move(response), !draining_);
}

void CurrentNews::finish(std::uint64_t id, http::Response response, bool waited) {
  auto one = waiting_.extract(id);
  waiting_gauge_.set(static_cast<double>(waiting_.size()));
  if (waited) response.headers.emplace_back("Preference-Applied", "wait");
  one.mapped().responder->send(std::move(response));
}

// One timer for all, while there are any.
void CurrentNews::expire_later() {
  if (std::exchange(timed_, true)) return;
  timer_.expires_after(kLookForExpired);
  timer_.async_wait([this](const boost::system::error_code& cancelled) {
    timed_ = false;
    if (cancelled) return;
    for (auto& [id, one] : waiting_)
      if (one.looks == 0 && steady_clock::now() >= one.until) look(id);
    if (!waiting_.empty()) expire_later();
  });
}

void CurrentNews::drain() {
  draining_ = true;
  timer_.cancel();
  boost::system::error_code ignored;
  readable_.cancel(ignored);
  for (auto& [id, one] : waiting_) look(id);
}

}  // namespace frond::indexer::serve
