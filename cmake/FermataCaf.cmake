# SPDX-License-Identifier: BSD-3-Clause
# Finds gfortran and OpenCoarrays for each MPI library. Defines FERMATA_CAF_<library>, the library of
# coarrays, where it is found.

find_program(FERMATA_GFORTRAN gfortran)
foreach(library ${FERMATA_MPI_LIBRARIES})
  find_library(FERMATA_CAF_${library} caf_${library} DOC "OpenCoarrays for ${library}")
  if(NOT FERMATA_GFORTRAN)
    set(FERMATA_CAF_${library} "")
  endif()
endforeach()

# fermata_caf_program(NAME LIBRARY SOURCE PROGRAM [OPTIONS...]): the coarray program PROGRAM for an MPI
# library, from one Fortran file. Target NAME_LIBRARY.
function(fermata_caf_program name library source program)
  get_filename_component(folder ${program} DIRECTORY)
  set(modules ${CMAKE_CURRENT_BINARY_DIR}/modules/${name}_${library})
  file(MAKE_DIRECTORY ${folder} ${modules})
  add_custom_command(
    OUTPUT ${program}
    COMMAND ${FERMATA_GFORTRAN} -g -O2 -ffp-contract=off -fcoarray=lib -Wall -Werror -J ${modules} ${ARGN}
            ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${program} ${FERMATA_CAF_${library}}
    DEPENDS ${source}
    VERBATIM)
  add_custom_target(${name}_${library} ALL DEPENDS ${program})
endfunction()
