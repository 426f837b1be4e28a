# SPDX-License-Identifier: BSD-3-Clause
# Finds the MPI libraries for which modules of the analysis and workloads exist, each by its own
# compiler wrapper, so that one build tree contains the targets of both. A missing library is reported
# and left out. With sanitizers only the first that is found counts: what uses an MPI library is never
# instrumented, and is compiled for the compiler's warnings alone.
#
# Defines, for each library found, the interface target fermata_mpi_<library> and
# FERMATA_MPIRUN_<library> (its launcher), FERMATA_HAS_MPI_4_<library> (whether the library
# implements MPI 4) and FERMATA_HAS_MPIX_INIT_<library> (whether it has persistent collectives as an
# extension, as Open MPI 4 does); FERMATA_MPI_LIBRARIES lists those found.

include(CheckCSourceCompiles)

set(FERMATA_MPI_LIBRARIES "")

# Whether `wrapper` belongs to `library`: a plain `mpicc` may belong to either.
function(fermata_mpi_wrapper_is wrapper library result)
  execute_process(COMMAND ${wrapper} --showme:version OUTPUT_VARIABLE output ERROR_QUIET
                  RESULT_VARIABLE failed)
  if(failed)
    set(actual mpich)
  else()
    set(actual openmpi)
  endif()
  if(actual STREQUAL library)
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# The flags that `wrapper` adds for `stage` (compile or link), without the compiler's name.
function(fermata_mpi_wrapper_flags wrapper library stage result)
  if(library STREQUAL "openmpi")
    execute_process(COMMAND ${wrapper} --showme:${stage} OUTPUT_VARIABLE output
                    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${output}")
  else()
    if(stage STREQUAL "compile")
      set(arguments -show -c fermata.c)
    else()
      set(arguments -show)
    endif()
    execute_process(COMMAND ${wrapper} ${arguments} OUTPUT_VARIABLE output
                    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${output}")
    list(POP_FRONT flags)
    list(REMOVE_ITEM flags -c fermata.c)
  endif()
  set(${result} "${flags}" PARENT_SCOPE)
endfunction()

foreach(library openmpi mpich)
  find_program(FERMATA_MPICC_${library} NAMES mpicc.${library} mpicc
               DOC "compiler wrapper of ${library}")
  set(usable FALSE)
  if(FERMATA_MPICC_${library})
    fermata_mpi_wrapper_is(${FERMATA_MPICC_${library}} ${library} usable)
  endif()
  if(usable)
    get_filename_component(folder ${FERMATA_MPICC_${library}} DIRECTORY)
    find_program(FERMATA_MPIRUN_${library} NAMES mpirun.${library} mpirun HINTS ${folder}
                 DOC "launcher of ${library}")
  endif()
  if(usable AND FERMATA_MPIRUN_${library})
    fermata_mpi_wrapper_flags(${FERMATA_MPICC_${library}} ${library} compile compile_flags)
    fermata_mpi_wrapper_flags(${FERMATA_MPICC_${library}} ${library} link link_flags)
    add_library(fermata_mpi_${library} INTERFACE)
    target_compile_options(fermata_mpi_${library} INTERFACE ${compile_flags})
    target_link_libraries(fermata_mpi_${library} INTERFACE ${link_flags})
    list(JOIN compile_flags " " CMAKE_REQUIRED_FLAGS)
    set(CMAKE_REQUIRED_LIBRARIES ${link_flags})
    check_c_source_compiles("#include <mpi.h>
      int main(void) { return MPI_Send_c(0, 0, MPI_INT, 0, 0, MPI_COMM_WORLD); }"
      FERMATA_HAS_MPI_4_${library})
    check_c_source_compiles("#include <mpi.h>
      #include <mpi-ext.h>
      int main(void) { return MPIX_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, 0); }"
      FERMATA_HAS_MPIX_INIT_${library})
    unset(CMAKE_REQUIRED_FLAGS)
    unset(CMAKE_REQUIRED_LIBRARIES)
    list(APPEND FERMATA_MPI_LIBRARIES ${library})
    message(STATUS "Analysis by and workloads for ${library}: ${FERMATA_MPICC_${library}}")
    if(FERMATA_SANITIZE)
      break()
    endif()
  else()
    fermata_left_out("Analysis by and workloads for ${library}: left out, no mpicc.${library} and mpirun.${library} "
                   "found (set FERMATA_MPICC_${library} and FERMATA_MPIRUN_${library})")
  endif()
endforeach()
