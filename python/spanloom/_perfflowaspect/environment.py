# SPDX-License-Identifier: Apache-2.0
"""What the environment says of traces, for programs that ask PerfFlowAspect's names for it. The runtime reads it itself."""
import os

DEFAULTS = {"name": "generic", "log-filename-include": "hostname,pid", "log-dir": "./", "log-enable": "True",
            "cpu-mem-usage": "False", "log-event": "Verbose", "log-format": "Array", "caliper-enable": "False"}
perfflow_options = {}


def cannonicalize_perfflow_options():
    """Adds the defaults of what is not there."""
    for name, value in DEFAULTS.items():
        if perfflow_options.get(name) is None:
            perfflow_options[name] = value


def parse_perfflow_options():
    """Puts into perfflow_options what holds: SPANLOOM_OPTIONS goes over PERFFLOW_OPTIONS, then the defaults."""
    for variable in "PERFFLOW_OPTIONS", "SPANLOOM_OPTIONS":
        for option in os.environ.get(variable, "").split(":"):
            name, is_there, value = option.partition("=")
            if name and is_there:  # the runtime has reported the others
                perfflow_options[name] = value
    cannonicalize_perfflow_options()


def get_foreign_wm():
    """Which batch system the process is of: 'slurm', 'lsf' or ''."""
    return "slurm" if "SLURM_JOB_ID" in os.environ else "lsf" if "LSB_JOBID" in os.environ else ""


def get_uniq_id_from_foreign_wm():
    """JOB.STEP in that; None where it is not known."""
    names = {"slurm": ("SLURM_JOB_ID", "SLURM_STEP_ID"), "lsf": ("LSB_JOBID", "LS_JOBPID"), "": ("",)}[get_foreign_wm()]
    found = [os.environ.get(name) for name in names]
    return None if None in found else ".".join(found)


def get_perfflow_instance_path():
    """The instance path of a process that starts with this environment, as PerfFlowAspect's is: one further down than
    this process's own, which is ChromeTracingAdvice.inst_path."""
    import hashlib
    from urllib.parse import urlparse  # which takes its time

    own = os.environ.get("FLUX_JOB_ID")
    if own is None:
        own = get_uniq_id_from_foreign_wm() or os.path.dirname(urlparse(os.environ.get("FLUX_URI", "")).path) or "1"
        own = hashlib.sha1(own.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    above = os.environ.get("PERFFLOW_INSTANCE_PATH")
    return own if above is None else f"{above}.{own}"


def set_perfflow_instance_path(path):
    """What the processes that this one starts from now on lie in."""
    os.environ["PERFFLOW_INSTANCE_PATH"] = path


def is_true(name):
    return perfflow_options[name].lower() == "true"


def trace_file(instance_path, forked=False):
    """The name of this process's trace, as the runtime makes it where no other process has that name."""
    form = perfflow_options["log-format"].lower()
    form = form if form in ("object", "binary") else "array"
    parts = {"name": perfflow_options["name"], "instance-path": f"{{{instance_path}}}", "hostname": os.uname().nodename,
             "pid": str(os.getpid())}
    wanted = [p for p in perfflow_options["log-filename-include"].split(",") if p in parts]
    wanted = wanted or DEFAULTS["log-filename-include"].split(",")
    if forked and "pid" not in wanted:
        wanted.append("pid")
    name = ".".join(["perfflow", form, *(parts[p] for p in wanted), "slt" if form == "binary" else "pfw"])
    return os.path.join(perfflow_options["log-dir"], name)
