"""
The figures of test/statistics/compare/figures.json: what others' implementations say of the same data, which the tests hold src/statistics/compare to.

    python3 -m venv venv && venv/bin/pip install scipy==1.17.1 numpy==2.4.6 statsmodels==0.15.0 choix==0.4.1
    venv/bin/python scripts/compare-figures.py > test/statistics/compare/figures.json

Run with Python 3.11.7 and the versions above.
"""
import json
from fractions import Fraction
from itertools import combinations
from math import log

import choix
import numpy as np
import scipy
import statsmodels
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

rng = np.random.default_rng(20261122)
figures = {"versions": {"scipy": scipy.__version__, "numpy": np.__version__, "statsmodels": statsmodels.__version__, "choix": "0.4.1"}}


def floats(values):
    return [float(value) for value in values]


figures["normal"] = [{"share": p, "point": float(stats.norm.ppf(p))} for p in (0.0005, 0.025, 0.2, 0.5, 0.8, 0.95, 0.975, 0.9995)]

figures["clopper_pearson"] = []
for passes, of in ((0, 10), (8, 10), (19, 20), (20, 20), (37, 50), (1, 100), (188, 200)):
    for tail in (0.0005, 0.025, 0.05, 0.5):
        figures["clopper_pearson"].append({
            "passes": passes, "of": of, "tail": tail,
            "lower": float(stats.beta.ppf(tail, passes, of - passes + 1)) if passes > 0 else 0.0,
            "upper": float(stats.beta.ppf(1 - tail, passes + 1, of - passes)) if passes < of else 1.0,
        })

figures["mcnemar"] = []
for lost, won in ((0, 0), (5, 0), (1, 9), (59, 121), (12, 15), (250, 310)):
    figures["mcnemar"].append({
        "lost": lost, "won": won,
        "p": float(mcnemar([[100, won], [lost, 100]], exact=True).pvalue) if lost + won else 1.0,
        "below": float(stats.binomtest(lost, lost + won, 0.5, "greater").pvalue) if lost + won else 1.0,
        "above": float(stats.binomtest(won, lost + won, 0.5, "greater").pvalue) if lost + won else 1.0,
    })

figures["fisher"] = []
for a, of_a, b, of_b in ((3, 4, 1, 4), (20, 20, 15, 20), (18, 20, 19, 20), (7, 12, 5, 17), (180, 200, 60, 80), (0, 5, 0, 7)):
    table = [[a, of_a - a], [b, of_b - b]]
    figures["fisher"].append({
        "a": a, "of_a": of_a, "b": b, "of_b": of_b,
        "p": float(stats.fisher_exact(table).pvalue),
        "below": float(stats.fisher_exact(table, "greater").pvalue),
        "above": float(stats.fisher_exact(table, "less").pvalue),
    })


def flips(differences):
    """All choices of signs, in exact fractions."""
    exact = [Fraction(str(difference)) for difference in differences if difference != 0]
    chances = {Fraction(0): Fraction(1)}
    for one in exact:
        then = {}
        for total, chance in chances.items():
            for to in (total + one, total - one):
                then[to] = then.get(to, 0) + chance / 2
        chances = then
    seen = sum(exact)
    return {
        "p": float(sum(c for t, c in chances.items() if abs(t) >= abs(seen))),
        "below": float(sum(c for t, c in chances.items() if t <= seen)),
        "above": float(sum(c for t, c in chances.items() if t >= seen)),
    }


figures["sign_flips"] = []
for size, values in ((8, (-0.4, -0.2, 0, 0, 0.2)), (12, (-0.25, 0, 0.25, 0.5)), (40, (-0.35, -0.2, 0, 0, 0, 0.2, 0.15))):
    differences = floats(rng.choice(values, size))
    figures["sign_flips"].append({"differences": differences, **flips(differences)})
small = floats(np.round(rng.normal(0.05, 0.2, 14), 3))
by_scipy = stats.permutation_test((small,), np.mean, permutation_type="samples", n_resamples=np.inf)
assert abs(by_scipy.pvalue - flips(small)["p"]) < 1e-12
figures["sign_flips"].append({"differences": small, **flips(small)})

figures["permutation"] = []
for of_a, of_b, shift in ((7, 8, 0.1), (6, 9, 0.3)):
    a, b = (floats(np.round(rng.beta(3, 1, size) - by, 2)) for size, by in ((of_a, 0), (of_b, shift)))
    test = stats.permutation_test((b, a), lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis), vectorized=True, n_resamples=np.inf)
    below = stats.permutation_test((b, a), lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis), vectorized=True, n_resamples=np.inf, alternative="less")
    figures["permutation"].append({"a": a, "b": b, "p": float(test.pvalue), "below": float(below.pvalue)})

figures["holm"] = []
for values in ([0.01, 0.04, 0.03, 0.005], [0.5, 0.02, 0.02, 0.9, 0.001], [0.04]):
    figures["holm"].append({"p": values, "adjusted": floats(multipletests(values, method="holm")[1])})


def weighted(values, unseen, draws=2_000_000):
    """Means with weights drawn evenly, and a case that was not seen."""
    points = np.append(values, unseen)
    means = []
    for _ in range(20):
        weights = rng.exponential(size=(draws // 20, len(points)))
        means.append(weights @ points / weights.sum(axis=1))
    return np.concatenate(means)


figures["unseen_case"] = []
for values, least in (([0.2, 0.4, 0.4, 0.6, 1, 1, 1, 1], 0), (floats(rng.choice((-0.2, 0, 0, 0.2, 0.4), 25)), -1), ([0.35] * 6, 0)):
    down, up = weighted(values, least), weighted(values, 1)
    figures["unseen_case"].append({
        "values": values, "least": least,
        "bounds": [{"tail": t, "lower": float(np.quantile(down, t)), "upper": float(np.quantile(up, 1 - t))} for t in (0.005, 0.025, 0.1, 0.5)],
    })

# Many cases, neither lop-sided nor alike: there the bootstrap of all textbooks is right, and ours should be close to it.
figures["bootstrap"] = []
for name, values in (
    ("scores", rng.choice((0, 0.2, 0.4, 0.6, 0.8, 1), 200)),
    ("differences", np.round(rng.normal(-0.05, 0.3, 300).clip(-1, 1), 3)),
    ("shares of five", rng.binomial(5, rng.beta(4, 2, 250)) / 5),
):
    interval = stats.bootstrap((values,), np.mean, confidence_level=0.95, method="BCa", n_resamples=50_000, rng=rng).confidence_interval
    figures["bootstrap"].append({"name": name, "values": floats(values), "lower": float(interval.low), "upper": float(interval.high)})

figures["ratio_bootstrap"] = []
for size, success in ((150, 0.7), (300, 0.9)):
    typical = rng.lognormal(0, 0.4, size)
    rows = {k: floats(np.round(np.asarray(v, float), 4)) for k, v in {
        "effort_a": typical * rng.lognormal(0, 0.2, size), "effort_b": 1.15 * typical * rng.lognormal(0, 0.2, size),
        "success_a": (rng.random(size) < success), "success_b": (rng.random(size) < success),
    }.items()}
    def change(xa, xb, ya, yb, axis=-1):
        return xb.sum(axis=axis) / yb.sum(axis=axis) / (xa.sum(axis=axis) / ya.sum(axis=axis)) - 1
    data = tuple(np.array(rows[k], dtype=float) for k in ("effort_a", "effort_b", "success_a", "success_b"))
    interval = stats.bootstrap(data, change, paired=True, vectorized=True, confidence_level=0.95, method="BCa", n_resamples=20_000, rng=rng).confidence_interval
    figures["ratio_bootstrap"].append({**rows, "value": float(change(*data)), "lower": float(interval.low), "upper": float(interval.high)})


def fit(count, wins):
    """By choix, and the standard errors from the numerical information in strengths whose mean is 0."""
    games = [(i, j) for (i, j), times in wins.items() for _ in range(times)]
    strengths = choix.opt_pairwise(count, games, method="Newton-CG", tol=1e-12)
    information = np.zeros((count, count))
    for (i, j), times in wins.items():
        p = 1 / (1 + np.exp(strengths[j] - strengths[i]))
        for x, y, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
            information[x, y] += sign * times * p * (1 - p)
    return floats(strengths - strengths.mean()), floats(np.sqrt(np.diag(np.linalg.pinv(information))))


figures["bradley_terry"] = []
truth = np.array([0.9, 0.3, 0.0, -0.4, -0.8])
wins = {}
for i, j in combinations(range(5), 2):
    won = int(rng.binomial(30, 1 / (1 + np.exp(truth[j] - truth[i]))))
    wins[(i, j)], wins[(j, i)] = won, 30 - won
strengths, errors = fit(5, wins)
figures["bradley_terry"].append({"wins": [[i, j, n] for (i, j), n in wins.items()], "strengths": strengths, "errors": errors})


def share(of, passed, k, all_of_them):
    """By going through every choice of k runs."""
    results = [1] * passed + [0] * (of - passed)
    choices = list(combinations(results, k))
    return sum(all(c) if all_of_them else any(c) for c in choices) / len(choices)


figures["pass_k"] = [
    {"runs": n, "passes": c, "k": k, "pass_at": share(n, c, k, False), "pass_hat": share(n, c, k, True)}
    for n, c, k in ((1, 1, 1), (5, 3, 1), (5, 3, 2), (5, 3, 4), (8, 5, 3), (8, 8, 8), (8, 0, 3), (10, 9, 5), (10, 1, 10))
]

print(json.dumps(figures, indent=1))
