// The tree as a program text that parses to the same tree again. Comments other than `///` and the
// author's line breaks are not in the tree, so they are not printed.
#pragma once

#include <string>

#include "dsl/ast/ast.h"

namespace asb::ast {

std::string print(const SyntaxTree& tree, ModuleId module);
std::string print(const SyntaxTree& tree, DeclId declaration);
std::string print(const SyntaxTree& tree, ExprId expr);
std::string print(const SyntaxTree& tree, TypeId type);

}  // namespace asb::ast
