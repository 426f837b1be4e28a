# What every target of the project is compiled with.

add_library(fermata_flags INTERFACE)
target_compile_options(fermata_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow
                       -Wstrict-prototypes -Wmissing-prototypes -Wno-sign-conversion
                       -fno-strict-aliasing -fno-math-errno)
target_compile_definitions(fermata_flags INTERFACE _GNU_SOURCE
                           FERMATA_VERSION="${PROJECT_VERSION}")
if(FERMATA_SANITIZE)
  target_compile_options(fermata_flags INTERFACE -fsanitize=${FERMATA_SANITIZE}
                         -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(fermata_flags INTERFACE -fsanitize=${FERMATA_SANITIZE})
endif()

# fermata_includes(TARGET LAYERS...): lets the target include the headers of these folders of src/, as
# "layer/room/file.h", and those of no other folder: each layer has an include directory of its own
# that holds nothing but a link to it.
function(fermata_includes target)
  foreach(layer ${ARGN})
    set(directory ${PROJECT_BINARY_DIR}/layers/${layer})
    file(MAKE_DIRECTORY ${directory})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${layer} ${directory}/${layer} SYMBOLIC)
    target_include_directories(${target} PUBLIC ${directory})
  endforeach()
endfunction()

# fermata_layer(NAME [ROOMS folder...] [USES layer...] [LIBRARIES target...]): the static library of
# one folder of src/, made of its C files and those of its rooms. It may include the headers of the
# layers that it uses and of no others. Declared here, checked for each #include by
# tests/project/check_layers.py.
function(fermata_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "ROOMS;USES;LIBRARIES")
  set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
  foreach(room ${layer_ROOMS})
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${room}/*.c)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  add_library(fermata_${name} STATIC ${sources})
  fermata_includes(fermata_${name} ${name})
  target_include_directories(fermata_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include)
  list(TRANSFORM layer_USES PREPEND fermata_)
  target_link_libraries(fermata_${name} PRIVATE fermata_flags
                        PUBLIC ${layer_USES} ${layer_LIBRARIES})
endfunction()
