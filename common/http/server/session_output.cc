// Writes answers in order, several at a time, and ends the connection after the last.
#include <algorithm>
#include <cstdint>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>

#include "common/http/server/session.h"

namespace frond::http {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kMaxLingerBytes = 16 << 20;  // thrown away after an early refusal, so that the client can read it

}  // namespace

void Session::settle(std::uint64_t sequence, Response response, std::string_view route) {
  Slot* const found = find(sequence);
  if (found == nullptr) return;
  Slot& slot = *found;
  slot.ready = true;
  slot.gone = nullptr;
  slot.permit = nullptr;
  slot.counted = nullptr;
  uncounted_ -= std::exchange(slot.uncounted, 0);
  if (response.reader && !core_->config.run_aside) response = problem(500, "Internal error", "No thread reads files.");
  const auto held = [&response] { return response.reader ? BodyPieces::held(*response.reader) : response.body.size(); };
  if (held() > AnswerBatch::kMaxInlineBody && !core_->group->unsent.admits(client_.second.unsent_bytes, held())) {
    response = problem(503, "Unavailable", "Too many answers wait for clients that do not read them.");
    response.headers.emplace_back("Retry-After", "1");
  }
  slot.unsent = ReservedBytes(core_->group->unsent, client_.second.unsent_bytes, held(), &unsent_);
  slot.response = std::move(response);
  if (core_->config.on_answer) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - slot.since;
    core_->config.on_answer({.route = route,
                             .method = slot.method,
                             .status = slot.response.status,
                             .seconds = took.count(),
                             .bytes = slot.response.body_bytes(),
                             .trace = slot.trace});
  }
  if (consuming_) return;
  flush();
  enter_phase();
}

// Writes every answer whose turn has come, in one call.
void Session::flush() {
  if (writing_ || !stream_.is_open() || slots_.empty() || !slots_.front().ready) return;
  output_.clear();
  bool last = false;
  while (!last && !pieces_ && !slots_.empty() && slots_.front().ready) {
    last = append(slots_.front());
    writing_bytes_.push_back(std::move(slots_.front().unsent));
    slots_.pop_front();
  }
  if (last) {
    slots_.clear();
    advance(State::kEnding);
  }
  writing_ = true;
  enter_phase(true);
  stream_.write(output_.buffers(),
                [self = shared_from_this(), last](const ErrorCode& ec, std::size_t) { self->written(ec, last); });
}
// True if it is the connection's last answer.
bool Session::append(Slot& slot) {
  if (slot.interim) {
    output_.append_continue();
    return false;
  }
  const bool last =
      !slot.keep_alive || slot.sequence >= last_ || (core_->draining && slots_.size() == 1 && between_requests());
  std::shared_ptr<BodyReader> reader = std::move(slot.response.reader);
  const bool head = slot.method == "HEAD";
  const bool read = reader && !head && AnswerBatch::has_content(slot.response.status) && reader->size() > 0;
  slot.response.reader = reader;
  output_.append(std::move(slot.response), {.head = head,
                                            .last = last,
                                            .date = core_->date,
                                            .trace = &slot.trace,
                                            .more = stream_.secure() ? &core_->config.tls_headers : nullptr});
  if (read) begin_pieces(std::move(reader), last);
  return last;
}
void Session::written(const ErrorCode& ec, bool last) {
  output_.clear();
  writing_bytes_.clear();
  if (pieces_ && !ec && stream_.is_open()) return header_written();
  answered(ec, last);
}
// After all bytes of some answers.
void Session::answered(const ErrorCode& ec, bool last) {
  writing_ = false;
  if (!stream_.is_open()) return;
  if (ec) return close();
  if (last) return state_ == State::kRefusing ? linger() : finish();
  if (reading_ == Reading::kBacklog && takes_requests()) consume();
  flush();
  const bool no_more = !takes_requests() || reading_ == Reading::kEnded || (core_->draining && between_requests());
  if (slots_.empty() && !writing_ && no_more) return finish();
  read();
  enter_phase();
}

void Session::finish() {
  stream_.shut_down(net::Socket::shutdown_both);
  close();
}
// Closing a socket with unread input resets the connection, and the client may lose the refusal: read the input first.
void Session::linger() {
  stream_.shut_down(net::Socket::shutdown_send);
  advance(State::kLingering);
  enter_phase();
  if (reading_ != Reading::kActive) discard(0);
}
void Session::discard(std::size_t so_far) {
  if (so_far > kMaxLingerBytes) return close();
  input_.clear();
  stream_.read_raw(room(), [self = shared_from_this(), so_far](const ErrorCode& ec, std::size_t n) {
    ec ? self->close() : self->discard(so_far + n);
  });
}

// Writes bodies that are read while they are sent. The first piece is read while the header is written, each other one
// while the piece before it is.

void Session::begin_pieces(std::shared_ptr<BodyReader> reader, bool last) {
  pieces_bytes_ = ReservedBytes(core_->group->unsent, client_.second.unsent_bytes, BodyPieces::held(*reader));
  pieces_ = std::make_shared<BodyPieces>();
  pieces_->reader = std::move(reader);
  pieces_->last = last;
  read_piece();
}

void Session::read_piece() {
  BodyPieces& pieces = *pieces_;
  const std::uint64_t rest = pieces.reader->size() - pieces.from;
  pieces.next.resize(static_cast<std::size_t>(std::min<std::uint64_t>(rest, BodyPieces::kPieceBytes)));
  pieces.reading = true;
  core_->config.run_aside(client_.first, pieces.next.size(), [self = shared_from_this(), of = pieces_]() mutable {
    auto done = of->reader->read(of->from, of->next);
    auto& io = self->core_->io;
    asio::post(io, [self = std::move(self), of = std::move(of), done = std::move(done)]() mutable {
      self->piece_read(of, done);
    });
  });
}
void Session::piece_read(const std::shared_ptr<BodyPieces>& pieces, const Result<void>& done) {
  if (pieces_ != pieces || !stream_.is_open()) return;  // it has closed meanwhile
  pieces_->reading = false;
  if (!done) {
    ++core_->group->failed_reads;
    return close();
  }
  pieces_->read = true;
  pieces_->from += pieces_->next.size();
  if (pieces_->header && !pieces_->writing) write_piece();
}

void Session::header_written() {
  pieces_->header = true;
  if (pieces_->read) write_piece();
}
void Session::write_piece() {
  BodyPieces& pieces = *pieces_;
  std::swap(pieces.now, pieces.next);
  pieces.read = false;
  pieces.writing = true;
  unsent_ += pieces.now.size();
  if (!pieces.at_end()) read_piece();
  stream_.write({asio::buffer(pieces.now)}, [self = shared_from_this(), of = pieces_](
                                                const ErrorCode& ec, std::size_t) { self->piece_written(of, ec); });
}
void Session::piece_written(const std::shared_ptr<BodyPieces>& pieces, const ErrorCode& ec) {
  unsent_ -= pieces->now.size();
  if (pieces_ != pieces || !stream_.is_open()) return;
  if (ec) return close();
  pieces_->writing = false;
  if (pieces_->read) return write_piece();
  if (pieces_->reading) return;
  pieces_.reset();
  pieces_bytes_ = {};
  answered(ec, pieces->last);
}

}  // namespace frond::http
