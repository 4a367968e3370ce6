// k8s/api-key.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { run } from "./run.mjs";

// Appends the files that a Secret is made or patched of.
const show = `for arg; do case "$arg" in
  --from-file=*) echo "\${arg#--from-file=}" | { IFS== read -r name file; echo "  $name: $(tr '\\n' '|' <"$file")" >>"$(dirname "$0")/asked"; } ;;
  /dev/shm/*/patch) echo "  $4 $5 $(sed 's/.*:"//; s/".*//' "$arg" | base64 -d | tr '\\n' '|')" >>"$(dirname "$0")/asked" ;; esac; done`;
const listed = (lines) => `case "$*" in *" get secret broker-api-keys --ignore-not-found "*) echo secret/broker-api-keys ;;
  *" get secret broker-api-keys -o go-template="*) printf '${lines}' ;; esac\n${show}`;
const told = (asked) => asked.map((line) => line.replace("--namespace frond ", "").replace(/ (--from-file|--patch-file|-o go-template)=?.*/, "").trim());

export const tests = {
  "api-key: the first key makes the list; the key goes to its client's Secret only, no file stays, nothing is shown": () => {
    const { status, output, asked, made } = run("api-key", ["add", "shop", "search,write"], show, { FROND: "frond" });
    assert.equal(status, 0, output);
    assert.deepEqual(told(asked), ["get secret broker-api-keys --ignore-not-found -o name", "create secret generic api-key-shop", "key: key-of-shop|",
      "create secret generic broker-api-keys", "keys: shop search,write sha256:digest|"]);
    for (const prefix of made) for (const end of ["key", "entry"]) assert(!existsSync(`${prefix}.${end}`), prefix);
    assert(!/key-of|digest/.test(output));
  },
  "api-key: another key is added to the list, with the arguments of kubectl": () => {
    const { status, output, asked } = run("api-key", ["add", "ops", "admin", "--context", "c"], listed("# ours\\nshop search sha256:x"), { FROND: "frond" });
    assert.equal(status, 0, output);
    assert(asked.filter((line) => !line.startsWith("  ")).every((line) => line.startsWith("--context c --namespace frond ")), asked.join("\n"));
    assert(asked.at(-1).endsWith("# ours|shop search sha256:x|ops admin sha256:digest|"), asked.at(-1));
  },
  "api-key: a name that is listed stays": () => {
    const { status, output, asked, made } = run("api-key", ["add", "shop", "search"], listed("shop search sha256:x\\n"), { FROND: "frond" });
    assert.equal(status, 1);
    assert.match(output, /has a key shop already/);
    assert(made.length === 0 && !asked.some((line) => /create|patch/.test(line)));
  },
  "api-key: a key that is removed leaves the others, and its client's Secret goes": () => {
    const { status, output, asked } = run("api-key", ["remove", "shop"], listed("shop search sha256:x\\nshop-2 admin sha256:y\\n"), {});
    assert.equal(status, 0, output);
    assert.deepEqual(told(asked).slice(-3), ["patch secret broker-api-keys", "secret broker-api-keys shop-2 admin sha256:y|", "delete secret api-key-shop --ignore-not-found"]);
  },
  "api-key: the last key stays, and a name that is not there is told": () => {
    const last = run("api-key", ["remove", "shop"], listed("# ours\\nshop search sha256:x\\n"), {});
    assert.equal(last.status, 1);
    assert.match(last.output, /is the last key/);
    const none = run("api-key", ["remove", "other"], listed("shop search sha256:x\\n"), {});
    assert.match(none.output, /has no key other/);
    for (const { asked } of [last, none]) assert(!asked.some((line) => /patch|delete/.test(line)));
  },
  "api-key: names of another kind, and other words, are refused": () => {
    for (const name of ["", "Shop", "a b", "-a", "a.b", "x".repeat(60)]) assert.equal(run("api-key", ["add", name, "search"], "", {}).status, 1, name);
    for (const args of [[], ["add"], ["add", "a"], ["drop", "a"], ["remove"]]) assert.equal(run("api-key", args, "", {}).status, 2, args.join());
  },
};
