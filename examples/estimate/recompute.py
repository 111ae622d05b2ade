"""Recomputes the interval of the success rate from the answer of the API, with nothing but what that answer holds.

curl -s 'localhost:4319/api/v1/estimate?agent=shop&explain=true' | python3 recompute.py
"""

import json
import math
import sys

answer = json.load(sys.stdin)
explained = answer["explained"]
cells, draws, certain = explained["cells"], explained["draws"], explained["certain"]
everything = sum(cell["size"] for cell in cells) + certain["good"] + certain["bad"]


def tilted(p, m):
    """Solves q - p = m q (1 - q) for q from 0 to 1."""
    root = math.sqrt((1 - m) ** 2 + 4 * m * p)
    return 2 * p / (1 - m + root) if m < 1 else (m - 1 + root) / (2 * m)


def evidence(rate, unclear):
    """Returns the product of the factors of all draws against a supposed success rate."""
    left = [cell["size"] for cell in cells]
    total, product = rate * everything - certain["good"], 1.0
    for draw in draws:
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


def end(unclear, outermost):
    """Returns the outermost rate that is not contradicted, by halving between an end of all rates and the estimate."""
    inside, outside = answer["success"]["value"], outermost
    for _ in range(20):
        middle = (outside + inside) / 2
        contradicted = evidence(middle, unclear) >= math.exp(explained["against"])
        inside, outside = (inside, middle) if contradicted else (middle, outside)
    return inside


low = max(0.0, end("bad", 0.0) - explained["widened_by"])
high = min(1.0, end("good", 1.0) + explained["widened_by"])
print(f"recomputed: {low:.4f} to {high:.4f}")
print(f"the API:    {answer['success']['low']:.4f} to {answer['success']['high']:.4f}")
