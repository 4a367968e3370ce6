#pragma once
// Lists encoded by one codec and copied to device memory, ready to be decoded there: what tests and `frond bench codec`
// decode. First the last docIDs of all blocks, then the lists, each on 256 bytes; the memory ends with the slack of the
// last one, so that a sanitizer sees every access behind it.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/codec/list_codec.h"
#include "common/device/runtime.h"
#include "common/device_codec/decode_batch.h"

namespace frond::device_codec {

// One list as it is copied. Borrowed. lasts: of every block; empty for frequencies.
struct EncodedList {
  ByteView stream;
  std::uint32_t count = 0;
  std::span<const DocId> lasts;
};

class UploadedStreams {
 public:
  // Waits until all is there. kInvalid: a stream whose size is no multiple of 16; kDevice.
  static Result<UploadedStreams> create(std::span<const EncodedList> lists, device::StreamHandle stream);

  // Device memory; as many as there were lists.
  std::span<const StreamOnDevice> streams() const { return streams_; }

 private:
  UploadedStreams(device::Memory memory, std::vector<StreamOnDevice> streams)
      : memory_(std::move(memory)), streams_(std::move(streams)) {}
  device::Memory memory_;
  std::vector<StreamOnDevice> streams_;
};

// What of one list is to be decoded.
struct Selection {
  StreamOnDevice stream;
  std::optional<std::vector<std::uint32_t>> blocks;  // none: all of them
};

// A batch in device memory, with room for what is decoded, and no corrupt blocks so far.
class UploadedBatch {
 public:
  // kDevice.
  static Result<UploadedBatch> create(std::span<const Selection> selections, Output output,
                                      device::StreamHandle stream);
  const DecodeBatch& batch() const { return batch_; }
  // Copied back once all that is in the stream has run: 128 numbers a block of the batch; a count a list.
  Result<std::vector<std::uint32_t>> numbers(device::StreamHandle stream) const;
  Result<std::vector<std::uint32_t>> corrupt_blocks(device::StreamHandle stream) const;

 private:
  explicit UploadedBatch(device::Memory memory, DecodeBatch batch) : memory_(std::move(memory)), batch_(batch) {}
  device::Memory memory_;
  DecodeBatch batch_;
};

}  // namespace frond::device_codec
