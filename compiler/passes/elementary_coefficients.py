#!/usr/bin/env python3
"""Where the polynomials of elementary.cpp come from: minimax fits by Remez exchange at 60 digits, rounded to double.

Not part of the build. Needs mpmath; prints each table with the largest weighted error of the rounded polynomial.
"""
from mpmath import mp, mpf, atan, cos, exp, fabs, log, lu_solve, matrix, sin, sqrt, pi

mp.dps = 60


def evaluate(coefficients, z):
    total = mpf(0)
    for c in reversed(coefficients):
        total = total * z + c
    return total


def remez(f, weight, low, high, degree, rounds=12, samples=3000):
    """Polynomial p of `degree` in z with the smallest max of weight(z) |p(z) - f(z)| on [low, high]."""
    n = degree + 2
    points = [(low + high) / 2 + (high - low) / 2 * cos(pi * (n - 1 - i) / (n - 1)) for i in range(n)]
    points[0], points[-1] = mpf(low), mpf(high)
    for _ in range(rounds):
        a, rhs = matrix(n, n), matrix(n, 1)
        for i, z in enumerate(points):
            for k in range(degree + 1):
                a[i, k] = z**k
            a[i, degree + 1] = (-1) ** i / weight(z)
            rhs[i] = f(z)
        solution = lu_solve(a, rhs)
        coefficients = [solution[k] for k in range(degree + 1)]
        grid = [low + (high - low) * mpf(i) / samples for i in range(samples + 1)]
        error = [weight(z) * (evaluate(coefficients, z) - f(z)) for z in grid]
        # the largest error of each sign run
        extremes, best = [], 0
        for i in range(1, len(grid)):
            if error[i] * error[best] < 0:
                extremes.append(best)
                best = i
            elif fabs(error[i]) > fabs(error[best]):
                best = i
        extremes.append(best)
        if len(extremes) < n:
            break
        while len(extremes) > n:
            extremes.pop(0 if fabs(error[extremes[0]]) < fabs(error[extremes[-1]]) else -1)
        points = [grid[i] for i in extremes]
    return coefficients


def show(name, f, weight, low, high, degree, note):
    low, high = mpf(low), mpf(high)
    rounded = [mpf(float(c)) for c in remez(f, weight, low, high, degree)]
    worst = max(fabs(weight(z) * (evaluate(rounded, z) - f(z)))
                for z in [low + (high - low) * mpf(i) / 2000 for i in range(2001)])
    print(f"// {note}; error 2^{float(log(worst) / log(2)):.1f}")
    print(f"constexpr double {name}[] = {{" + ", ".join(float(c).hex() for c in rounded) + "};")


def series_safe(f, limit, near_zero):
    return lambda z: near_zero(z) if fabs(z) < limit else f(z)


def parts(name, value, bits):
    """value as a sum of doubles; all but the last have at most bits[i] bits."""
    out = []
    for b in bits:
        exponent = int(mp.floor(log(fabs(value)) / log(2)))
        unit = mpf(2) ** (exponent - b + 1)
        part = mp.nint(value / unit) * unit
        out.append(part)
        value -= part
    out.append(mpf(float(value)))
    print(f"// {name}: " + ", ".join(float(p).hex() for p in out))


tiny = mpf(10) ** -12

show("kExp", series_safe(lambda r: (exp(r) - 1 - r) / r**2, tiny, lambda r: mpf(1) / 2 + r / 6 + r * r / 24),
     lambda r: r * r + mpf(10) ** -9, -0.3468, 0.3468, 9, "(e^r - 1 - r) / r^2, |r| <= 0.3468; error of e^r")

half_log = lambda z: log((1 + sqrt(z)) / (1 - sqrt(z)))
show("kLog", series_safe(lambda z: (half_log(z) / sqrt(z) - 2) / z, tiny, lambda z: mpf(2) / 3 + z * 2 / 5),
     lambda z: z + mpf(10) ** -9, 0, 0.02945, 6, "(log((1 + s) / (1 - s)) / s - 2) / z, z = s^2; relative error")

show("kLogPow", series_safe(lambda z: (half_log(z) / sqrt(z) * 3 / 2 - 3 - z) / z**2, mpf(10) ** -9,
                            lambda z: mpf(3) / 5 + z * 3 / 7 + z * z / 3),
     lambda z: z * z / 3 + mpf(10) ** -12, 0, 0.02945, 6, "(3 atanh(s) / s - 3 - z) / z^2; relative error of log")

show("kSin", series_safe(lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, tiny, lambda z: -mpf(1) / 6 + z / 120),
     lambda z: z + mpf(10) ** -9, 0, 0.6200, 5, "(sin(r) / r - 1) / z, z = r^2, |r| <= 0.787; relative error")

show("kCos", series_safe(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, mpf(10) ** -9, lambda z: mpf(1) / 24 - z / 720),
     lambda z: z * z + mpf(10) ** -12, 0, 0.6200, 5, "(cos(r) - 1 + z/2) / z^2; error")

show("kAtan", series_safe(lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, tiny, lambda z: -mpf(1) / 3 + z / 5),
     lambda z: z + mpf(10) ** -9, 0, 0.1716, 10, "(atan(u) / u - 1) / z, z = u^2, |u| <= tan(pi/8); relative error")

parts("ln 2", log(mpf(2)), [32])
parts("pi / 2", pi / 2, [33, 33, 33])
parts("pi / 4", pi / 4, [50])
parts("2 / (3 ln 2)", 2 / (3 * log(mpf(2))), [26])
parts("ln 2 (pow)", log(mpf(2)), [26])
print("// 1 / ln 2:", float(1 / log(mpf(2))).hex(), " 2 / pi:", float(2 / pi).hex(), " ln 2:", float(log(mpf(2))).hex())
