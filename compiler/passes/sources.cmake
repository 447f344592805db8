target_sources(asb_compiler PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/elementary.cpp
  ${CMAKE_CURRENT_LIST_DIR}/elementary_exp.cpp
  ${CMAKE_CURRENT_LIST_DIR}/elementary_trig.cpp
  ${CMAKE_CURRENT_LIST_DIR}/expand.cpp
  ${CMAKE_CURRENT_LIST_DIR}/expand_rotation.cpp
  ${CMAKE_CURRENT_LIST_DIR}/kronecker.cpp
  ${CMAKE_CURRENT_LIST_DIR}/order.cpp
  ${CMAKE_CURRENT_LIST_DIR}/pipeline.cpp
  ${CMAKE_CURRENT_LIST_DIR}/rates.cpp
  ${CMAKE_CURRENT_LIST_DIR}/remove.cpp
  ${CMAKE_CURRENT_LIST_DIR}/rewrite.cpp
  ${CMAKE_CURRENT_LIST_DIR}/split_by_rate.cpp)
