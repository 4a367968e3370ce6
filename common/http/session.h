#pragma once
// One client's connection: requests in, answers out, in order. Internal to this folder.
//
// Lives as long as an operation, a responder or a posted answer refers to it. Everything but answer() and abandon()
// runs on the io thread.
//
// session.cc has its life, session_input.cc what comes in, session_output.cc what goes out, session_limits.cc how long
// all that may take.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/http/answer_batch.h"
#include "common/http/input_buffer.h"
#include "common/http/request_parser.h"
#include "common/http/server_core.h"
#include "common/http/stream.h"
#include "common/http/unsent_bytes.h"

namespace frond::http {

class Session final : public Responder::Connection, public std::enable_shared_from_this<Session> {
 public:
  using Time = AgeLink::Time;

  Session(std::shared_ptr<ServerCore> core, boost::asio::ip::tcp::socket socket);
  ~Session() override;
  void start();

  void answer(std::uint64_t sequence, Response response, std::string_view route) override;
  void abandon(std::uint64_t sequence) override;
  void watch(std::uint64_t sequence, std::function<void()> gone) override;

  // Why it is served only what is reserved.
  enum class Restriction { kNone, kFull, kAddress };
  void restrict(Restriction why);

  // In its phase for as long as that may last, or time to look how it gets on: ends it, or begins another window.
  void expire(Time now);
  // Restricted, and it has had the time that such a connection has.
  void expire_restricted(Time now);
  // Closes it for another connection.
  void give_way();
  // Since when it has been in its phase, or was looked at last.
  Time since() const { return by_phase_.since(); }
  const ClientState& client() const { return client_.second; }
  // Ends an idle connection; a busy one ends after its last answer.
  void drain();
  void close();

 private:
  using ErrorCode = boost::system::error_code;
  // An answer's place in line.
  struct Slot {
    std::uint64_t sequence = 0;
    bool ready = false, keep_alive = true, head = false, interim = false;
    Time since;
    Response response;
    UnsentBytes unsent;
    std::function<void()> gone;  // wants to know if the client leaves; until the answer is there
  };
  // Null: closed meanwhile, or answered before.
  Slot* find(std::uint64_t sequence);
  void tell_gone();
  void tell_gone_soon();
  void leave();
  bool idle() const { return slots_.empty() && !partial_ && !backlog_ && !writing_ && !lingering_; }
  Phase phase_now() const;
  void enter_phase(bool anew = false);
  void look_again(Time now);
  bool sends_too_slowly(Time now);
  bool takes_too_slowly(Time now);
  void fail_handshake(std::string_view reason);
  void greeted(Stream::Greeting greeting);

  bool full() const;
  bool may_read() const;
  void read();
  void received(const ErrorCode& ec);
  void consume();
  Routing route();
  Response turned_away();
  bool admit_body();
  bool hold_body();
  void dispatch();
  Slot& push_slot();
  void push_interim();
  void refuse(Response response, std::string_view route = {});

  void settle(std::uint64_t sequence, Response response, std::string_view route);
  void flush();
  bool append(Slot& slot);
  void written(const ErrorCode& ec, bool last);
  void finish();
  void linger();
  void discard(std::size_t so_far);

  std::shared_ptr<ServerCore> core_;
  Clients::Entry& client_;
  Stream stream_;
  RequestParser parser_;
  std::optional<Routing> routing_;  // of the request whose body is on its way in
  HeldBytes body_bytes_;            // of that body
  std::size_t unsent_ = 0;          // bytes of answers; before those who count in it
  AgeLink by_age_{this}, by_phase_{this}, by_client_{this}, by_restriction_{this};
  Phase phase_ = Phase::kFresh;
  Restriction restriction_ = Restriction::kNone;
  Time phase_begun_, progress_at_;
  std::uint64_t received_ = 0;  // bytes, since the start
  std::uint64_t mark_ = 0;      // bytes received, or taken by the client, when this window began
  bool judged_ = false;         // a window before this one has set the mark
  InputBuffer input_;
  AnswerBatch output_;
  std::vector<UnsentBytes> writing_bytes_;
  std::deque<Slot> slots_;  // in order of requests; sequences are consecutive
  std::uint64_t next_ = 1;
  std::uint64_t last_ = ~std::uint64_t{0};  // the connection closes after this answer
  bool reading_ = false, writing_ = false, consuming_ = false, left_ = false;
  bool backlog_ = false;  // input_ holds requests past the pipelining limit; nothing is read meanwhile
  bool eof_ = false;      // the client sends no more
  bool stopped_ = false;  // we take no more requests
  bool partial_ = false;  // a request has begun and is not whole
  bool linger_after_ = false, lingering_ = false, handshaking_ = false;
  bool asked_ = false;  // has been sent a whole request
};

}  // namespace frond::http
