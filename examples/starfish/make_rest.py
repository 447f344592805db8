#!/usr/bin/env python3
"""Makes rest.obj, the closed skin of a five-armed starfish at rest; metres, thin in z, centred at the origin.

The body is the inside of a smooth function f: five tapering arms, each the set of points within a radius of a
segment, joined by a soft minimum and flattened in z. Its upper and lower side are triangulated alike and meet
at the rim z = 0: rows of vertices across each arm, one more vertex a row from the centre to the valleys, a
constant number along the arm, one less a row at the tip. Then all vertices are spread evenly along f = 0.
Half an arm's upper side is computed and everything else mirrored and rotated, so the arms are equal.

    ./make_rest.py > rest.obj
"""
import math
import sys

ARMS = 5
LENGTH = 0.070          # of an arm's segment [m]; the tip lies a radius further out
RADIUS_ROOT = 0.0125    # half the width of an arm at the centre and at its tip [m]
RADIUS_TIP = 0.0062
FLATNESS = 1.55         # width over height of an arm
SOFTNESS = 0.0042       # length over which arms blend into each other [m]
ACROSS = 9              # sides of triangles across an arm
ALONG = 18              # rows between the valleys and where the tip begins to narrow
AT_TIP = 3              # sides across the last row
ROUNDS = 250            # of spreading

DIRECTIONS = [(math.cos(2 * math.pi * i / ARMS), math.sin(2 * math.pi * i / ARMS)) for i in range(ARMS)]


def level(p):
    """f and its gradient at p; f is about the distance to the skin, negative inside."""
    x, y, z = p
    values, gradients = [], []
    for c, s in DIRECTIONS:
        t = (x * c + y * s) / LENGTH
        slope = 0.0
        if t <= 0:
            t, radius = 0.0, RADIUS_ROOT
        elif t >= 1:
            t, radius = 1.0, RADIUS_TIP
        else:  # smooth at both ends
            radius = RADIUS_ROOT + (RADIUS_TIP - RADIUS_ROOT) * t * t * (3 - 2 * t)
            slope = (RADIUS_TIP - RADIUS_ROOT) * 6 * t * (1 - t) / LENGTH
        qx, qy = x - t * LENGTH * c, y - t * LENGTH * s
        far = math.sqrt(qx * qx + qy * qy + (FLATNESS * z) ** 2) + 1e-12
        values.append(far - radius)
        gradients.append((qx / far - slope * c, qy / far - slope * s, FLATNESS * FLATNESS * z / far))
    low = min(values)
    weights = [math.exp((low - v) / SOFTNESS) for v in values]
    total = sum(weights)
    gradient = [sum(w * g[a] for w, g in zip(weights, gradients)) / total for a in range(3)]
    return low - SOFTNESS * math.log(total), gradient


def onto_skin(p, steps):
    for _ in range(steps):
        f, g = level(p)
        scale = f / (g[0] * g[0] + g[1] * g[1] + g[2] * g[2])
        p = (p[0] - scale * g[0], p[1] - scale * g[1], p[2] - scale * g[2])
    return p


# How many sides each row of an arm has; row 0 is the centre.
SIDES = list(range(ACROSS + 1)) + [ACROSS] * ALONG + list(range(ACROSS - 1, AT_TIP - 1, -1))
LAST = len(SIDES) - 1


def rotated(p, i):
    c, s = DIRECTIONS[i % ARMS]
    return (c * p[0] - s * p[1], s * p[0] + c * p[1], p[2])


def is_rim(row, k):
    return row == LAST or (row >= ACROSS and k in (0, SIDES[row]))


class Net:
    """Vertices by (side of the body, arm, row, place in the row), and for each the one that it is an image of."""

    def __init__(self):
        self.number, self.image, self.facets = {}, [], []
        for arm in range(ARMS):
            for row in range(LAST):
                for sheet in (1, -1):
                    self.strip(sheet, arm, row)

    def vertex(self, sheet, arm, row, k):
        if row <= ACROSS and k == SIDES[row]:  # the ray between two arms, and the centre
            arm, k = (arm + 1) % ARMS, 0
        if row == 0:
            arm = 0
        if is_rim(row, k):
            sheet = 1
        key = (sheet, arm, row, k)
        if key not in self.number:
            flip = k > SIDES[row] / 2
            source = key if (sheet, arm, flip) == (1, 0, False) else None
            self.number[key] = len(self.image)
            self.image.append(None)
            first = len(self.image) - 1 if source else self.vertex(1, 0, row, SIDES[row] - k if flip else k)
            self.image[self.number[key]] = (first, arm, flip, sheet)
        return self.number[key]

    def strip(self, sheet, arm, row):
        n, m = SIDES[row], SIDES[row + 1]
        a = [self.vertex(sheet, arm, row, k) for k in range(n + 1)]
        b = [self.vertex(sheet, arm, row + 1, k) for k in range(m + 1)]
        if m > n:
            facets = [(a[k], b[k], b[k + 1]) for k in range(m)] + [(a[k], b[k + 1], a[k + 1]) for k in range(n)]
        elif m < n:
            facets = [(a[k], b[k], a[k + 1]) for k in range(n)] + [(a[k + 1], b[k], b[k + 1]) for k in range(m)]
        else:
            facets = []
            for k in range(n):
                if 2 * k < n:
                    facets += [(a[k], b[k], b[k + 1]), (a[k], b[k + 1], a[k + 1])]
                else:
                    facets += [(a[k], b[k], a[k + 1]), (b[k], b[k + 1], a[k + 1])]
        self.facets += facets if sheet > 0 else [(p, r, q) for p, q, r in facets]

    def all_points(self, first):
        points = []
        for v, (source, arm, flip, sheet) in enumerate(self.image):
            x, y, z = first[source]
            points.append(rotated((x, -y if flip else y, sheet * z), arm))
        return points


def start(row, k):
    """A point of the upper side of arm 0 on or near the skin."""
    valley = 0.016  # where the sides of two arms meet, along either [m]
    if row <= ACROSS:
        u = valley * row / ACROSS
        width = u * math.tan(math.pi / ARMS)
    else:
        u = valley + (LENGTH + 0.8 * RADIUS_TIP - valley) * (row - ACROSS) / (LAST - ACROSS)
        width = RADIUS_TIP
    v = width * (2 * k / SIDES[row] - 1) if row else 0.0
    if is_rim(row, k):
        return onto_skin((u, v, 0.0), 20)
    low, high = 0.0, 0.03
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if level((u, v, middle))[0] < 0 else (low, middle)
    return onto_skin((u, v, max(low, 1e-3)), 20)


def spread(net):
    """Moves vertices along the skin towards the centroids of their facets, weighted by area."""
    keys = {v: key for key, v in net.number.items()}
    first = {v: start(*keys[v][2:]) for v, image in enumerate(net.image) if image[0] == v}
    around = [[] for _ in net.image]
    for f in net.facets:
        for v in f:
            around[v].append(f)
    for _ in range(ROUNDS):
        points = net.all_points(first)
        for v in first:
            total, target = 0.0, [0.0, 0.0, 0.0]
            for f in around[v]:
                a, b, c = (points[i] for i in f)
                u = [b[k] - a[k] for k in range(3)]
                w = [c[k] - a[k] for k in range(3)]
                area = math.sqrt((u[1] * w[2] - u[2] * w[1]) ** 2 + (u[2] * w[0] - u[0] * w[2]) ** 2 +
                                 (u[0] * w[1] - u[1] * w[0]) ** 2)
                total += area
                for k in range(3):
                    target[k] += area * (a[k] + b[k] + c[k]) / 3
            p = points[v]
            step = [target[k] / total - p[k] for k in range(3)]
            _, g = level(p)
            along = sum(s * x for s, x in zip(step, g)) / sum(x * x for x in g)
            x, y, z = onto_skin([p[k] + 0.7 * (step[k] - along * g[k]) for k in range(3)], 2)
            _, _, row, k = keys[v]
            first[v] = (0.0 if row == 0 else x, 0.0 if 2 * k == SIDES[row] else y, 0.0 if is_rim(row, k) else z)
    return net.all_points(first)


def main():
    net = Net()
    out = ["# A five-armed starfish at rest, in metres; made by make_rest.py"]
    out += ["v " + " ".join("%.6f" % (x + 0.0) for x in p) for p in spread(net)]
    out += ["f %d %d %d" % (a + 1, b + 1, c + 1) for a, b, c in net.facets]
    sys.stdout.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
