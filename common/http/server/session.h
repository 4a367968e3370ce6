#pragma once
// One client's connection: takes requests, and sends their answers in order. Internal to this folder.
//
// It lives as long as an operation, a responder or a posted answer refers to it. answer() and abandon() may be called
// from any thread, everything else on the io thread only.
//
// session.cc starts and ends it and enforces time limits, session_input.cc reads requests, session_output.cc writes
// answers, session_coding.cc decodes and encodes bodies.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include "common/http/content_coding.h"
#include "common/http/message.h"
#include "common/http/server/answer_batch.h"
#include "common/http/server/request_parser.h"
#include "common/http/server/server_core.h"
#include "common/http/stream.h"

namespace frond::http {

// An answer's body on its way from its reader to its client, in two pieces: one is written while the next is read.
// The reading thread has `next` while `reading` is set; the io thread has everything else.
struct BodyPieces {
  static constexpr std::size_t kPieceBytes = 256 << 10;

  std::shared_ptr<BodyReader> reader;
  std::uint64_t from = 0;  // of what is read next
  std::vector<std::byte> next, now;
  bool reading = false, read = false;    // whether `next` is being read, whether it is there
  bool header = false, writing = false;  // whether the header is written, whether `now` is being written
  bool last = false;                     // the connection closes afterwards

  bool at_end() const { return from == reader->size(); }
  // What the pieces of a body hold at most.
  static std::size_t held(const BodyReader& reader) {
    return static_cast<std::size_t>(std::min<std::uint64_t>(reader.size(), 2 * kPieceBytes));
  }
};

class Session final : public Responder::Connection, public std::enable_shared_from_this<Session> {
 public:
  using Time = AgeLink::Time;

  Session(std::shared_ptr<ServerCore> core, net::Socket socket);
  ~Session() override;
  void start();

  void answer(std::uint64_t sequence, Response response, std::string_view route) override;
  void abandon(std::uint64_t sequence) override;
  void watch(std::uint64_t sequence, std::function<void()> gone) override;

  // Why only reserved routes are served on it.
  enum class Restriction { kNone, kFull, kAddress };
  void restrict(Restriction why);

  // To be called when its phase has lasted for its limit, or for one window: ends the connection or begins a window.
  void expire(Time now);
  // The same for a restricted connection, which has a time limit of its own.
  void expire_restricted(Time now);
  // Closes it to make room for another connection.
  void give_way();
  // When its phase began, or when it was looked at last.
  Time since() const { return by_phase_.since(); }
  const ClientState& client() const { return client_.second; }  // of all servers of the group
  // Ends an idle connection; a busy one ends after its last answer.
  void drain();
  void close();

 private:
  using ErrorCode = boost::system::error_code;
  // How far the connection is. It only moves forward; steps may be skipped.
  enum class State : std::uint8_t {
    kHandshake,  // of TLS
    kFresh,      // no whole request has come yet
    kServing,    // a whole request has come
    kEnding,     // takes no more requests; closes after the last answer
    kRefusing,   // the same, but lingers after the last answer
    kLingering,  // all answers are written; what still arrives is thrown away
    kClosed,     // in none of the server's lists any more
  };
  // Whether the socket is being read, and if not, why.
  enum class Reading : std::uint8_t {
    kPaused,   // until read() is called
    kActive,   // an operation is under way
    kBacklog,  // input_ holds requests past the pipelining limit; nothing is read until they are taken
    kEnded,    // the client sends no more
  };
  // A request's place in the order of answers.
  struct Slot {
    std::uint64_t sequence = 0;
    bool ready = false, keep_alive = true, interim = false;
    std::string method;  // empty: what came was no request
    Trace trace;
    AnswerCoding coding = AnswerCoding::kIdentity;  // that its client accepts
    Time since;
    Response response;
    ReservedBytes unsent;
    std::shared_ptr<Permit> permit;       // until it is answered
    std::shared_ptr<const void> counted;  // … the request's bytes
    std::size_t uncounted = 0;            // … or these few
    std::function<void()> gone;           // called if the client leaves before the answer is there
  };
  // A request whose body has a Content-Encoding.
  struct Coded {
    Request request;
    Responder responder;
    Routing routing;
    std::shared_ptr<RequestBytes> counted;  // null: few
    std::size_t header_bytes = 0;           // of these
    std::size_t most = 0;                   // bytes that the decoded body may have
  };
  // Null: the connection has closed, or the request is answered.
  Slot* find(std::uint64_t sequence);
  void tell_gone();
  void tell_gone_soon();
  void leave();
  void advance(State to) { state_ = std::max(state_, to); }
  bool takes_requests() const { return state_ == State::kFresh || state_ == State::kServing; }
  // No request has begun to come, or waits in the input.
  bool between_requests() const { return !parser_.begun() && reading_ != Reading::kBacklog; }
  bool idle() const { return slots_.empty() && between_requests() && !writing_ && state_ != State::kLingering; }
  Phase phase_now() const;
  void enter_phase(bool anew = false);
  void look_again(Time now);
  bool sends_too_slowly(Time now);
  bool takes_too_slowly(Time now);
  void fail_handshake(std::string_view reason);
  void greeted(Stream::Greeting greeting);

  boost::asio::mutable_buffer room();
  bool full() const;
  bool may_read() const;
  void read();
  void received(const ErrorCode& ec);
  void consume();
  Routing route();
  std::optional<Response> turned_away();
  Response no_room();
  bool admit(RequestParser::State state);
  bool admit_body();
  bool take_room(bool whole);
  void await_room();
  void go_on();
  void dispatch();
  std::size_t room_for_decoding(std::size_t room) const;
  Slot& push_slot();
  void identify(Slot& slot);
  void push_interim();
  void refuse(Response response, std::string_view route = {});

  void decode(Coded coded);
  void give(Coded coded, Result<std::string> decoded);
  void encode(std::uint64_t sequence, Response response, std::string_view route);

  void settle(std::uint64_t sequence, Response response, std::string_view route);
  void flush();
  bool append(Slot& slot);
  void written(const ErrorCode& ec, bool last);
  void answered(const ErrorCode& ec, bool last);
  void begin_pieces(std::shared_ptr<BodyReader> reader, bool last);
  void header_written();
  void read_piece();
  void piece_read(const std::shared_ptr<BodyPieces>& pieces, const Result<void>& done);
  void write_piece();
  void piece_written(const std::shared_ptr<BodyPieces>& pieces, const ErrorCode& ec);
  void finish();
  void linger();
  void discard(std::size_t so_far);

  std::shared_ptr<ServerCore> core_;
  Clients::Entry& client_;
  Stream stream_;
  RequestParser parser_;
  std::optional<Routing> routing_;                     // of the request that is on its way in, once its header is whole
  std::shared_ptr<RequestBytes> counted_;              // of that request; null: few
  std::optional<boost::asio::steady_timer> patience_;  // while it waits for room; nothing is read meanwhile
  std::size_t uncounted_ = 0;  // bytes of requests that are not answered, and too small to be counted
  std::size_t unsent_ = 0;     // bytes of answers; declared before slots_, whose ReservedBytes refer to it
  AgeLink by_age_{this}, by_phase_{this}, by_client_{this}, by_restriction_{this};
  Phase phase_ = Phase::kFresh;
  Restriction restriction_ = Restriction::kNone;
  Time phase_begun_, progress_at_;
  std::uint64_t received_ = 0;       // bytes, since the start
  std::uint64_t mark_ = 0;           // bytes received, or taken by the client, when this window began
  bool mark_set_ = false;            // by a window before this one
  boost::beast::flat_buffer input_;  // received and not used yet
  AnswerBatch output_;
  std::vector<ReservedBytes> writing_bytes_;
  std::shared_ptr<BodyPieces> pieces_;  // of the answer that is being written, if that has a reader
  ReservedBytes pieces_bytes_;          // … its two pieces
  std::deque<Slot> slots_;              // in order of requests; sequences are consecutive
  std::uint64_t next_ = 1;
  std::uint64_t last_ = ~std::uint64_t{0};  // the connection closes after this answer
  State state_ = State::kFresh;
  Reading reading_ = Reading::kPaused;
  bool writing_ = false;    // an operation is under way
  bool consuming_ = false;  // consume() is on the stack; it writes the answers that are made meanwhile
};

}  // namespace frond::http
