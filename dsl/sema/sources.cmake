foreach(source arguments axes builtins calls check declarations domains dump expressions forms geometry geometry_sources learning loops
               names nodes operators places reach settings solves statements types units)
  target_sources(asb_dsl PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${source}.cpp)
endforeach()
find_package(Threads REQUIRED)
target_link_libraries(asb_dsl PRIVATE Threads::Threads)
