# SPDX-License-Identifier: GPL-2.0-only
"""What deploy/kubernetes asks of a cluster: valid by Kubernetes' own schemas, and no more rights than it
says. That it works is shown in tests/k8s."""
import re

import kubernetes_validate
import pytest

import manifests
import profiler

# Building kustomize takes a minute of CPU time.
pytestmark = [pytest.mark.all, pytest.mark.skipif(
    not manifests.kustomize(),
    reason="SKIP kustomize: it is not here; tests/fetch-manifest-tools.sh builds it")]

VERSIONS = ("1.28", "1.32", "1.36")
SECRETS = re.compile("password|token|secret", re.I)
NAMESPACE_NAME = "kubernetes.io/metadata.name"  # a label that the API server sets, not its owner


@pytest.fixture(scope="module", params=manifests.VARIANTS)
def objects(request):
    return manifests.render(request.param)


@pytest.mark.parametrize("release", VERSIONS)
def test_schema(objects, release):
    for document in objects:
        kubernetes_validate.validate(document, release, strict=True)


def test_the_schema_would_object(objects):
    document = manifests.daemonset(objects)
    broken = {**document, "spec": {**document["spec"], "updateStrategie": {}}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, VERSIONS[-1], strict=True)


def test_rights(objects):
    pod = manifests.pod(objects)
    container, = pod["containers"]
    context = container["securityContext"]
    assert pod["hostPID"] is True
    assert not {"hostNetwork", "hostIPC", "initContainers"} & set(pod)
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert context["privileged"] is context["allowPrivilegeEscalation"] is False
    assert context["readOnlyRootFilesystem"] is True
    assert context["runAsUser"] == 0
    assert context["capabilities"] == {"drop": ["ALL"],
                                       "add": ["BPF", "PERFMON", "SYS_PTRACE", "DAC_READ_SEARCH"]}
    for volume in pod["volumes"]:
        mount, = (m for m in container["volumeMounts"] if m["name"] == volume["name"])
        assert mount["readOnly"] is True, volume
    assert not {"Role", "RoleBinding", "Secret"} & {o["kind"] for o in objects}
    # One variant alone has a token, and with it one right.
    roles = [o for o in objects if o["kind"] == "ClusterRole"]
    assert [role["rules"] for role in roles] in ([], [[{"apiGroups": [""], "resources": ["nodes/pods"],
                                                        "verbs": ["get"]}]])
    assert len([o for o in objects if o["kind"] == "ClusterRoleBinding"]) == len(roles)
    tokens = [source for volume in pod["volumes"] for source in volume.get("projected", {}).get("sources", [])
              if "serviceAccountToken" in source]
    assert len(tokens) == len(roles)


def test_each_capability_has_its_reason():
    text = (manifests.FOLDER / "base" / "daemonset.yaml").read_text()
    for name in manifests.capabilities():
        assert re.search(r"# [^\n]+\n +- %s\n" % name.removeprefix("CAP_"), text), name


def test_ports_and_probes(objects):
    container, = manifests.pod(objects)["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert "--listen=*:%d" % ports["profiles"] in container["args"]
    assert "--listen-metrics=*:%d" % ports["metrics"] in container["args"]
    assert "--listen-health=*:%d" % ports["health"] in container["args"]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"]["port"] == "health"
    annotations = manifests.daemonset(objects)["spec"]["template"]["metadata"]["annotations"]
    assert annotations["prometheus.io/port"] == str(ports["metrics"])
    assert annotations["profiles.grafana.com/cpu.port"] == str(ports["profiles"])


def test_who_may_have_profiles(objects):
    """One namespace, and in it only who says so. What the probes ask is open to no pod."""
    policy, = (o for o in objects if o["kind"] == "NetworkPolicy")
    rules = {port["port"]: rule.get("from") for rule in policy["spec"]["ingress"] for port in rule["ports"]}
    assert set(rules) == {"metrics", "profiles"} and rules["metrics"] is None
    who, = rules["profiles"]
    assert who["podSelector"]["matchLabels"] == {"pyperf-bpf/scraper": "true"}
    namespace = who.get("namespaceSelector", {"matchLabels": {NAMESPACE_NAME: "our own"}})
    assert list(namespace) == ["matchLabels"] and list(namespace["matchLabels"]) == [NAMESPACE_NAME]


def test_limits(objects):
    container, = manifests.pod(objects)["containers"]
    assert set(container["resources"]["limits"]) == {"cpu", "memory"}


def test_the_kubelet_is_verified_unless_the_name_says_otherwise():
    for variant in manifests.VARIANTS:
        container, = manifests.pod(manifests.render(variant))["containers"]
        asks = any(text.startswith("--kubelet=") for text in container["args"])
        verified = any(text.startswith("--kubelet-ca-file=") for text in container["args"])
        insecure = "--kubelet-insecure-tls" in container["args"]
        assert insecure == variant.endswith("-insecure")
        assert verified == (asks and not insecure)


def test_image_is_this_version(objects, tmp_path):
    container, = manifests.pod(objects)["containers"]
    version = profiler.run(tmp_path, "--version", output=None, stats=False).out.split()[1]
    assert container["image"] == "pyperf-bpf:" + version


def test_options_exist(objects, tmp_path):
    """An option that does not exist fails before --version is looked at."""
    container, = manifests.pod(objects)["containers"]
    config, = (o for o in objects if o["kind"] == "ConfigMap" and o["metadata"]["name"] == "pyperf-bpf")
    (tmp_path / "conf").write_text(config["data"]["pyperf-bpf.conf"])
    arguments = [a.replace("/etc/pyperf-bpf/pyperf-bpf.conf", str(tmp_path / "conf"))
                 for a in container["args"]]
    assert arguments != container["args"]
    profiler.run(tmp_path, *arguments, "--version", output=None, stats=False)
    profiler.run(tmp_path, "--no-such-option", "--version", output=None, stats=False, code=2)


def test_no_secret_is_written_down(objects):
    def texts(value):
        if isinstance(value, dict):
            for key, item in value.items():
                yield from texts(item) if not isinstance(item, str) else [(key, item)]
        elif isinstance(value, list):
            for item in value:
                yield from texts(item)
    for document in objects:
        assert not [pair for pair in texts(document) if SECRETS.search(pair[0])]
