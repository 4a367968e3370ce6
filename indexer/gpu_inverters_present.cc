#include "indexer/gpu_inverters.h"
#include "indexer/invert/gpu/gpu_inverter.h"
#include "indexer/invert/gpu/text/gpu_text_inverter.h"

namespace frond::indexer {

Result<const invert::InverterKind*> gpu_inverters(int device) {
  FROND_TRY(invert::gpu::find_device(device));
  return &invert::gpu::gpu_inverter_kind();
}

Result<const invert::TextInverterKind*> gpu_text_inverter(int device) {
  FROND_TRY(invert::gpu::find_device(device));
  return &invert::gpu::gpu_text_inverter_kind();
}

}  // namespace frond::indexer
