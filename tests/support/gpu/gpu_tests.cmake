# Which tests need a device: those declared with frond_add_gpu_test(), and nothing else. Each is compiled once and linked
# twice. <name>_gpu_test has the label gpu and runs on a device; without one it exits with 77, which ctest counts as
# skipped and tests/gpu/on_device as failed. <name>_on_host_test has the LABELS given here and runs everywhere: its
# kernels are compiled for the host (tests/support/cuda_on_host).

# frond_travels(target): the binary and its shared libraries find libraries in ../lib beside it (tests/gpu/pack).
function(frond_travels target)
  set_target_properties(${target} PROPERTIES BUILD_RPATH "$ORIGIN/../lib")
  target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
endfunction()

# frond_add_gpu_test(name LABELS unit SOURCES … DEPENDS …)
function(frond_add_gpu_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LABELS" ${ARGN})
  set(variants "")
  if(FROND_DEVICE_ON_HOST)
    list(APPEND variants "${name}_on_host_test|gpu_main_on_host|${ARG_LABELS}")
  endif()
  if(FROND_HAVE_CUDA)
    list(APPEND variants "${name}_gpu_test|gpu_main|gpu")
  endif()
  if(NOT FROND_HAVE_CUDA AND FROND_DEVICE_ON_HOST)
    # Reported as skipped, so that nobody takes a run without a device for one with it.
    add_test(NAME ${name}_gpu_test COMMAND sh -c "echo 'built without CUDA'; exit 77")
    set_tests_properties(${name}_gpu_test PROPERTIES LABELS gpu SKIP_RETURN_CODE 77)
  endif()
  if(NOT variants)
    return()
  endif()
  add_library(${name}_gpu_objects OBJECT ${ARG_SOURCES})
  target_link_libraries(${name}_gpu_objects PRIVATE frond_warnings GTest::gmock ${ARG_DEPENDS})
  # As programs, since precompiled headers are of programs.
  set_target_properties(${name}_gpu_objects PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name}_gpu_objects PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIE})
  frond_compile_test(${name}_gpu_objects COMPUTING)
  foreach(variant ${variants})
    string(REPLACE "|" ";" parts "${variant}")
    list(POP_FRONT parts target main)
    add_executable(${target} $<TARGET_OBJECTS:${name}_gpu_objects>)
    target_link_libraries(${target} PRIVATE frond_warnings ${main} GTest::gmock ${ARG_DEPENDS})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    frond_travels(${target})
    add_test(NAME ${target} COMMAND ${target} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${target} PROPERTIES LABELS "${parts}" SKIP_RETURN_CODE 77 TIMEOUT 300)
  endforeach()
endfunction()
