"""Recomputes the interval of the success rate from the answer of the API, with nothing but what that answer holds.

curl -s 'localhost:4319/api/v1/estimate?agent=shop&explain=true' | python3 recompute.py
"""

import json
import math
import sys


def tilted(p, m):
    """Solves q - p = m q (1 - q) for q from 0 to 1."""
    root = math.sqrt((1 - m) ** 2 + 4 * m * p)
    return 2 * p / (1 - m + root) if m < 1 else (m - 1 + root) / (2 * m)


def evidence(explained, rate, unclear):
    """Returns the product of the factors of all draws against a supposed success rate."""
    cells, certain = explained["cells"], explained["certain"]
    left = [cell["size"] for cell in cells]
    everything = sum(left) + certain["good"] + certain["bad"]
    total, product = rate * everything - certain["good"], 1.0
    for draw in explained["draws"]:
        beliefs = draw.get("beliefs_if_good", draw["beliefs"]) if unclear == "good" else draw["beliefs"]
        if not 0 < total < sum(left):
            return math.inf
        rates = sum(size * cell["rate"] for size, cell in zip(left, cells))
        turns = [rates / cell["rate"] for cell in cells]
        low, high = -1e9 / rates, 1e9 / rates
        for _ in range(200):  # The tilt by which what is left sums to what is supposed to be left.
            tilt = (low + high) / 2
            found = sum(n * tilted(p, tilt * m) for n, p, m in zip(left, beliefs, turns))
            low, high = (low, tilt) if found > total else (tilt, high)
        at, p = draw["cell"], beliefs[draw["cell"]]
        q = tilted(p, tilt * turns[at])
        good = draw["answer"] == "good" or (draw["answer"] == "unclear" and unclear == "good")
        product *= p / q if good else (1 - p) / (1 - q)
        left[at] -= 1
        total -= good
    return product if 0 <= total <= sum(left) else math.inf


def end(answer, unclear, outermost):
    """Returns the outermost rate that is not contradicted, by halving between an end of all rates and the estimate."""
    explained = answer["explained"]
    inside, outside = answer["success"]["value"], outermost
    for _ in range(20):
        middle = (outside + inside) / 2
        contradicted = evidence(explained, middle, unclear) >= math.exp(explained["against"])
        inside, outside = (inside, middle) if contradicted else (middle, outside)
    return inside


def interval(answer):
    """Returns both ends, moved out by half of the share of disagreements."""
    by = answer["explained"]["widened_by"]
    return max(0.0, end(answer, "bad", 0.0) - by), min(1.0, end(answer, "good", 1.0) + by)


if __name__ == "__main__":
    said = json.load(sys.stdin)
    print("recomputed: {:.4f} to {:.4f}".format(*interval(said)))
    print(f"the API:    {said['success']['low']:.4f} to {said['success']['high']:.4f}")
