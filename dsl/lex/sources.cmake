target_sources(asb_dsl PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/token.cpp
  ${CMAKE_CURRENT_LIST_DIR}/lex.cpp)
