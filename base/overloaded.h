// std::visit(Overloaded{...}, variant): one lambda per kind, and a missing kind does not build.
#pragma once

namespace asb {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace asb
