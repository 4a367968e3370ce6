#pragma once
// Every codec of the registry decoded on the device, many lists in one launch: whole lists or selected blocks, one warp
// a block. Tests compare it with ListCodec::decode(), `frond bench codec --processor gpu` measures it. (Mallia et al.
// 2019 §3; Ding et al. 2009 §6; Ao et al. 2011 §4.) Ranked queries decode simd-bp128 in registers, in leaf/gpu.
#include <span>

#include "common/base/result.h"
#include "common/codec/list_codec.h"
#include "common/device/runtime.h"
#include "common/device_codec/decode_batch.h"

namespace frond::device_codec {

// Whether the device can decode the codec.
bool can_decode(const codec::ListCodec& codec);

// Launches the decoding of a batch in the stream. Blocks for which ListCodec::decode() returns kCorrupt
// are counted as corrupt; nothing is read outside the streams and their slack. Errors: kDevice; kInvalid if
// can_decode() is false.
Result<void> decode_streams(const codec::ListCodec& codec, const DecodeBatch& batch, device::StreamHandle stream);

// Errors: kCorrupt, naming the first list with a corrupt block. corrupt_blocks: the batch's, copied to the host.
Result<void> check_decoded(const codec::ListCodec& codec, std::span<const std::uint32_t> corrupt_blocks);

// The launches, by codec: the table in decode_streams.cc has them.
using Launch = Result<void> (*)(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_simd_bp128(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_bp32(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_gpu_bp128(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_gpu_bp256(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_vbyte(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_varintgb(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_streamvbyte(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_gpu_vbyte128(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_gpu_vbyte1024(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_rice(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_pfordelta0(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_pfordelta1(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_pfordelta2(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_pfordelta3(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_pfordelta4(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_pfd(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_newpfd(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_parapfor(const DecodeBatch& batch, device::StreamHandle stream);
// docIDs only: frequencies beside lines are a stream of simd-bp128.
Result<void> decode_lrc(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_lrcseg(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_seglrc(const DecodeBatch& batch, device::StreamHandle stream);
Result<void> decode_hs_lrc(const DecodeBatch& batch, device::StreamHandle stream);

}  // namespace frond::device_codec
