#pragma once
// Answers a GET of a collection's CURRENT when it has changed: "Prefer: wait=SECONDS" with If-None-Match (RFC 7240). So
// leaves know of a generation as soon as it is current, whoever published it: this process or a command.
//
// What waits is bounded: kMaxWait, `max_waiting` requests, and a request goes with its client. A request that can't
// wait is answered at once, without Preference-Applied: its client polls.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/files/folder_watch.h"
#include "common/http/message.h"
#include "common/metrics/registry.h"

namespace frond::indexer::serve {

inline constexpr std::chrono::seconds kMaxWait{60};

// How long a request is willing to wait; 0: not at all.
std::chrono::seconds asked_wait(const http::Request& request);

// Used on the io_context's thread.
class CurrentNews {
 public:
  // `answer` answers a request for a file now, on any thread; `run` has something done on a thread that may block.
  CurrentNews(boost::asio::io_context& io, std::filesystem::path repository, std::size_t max_waiting,
              std::function<http::Response(const http::Request&)> answer,
              std::function<void(std::function<void()>)> run, metrics::Registry& registry);
  ~CurrentNews();
  CurrentNews(const CurrentNews&) = delete;
  CurrentNews& operator=(const CurrentNews&) = delete;

  // Takes a GET that may wait for the collection's CURRENT.
  void take(const std::string& collection, http::Request&& request, http::Responder responder);
  // Answers what waits, and lets nothing wait any more.
  void drain();
  std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Waiting {
    std::string collection;
    std::shared_ptr<const http::Request> request;
    std::optional<http::Responder> responder;
    std::chrono::steady_clock::time_point until;
    std::uint64_t looks = 0;  // under way
  };
  bool watch(const std::string& collection);
  void read_events();
  void read_events_later();
  void look(std::uint64_t id);
  void looked(std::uint64_t id, http::Response response);
  void expire_later();
  void finish(std::uint64_t id, http::Response response, bool waited);
  void changed(const std::string& collection);

  boost::asio::io_context& io_;
  const std::filesystem::path repository_;
  const std::size_t max_waiting_;
  const std::function<http::Response(const http::Request&)> answer_;
  const std::function<void(std::function<void()>)> run_;
  metrics::Gauge waiting_gauge_;
  boost::asio::steady_timer timer_;
  std::optional<files::FolderWatch> folders_;  // none: the system has none to give; nothing waits
  boost::asio::posix::stream_descriptor readable_;
  std::map<int, std::string> watched_;  // collections by their folder's number
  std::map<std::uint64_t, Waiting> waiting_;
  std::uint64_t next_ = 1;
  bool draining_ = false, timed_ = false;
  std::shared_ptr<CurrentNews*> alive_;  // null inside after our destructor: looks may end later
};

}  // namespace frond::indexer::serve
