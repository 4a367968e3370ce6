// k8s/make-keys and k8s/rotate-keys.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { run } from "./run.mjs";

// Appends the files that a Secret is made or patched of.
const show = `for arg; do case "$arg" in
  --from-file=*) echo "\${arg#--from-file=}" | { IFS== read -r name file; echo "  $name: $(cat "$file")" >>"$(dirname "$0")/asked"; } ;;
  /dev/shm/*/patch) echo "  $4 $5 $(sed 's/.*:"//; s/".*//' "$arg" | base64 -d | tr '\\n' ' ')" >>"$(dirname "$0")/asked" ;; esac; done`;
// A pod that draws keys: commands run here, with its /keys in a folder of the test.
const pod = `case "$*" in
  *" get deployment broker "*) echo registry.example/frond:7 ;;
  *" create -f -") cat >"$(dirname "$0")/pod" ;;
  *" exec make-keys -- frond keygen "*) mkdir -p "$(dirname "$0")/keys"; name=$(basename "$9"); for end in secret public; do echo "$end-of-$name" >"$(dirname "$0")/keys/$name.$end"; done ;;
  *" exec make-keys -- cat "*) cat "$(dirname "$0")$7" ;; esac`;
const shown = (asked) => asked.filter((line) => line.startsWith("  "));

export const tests = {
  "make-keys: each side has its own secret key and the other's public one; no file stays, no key is shown": () => {
    const { status, output, asked, made } = run("make-keys", [], show, { FROND: "frond" });
    assert.equal(status, 0, output);
    assert.equal(asked[0], "--namespace frond get namespace frond --ignore-not-found -o name");
    assert(asked[1].startsWith("--namespace frond apply -f ") && asked[1].endsWith("/base/namespace.yaml"));
    assert.deepEqual(shown(asked), [
      "  secret: secret-of-leaf", "  clients: public-of-broker", "  secret: secret-of-broker", "  leaf: public-of-leaf"]);
    for (const prefix of made) for (const end of ["secret", "public"]) assert(!existsSync(`${prefix}.${end}`), prefix);
    assert(!/(secret|public)-of/.test(output));
  },
  "make-keys: Secrets that are there stay": () => {
    const { status, asked, made } = run("make-keys", [], `case "$*" in *" get secret "*) echo secret/leaf-curve ;; esac`, { FROND: "frond" });
    assert.equal(status, 1);
    assert.equal(asked.length, 3);
    assert.deepEqual(made, []);
  },
  "make-keys: a namespace that is there keeps its labels": () => {
    const { status, asked } = run("make-keys", [], `case "$*" in *" get namespace "*) echo namespace/frond ;; esac`, { FROND: "frond" });
    assert.equal(status, 0);
    assert(!asked.some((line) => / apply |label/.test(line)));
  },
  "make-keys: without the program frond a pod draws the keys, of the image that brokers run, and is deleted": () => {
    const { status, output, asked } = run("make-keys", [], `${pod}\n${show}`, {}, false);
    assert.equal(status, 0, output);
    assert.match(output, /a pod of registry.example\/frond:7 draws the keys/);
    assert.deepEqual(shown(asked), ["  secret: secret-of-leaf", "  clients: public-of-broker", "  secret: secret-of-broker", "  leaf: public-of-leaf"]);
    assert.equal(asked.at(-1), "--namespace frond delete pod make-keys --ignore-not-found --wait=false");
    assert(!/(secret|public)-of/.test(output));
    const of_image = run("make-keys", [], pod.replace("registry.example/frond:7", ""), { FROND_IMAGE: "localhost/frond:2" }, false);
    assert.match(of_image.output, /a pod of localhost\/frond:2/);
  },
  "make-keys: a pod that does not get ready is told why and deleted; no Secret is made": () => {
    const { status, output, asked } = run("make-keys", [], `${pod}\ncase "$*" in *" wait "*) exit 1 ;;
      *" get pods "*) printf 'make-keys\\tPending\\twaits\\x1dErrImagePull\\x1dfrond:1: not found\\x1f\\x1e' ;; esac`, {}, false);
    assert.equal(status, 1);
    assert.match(output, /make-keys waits ErrImagePull: frond:1: not found/);
    assert(asked.at(-1).includes(" delete pod make-keys ") && !asked.some((line) => line.includes("create secret")));
  },
  "rotate-keys: leaves let in both keys, and have them, before brokers start again; then only the new one": () => {
    const { status, output, asked } = run("rotate-keys", [], `${show}\ncase "$*" in
      *" get secret leaf-curve -o go-template="*) printf old-key ;;
      *" get pods "*) printf 'pod/leaf-a-0\\npod/leaf-b-0\\n' ;;
      *" exec pod/leaf-a-0 "*) printf 'old-key\\npublic-of-broker\\n' ;;
      *" exec pod/leaf-b-0 "*) [ $(grep -c "exec pod/leaf-b-0" "$(dirname "$0")/asked") -lt 3 ] || printf 'old-key\\npublic-of-broker\\n' ;; esac`,
      { FROND: "frond", POLL_SECONDS: "0.01" });
    assert.equal(status, 0, output);
    assert(!/(secret|public)-of/.test(output));
    assert.deepEqual(asked.map((line) => line.replace("--namespace frond ", "").replace(/ --patch-file .*| -c leaf .*| --selector .*| --timeout .*| -o .*/, "").trim()), [
      "get secret leaf-curve broker-curve", "get secret leaf-curve", "patch secret leaf-curve", "secret leaf-curve old-key public-of-broker", "get pods",
      ...["a", "b", "b", "b"].map((set) => `exec pod/leaf-${set}-0`), "patch secret broker-curve", "secret broker-curve secret-of-broker",
      "rollout restart deployment/broker", "rollout status deployment/broker", "patch secret leaf-curve", "secret leaf-curve public-of-broker"]);
  },
  "rotate-keys: brokers keep their key when a leaf does not get the new one": () => {
    const { status, output, asked } = run("rotate-keys", [], `case "$*" in *" get pods "*) echo pod/leaf-a-0 ;; *" exec "*) echo old-key ;; esac`,
                                          { FROND: "frond", POLL_SECONDS: "0.01", SECRET_TIMEOUT: "1" });
    assert.equal(status, 1);
    assert.match(output, /pod\/leaf-a-0 does not have the new key/);
    assert(!asked.some((line) => /broker-curve --patch|rollout/.test(line)));
  },
};
