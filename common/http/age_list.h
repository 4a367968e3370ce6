#pragma once
// Lists of connections in order of entry, the one that entered first at the front. Entering, leaving and finding the
// first take constant time. Internal to this folder. One thread.
#include <chrono>

namespace frond::http {

class Session;

// A connection's place in at most one list.
class AgeLink {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit AgeLink(Session* session) : session_(session) {}
  ~AgeLink() { leave(); }
  AgeLink(const AgeLink&) = delete;
  AgeLink& operator=(const AgeLink&) = delete;

  bool listed() const { return next_ != nullptr; }
  Time since() const { return since_; }
  void leave() {
    if (!listed()) return;
    next_->previous_ = previous_;
    previous_->next_ = next_;
    next_ = previous_ = nullptr;
  }

 private:
  friend class AgeList;
  Session* session_;
  AgeLink *previous_ = nullptr, *next_ = nullptr;
  Time since_{};
};

class AgeList {
 public:
  AgeList() { end_.previous_ = end_.next_ = &end_; }
  ~AgeList() {
    while (!empty()) end_.next_->leave();
    end_.previous_ = end_.next_ = nullptr;
  }
  AgeList(const AgeList&) = delete;
  AgeList& operator=(const AgeList&) = delete;

  bool empty() const { return end_.next_ == &end_; }
  // Puts the link at the end, out of the list it was in. `now` never decreases.
  void enter(AgeLink& link, AgeLink::Time now) {
    link.leave();
    link.since_ = now;
    link.previous_ = end_.previous_;
    link.next_ = &end_;
    end_.previous_->next_ = &link;
    end_.previous_ = &link;
  }
  // The first, if it has been there for `age`; else null.
  Session* oldest(AgeLink::Time now, AgeLink::Time::duration age = {}) const {
    return !empty() && now - end_.next_->since_ >= age ? end_.next_->session_ : nullptr;
  }
  // Visits all, oldest first. `visit` may remove the one that it is given, but no other.
  template <class Visit>
  void for_each(Visit visit) const {
    for (AgeLink* link = end_.next_; link != &end_;) {
      Session* const session = link->session_;
      link = link->next_;
      visit(session);
    }
  }

 private:
  AgeLink end_{nullptr};  // both before the first and after the last
};

}  // namespace frond::http
