#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of experiments: what is drawn is what the command says, and -o of a command is its picture."""
import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import ROOT, check, equal, main, path, spanloom, test  # noqa: E402
from experiments import bring, experiment, near, query_extension  # noqa: E402


def picture(name, *args):
    """The data sets of a plot, and the whole of it."""
    spanloom("plot", f"experiment-{name}", *args, "-d", path("spanloom.db"), "-o", path("out.json"))
    with open(path("out.json")) as f:
        spec = json.load(f)
    return spec["datasets"] if "datasets" in spec else {d["name"]: d.get("values") for d in spec["data"]}, spec


@test
def plots_show_the_answers():
    bring()
    few = {"means": [], "vs": ["cfg_no_init_logging = 0"], "scatter": ["cfg_poll_100"], "failures": [], "drift": [], "enough": ["", "log"], "strip": [], "model": ["", "log"], "beside": [],
           "tiles": ["", "log"], "fit": ["", "log"], "sequence": [], "shapley": [], "variance": ["", "log"], "treemap": [], "scree": [], "biplot": []}
    there = {f.removeprefix("experiment-").removesuffix(".json") for f in os.listdir(f"{ROOT}/plots") if f.startswith("experiment-")}
    equal(there - {"parts"}, set(few), "plots")  # that of logs: experiment_parts.py
    data = {}
    for name, args in few.items():
        data[name], spec = picture(name, *args)
        check(all(data[name][k] for k in data[name] if k != "map" and k != "leaves"), f"{name}: a data set is empty")
        check(spec["title"]["text"] and spec["title"]["subtitle"], f"{name}: no title")
    rows = lambda name: data[name].get("rows") or data[name][{"scatter": "points", "fit": "points", "strip": "ticks", "tiles": "tiles", "biplot": "orders"}[name]]
    means = {m["treatment"]: m for m in experiment("means")}
    for r in rows("means"):
        near(r["delta"], float(means[r["treatment"]]["delta"]), r["treatment"])
        equal(r["helps"], int(r["delta"] < 0))
    equal(len(rows("vs")), 14 + 13)
    equal(sorted((r["before"], r["after"]) for r in rows("scatter")),
          sorted((float(d["before"]), float(d["after"])) for d in experiment("deltas") if d["treatment"] == "cfg_poll_100"))
    equal({r["colour"] for r in picture("scatter", "cfg_poll_100", "cfg_1_worker")[0]["points"]}, {"cfg_1_worker = 0", "cfg_1_worker = 1"})
    equal(len(rows("strip")), len(experiment("deltas")))
    model = {m["term"]: m for m in experiment("model", "--log")}
    for r in rows("model"):
        for column, of in ("delta", "estimate"), ("lower", "lower"), ("upper", "upper"):
            near(r[column], 100 * math.expm1(float(model[r["term"]][of])), r["term"])
        equal(r["sure"], int(float(model[r["term"]]["p_holm"]) < 0.05), r["term"])
    equal({r["term"] for r in rows("model")}, set(model) - {"(Intercept)"})
    equal(len(rows("beside")), 3 * 14)
    equal(len(rows("tiles")), 14 * 13)
    ps = {(t["treatment"], t["other"]): t for t in experiment("tiles", "--log")}
    for r in rows("tiles"):
        p, holm = (float(ps[r["treatment"], r["other"]][c]) for c in ("p", "p_holm"))
        equal(r["mark"], "sure, although many were compared" if holm < 0.05 else "sure, had it been the only one" if p < 0.05 else None, r)
    equal(len([r for r in rows("tiles") if r["mark"]]), 4)
    equal(len(rows("fit")), 193)
    ticks = data["fit"]["ticks"]
    check(2 < len(ticks) < 12 and all(t["low"] <= t["at"] <= t["high"] and abs(10 ** t["at"] / t["score"] - 1) < 1e-9 for t in ticks), ticks)
    steps = experiment("sequence")
    for r, s in zip(rows("sequence"), steps):
        near(r["after"], float(s["after"]), s["treatment"])
    near(sum(r["size"] for r in rows("treemap")), float(steps[0]["after"]), "the area of all")
    equal([[r[c] for c in ("treatment", "value", "lower", "upper", "least", "most")] for r in rows("shapley")],
          [[g["treatment"], *(float(g[c]) for c in ("value", "lower", "upper", "least", "most"))] for g in experiment("shapley")])
    near(rows("scree")[-1]["cumulative"], 100.0, "all components")
    shares = {g["factor"]: g for g in experiment("variance", "--log")}
    equal([r["factor"] for r in rows("variance")], list(shares))
    for r in rows("variance"):
        near(r["share"], 100 * float(shares[r["factor"]]["share"]), r["factor"])
        equal(r["sure"], int(float(shares[r["factor"]]["p_holm"]) < 0.05), r["factor"])
    failures = {g["treatment"]: g for g in experiment("failures")}
    equal({r["treatment"] for r in rows("failures")}, set(failures))
    for r in rows("failures"):
        near(r["difference"], 100 * float(failures[r["treatment"]]["difference"]), r["treatment"])
    equal((len(rows("drift")), len(data["drift"]["stretches"])), (193, len(experiment("drift"))))
    equal(len({r["term"] for r in rows("enough")}), 12)
    equal((len(rows("biplot")), len(data["biplot"]["arrows"])), (500, 14))
    rate = picture("means", "", "rate")[0]["rows"]
    check(all(r["helps"] == (r["delta"] > 0) for r in rate) and {r["unit"] for r in rate} == {"tasks/s"}, rate)


def digits(x, sign=""):
    """Three significant ones, in groups."""
    return f"{float(f'{x:.3g}'):{sign},.0f}" if abs(x) >= 1000 else f"{x:{sign}.3g}"


@test
def titles_say_what_is_seen():
    bring()
    title = lambda name, *args: picture(name, *args)[1]["title"]["text"]
    means = experiment("means")
    most = max(means, key=lambda m: abs(float(m["delta"])))
    equal(title("means"), f"{most['treatment']} changes most: {digits(float(most['delta']), '+')} us/task on average, which may be chance")
    sure = [m for m in experiment("model") if m["term"] != "(Intercept)" and float(m["p_holm"]) < 0.05]
    most = max(sure, key=lambda m: abs(float(m["estimate"])))
    equal(title("model"), f"{len(sure)} of 15 terms surely change the score; most of all {most['term']}, {digits(float(most['estimate']), '+')} us/task")
    equal(title("model", "--sql", "SELECT 'a' AS term, 1.5 AS delta, 0 AS sure"), "No term of the model surely changes the score")
    failed = [f for f in experiment("failures") if float(f["p_holm"]) < 0.05]
    equal(len(failed), 1)
    equal(title("failures"), f"With {failed[0]['treatment']}, {100 * float(failed[0]['difference']):.2g} more of 100 runs fail")
    deltas = [d for d in experiment("deltas") if d["treatment"] == "cfg_poll_100"]
    higher = sum(float(d["after"]) > float(d["before"]) for d in deltas)
    equal(title("scatter", "cfg_poll_100"), f"Of {len(deltas)} pairs of runs {higher} score higher with cfg_poll_100, {len(deltas) - higher} lower")
    steps = experiment("sequence")
    equal(title("sequence"), f"From {digits(float(steps[0]['after']))} to {digits(float(steps[-1]['after']))} us/task, a treatment at a time")
    values = experiment("shapley")
    sure = [v for v in values if float(v["lower"]) > 0 or float(v["upper"]) < 0]
    check(0 < len(sure) < len(values), values)
    most = max(sure, key=lambda v: abs(float(v["value"])))
    equal(title("shapley"), f"{most['treatment']} changes most: {digits(float(most['value']), '+')} of {digits(sum(float(v['value']) for v in values), '+')} us/task")
    # The largest may be chance, and is not what the title names.
    chance = "SELECT 'a' AS treatment, -9 AS value, -20 AS lower, 2 AS upper, -10 AS least, -8 AS most"
    equal(title("shapley", "--sql", f"{chance} UNION ALL SELECT 'b', 4, 3, 5, 4, 4"), "b changes most: +4 of -5")
    equal(title("shapley", "--sql", chance), "No treatment surely changes the score")
    shares = experiment("variance", "--log")
    most = max(shares, key=lambda v: float(v["share"]))
    equal(title("variance", "", "log"), f"{most['factor']} explains {100 * float(most['share']):.0f} % of the differences between runs")
    by_treatment = {}
    for d in experiment("deltas"):
        by_treatment.setdefault(d["treatment"], []).append(math.log2(float(d["after"]) / float(d["before"])))
    ends = sorted((sum(v) / len(v), t) for t, v in by_treatment.items() if len(v) > 4)
    (_, best), (_, worst) = ends[0], ends[-1]
    equal(title("strip"), f"{best} helps in {sum(x < 0 for x in by_treatment[best])} of {len(by_treatment[best])} pairs; "
                          f"{worst} hinders in {sum(x > 0 for x in by_treatment[worst])} of {len(by_treatment[worst])}")
    equal(title("strip", "", "rate"), title("strip"))
    equal(title("strip", "--sql", "SELECT 'a' AS treatment, 1 AS before, 1 AS after, 0 AS log2"), "No treatment helps or hinders in most pairs of runs")
    model = {m["term"]: float(m["estimate"]) for m in experiment("model")}
    agree = [model[m["treatment"]] * float(m["delta"]) > 0 for m in means]
    check(0 < sum(agree) < len(agree), agree)
    equal(title("beside"), f"For {sum(agree)} of {len(agree)} treatments, model and pairs agree on whether it helps")
    [sure] = [t for t in experiment("tiles", "--log") if float(t["p_holm"] or 1) < 0.05 and t["treatment"] < t["other"]]
    equal(title("tiles", "", "log"), f"{sure['treatment']} with {sure['other']}: {100 * math.expm1(float(sure['estimate'])):+.3g} % beyond what each does alone")
    equal(title("tiles", "--sql", "SELECT 'a' AS treatment, 'b' AS other, 3 AS delta"), "No two treatments surely change anything beyond what each does alone")
    some = {m["treatment"]: m for m in experiment("means", "--where", "cfg_no_init_logging = 0 AND src_biglogs_remove = 0") if m["delta"]}
    apart = lambda m: abs(float(m["delta"]) - float(some[m["treatment"]]["delta"]))
    most = max((m for m in means if m["treatment"] in some), key=apart)
    equal(title("vs", "cfg_no_init_logging = 0 AND src_biglogs_remove = 0"),
          f"{most['treatment']} differs most: {digits(float(most['delta']), '+')} us/task in all runs, {digits(float(some[most['treatment']]['delta']), '+')} in some, which may be chance")
    loadings = {k: max(query_extension("SELECT abs(loading), treatment FROM experiment_loadings() WHERE component = ?", k))[1] for k in (1, 2)}
    equal(title("biplot"), f"Orders differ most by what {loadings[1]} changes, then {loadings[2]}")
    equal(title("treemap", "", "app_big"), f"No treatment takes anything off the cost, {digits(float(experiment('sequence', '--order', 'app_big')[-1]['after']))} us/task")
    since = [e for e in experiment("enough", "--log") if e["sure_since"]]
    equal(title("enough", "", "log"), f"{max(int(e['sure_since']) for e in since)} runs are enough to be sure of {len({e['term'] for e in since})} terms")


@test
def a_command_makes_its_picture():
    """-o FILE, with the options of the command; and those that mean nothing to a picture are refused."""
    bring()
    for question, name, words in [
        (["means"], "means", []), (["means", "--rate", "--where", "app_big = 1"], "means", ["app_big = 1", "rate"]),
        (["means", "--vs", "app_big = 1", "--where", "cfg_encrypted = 0"], "vs", ["app_big = 1", "", "cfg_encrypted = 0"]),
        (["model", "--log", "--no-time"], "model", ["", "log no-time"]), (["model", "--beside", "means"], "beside", []), (["failures"], "failures", []),
        (["model", "--elastic-net", "--alpha", "1"], "model", ["", "elastic-net alpha=1"]), (["model", "--limit", "worst"], "model", ["", "limit=worst"]), (["deltas"], "strip", []),
        (["tiles", "--log"], "tiles", ["", "log"]), (["fit", "--interactions"], "fit", ["", "interactions"]),
        (["scatter", "app_big", "--colour", "cfg_1_worker", "--log"], "scatter", ["app_big", "cfg_1_worker", "", "log"]),
        (["sequence", "--groups", "app_*;cfg_*", "--name", "runs"], "sequence", ["", "", "", "app_*;cfg_*"]),
        (["shapley", "--order", "app_big,cfg_encrypted"], "shapley", ["", "", "app_big,cfg_encrypted"]), (["pca"], "biplot", [])]:
        spanloom("experiment", *question, "-d", path("spanloom.db"), "-o", path("command.json"))
        spec = picture(name, *words)[1]
        with open(path("command.json")) as f:
            equal(json.load(f), spec, question)
    for question, says in [(["factors"], "has no picture"), (["export", "runs"], "has no picture"), (["model", "--all"], "--all does nothing to a picture"),
                           (["scatter"], "scatter of which treatment?"), (["pca", "--format", "csv"], "--format is of tables")]:
        check(says in spanloom("experiment", *question, "-d", path("spanloom.db"), "-o", path("x.json"), code=2).err, question)


main()
