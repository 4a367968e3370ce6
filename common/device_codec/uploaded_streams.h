#pragma once
// Copies lists that one codec encoded to device memory, for tests and `frond bench codec` to decode there. First come
// the last docIDs of all blocks, then the lists, each aligned to 256 bytes. The memory ends with the last list's slack,
// so that a sanitizer sees every access behind it.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/base/bytes.h"
#include "common/codec/list_codec.h"
#include "common/device/runtime.h"
#include "common/device_codec/decode_streams.h"

namespace frond::device_codec {

// A list to copy; its bytes are borrowed. lasts: last docID of every block; empty for frequencies.
struct EncodedList {
  ByteView stream;
  std::uint32_t count = 0;
  std::span<const DocId> lasts;
};

class UploadedStreams {
 public:
  // Waits for the copies. Errors: kInvalid if a stream's size is no multiple of 16; kDevice.
  static Result<UploadedStreams> create(std::span<const EncodedList> lists, device::StreamHandle stream);

  // One for each list, in device memory.
  std::span<const StreamOnDevice> streams() const { return streams_; }

 private:
  UploadedStreams(device::Memory memory, std::vector<StreamOnDevice> streams)
      : memory_(std::move(memory)), streams_(std::move(streams)) {}
  device::Memory memory_;
  std::vector<StreamOnDevice> streams_;
};

// The blocks of one list to decode.
struct Selection {
  StreamOnDevice stream;
  std::optional<std::vector<std::uint32_t>> blocks;  // none: all of them
};

// A batch in device memory, with room for the decoded numbers; corrupt blocks are counted from 0.
class UploadedBatch {
 public:
  // Errors: kDevice.
  static Result<UploadedBatch> create(std::span<const Selection> selections, Output output,
                                      device::StreamHandle stream);
  const DecodeBatch& batch() const { return batch_; }
  // Waits for the stream, then copies to the host: 128 numbers for each block of the batch; a count for each list.
  Result<std::vector<std::uint32_t>> numbers(device::StreamHandle stream) const;
  Result<std::vector<std::uint32_t>> corrupt_blocks(device::StreamHandle stream) const;

 private:
  explicit UploadedBatch(device::Memory memory, DecodeBatch batch) : memory_(std::move(memory)), batch_(batch) {}
  device::Memory memory_;
  DecodeBatch batch_;
};

}  // namespace frond::device_codec
