#pragma once
// One client's connection: requests in, answers out, in order. Internal to this folder.
//
// Lives as long as an operation, a responder or a posted answer refers to it. Everything but answer() and abandon()
// runs on the io thread.
//
// session.cc has its life, session_input.cc what comes in, session_output.cc what goes out.
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
  using Time = std::chrono::steady_clock::time_point;

  Session(std::shared_ptr<ServerCore> core, boost::asio::ip::tcp::socket socket);
  ~Session() override;
  void start();

  void answer(std::uint64_t sequence, Response response, std::string_view route) override;
  void abandon(std::uint64_t sequence) override;
  void watch(std::uint64_t sequence, std::function<void()> gone) override;

  // Closes what has waited too long.
  void sweep(Time now);
  // Waiting for its client's next request.
  bool idle() const { return slots_.empty() && !partial_ && !backlog_ && !writing_ && !lingering_; }
  Time since() const { return since_; }
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
  void leave();
  void touch() { since_ = std::chrono::steady_clock::now(); }
  void fail_handshake(std::string_view reason);
  void greeted(Stream::Greeting greeting);

  bool full() const;
  bool may_read() const;
  void read();
  void received(const ErrorCode& ec);
  void consume();
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
  InputBuffer input_;
  AnswerBatch output_;
  std::vector<UnsentBytes> writing_bytes_;
  std::deque<Slot> slots_;  // in order of requests; sequences are consecutive
  std::uint64_t next_ = 1;
  std::uint64_t last_ = ~std::uint64_t{0};  // the connection closes after this answer
  Time since_ = std::chrono::steady_clock::now();
  bool reading_ = false, writing_ = false, consuming_ = false, left_ = false;
  bool backlog_ = false;  // input_ holds requests past the pipelining limit; nothing is read meanwhile
  bool eof_ = false;      // the client sends no more
  bool stopped_ = false;  // we take no more requests
  bool partial_ = false;  // a request has begun and is not whole
  bool linger_after_ = false, lingering_ = false, handshaking_ = false;
};

}  // namespace frond::http
