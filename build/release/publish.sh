#!/bin/sh
# publish.sh REGISTRY/REPOSITORY [SKOPEO-OPTION...]: copies the images, the charts and their signatures of this release to
# a registry, digest by digest: images to REGISTRY/REPOSITORY:TAG, charts to REGISTRY/REPOSITORY/charts/NAME:VERSION.
# It needs skopeo, or $SKOPEO. Log in with `skopeo login` before. With KEY=cosign.pub, obtained separately from this
# release, its files are verified first, by openssl.
set -eu

usage() {
  echo "usage: [KEY=FILE] publish.sh REGISTRY/REPOSITORY [SKOPEO-OPTION...]" >&2
  exit 64
}

fail() {
  echo "publish.sh: $1" >&2
  exit "$2"
}

[ $# -ge 1 ] || usage
target=$1
shift
case $target in
  -* | '' | /* | */ | *//*) usage ;;
  */*) ;;
  *) fail "'$target' has no repository: REGISTRY/REPOSITORY, such as registry.example.com/team/kolla-pod" 64 ;;
esac
skopeo=${SKOPEO:-skopeo}
command -v "$skopeo" >/dev/null || fail "skopeo is missing: install it, or set SKOPEO to its path" 69
for tool in sha256sum ${KEY:+openssl}; do
  command -v "$tool" >/dev/null || fail "$tool is missing: it verifies the release, and nothing was published" 69
done

CDPATH= cd -- "$(dirname -- "$0")"
if [ -n "${KEY:-}" ]; then
  [ -r "$KEY" ] || fail "KEY: cannot read $KEY (a relative path starts at the release)" 65
  signature=$(mktemp)
  trap 'rm -f "$signature"' EXIT
  openssl base64 -d -A -in SHA256SUMS.sig -out "$signature" || fail "SHA256SUMS.sig is missing or no base64" 65
  openssl dgst -sha256 -verify "$KEY" -signature "$signature" SHA256SUMS >/dev/null ||
    fail "SHA256SUMS is not signed by $KEY: nothing was published" 65
fi
sha256sum --check --quiet --strict SHA256SUMS >&2 || fail "the release is damaged: nothing was published" 65

while read -r layout tag; do
  case $layout in
    kolla-pod) destination=$target:$tag ;;
    *) destination=$target/$layout:$tag ;;
  esac
  "$skopeo" copy --quiet --all --preserve-digests "$@" "oci:oci/$layout:$tag" "docker://$destination" </dev/null ||
    fail "$destination was not published; see skopeo's message above" 69
  case $tag in
    *.sig) ;;
    *) echo "$destination" ;;
  esac
done <oci/tags
