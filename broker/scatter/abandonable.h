#pragma once
// What is under way for somebody who may leave before it is done. Broker's thread only.

namespace frond::broker::scatter {

class Abandonable {
 public:
  virtual ~Abandonable() = default;
  // Nobody waits any more: `done` is let go of without being called, and the leaves are told to stop. Harmless once it
  // was called.
  virtual void abandon() = 0;
};

}  // namespace frond::broker::scatter
