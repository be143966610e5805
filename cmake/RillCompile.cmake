# How Rill is compiled: warnings, floating point, sanitizers, and the kernels in one version per instruction set.

set(RILL_WARNINGS -Wall -Wextra -Wconversion -Wshadow -Wpointer-arith
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
  -Wwrite-strings -Wundef -Wvla
  $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation> # messages are cut to what fits, on purpose
  $<$<PLATFORM_ID:Windows>:-Wno-float-conversion> # isfinite() of MinGW has such conversions
  $<$<C_COMPILER_ID:Clang,AppleClang>:-Wno-pass-failed>) # the scalar kernels are not vectorised, on purpose
if(RILL_WERROR)
  list(APPEND RILL_WARNINGS -Werror)
endif()

# What the compiler makes code for; CMAKE_SYSTEM_PROCESSOR is that of the machine, whatever -m32 or -arch say.
include(CheckCSourceCompiles)
check_c_source_compiles("
#if !defined(__x86_64__) && !defined(__i386__)
#error
#endif
int main(void) { return 0; }" RILL_X86)
# 32 bits: not the x87, whose results are longer than floats and doubles.
set(RILL_FLOATS $<$<AND:$<BOOL:${RILL_X86}>,$<EQUAL:${CMAKE_SIZEOF_VOID_P},4>>:-msse2;-mfpmath=sse>)

# Everything of ours: C17, hidden symbols, and no fused multiply-add, which would make bits depend on the processor.
function(rill_compile target)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden)
  target_compile_options(${target} PRIVATE ${RILL_WARNINGS} -ffp-contract=off ${RILL_FLOATS})
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L) # -std=c17 hides it otherwise
  if(RILL_ASSERTS)
    target_compile_definitions(${target} PRIVATE RILL_ASSERTS)
    target_compile_options(${target} PRIVATE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=) # places that asserts name
  endif()
  if(RILL_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${RILL_SANITIZE} -fno-sanitize-recover=all
      -fno-omit-frame-pointer)
  endif()
  if(RILL_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link) # counts what an input reaches
  endif()
  rill_link_sanitizers(${target})
endfunction()

function(rill_link_sanitizers target)
  if(RILL_SANITIZE)
    # Consumers of a static library with sanitizers have to link them too.
    target_link_options(${target} PUBLIC -fsanitize=${RILL_SANITIZE})
  endif()
endfunction()

# Files of the library. Loops vectorise only if the compiler may forget about errno and floating-point traps; neither
# changes a result.
function(rill_compile_library target)
  rill_compile(${target})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(${target} PRIVATE -fno-math-errno -fno-trapping-math $<$<NOT:$<CONFIG:Debug>>:-O3>)
  target_compile_definitions(${target} PRIVATE RILL_BUILDING $<$<NOT:$<BOOL:${RILL_THREADS}>>:RILL_NO_THREADS>
    $<$<PLATFORM_ID:Windows>:RILL_SHARED>) # one set of objects: the static library has marks for export, too
  if(RILL_FUZZ)
    # Recording the operands of every comparison helps with text, not with numbers, and takes most of the time.
    target_compile_options(${target} PRIVATE -fno-sanitize-coverage=trace-cmp)
  endif()
endfunction()

option(RILL_WIDE_KERNELS "Compile the kernels for AVX2 and AVX-512, too, where the processor may have them" ON)

# Files named *kernels.c are compiled once per instruction set, each time under another name: src/flow/kernels.c gives the
# tables rill_kernels_scalar, rill_kernels_base and so on; RILL_DISPATCH chooses at run time. Leaves the objects in
# RILL_KERNEL_OBJECTS and tells `dispatcher` which versions there are.
function(rill_add_kernels dispatcher)
  set(objects "")
  macro(version name)
    foreach(file ${kernel_files})
      get_filename_component(table ${file} NAME_WE)
      add_library(rill_${table}_${name} OBJECT ${file})
      rill_compile_library(rill_${table}_${name})
      target_compile_definitions(rill_${table}_${name} PRIVATE RILL_KERNELS_NAME=rill_${table}_${name})
      target_compile_options(rill_${table}_${name} PRIVATE ${ARGN})
      list(APPEND objects $<TARGET_OBJECTS:rill_${table}_${name}>)
    endforeach()
  endmacro()

  file(GLOB kernel_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*kernels.c)
  version(scalar -fno-tree-vectorize $<$<C_COMPILER_ID:Clang,AppleClang>:-fno-slp-vectorize>)
  version(base)
  # gcc for Windows puts vectors of 32 bytes on a stack that is aligned to 16.
  if(RILL_X86 AND RILL_WIDE_KERNELS AND NOT (MINGW AND CMAKE_C_COMPILER_ID STREQUAL "GNU"))
    version(avx2 -mavx2)
    version(avx512 -mavx512f -mavx512vl -mavx512dq -mavx512bw -mprefer-vector-width=512)
    target_compile_definitions(${dispatcher} PRIVATE RILL_HAVE_AVX2 RILL_HAVE_AVX512)
  endif()
  set(RILL_KERNEL_OBJECTS ${objects} PARENT_SCOPE)
endfunction()
