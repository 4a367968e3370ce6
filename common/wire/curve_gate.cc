#include "common/wire/curve_gate.h"

#include <array>
#include <chrono>

#include "common/base/bytes.h"
#include "common/base/thread_name.h"

namespace frond::wire {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kRefresh{1000};
constexpr std::chrono::seconds kComplainEvery{10};
constexpr const char* kQuestions = "inproc://zeromq.zap.01";  // the name is libzmq's
constexpr const char* kFailures = "inproc://frond-curve-failures";
constexpr std::size_t kMaxFrames = 16;

// Frames of a ZAP request.
enum Frame { kVersion, kRequestId, kDomainName, kAddress, kIdentity, kMechanism, kCredentials, kFrames };

// All frames of one message; frames past kMaxFrames are dropped.
std::vector<std::string> take_message(zmq::socket_t& socket) {
  std::vector<std::string> frames;
  zmq::message_t frame;
  do {
    if (!socket.recv(frame, zmq::recv_flags::dontwait)) break;
    if (frames.size() < kMaxFrames) frames.push_back(frame.to_string());
  } while (frame.more());
  return frames;
}

std::string frame_of(const std::vector<std::string>& frames, Frame at) {
  return at < frames.size() ? frames[at] : std::string();
}

}  // namespace

ZapAnswer answer_zap(const std::vector<std::string>& request, const CurvePublicKeys& let_in) {
  if (request.size() != kFrames || request[kVersion] != "1.0" || request[kMechanism] != "CURVE" ||
      request[kCredentials].size() != kCurveKeyBytes)
    return {"500", "not a CURVE handshake", {}};
  std::array<char, kCurveKeyCharacters + 1> text{};
  zmq_z85_encode(text.data(), reinterpret_cast<const std::uint8_t*>(request[kCredentials].data()), kCurveKeyBytes);
  if (!let_in.contains(std::string_view(text.data()))) return {"400", "unknown key", text.data()};
  return {"200", {}, text.data()};
}

CurveGate::CurveGate(zmq::context_t& context, CurveClients& clients, Logger* log)
    : clients_(clients),
      log_(log),
      questions_(context, zmq::socket_type::rep),
      failures_(context, zmq::socket_type::pair),
      turned_(Clock::now().time_since_epoch().count()) {
  questions_.set(zmq::sockopt::linger, 0);
  failures_.set(zmq::sockopt::linger, 0);
  // No limit: ZeroMQ's I/O thread would block for ever on a full pipe. If this thread did not read the pipe, /livez
  // would fail (RouterSocket::loops).
  failures_.set(zmq::sockopt::rcvhwm, 0);
  questions_.bind(kQuestions);
  failures_.connect(kFailures);
  thread_ = std::thread([this] { run(); });
}

CurveGate::~CurveGate() {
  if (thread_.joinable()) thread_.join();
}

void CurveGate::guard(zmq::socket_t& socket, const CurveKeyPair& keys) {
  socket.set(zmq::sockopt::curve_server, true);
  socket.set(zmq::sockopt::curve_secretkey, keys.secret_z85);
  constexpr int kWatched = ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;
  if (zmq_socket_monitor(socket.handle(), kFailures, kWatched) != 0) throw zmq::error_t();
}

CurveCounters CurveGate::counters() const {
  const auto now = [](const std::atomic<std::uint64_t>& counter) { return counter.load(std::memory_order_relaxed); };
  return {now(accepted_), now(refused_), now(failed_), now(revoked_)};
}

void CurveGate::run() {
  name_this_thread("leaf-curve");
  zmq::pollitem_t items[] = {{questions_.handle(), 0, ZMQ_POLLIN, 0}, {failures_.handle(), 0, ZMQ_POLLIN, 0}};
  for (auto next = Clock::now() + kRefresh;;) {
    turned_.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
    try {
      zmq::poll(items, std::size(items), kRefresh);
      if (items[0].revents & ZMQ_POLLIN) answer();
      if (items[1].revents & ZMQ_POLLIN) take_failures();
      if (Clock::now() >= next) {
        refresh();
        next = Clock::now() + kRefresh;
      }
    } catch (const zmq::error_t& e) {
      if (e.num() == ETERM || e.num() == ENOTSOCK) break;  // the context has ended; otherwise (EINTR) go on
    } catch (const std::exception&) {                      // out of memory for one request: its peer is refused
    }
  }
  questions_.close();
  failures_.close();
}

void CurveGate::answer() {
  const std::vector<std::string> request = take_message(questions_);
  if (request.empty()) return;
  const ZapAnswer answer = answer_zap(request, *clients_.keys());
  const bool let_in = answer.status == "200";
  (let_in ? accepted_ : refused_).fetch_add(1, std::memory_order_relaxed);
  const std::string frames[] = {"1.0",         frame_of(request, kRequestId), answer.status,
                                answer.reason, let_in ? answer.user_key : "", {}};
  for (const std::string& frame : frames)
    questions_.send(zmq::buffer(frame),
                    &frame == std::end(frames) - 1 ? zmq::send_flags::none : zmq::send_flags::sndmore);
  if (!let_in)
    complain(refusals_, "a peer was not let in: " + answer.reason,
             {{"key", answer.user_key}, {"address", frame_of(request, kAddress)}, {"clients", clients_.path()}});
}

void CurveGate::take_failures() {
  const std::vector<std::string> event = take_message(failures_);
  if (event.empty() || event[0].size() != sizeof(std::uint16_t) + sizeof(std::uint32_t)) return;
  const auto kind = load_le<std::uint16_t>(as_bytes(event[0]).data());
  if (kind == ZMQ_EVENT_MONITOR_STOPPED) return;
  failed_.fetch_add(1, std::memory_order_relaxed);
  const auto value = load_le<std::uint32_t>(as_bytes(event[0]).data() + sizeof(std::uint16_t));
  const bool plain = kind == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL && value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH;
  const bool stranger = kind == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL && value == ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC;
  complain(breaks_, "a handshake failed",
           {{"reason", plain      ? "the peer does not use CURVE"
                       : stranger ? "the peer has another leaf's key"
                                  : "broken off"}});
}

void CurveGate::refresh() {
  const auto changed = clients_.refresh();
  if (log_ == nullptr || (changed && !*changed)) return;
  if (changed)
    log_->info("other keys are let in",
               {{"clients", clients_.path()}, {"keys", std::to_string(clients_.keys()->size())}});
  else
    log_->error("the keys before stay in force", {{"error", changed.error().message()}});
}

void CurveGate::complain(Complaint& complaint, std::string_view what, Logger::Fields fields) {
  ++complaint.unsaid;
  if (log_ == nullptr || Clock::now() < complaint.next) return;
  complaint.next = Clock::now() + kComplainEvery;
  log_->warn(std::string(what) + (complaint.unsaid > 1 ? ", and more: " + std::to_string(complaint.unsaid) : ""),
             fields);
  complaint.unsaid = 0;
}

}  // namespace frond::wire
