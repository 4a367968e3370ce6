#pragma once
// Each implementation of LeafClient with a leaf that the test controls.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "broker/cluster/leaf_client.h"

namespace frond::broker::cluster {

inline constexpr std::size_t kMaxInFlight = 4;  // of the clients

class World {
 public:
  enum class LeafDoes { kAnswer, kNothing, kRefuse, kAnswerOfAnotherKind };

  virtual ~World() = default;
  virtual LeafClient& client() = 0;
  virtual void destroy_client() = 0;
  virtual const Clock& clock() const = 0;
  // Lets things happen, until `done` or for so long that it never will be. True: `done`.
  bool run_until(const std::function<bool()>& done);

  // From now on, to every request.
  virtual void set_leaf(LeafDoes what, wire::UnsearchedReason refusal = wire::UnsearchedReason::kUnavailable) = 0;
  virtual void lose_leaf() = 0;
  // Returns once the client reaches it.
  virtual void bring_leaf_back() = 0;
  // The leaf sends a hello by itself; returns once it was passed on, or never will be.
  virtual void say_goodbye() = 0;

  // As the leaf has received them; call them once a condition of run_until() holds.
  virtual wire::SearchRequest last_search() = 0;
  virtual RequestId last_searched() = 0;   // 0: none yet
  virtual RequestId last_cancelled() = 0;  // 0: none yet

  std::vector<wire::HelloReply> news;

 protected:
  virtual void step() = 0;
};

struct Implementation {
  std::string name;
  std::unique_ptr<World> (*make)();
};
const std::vector<Implementation>& implementations();

}  // namespace frond::broker::cluster
