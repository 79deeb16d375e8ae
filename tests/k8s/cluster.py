# SPDX-License-Identifier: GPL-2.0-only
"""A cluster of one node on this machine: etcd, API server, controllers, scheduler, containerd, kubelet. All
of it is in one folder and ends with it."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

from pki import Authority

NODE = "pyperf-node"
API = "https://127.0.0.1:16443"
ETCD = "http://127.0.0.1:12379"
KUBELET_PORT = 20250
LIMIT = 900  # seconds for anything, on a machine that is busy with other work too
SYSCTLS = ("kernel/panic", "kernel/panic_on_oops", "vm/overcommit_memory", "net/ipv4/ip_forward")
LOGS = ("/var/log/pods", "/var/log/containers")
PACKAGES = {"containerd": "containerd", "etcd": "etcd-server", "runc": "runc", "openssl": "openssl",
            "ip": "iproute2"}


def reason(binaries):
    """Why there can be no cluster here, or None."""
    missing = [package for program, package in PACKAGES.items() if not shutil.which(program)]
    if missing:
        return "not installed: " + " ".join(missing)
    if not pathlib.Path("/usr/lib/cni/bridge").exists():
        return "not installed: containernetworking-plugins"
    if not (binaries / "version").exists():
        return "tests/k8s/build.sh has not built Kubernetes"
    if os.geteuid():
        return "needs root"
    there = [path for path in LOGS if os.path.exists(path)]
    return "%s is there: another kubelet's" % there[0] if there else None


def address():
    """This machine's own, which pods can reach."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        with contextlib.suppress(OSError):
            probe.connect(("192.0.2.1", 9))
            return probe.getsockname()[0]
    return "127.0.0.1"


def wait(condition, what):
    """Until the condition gives something, which is returned.
    The limit is only there to end what would never end."""
    end = time.monotonic() + LIMIT
    while True:
        with contextlib.suppress(subprocess.CalledProcessError, OSError, ValueError):
            result = condition()
            if result:
                return result
        assert time.monotonic() < end, "no %s within %d s" % (what, LIMIT)
        time.sleep(0.2)


class Cluster:
    def __init__(self, folder, binaries):
        self.folder, self.binaries = folder, binaries
        self.processes = {}
        self.sysctls = {name: pathlib.Path("/proc/sys", name).read_text() for name in SYSCTLS}
        self.pki = Authority(folder / "pki")
        self.socket = folder / "containerd.sock"
        self.address = address()

    # --- files ----------------------------------------------------------------------------------------------

    def kubeconfig(self, user, subject):
        self.pki.issue(user, subject)
        path = self.folder / (user + ".kubeconfig")
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "it",
            "clusters": [{"name": "it", "cluster": {"server": API,
                                                    "certificate-authority": self.pki.crt("ca")}}],
            "users": [{"name": "it", "user": {"client-certificate": self.pki.crt(user),
                                              "client-key": self.pki.key(user)}}],
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}]}))
        return path

    def write_containerd(self):
        network = self.folder / "net.d"
        network.mkdir()
        (network / "10-bridge.conflist").write_text(json.dumps({"cniVersion": "0.4.0", "name": "pyperf",
                                                                "plugins": [
{"type": "bridge", "bridge": "pyperf0", "isGateway": True, "ipMasq": False,
"ipam": {"type": "host-local", "dataDir": str(self.folder / "ipam"),
"ranges": [[{"subnet": "10.244.77.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}))
        path = self.folder / "containerd.toml"
        path.write_text("""
version = 2
root = "{0}/containerd"
state = "{0}/containerd-state"
oom_score = 0
[grpc]
  address = "{1}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{0}/net.d"
""".format(self.folder, self.socket))
        return path

    def write_kubelet(self):
        path = self.folder / "kubelet.yaml"
        path.write_text(json.dumps({
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
            # Many machines for tests have version 1 only, or both; the driver that works on all of them.
            "failCgroupV1": False, "cgroupDriver": "cgroupfs", "enforceNodeAllocatable": ["pods"],
            "cgroupRoot": "/", "oomScoreAdj": 0, "failSwapOn": False,
            "containerRuntimeEndpoint": "unix://%s" % self.socket,
            "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": True},
                               "x509": {"clientCAFile": self.pki.crt("ca")}},
            "tlsCertFile": self.pki.crt("server"), "tlsPrivateKeyFile": self.pki.key("server"),
            "port": KUBELET_PORT, "healthzPort": 20248, "registerNode": True, "maxPods": 30,
            "makeIPTablesUtilChains": False,
            "evictionHard": {"memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
            "imageGCHighThresholdPercent": 100, "imageMinimumGCAge": "24h",
            "resolvConf": "/etc/resolv.conf"}))
        return path

    # --- processes ------------------------------------------------------------------------------------------

    def start(self, name, *command):
        log = open(self.folder / (name + ".log"), "ab")
        self.processes[name] = subprocess.Popen(["nice", "-n", "5", *map(str, command)],
                                                stdin=subprocess.DEVNULL,
                                                stdout=log, stderr=log, start_new_session=True,
                                                env={**os.environ, "GOMAXPROCS": "2"})

    def kubectl(self, *arguments, text=None):
        with open(self.folder / "kubectl.log", "a") as log:
            done = subprocess.run([self.binaries / "kubectl", "--kubeconfig",
                                   self.folder / "admin.kubeconfig",
                                   *map(str, arguments)], input=text, stdout=subprocess.PIPE, stderr=log,
                                  text=True,
                                  check=True)
        return done.stdout

    def get(self, *arguments):
        return json.loads(self.kubectl("get", "-o", "json", *arguments))

    def ctr(self, *arguments):
        done = subprocess.run(["ctr", "--address", self.socket, "--namespace", "k8s.io",
                               *map(str, arguments)],
                              stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout

    def start_runtime(self):
        self.start("containerd", "containerd", "--config", self.write_containerd())
        wait(lambda: self.ctr("version"), "containerd")

    def start_servers(self):
        pki, bin = self.pki, self.binaries
        pki.issue("server", "/O=system:nodes/CN=system:node:" + NODE,
                  "DNS:localhost,DNS:%s,IP:127.0.0.1,IP:10.96.0.1,IP:%s" % (
NODE, self.address))
        pki.key_pair("accounts")
        admin = self.kubeconfig("admin", "/O=system:masters/CN=admin")
        self.start("etcd", "etcd", "--data-dir", self.folder / "etcd", "--listen-client-urls", ETCD,
                   "--advertise-client-urls", ETCD, "--listen-peer-urls", "http://127.0.0.1:12380",
                   "--initial-advertise-peer-urls", "http://127.0.0.1:12380",
                   "--initial-cluster", "default=http://127.0.0.1:12380", "--unsafe-no-fsync")
        self.start("apiserver", bin / "kube-apiserver", "--etcd-servers", ETCD, "--secure-port",
                   API.rsplit(":")[-1],
                   "--bind-address", "127.0.0.1", "--advertise-address", self.address,
                   "--client-ca-file", pki.crt("ca"), "--tls-cert-file", pki.crt("server"),
                   "--tls-private-key-file", pki.key("server"), "--kubelet-certificate-authority",
                   pki.crt("ca"),
                   "--kubelet-client-certificate", pki.crt("admin"), "--kubelet-client-key", pki.key("admin"),
                   "--service-account-issuer", "https://kubernetes.default.svc",
                   "--service-account-key-file", self.folder / "pki" / "accounts.pub",
                   "--service-account-signing-key-file", pki.key("accounts"),
                   "--kubelet-preferred-address-types", "InternalIP",
                   "--service-cluster-ip-range", "10.96.0.0/16", "--authorization-mode", "Node,RBAC",
                   "--enable-admission-plugins", "NodeRestriction")
        wait(lambda: self.kubectl("get", "--raw", "/readyz") == "ok", "API server")
        common = ("--kubeconfig", admin, "--authentication-kubeconfig", admin, "--authorization-kubeconfig",
                  admin,
                  "--leader-elect=false", "--bind-address", "127.0.0.1")
        self.start("controllers", bin / "kube-controller-manager", *common, "--secure-port", "20257",
                   "--service-account-private-key-file", pki.key("accounts"), "--root-ca-file", pki.crt("ca"),
                   "--use-service-account-credentials=true")
        self.start("scheduler", bin / "kube-scheduler", *common, "--secure-port", "20259")

    def start_kubelet(self):
        self.start("kubelet", self.binaries / "kubelet", "--config", self.write_kubelet(), "--kubeconfig",
                   self.kubeconfig("node", "/O=system:nodes/CN=system:node:" + NODE), "--hostname-override",
                   NODE,
                   "--node-ip", self.address, "--root-dir", self.folder / "kubelet", "--cert-dir",
                   self.folder / "certs")
        wait(self.node_is_ready, "Ready node")

    def node_is_ready(self):
        conditions = self.get("node", NODE)["status"]["conditions"]
        return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)

    # --- the end --------------------------------------------------------------------------------------------

    def terminate(self, name):
        process = self.processes.pop(name, None)
        if not process:
            return
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def remove_containers(self):
        with contextlib.suppress(subprocess.CalledProcessError):
            for task in self.ctr("tasks", "ls", "-q").split():
                subprocess.run(["ctr", "--address", self.socket, "--namespace", "k8s.io", "tasks", "kill",
                                "-s", "KILL", task])
            time.sleep(1)
            for container in self.ctr("containers", "ls", "-q").split():
                for command in (["tasks", "rm", "-f", container], ["containers", "rm", container]):
                    subprocess.run(["ctr", "--address", self.socket, "--namespace", "k8s.io", *command],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def unmount(self):
        mounts = [line.split()[1] for line in open("/proc/self/mounts")]
        for point in reversed(mounts):
            if point.startswith(str(self.folder) + "/") or point.startswith("/run/netns/cni-"):
                subprocess.run(["umount", "-l", point])
                if point.startswith("/run/netns/"):
                    with contextlib.suppress(OSError):
                        os.unlink(point)

    def stop(self):
        with contextlib.suppress(subprocess.CalledProcessError, AssertionError):
            self.kubectl("delete", "daemonset,deployment", "--all", "--all-namespaces", "--wait=false")
            time.sleep(3)
        for name in ("kubelet", "scheduler", "controllers", "apiserver", "etcd"):
            self.terminate(name)
        if "containerd" in self.processes:
            self.remove_containers()
        self.terminate("containerd")
        self.unmount()
        subprocess.run(["ip", "link", "delete", "pyperf0"], stderr=subprocess.DEVNULL)
        for top in pathlib.Path("/sys/fs/cgroup").glob("**/kubepods"):
            for path, _, _ in os.walk(top, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(path)
        for path in LOGS:
            shutil.rmtree(path, ignore_errors=True)
        for name, value in self.sysctls.items():
            pathlib.Path("/proc/sys", name).write_text(value)
