// The manifests in a real control plane: its API server takes every object, its controllers and scheduler make of them the
// pods that are meant, and the scripts of k8s do what they say while a stand-in for kubelets lets pods run, fail and end.
// An older server gets what it knows (control_plane/older.mjs); what it is not asked is printed.
//
// usage: node control_plane.mjs --bin FOLDER     exit 77 where kubectl, the packages (npm ci) or a control plane are lacking
// FROND_CONTROL_PLANE: the folder of its programs (control_plane/build makes one); else they are looked for in the PATH.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ControlPlane, find_programs, until } from "./control_plane/plane.mjs";
import { Nodes } from "./control_plane/nodes.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const k8s = path.join(here, "../../k8s");
const builds = ["overlays/dev", "overlays/gpu", "overlays/production"];

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}

const programs = find_programs(process.env.FROND_CONTROL_PLANE ?? "/nonexistent");
if (!programs.etcd || !programs["kube-apiserver"]) skip("no etcd and kube-apiserver here");
if (spawnSync("kubectl", ["kustomize", "--help"]).status !== 0) skip("no kubectl here");
if (!existsSync(path.join(here, "node_modules/yaml"))) skip("npm ci was not run in tests/kubernetes");
const { read } = await import("./control_plane/older.mjs");
const parts = programs["kube-controller-manager"] && programs["kube-scheduler"] ? ["admission", "pods", "changes"] : ["admission"];
const bin = process.argv[process.argv.indexOf("--bin") + 1];

const plane = await ControlPlane.start(programs);
const nodes = new Nodes(plane);
const { version, minor } = plane;

// The objects of a folder of k8s.
function build(folder) {
  const done = spawnSync("kubectl", ["kustomize", path.join(k8s, folder)], { encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
  return read(done.stdout);
}

// What brokers say when they are asked through the API server, which has no way to pods here: a function of the name and the
// port to the text of /v1/cluster, or to undefined.
let say = () => undefined;
const brokers_say = http.createServer((request, response) => {
  const [, scheme, name, port] = /\/pods\/(\w+):(.*):(\d+)\/proxy\/v1\/cluster$/.exec(request.url) ?? [];
  const text = say({ scheme, name, port: Number(port) });
  response.writeHead(text === undefined ? 503 : 200).end(text);
}).listen(0, "127.0.0.1");
await once(brokers_say, "listening");

// kubectl for the scripts of k8s: what goes to an older server passes older.mjs, a log has one made-up line, what is asked
// of brokers goes to brokers_say, and of commands in pods those of make-keys run here, and leaves show their Secret.
function install_kubectl() {
  const folder = mkdtempSync(path.join(here, "node_modules/.plane-"));  // where programs run: temporary files may lie on a mount that is noexec
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const real = spawnSync("sh", ["-c", "command -v kubectl"], { encoding: "utf8" }).stdout.trim();
  const older = `"${process.execPath}" "${path.join(here, "control_plane/older.mjs")}"`;
  const create = minor > 20 ? `exec "${real}" "$@"` :
    `"${real}" "\${@:1:$#-4}" get cronjob "\${@: -2:1}" -o json | ${older} --job | "${real}" "\${@:1:$#-4}" create -f -`;
  writeFileSync(path.join(folder, "kubectl"), `#!/usr/bin/env bash
set -euo pipefail
case " $* " in
  *" logs "*) echo "a line of the log" ;;
  *" exec make-keys -- "*)
    mkdir -p "${folder}/keys"
    frond() { "${bin}/frond" "$@"; }
    while [ "$1" != -- ]; do shift; done
    "\${@:2:$#-2}" "${folder}\${@: -1}" ;;
  *" exec -i fill-"*) tar -tf - >"${folder}/filled" ;;
  *" exec fill-"*) echo "1K /input" ;;
  *" exec pod/leaf-"*" cat /etc/frond/curve/clients "*) exec "${real}" --namespace frond get secret leaf-curve -o go-template='{{.data.clients | base64decode}}' ;;
  *" get --raw "*"/proxy/"*) for arg; do [[ $arg != /api/* ]] || curl --silent --fail "http://127.0.0.1:${brokers_say.address().port}$arg"; done ;;
  *" create job "*) ${create} ;;
  *" apply -f - "*) ${older} ${minor} | "${real}" "$@" ;;
  *) exec "${real}" "$@" ;;
esac
`, { mode: 0o755 });
  return { ...plane.environment, PATH: `${folder}:${process.env.PATH}` };
}
const environment = install_kubectl();

// A program, to its end: {status, output}.
function run(program, args, more = {}) {
  return new Promise((resolve) => {
    let output = "";
    const child = spawn(program, args, { env: { ...environment, ...more } });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => { output += part; });
    child.on("close", (status) => resolve({ status, output }));
  });
}
const script = (name, args = [], more = {}) => run(path.join(k8s, name), args, more);
const kubectl = (args) => run("kubectl", args);

const ready = (pod) => !pod.metadata.deletionTimestamp &&
  pod.status.conditions?.some(({ type, status }) => type === "Ready" && status === "True");

const context = {
  plane, nodes, minor, k8s, set_say: (tell) => { say = tell; }, bin, builds, build, script, kubectl, ready,
  version,
  names: (pods) => pods.map((pod) => pod.metadata.name).sort(),
  leaves: () => nodes.pods("app.kubernetes.io/name=frond-leaf"),
  brokers: () => nodes.pods("app.kubernetes.io/name=frond-broker"),
};

let failed = false;
try {
  console.log(`${version}: ${Object.keys(programs).join(", ")}`);
  await nodes.add(3);
  await nodes.add_volumes(2, "ReadWriteMany", "200Gi");
  await nodes.add_leaf_volumes();
  for (const part of parts) {
    const { steps } = await import(`./control_plane/${part}.mjs`);
    for (const [sentence, run] of Object.entries(steps(context))) {
      const start = Date.now();
      await run();
      console.log(`ok ${sentence} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
    }
  }
} catch (error) {
  failed = true;
  console.log(error.stack, `\n${plane.last_words()}`);
} finally {
  await nodes.stop().catch(() => {});
  plane.stop();
  brokers_say.close();
}
process.exit(failed ? 1 : 0);
