// Leaves without a collection: each answers every search with a ready reply of as many hits as were asked for, so that
// all work of a search is the broker's. Each listens on a port of its own and serves its share of 16 partitions. Ends
// at SIGTERM.
//
// usage: scripted_leaves PORT...
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "common/wire/codec.h"
#include "common/wire/messages.h"
#include "common/wire/router_socket.h"

namespace frond {
namespace {

constexpr std::uint32_t kPartitions = 16;
constexpr std::uint64_t kDocuments = 1'000'000;  // of a partition

wire::FetchedDocument document(Ordinal ordinal, std::uint8_t fields) {
  const std::string number = std::to_string(ordinal);
  wire::FetchedDocument made{ordinal, true, "document-" + number};
  if ((fields & wire::kFieldTitle) != 0) made.title = "The document with the number " + number;
  if ((fields & wire::kFieldUrl) != 0) made.url = "https://example.org/documents/" + number;
  return made;
}

class ScriptedLeaf {
 public:
  ScriptedLeaf(std::uint16_t port, std::size_t number, std::size_t leaves) : number_(number) {
    for (std::size_t i = number; i < kPartitions; i += leaves) partitions_.push_back(static_cast<std::uint32_t>(i));
    auto socket = wire::RouterSocket::create({.listen = "tcp://127.0.0.1:" + std::to_string(port)});
    if (!socket) {
      std::fprintf(stderr, "scripted_leaves: %s\n", socket.error().message().c_str());
      std::exit(1);
    }
    socket_ = std::move(*socket);
    socket_->start([this](const wire::Peer& peer, ByteView bytes) {
      const auto request = wire::decode_request(bytes);
      if (!request) return;
      if (const auto* search = std::get_if<wire::SearchRequest>(&*request)) {
        socket_->send(peer, ready(*search));
      } else if (const auto* fetch = std::get_if<wire::FetchRequest>(&*request)) {
        wire::FetchReply reply{.request_id = fetch->request_id};
        for (const Ordinal ordinal : fetch->ordinals) reply.documents.push_back(document(ordinal, fetch->fields));
        socket_->send(peer, wire::encode(reply));
      } else if (const auto* hello = std::get_if<wire::HelloRequest>(&*request)) {
        socket_->send(peer, wire::encode(served(hello->request_id)));
      }
    });
  }
  void stop() { socket_->stop(std::chrono::milliseconds(100)); }

 private:
  using Kind = std::tuple<std::uint32_t, std::uint32_t, std::uint8_t, wire::Mode>;

  wire::HelloReply served(std::uint64_t id) const {
    wire::ServedGeneration generation{.generation = 1, .partitions_total = kPartitions};
    generation.statistics = {kPartitions * kDocuments, 100 * kPartitions * kDocuments};
    for (const std::uint32_t one : partitions_) generation.partitions.push_back({one, {one, kPartitions, kDocuments}});
    wire::HelloReply reply;
    reply.request_id = id;
    reply.collection = "c";
    reply.node = "scripted-" + std::to_string(number_);
    reply.generations.push_back(generation);
    reply.cpu_threads = 1;
    reply.queue_limit = 1'000'000;
    reply.features = wire::kAllFeatures;
    return reply;
  }

  // The reply of this kind of search with this search's id, which has the same place in each.
  ByteBuffer ready(const wire::SearchRequest& search) {
    auto& [bytes, id_at] = ready_[{search.depth, search.show.count, search.show.fields, search.mode}];
    if (bytes.empty()) {
      wire::SearchReply reply = answer(search);
      bytes = wire::encode(reply);
      ++reply.request_id;
      const ByteBuffer other = wire::encode(reply);
      while (bytes[id_at] == other[id_at]) ++id_at;
    }
    ByteBuffer copy = bytes;
    store_le(copy.data() + id_at, search.request_id);
    return copy;
  }
  wire::SearchReply answer(const wire::SearchRequest& search) const {
    wire::Ranking ranking;
    ranking.matches = kDocuments;
    std::minstd_rand random(static_cast<unsigned>(number_ + 1));
    scoring::Score score = 1'000'000'000;
    for (std::uint32_t rank = 0; rank < search.depth; ++rank) {
      score -= static_cast<scoring::Score>(1 + random() % 1000);
      const std::uint32_t partition = partitions_[random() % partitions_.size()];
      ranking.hits.push_back({partition + std::uint64_t{kPartitions} * rank, score});
    }
    wire::SearchReply reply;
    reply.request_id = 1u << 30;  // so that one more changes its first byte
    for (std::uint32_t i = 0; i < search.show.count; ++i)
      reply.documents.push_back(document(ranking.hits[search.show.offset + i].ordinal, search.show.fields));
    const bool any_words = search.mode == wire::Mode::kOr;
    (any_words ? reply.has_or : reply.has_and) = true;
    (any_words ? reply.or_ranking : reply.and_ranking) = std::move(ranking);
    return reply;
  }

  const std::size_t number_;
  std::vector<std::uint32_t> partitions_;
  std::unique_ptr<wire::RouterSocket> socket_;
  std::map<Kind, std::pair<ByteBuffer, std::size_t>> ready_;  // of the socket's one thread
};

}  // namespace
}  // namespace frond

int main(int argc, char** argv) {
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTERM);
  sigaddset(&stops, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stops, nullptr);
  std::vector<std::unique_ptr<frond::ScriptedLeaf>> leaves;
  for (int i = 1; i < argc; ++i)
    leaves.push_back(std::make_unique<frond::ScriptedLeaf>(static_cast<std::uint16_t>(std::atoi(argv[i])),
                                                           static_cast<std::size_t>(i - 1),
                                                           static_cast<std::size_t>(argc - 1)));
  int stop = 0;
  sigwait(&stops, &stop);
  for (const auto& leaf : leaves) leaf->stop();
  return 0;
}
