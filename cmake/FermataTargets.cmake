# SPDX-License-Identifier: BSD-3-Clause
# Compiler options of every target of the project.
include(CheckLinkerFlag)

# fermata_left_out(TEXT...): states what is not built or not tested because a package is missing.
# scripts/test reads these lines from left-out.txt in the build folder, and fails if there are any.
set(FERMATA_LEFT_OUT ${PROJECT_BINARY_DIR}/left-out.txt)
file(WRITE ${FERMATA_LEFT_OUT} "")
function(fermata_left_out)
  list(JOIN ARGN "" text)
  message(STATUS "${text}")
  file(APPEND ${FERMATA_LEFT_OUT} "${text}\n")
endfunction()

add_library(fermata_flags INTERFACE)
target_compile_options(fermata_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow
                       -Wstrict-prototypes -Wmissing-prototypes -Wno-sign-conversion
                       -fno-strict-aliasing -fno-math-errno ${FERMATA_OPTIMIZATION})
target_compile_definitions(fermata_flags INTERFACE _GNU_SOURCE
                           FERMATA_VERSION="${PROJECT_VERSION}")
if(FERMATA_SANITIZE)
  # Lines are all that reports of sanitizers need of debugging information.
  target_compile_options(fermata_flags INTERFACE -fsanitize=${FERMATA_SANITIZE}
                         $<$<C_COMPILER_ID:Clang>:${FERMATA_SANITIZE_OPTIMIZATION};-gline-tables-only> $<$<C_COMPILER_ID:GNU>:-g1>
                         -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_compile_definitions(fermata_flags INTERFACE FERMATA_SANITIZED) # tests repeat less
  target_link_options(fermata_flags INTERFACE -fsanitize=${FERMATA_SANITIZE})
  # The tables of the instrumentation are 5 MB of addresses: each start of a program would relocate them.
  if(FERMATA_SANITIZE MATCHES address)
    target_link_options(fermata_flags INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  endif()
  # lld links programs with sanitizers in half of the time of ld.
  check_linker_flag(C -fuse-ld=lld FERMATA_HAS_LLD)
  if(FERMATA_HAS_LLD)
    # Shared libraries with symbols of libraries that they do not name are Debian's (liboshmem).
    target_link_options(fermata_flags INTERFACE -fuse-ld=lld -Wl,--allow-shlib-undefined)
  endif()
  # To clang, NULL + 0 is an overflow of a pointer, also that of an empty array; C2y permits it.
  if(FERMATA_SANITIZE MATCHES undefined)
    target_compile_options(fermata_flags INTERFACE
                           $<$<C_COMPILER_ID:Clang>:-fno-sanitize=pointer-overflow>)
  endif()
endif()
if(FERMATA_FUZZ_TARGETS) # a fuzz target sees where an input leads to: its counters are in all code
  target_compile_options(fermata_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(fermata_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# fermata_layer_uses(RESULT LAYER): the layers that LAYER may include, by src/layers.txt.
function(fermata_layer_uses result layer)
  file(STRINGS ${PROJECT_SOURCE_DIR}/src/layers.txt row REGEX "^${layer}:")
  if(NOT row)
    message(FATAL_ERROR "src/layers.txt has no row for the layer ${layer}: add it")
  endif()
  string(REGEX REPLACE "^${layer}: *" "" uses "${row}")
  separate_arguments(uses)
  set(${result} ${uses} PARENT_SCOPE)
endfunction()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/layers.txt)

# fermata_includes(TARGET LAYER): lets the target include what the layer may include: its own headers
# and those of the layers that it uses, as "layer/room/file.h". Each layer has an include directory of
# its own that holds nothing but a link to it.
function(fermata_includes target layer)
  fermata_layer_uses(uses ${layer})
  foreach(used ${layer} ${uses})
    set(directory ${PROJECT_BINARY_DIR}/layers/${used})
    file(MAKE_DIRECTORY ${directory})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${used} ${directory}/${used} SYMBOLIC)
    target_include_directories(${target} PUBLIC ${directory})
  endforeach()
endfunction()

# fermata_layer(NAME [ROOMS folder...] [LIBRARIES target...]): the static library of one folder of
# src/, made of its C files and those of its rooms. It includes and links the layers that
# src/layers.txt lets it use.
function(fermata_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "ROOMS;LIBRARIES")
  set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
  foreach(room ${layer_ROOMS})
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${room}/*.c)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  add_library(fermata_${name} STATIC ${sources})
  fermata_includes(fermata_${name} ${name})
  target_include_directories(fermata_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include)
  fermata_layer_uses(uses ${name})
  list(REMOVE_ITEM uses user) # its headers only: programs link it, fermata does not
  list(TRANSFORM uses PREPEND fermata_)
  target_link_libraries(fermata_${name} PRIVATE fermata_flags PUBLIC ${uses} ${layer_LIBRARIES})
endfunction()
