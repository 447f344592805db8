target_sources(asb_runtime PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/bodies.cpp ${CMAKE_CURRENT_LIST_DIR}/networks.cpp ${CMAKE_CURRENT_LIST_DIR}/results.cpp ${CMAKE_CURRENT_LIST_DIR}/session.cpp
  ${CMAKE_CURRENT_LIST_DIR}/solves.cpp ${CMAKE_CURRENT_LIST_DIR}/spaces.cpp ${CMAKE_CURRENT_LIST_DIR}/stencils.cpp)
target_link_libraries(asb_runtime PUBLIC asb_ir)
