// k8s/make-keys.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { run } from "./run.mjs";

export const tests = {
  "make-keys: each side has its own secret key and the other's public one; no file stays, no key is shown": () => {
    const show = `for arg; do case "$arg" in --from-file=*) echo "\${arg#--from-file=}" | { IFS== read -r name file; echo "  $name: $(cat "$file")" >>"$(dirname "$0")/asked"; } ;; esac; done`;
    const { status, output, asked, made } = run("make-keys", [], show, { FROND: "frond" });
    assert.equal(status, 0, output);
    assert(asked[0].startsWith("--namespace frond apply -f ") && asked[0].endsWith("/base/namespace.yaml"));
    assert.deepEqual(asked.slice(2).filter((line) => line.startsWith("  ")), [
      "  secret: secret-of-leaf", "  clients: public-of-broker", "  secret: secret-of-broker", "  leaf: public-of-leaf"]);
    for (const prefix of made) for (const end of ["secret", "public"]) assert(!existsSync(`${prefix}.${end}`), prefix);
    assert(!/(secret|public)-of/.test(output));
  },
  "make-keys: Secrets that are there stay": () => {
    const { status, asked, made } = run("make-keys", [], `case "$*" in *" get secret "*) echo secret/leaf-curve ;; esac`, { FROND: "frond" });
    assert.equal(status, 1);
    assert.equal(asked.length, 2);
    assert.deepEqual(made, []);
  },
};
