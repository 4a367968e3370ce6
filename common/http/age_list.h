#pragma once
// Connections in the order in which they came into a list: whoever has been there longest is first. To enter, to leave
// and to find the first costs the same however many there are. Internal to this folder. One thread.
#include <chrono>

namespace frond::http {

class Session;

// A connection's place in one list at a time.
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
  // Last, from wherever it was. `now` never goes back.
  void enter(AgeLink& link, AgeLink::Time now) {
    link.leave();
    link.since_ = now;
    link.previous_ = end_.previous_;
    link.next_ = &end_;
    end_.previous_->next_ = &link;
    end_.previous_ = &link;
  }
  // Null: nobody has been there for `age`.
  Session* oldest(AgeLink::Time now, AgeLink::Time::duration age = {}) const {
    return !empty() && now - end_.next_->since_ >= age ? end_.next_->session_ : nullptr;
  }
  // All of them, the oldest first. `visit` may take away the one that it is given, and no other.
  template <class Visit>
  void for_each(Visit visit) const {
    for (AgeLink* link = end_.next_; link != &end_;) {
      Session* const session = link->session_;
      link = link->next_;
      visit(session);
    }
  }

 private:
  AgeLink end_{nullptr};  // before the first and behind the last
};

}  // namespace frond::http
