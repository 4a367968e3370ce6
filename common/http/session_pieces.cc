// Writes bodies that are read while they are sent. The first piece is read while the header is written, each other one
// while the piece before it is.
#include <algorithm>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>

#include "common/http/session.h"

namespace frond::http {
namespace asio = boost::asio;

void Session::begin_pieces(std::shared_ptr<BodyReader> reader, bool last) {
  pieces_bytes_ = HeldBytes(core_->group->unsent, client_.second.unsent_bytes, BodyPieces::held(*reader));
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
  core_->config.run_reader([self = shared_from_this(), of = pieces_]() mutable {
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
