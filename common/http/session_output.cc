// What goes out: answers in order, written together; then the connection's end.
#include <utility>

#include "common/http/session.h"

namespace frond::http {
namespace {
namespace asio = boost::asio;

constexpr std::size_t kLingerBytes = 16 << 20;  // discarded after an early refusal, so that the client reads it
}  // namespace

void Session::settle(std::uint64_t sequence, Response response, std::string_view route) {
  Slot* const found = find(sequence);
  if (found == nullptr) return;
  Slot& slot = *found;
  slot.ready = true;
  slot.gone = nullptr;
  if (response.body.size() > AnswerBatch::kInlineBody &&
      !core_->unsent.admits(client_.second.unsent_bytes, response.body.size())) {
    response = problem(503, "Unavailable", "Too many answers wait for clients that do not read them.");
    response.headers.emplace_back("Retry-After", "1");
  }
  slot.unsent = UnsentBytes(core_->unsent, client_.second.unsent_bytes, unsent_, response.body.size());
  slot.response = std::move(response);
  if (core_->config.on_answer) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - slot.since;
    core_->config.on_answer(route, slot.response.status, took.count());
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
  while (!last && !slots_.empty() && slots_.front().ready) {
    last = append(slots_.front());
    writing_bytes_.push_back(std::move(slots_.front().unsent));
    slots_.pop_front();
  }
  if (last) {
    slots_.clear();
    stopped_ = true;
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
      !slot.keep_alive || slot.sequence >= last_ || (core_->draining && slots_.size() == 1 && !partial_ && !backlog_);
  output_.append(std::move(slot.response), {.head = slot.head,
                                            .last = last,
                                            .date = core_->date,
                                            .more = stream_.secure() ? &core_->config.tls_headers : nullptr});
  return last;
}
void Session::written(const ErrorCode& ec, bool last) {
  writing_ = false;
  output_.clear();
  writing_bytes_.clear();
  if (!stream_.is_open()) return;
  if (ec) return close();
  if (last) return linger_after_ ? linger() : finish();
  if (backlog_ && !stopped_) consume();
  flush();
  if (slots_.empty() && !writing_ && (stopped_ || eof_ || (core_->draining && !partial_ && !backlog_))) return finish();
  read();
  enter_phase();
}

void Session::finish() {
  stream_.shut_down(asio::ip::tcp::socket::shutdown_both);
  close();
}
// Closing with unread input would reset the connection and could take the refusal with it: read it away first.
void Session::linger() {
  stream_.shut_down(asio::ip::tcp::socket::shutdown_send);
  lingering_ = true;
  enter_phase();
  if (!reading_) discard(0);
}
void Session::discard(std::size_t so_far) {
  if (so_far > kLingerBytes) return close();
  input_.clear();
  const auto room = input_.room();
  stream_.read_raw(asio::buffer(room.data(), room.size()),
                   [self = shared_from_this(), so_far](const ErrorCode& ec, std::size_t n) {
                     ec ? self->close() : self->discard(so_far + n);
                   });
}

}  // namespace frond::http
