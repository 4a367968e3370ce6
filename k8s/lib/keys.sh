# Draws key pairs for CURVE, and API keys. Sourced by the scripts of k8s, which have in_frond: kubectl in Frond's namespace.
#
# FROND: the program that draws them. Without it, `frond` in the PATH; if there is none, a pod of the brokers' image (or
# FROND_IMAGE, or frond:1). The pod keeps keys in memory and is deleted afterwards. They are read with `kubectl exec`,
# through the API server as Secrets are, and appear in no log.
# shellcheck shell=bash

# shellcheck source=k8s/lib/why.sh
. "$(dirname "${BASH_SOURCE[0]}")/why.sh"

# A folder in memory, removed when the script ends.
umask 077
keys=$(mktemp -d /dev/shm/frond-keys-XXXXXX)
helper=
clean_up() {
  rm -rf "$keys"
  [ -z "$helper" ] || in_frond delete pod make-keys --ignore-not-found --wait=false >&2
}
trap clean_up EXIT

helper_pod() {
  cat <<YAML
apiVersion: v1
kind: Pod
metadata:
  name: make-keys
  labels: {app.kubernetes.io/name: frond-keys, app.kubernetes.io/part-of: frond}
spec:
  restartPolicy: Never
  automountServiceAccountToken: false
  enableServiceLinks: false
  activeDeadlineSeconds: 900
  terminationGracePeriodSeconds: 1
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    seccompProfile: {type: RuntimeDefault}
  containers:
    - name: frond
      image: $1
      command: [sleep, "900"]
      resources:
        requests: {cpu: 50m, memory: 32Mi}
        limits: {memory: 128Mi}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      volumeMounts:
        - {name: keys, mountPath: /keys}
  volumes:
    - name: keys
      emptyDir: {medium: Memory, sizeLimit: 1Mi}
YAML
}

start_helper() {
  local image=${FROND_IMAGE-} tries=0
  [ -n "$image" ] || image=$(in_frond get deployment broker --ignore-not-found -o jsonpath='{.spec.template.spec.containers[0].image}')
  image=${image:-frond:1}
  echo "there is no program frond here: a pod of $image draws the keys" >&2
  in_frond delete pod make-keys --ignore-not-found --now >&2
  helper=started
  # A new namespace gets its service account a moment later.
  until helper_pod "$image" | in_frond create -f - >&2; do
    [ $((++tries)) -lt 5 ] || exit 1
    sleep "${POLL_SECONDS:-2}"
  done
  in_frond wait --for=condition=Ready pod/make-keys --timeout="${START_TIMEOUT:-120}s" >&2 && return
  tell_trouble "$(tell_pods app.kubernetes.io/name=frond-keys)"
  exit 1
}

# keygen NAME ENDS FLAGS…: has `frond keygen` write $keys/NAME.END for each of the two ends.
keygen() {
  local name=$1 ends=$2 end
  shift 2
  if [ -n "${FROND-}" ] || command -v frond >/dev/null; then
    "${FROND:-frond}" keygen --output "$keys/$name" "$@"
    return
  fi
  [ -n "$helper" ] || start_helper
  in_frond exec make-keys -- frond keygen --output "/keys/$name" "$@" >&2
  for end in $ends; do in_frond exec make-keys -- cat "/keys/$name.$end" >"$keys/$name.$end"; done
}

# Makes a pair: $keys/NAME.secret and $keys/NAME.public.
draw() { keygen "$1" "secret public"; }

# Puts a file into a Secret: put SECRET NAME FILE. The patch is passed as a file, because every user of this machine can see
# arguments.
put() {
  printf '{"data":{"%s":"%s"}}' "$2" "$(base64 <"$3" | tr -d '\n')" >"$keys/patch"
  in_frond patch secret "$1" --patch-file "$keys/patch"
}
