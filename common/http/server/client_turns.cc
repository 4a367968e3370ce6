#include "common/http/server/client_turns.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "common/base/threads/thread_name.h"

namespace frond::http {
namespace {

std::size_t counted(std::size_t bytes) { return bytes > ClientTurns::kLittle ? bytes : 0; }

}  // namespace

ClientTurns::ClientTurns(std::string name, std::size_t threads, std::size_t max_bytes)
    : name_(std::move(name)), of_a_client_(std::max<std::size_t>(threads - 1, 1)), max_bytes_(max_bytes) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

void ClientTurns::add(const ClientId& client, std::size_t bytes, std::function<void()> run) {
  const MutexLock lock(mutex_);
  const auto at = clients_.try_emplace(client).first;
  if (at->second.waiting.empty()) turns_.push_back(at);
  at->second.waiting.push_back({counted(bytes), std::move(run)});
  changed_.notify_one();
}

void ClientTurns::join() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

ClientTurns::Clients::iterator ClientTurns::next() {
  bool room = true;  // what waits for room is not overtaken by other work that needs it
  for (auto turn = turns_.begin(); turn != turns_.end(); ++turn) {
    const auto at = *turn;
    const std::size_t bytes = at->second.waiting.front().bytes;
    if (bytes > 0) room = room && (running_bytes_ == 0 || running_bytes_ + bytes <= max_bytes_);
    if ((bytes > 0 && !room) || at->second.running >= of_a_client_) continue;
    turns_.erase(turn);
    return at;
  }
  return clients_.end();
}

ClientTurns::Taken ClientTurns::take() {
  MutexLock lock(mutex_);
  auto at = clients_.end();
  changed_.wait(mutex_, [&]() FROND_REQUIRES(mutex_) {
    at = next();
    return at != clients_.end() || (ending_ && turns_.empty());
  });
  if (at == clients_.end()) return {at, {}};
  Client& client = at->second;
  Taken taken{at, std::move(client.waiting.front())};
  client.waiting.pop_front();
  if (!client.waiting.empty()) turns_.push_back(at);
  ++client.running;
  running_bytes_ += taken.work.bytes;
  return taken;
}

void ClientTurns::work() {
  name_this_thread(name_.c_str());
  for (Taken taken = take(); taken.work.run; taken = take()) {
    try {
      taken.work.run();
    } catch (const std::exception&) {  // a responder that it holds answers
    }
    taken.work.run = nullptr;  // with the request, before its bytes are counted no more
    const MutexLock lock(mutex_);
    Client& client = taken.client->second;
    --client.running;
    running_bytes_ -= taken.work.bytes;
    if (client.running == 0 && client.waiting.empty()) clients_.erase(taken.client);
    changed_.notify_all();
  }
}

}  // namespace frond::http
