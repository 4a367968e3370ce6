#pragma once
// Work under way whose caller may give it up before it is done. Its loop's thread only.

namespace frond::broker::scatter {

class Abandonable {
 public:
  virtual ~Abandonable() = default;
  // Gives the work up: `done` is destroyed without being called, and open requests to leaves are cancelled. Does
  // nothing once `done` was called.
  virtual void abandon() = 0;
};

}  // namespace frond::broker::scatter
