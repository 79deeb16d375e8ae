# SPDX-License-Identifier: GPL-2.0-only
"""The chart of deploy/kubernetes/chart is the overlays with other words: with the values that stand beside an
overlay its objects are those of the overlay. What the overlays do not have is looked at for itself. That it
works is shown in tests/k8s/test_chart.py."""
import json
import os
import re
import shutil
import subprocess
import sys

import kubernetes_validate
import pytest
import yaml

import manifests
import profiler

MISSING = [name for name in ("helm", "kustomize") if not manifests.tool(name)]
pytestmark = [pytest.mark.all, pytest.mark.skipif(
    bool(MISSING), reason="SKIP %s: it is not here; tests/fetch-manifest-tools.sh builds it" %
    (MISSING or ["helm"])[0])]

CHART = manifests.FOLDER / "chart"


def by_name(objects):
    return {(o["kind"], o["metadata"]["name"]): o for o in objects}


def container(objects):
    return manifests.pod(objects)["containers"][0]


def args(*settings):
    """The arguments of the profiler that these settings add to those of the base."""
    found = container(manifests.render_chart(*settings))["args"]
    base = manifests.plain()["spec"]["template"]["spec"]["containers"][0]["args"]
    assert found[:len(base)] == base
    return found[len(base):]


def sets(*pairs):
    return [part for pair in pairs for part in ("--set", pair)]


@pytest.mark.parametrize("variant", manifests.VARIANTS)
def test_it_is_the_overlay(variant):
    """Object by object. A chart's Namespace is there only when it is asked for."""
    assert variant == "base" or manifests.values(variant)
    chart = manifests.render_chart("--no-hooks", *manifests.values(variant), *sets("namespace.create=true"))
    assert by_name(chart) == by_name(manifests.render(variant))


def test_the_manifests_are_written_once():
    """What the chart reads is what kustomize reads."""
    for path in (CHART / "files").iterdir():
        assert path.is_symlink() and path.resolve().is_relative_to(manifests.FOLDER), path
        assert not path.resolve().is_relative_to(CHART), path


def test_lint():
    for variant in manifests.VARIANTS:
        done = manifests.helm("lint", "--strict", CHART, *manifests.values(variant))
        assert done.returncode == 0 and "1 chart(s) linted, 0 chart(s) failed" in done.stdout, done.stdout


def test_versions():
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    image = container(manifests.render("base"))["image"]
    assert image == "pyperf-bpf:" + chart["version"] == "pyperf-bpf:" + chart["appVersion"]


def test_values_are_the_schema():
    """Each value has a schema, and each property of the schema is a value that is explained."""
    def same(values, schema, path=""):
        if schema.get("additionalProperties") is not False or not values:
            return
        assert set(schema["properties"]) == set(values) | ({"global"} if not path else set()), path
        for name, value in values.items():
            same(value, schema["properties"][name], path + "." + name)

    schema = json.loads((CHART / "values.schema.json").read_text())
    same(yaml.safe_load((CHART / "values.yaml").read_text()), schema)


def test_options_are_those_of_the_list(tmp_path):
    """The schema has the names that the list has now, and the profiler knows each."""
    path = tmp_path / "values.schema.json"
    shutil.copy(CHART / path.name, path)
    subprocess.run([sys.executable, "deploy/tools/chart_options.py", path], cwd=manifests.ROOT, check=True)
    assert path.read_text() == (CHART / path.name).read_text(), "make tests"
    shown = subprocess.run([profiler.BINARY, "profile", "--help"], capture_output=True, text=True,
                           check=True).stdout
    names = json.loads(path.read_text())["properties"]["options"]["propertyNames"]["enum"]
    assert {"namespace", "event", "interval", "native-lines"} <= set(names)
    assert not [name for name in names if not re.search(r"--%s\b" % name, shown)]


@pytest.mark.parametrize("setting", [
    "options.namespce=shop", "tolerashuns=x", "push.url=http://x:4040", "scraper.config=prometheus",
    "extraCapabilities={SYS_MODULE}", "podLabels.names=app", "image.digest=sha256:1", "privileged=true"])
def test_what_is_refused(setting):
    done = manifests.helm("template", "x", CHART, "--set", setting)
    assert done.returncode and "values don't meet the specifications of the schema" in done.stderr


def test_options(tmp_path):
    """As arguments that the profiler takes: lists, numbers, flags; a flag that is false is not there."""
    path = tmp_path / "values.yaml"
    path.write_text("options: {namespace: [shop, web], exclude-comm: 'a*', interval: 30, frequency: 1000000, "
                    "budget: 0.5, native-lines: true, columns: false, trigger: null}\n")
    found = args("-f", path)
    assert found == ["--interval=30", "--native-lines"]
    assert live("-f", path) == ["budget = 0.5", "exclude-comm = a*", "frequency = 1000000",
                                "namespace = shop,web"]
    (tmp_path / "conf").write_text(conf("-f", path))
    profiler.run(tmp_path, "--all-python", *found, "--config", tmp_path / "conf", "--version", output=None,
                 stats=False)


def conf(*settings):
    return by_name(manifests.render_chart(*settings))["ConfigMap", "pyperf-bpf"]["data"]["pyperf-bpf.conf"]


def live(*settings):
    """What these settings add to the file that changes without a restart."""
    base = next(o for o in manifests.render("base") if o["kind"] == "ConfigMap")["data"]["pyperf-bpf.conf"]
    text = conf(*settings)
    assert text.startswith(base) and text.endswith("\n")
    return text[len(base):].splitlines()


def template(*settings):
    return manifests.daemonset(manifests.render_chart(*settings))["spec"]["template"]


@pytest.mark.parametrize("one, other", [
    (["options.frequency=49"], ["options.frequency=199"]), (["options.budget=0.5"], ["options.budget=2"]),
    ([], ["options.namespace={shop,web}", "options.exclude-comm=a*", "options.budget=3"]),
    (["push.url=parca+http://x", "options.interval=30"], ["push.url=parca+http://x", "options.interval=60"])],
    ids=["rate", "budget", "filters", "interval"])
def test_no_pod_is_replaced_for(one, other):
    """The template of the pods is the same, to the byte; the file has what is new."""
    assert template(*sets(*one)) == template(*sets(*other))
    assert live(*sets(*one)) != live(*sets(*other))


@pytest.mark.parametrize("one, other, word", [
    (["options.max-depth=9"], ["options.max-depth=10"], "--max-depth=10"),
    (["options.log=5"], ["options.log=5", "options.frequency=49"], "--frequency=49"),
    (["options.event={cpu,loop}"], ["options.event={cpu,loop}", "options.frequency=49"], "--frequency=49"),
    (["options.event=wall"], ["options.event=wall", "options.frequency=49"], "--frequency=49"),
    (["options.budget=1"], ["options.budget=0"], "--budget=0"),
    ([], ["options.interval=30"], "--interval=30")],
    ids=["depth", "log", "loop", "wall", "budget", "interval"])
def test_pods_are_replaced_for(one, other, word):
    """What the profiler would refuse to change is an argument."""
    assert template(*sets(*one)) != template(*sets(*other))
    name = word.split("=")[0].removeprefix("--")
    assert word in args(*sets(*other)) and name not in [line.split(" = ")[0] for line in live(*sets(*other))]


def test_what_is_live_is_what_sighup_changes():
    """By the list of options: each option of the chart that is in a group of those."""
    text = (manifests.ROOT / "user/options/options.def").read_text()
    groups = set(re.findall(r"^GROUP\((\w+), RELOADED\)", text, re.M))
    names = json.loads((CHART / "values.schema.json").read_text())["properties"]["options"]["propertyNames"]
    reloaded = {name for name, group in re.findall(
        r'^(?:FLAG|NUMBER|TEXT|CHOICE)\([^"]*"([-a-z]+)",[^"]*?(?:"[^"]*",[^"]*?)?\b([A-Z_]{3,}),',
        text, re.M) if group in groups and name in names["enum"]}
    settings = sets("push.url=parca+http://x", *("options.%s=1" % name for name in reloaded))
    assert {line.split(" = ")[0] for line in live(*settings)} == reloaded - {"keep"}
    assert {"frequency", "budget", "namespace", "exclude-cgroup", "interval"} < reloaded


def test_secrets_are_mounted_and_not_written_down():
    settings = sets("push.url=pyroscope+https://x", "push.headerSecret=cloud", "listenToken.secret=door")
    pod = manifests.pod(manifests.render_chart(*settings))
    assert {"--push-header-file=/var/run/secrets/push/headers",
            "--listen-token-file=/var/run/secrets/listen/token"} < set(args(*settings))
    mounts = {m["name"]: m for m in pod["containers"][0]["volumeMounts"]}
    assert {v["name"]: v.get("secret") for v in pod["volumes"]} == {
        "pod-logs": None, "config": None, "push": {"secretName": "cloud"}, "listen": {"secretName": "door"}}
    assert all(mounts[v["name"]]["readOnly"] for v in pod["volumes"])


def test_where_it_runs_and_what_it_gets():
    """What is said of resources takes the place of that alone; tolerations and nodes as a whole."""
    objects = manifests.render_chart(*sets(
        "resources.limits.memory=1Gi", "tolerations[0].key=gpu", "tolerations[0].operator=Exists",
        "nodeSelector.pool=web", "priorityClassName=system-node-critical", "extraCapabilities={SYSLOG}",
        "updateStrategy.type=OnDelete", "image.repository=r.example/p", "image.pullSecrets={mine}",
        "podAnnotations.team=a", "podLabelsOfOurs.team=b"))
    pod, base = manifests.pod(objects), manifests.plain()["spec"]["template"]["spec"]
    mine, theirs = pod["containers"][0], base["containers"][0]
    assert mine["resources"] == {"requests": theirs["resources"]["requests"],
                                 "limits": {"cpu": "1", "memory": "1Gi"}}
    assert mine["image"] == "r.example/p:0.2.0" and pod["imagePullSecrets"] == [{"name": "mine"}]
    assert mine["securityContext"]["capabilities"]["add"] == [
        *theirs["securityContext"]["capabilities"]["add"], "SYSLOG"]
    assert pod["tolerations"] == [{"key": "gpu", "operator": "Exists"}]
    assert pod["nodeSelector"] == {"pool": "web"} and pod["priorityClassName"] == "system-node-critical"
    assert manifests.daemonset(objects)["spec"]["updateStrategy"] == {"type": "OnDelete"}
    metadata = manifests.daemonset(objects)["spec"]["template"]["metadata"]
    assert metadata["annotations"]["team"] == "a" and metadata["annotations"]["prometheus.io/port"] == "7071"
    assert metadata["labels"] == {"team": "b", "app.kubernetes.io/name": "pyperf-bpf"}
    for document in objects:
        kubernetes_validate.validate(document, "1.36", strict=True)


def test_another_namespace():
    """No object and no configuration names the one of the overlays any more."""
    for variant in "base", "overlays/parca", "overlays/alloy", "overlays/pod-labels":
        for o in manifests.render_chart(*manifests.values(variant), namespace="elsewhere"):
            assert o["metadata"].get("namespace", "elsewhere") == "elsewhere"
            assert all(subject["namespace"] == "elsewhere" for subject in o.get("subjects", ()))
            if o["kind"] == "ConfigMap" and o["metadata"]["name"] != "pyperf-bpf":
                text, = o["data"].values()
                assert len(re.findall(r'^\s+(- elsewhere|names = \["elsewhere"\])$', text, re.M)) == 1
                assert not re.search(r'^\s+(- pyperf-bpf|names = \["pyperf-bpf"\])$', text, re.M)


def test_pod_monitor():
    objects = manifests.render_chart(*sets("podMonitor.enabled=true", "podMonitor.labels.release=p"))
    monitor = by_name(objects)["PodMonitor", "pyperf-bpf"]
    labels = manifests.daemonset(objects)["spec"]["template"]["metadata"]["labels"]
    assert monitor["apiVersion"] == "monitoring.coreos.com/v1" and monitor["metadata"]["labels"] == {
        "release": "p"}
    assert monitor["spec"]["selector"]["matchLabels"].items() <= labels.items()
    endpoint, = monitor["spec"]["podMetricsEndpoints"]
    assert endpoint["port"] in {port["name"] for port in container(objects)["ports"]}
    assert not by_name(manifests.render_chart()).keys() & {("PodMonitor", "pyperf-bpf")}


def test_without_a_policy_by_request_only():
    assert ("NetworkPolicy", "pyperf-bpf") in by_name(manifests.render_chart())
    assert ("NetworkPolicy", "pyperf-bpf") not in by_name(
        manifests.render_chart(*sets("networkPolicy.enabled=false")))


def test_the_hook_asks_where_every_pod_may():
    """helm test: a Service of the port that the NetworkPolicy opens, and a pod without any right."""
    found = by_name(manifests.render_chart())
    service, pod = found["Service", "pyperf-bpf-test"], found["Pod", "pyperf-bpf-test"]
    for o in service, pod:
        assert o["metadata"]["annotations"]["helm.sh/hook"] == "test"
        kubernetes_validate.validate(o, "1.36", strict=True)
    assert service["spec"]["selector"] == {"app.kubernetes.io/name": "pyperf-bpf"}
    assert [port["targetPort"] for port in service["spec"]["ports"]] == ["metrics"]
    asks, = pod["spec"]["containers"]
    port = service["spec"]["ports"][0]["port"]
    assert [e["value"] for e in asks["env"]] == ["http://$(PYPERF_BPF_TEST_SERVICE_HOST):%d" % port, "99"]
    assert pod["spec"]["automountServiceAccountToken"] is False
    assert asks["securityContext"]["capabilities"] == {"drop": ["ALL"]}


@pytest.mark.parametrize("text, rate, code", [
    ("frequency = 49\n", 49, 0), ("frequency = 49\n", 99, 1), ("# frequency = 49\n", 99, 0), ("", 49, 1)])
def test_the_hook_compares_the_rate(tmp_path, text, rate, code):
    """Its own script, with a profiler that has this rate in place of one of the cluster."""
    hook = by_name(manifests.render_chart())["Pod", "pyperf-bpf-test"]["spec"]["containers"][0]
    (tmp_path / "pyperf-bpf.conf").write_text(text)
    (tmp_path / "wget").write_text("#!/bin/sh\n[ $4 = http://x/metrics ] || exec echo alive\n"
                                   "echo pyperf_build_info 1\necho pyperf_frequency_hertz %d\n" % rate)
    (tmp_path / "wget").chmod(0o755)
    script = hook["command"][-1].replace("/etc/pyperf-bpf/", "%s/" % tmp_path)
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, env={
        "PATH": "%s:%s" % (tmp_path, os.environ["PATH"]), "RATE": "99", "ADDRESS": "http://x"})
    assert done.returncode == code and "in force: pyperf_frequency_hertz %d" % rate in done.stdout


def test_a_package_has_all_of_it(tmp_path):
    """Ours, which is the same each time, and helm's: files themselves, no links, and the same chart."""
    ours = tmp_path / "ours.tgz"
    for path in ours, tmp_path / "again.tgz":
        subprocess.run(["sh", manifests.FOLDER / "package.sh", path], check=True)
    assert ours.read_bytes() == (tmp_path / "again.tgz").read_bytes()
    done = manifests.helm("package", CHART, "-d", tmp_path)
    assert done.returncode == 0, done.stderr
    theirs, = tmp_path.glob("pyperf-bpf-*.tgz")
    for archive in ours, theirs:
        names = subprocess.run(["tar", "-tvzf", archive], capture_output=True, text=True, check=True).stdout
        assert not re.search(r"^l", names, re.M)
        assert manifests.render_chart(chart=archive) == manifests.render_chart()
