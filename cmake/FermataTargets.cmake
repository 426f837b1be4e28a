# Compiler options of every target of the project.

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

# fermata_layer(NAME DEPENDS...): the static library of one folder of src/, made of all its C files;
# it may use the layers named and no others.
function(fermata_layer name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
  add_library(fermata_${name} STATIC ${sources})
  target_include_directories(fermata_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src
                             ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(fermata_${name} PRIVATE fermata_flags PUBLIC ${ARGN})
endfunction()
