// The Kubernetes manifests: every overlay builds, every object has the type that Kubernetes gives its kind (unknown fields
// refused), everything that is named is there, and every flag is one that the program takes.
//
// usage: node manifests.mjs --bin FOLDER     exit 77 where kubectl, kustomize or the packages (npm ci) are lacking
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { check_disruption, check_spread, check_written, is_leaf, pods_of, selects } from "./manifests/disruption.mjs";
import { check_collections, check_image, check_jobs, check_small } from "./manifests/jobs.mjs";
import { check_chart, check_monitoring } from "./manifests/chart.mjs";
import { check_reach } from "./manifests/reach.mjs";
import { check_volumes } from "./manifests/volumes.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const k8s = path.join(here, "../../k8s");
const bin = process.argv[process.argv.indexOf("--bin") + 1];
const BUILDS = ["overlays/dev", "overlays/gpu", "overlays/production", "overlays/object-storage", "overlays/object-storage-write",
                "overlays/collections", "overlays/serve", "overlays/write"];

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(77);
}

const kustomize = [["kubectl", "kustomize"], ["kustomize", "build"]].find(
  ([program, command]) => spawnSync(program, [command, "--help"]).status === 0);
if (!kustomize) skip("neither kubectl nor kustomize is here");
if (!existsSync(path.join(here, "node_modules/kubernetes-types"))) skip("npm ci was not run in tests/kubernetes");
const { parseAllDocuments } = await import("yaml");
const { default: ts } = await import("typescript");

const faults = [];
const check = (good, fault) => good || faults.push(fault);

function build(name) {
  const done = spawnSync(kustomize[0], [kustomize[1], path.join(k8s, name)], { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${name}: ${done.stderr}`);
  return parseAllDocuments(done.stdout).map((document) => document.toJS());
}

// "apps/v1" and "Deployment" to the module and the type that declare it.
function declared({ apiVersion, kind }) {
  const [version, group = "core"] = apiVersion.split("/").reverse();
  return `import("kubernetes-types/${group.split(".")[0]}/${version}").${kind}`;
}

// What tsc --strict says of the objects, each written as a literal: that is where TypeScript refuses unknown members.
function type_faults(objects) {
  const folder = mkdtempSync(path.join(here, "node_modules/.check-"));
  try {
    const file = path.join(folder, "objects.ts");
    writeFileSync(file, objects.map((object, i) =>
      `export const object${i}: ${declared(object)} = ${JSON.stringify(object)};\n`).join(""));
    const program = ts.createProgram([file], {
      strict: true, noEmit: true, skipLibCheck: true, types: [],
      module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Node10, target: ts.ScriptTarget.ES2020,
    });
    return ts.getPreEmitDiagnostics(program).map((found) => {
      const line = found.file ? found.file.getLineAndCharacterOfPosition(found.start).line : 0;
      const object = objects[line];
      return `${object.kind} ${object.metadata.name}: ${ts.flattenDiagnosticMessageText(found.messageText, "\n  ")}`;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const pod_of = (object) => (object.kind === "CronJob" ? object.spec.jobTemplate.spec.template : object.spec?.template);

// Names that point to other objects of the same build.
function check_names(build_name, objects) {
  const has = (kind, name) => objects.some((object) => object.kind === kind && object.metadata.name === name);
  for (const object of objects) {
    const where = `${build_name}: ${object.kind} ${object.metadata.name}`;
    check(["Namespace", "PriorityClass"].includes(object.kind) || object.metadata.namespace === "frond",
          `${where}: in no namespace`);
    if (object.kind === "HorizontalPodAutoscaler")
      check(has(object.spec.scaleTargetRef.kind, object.spec.scaleTargetRef.name), `${where}: scales nothing`);
    if (object.kind === "StatefulSet") {
      check(has("Service", object.spec.serviceName), `${where}: no service ${object.spec.serviceName}`);
    }
    if (is_leaf(object)) {
      const shard = object.spec.template.spec.containers[0].args.find((arg) => arg.startsWith("--shard="));
      check(shard === `--shard=$(SHARD)/${object.spec.replicas}`, `${where}: ${shard} of ${object.spec.replicas} pods`);
    }
    const selector = object.spec?.selector?.matchLabels ?? (object.kind === "Service" ? object.spec.selector : undefined);
    if (selector)
      check(objects.flatMap(pods_of).some((labels) => selects(selector, labels)), `${where}: selects no pod`);
    for (const volume of pod_of(object)?.spec.volumes ?? [])
      if (volume.persistentVolumeClaim)
        check(has("PersistentVolumeClaim", volume.persistentVolumeClaim.claimName), `${where}: no claim ${volume.name}`);
    const priority = pod_of(object)?.spec.priorityClassName;
    check(!priority || has("PriorityClass", priority), `${where}: no priority ${priority}`);
  }
}

// Pod Security's profile `restricted`, a read-only root, and memory that is bounded.
function check_pods(build_name, objects) {
  for (const object of objects.filter(pod_of)) {
    const { spec } = pod_of(object);
    const where = `${build_name}: ${object.kind} ${object.metadata.name}`;
    check(spec.securityContext.runAsNonRoot && spec.securityContext.seccompProfile.type === "RuntimeDefault" &&
          !spec.hostNetwork && !spec.hostPID, `${where}: not restricted`);
    for (const container of [...spec.initContainers ?? [], ...spec.containers]) {
      const is = container.securityContext;
      check(is.allowPrivilegeEscalation === false && is.capabilities.drop.includes("ALL") && is.readOnlyRootFilesystem,
            `${where}: container ${container.name} is not restricted`);
      check(container.terminationMessagePolicy === "FallbackToLogsOnError", `${where}: container ${container.name} does not tell why it failed`);
      check(container.resources.requests.memory && container.resources.requests.cpu, `${where}: requests nothing`);
    }
  }
}

const BYTES = { "": 1, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
function bytes(size) {
  const [, number, unit] = /^(\d+)([KMG]iB?|)$/.exec(size);
  return Number(number) * BYTES[unit];
}

const LONGEST_SEARCH_S = 60;  // --max-timeout
const LEASES_RELEASED_S = Number(/kRelease\{(\d+)\}/.exec(readFileSync(path.join(here, "../../indexer/serve/serve.cc"), "utf8"))[1]);
const LAST_REPLIES_S = 4;     // what a leaf takes to end, once all is answered
const DNS_CACHE_S = 30;       // how long a name server of the cluster may keep an answer
const DNS_INTERVAL_S = 5;     // --leaf-dns-interval-ms

// The caches that a leaf has in host memory, as the page of flags has them. What auto is in a container: leaf/options.cc, broker/options.cc.
const MIB = 1024 * 1024;
const AUTO = {"host-cache": (has) => has * 0.35, "term-cache": (has) => Math.min(has * 0.04, 32 * MIB)};
const of_auto = (name, has) => (AUTO[name] ?? ((all) => Math.min(all * 0.05, 64 * MIB)))(has);
const CACHES = [...readFileSync(path.join(here, "../../docs/flags.md"), "utf8").split("\n## ").find((part) => part.startsWith("frond-leaf\n"))
  .matchAll(/^\| \*?`--([a-z-]+-cache)`\*? \| /gm)].map(([, name]) => name).filter((name) => name !== "gpu-cache");

// Flags against what the pod is given: memory that they may use, and the time that an end may take.
function check_budgets(build_name, objects) {
  for (const object of objects.filter(pod_of)) {
    const { spec } = pod_of(object);
    const where = `${build_name}: ${object.kind} ${object.metadata.name}`;
    const [{ args, resources, lifecycle, readinessProbe }] = spec.containers;
    const flag = (name) => args.findLast((arg) => arg.startsWith(`--${name}=`))?.split("=")[1];
    const has = bytes((resources.limits ?? resources.requests).memory), grace = spec.terminationGracePeriodSeconds;
    const drain = Number(flag("drain-ms") ?? 0) / 1000;
    if (is_leaf(object)) {
      const sizes = new Map(CACHES.map((name) => [name, flag(name) ? bytes(flag(name)) : of_auto(name, has)]));
      check(sizes.get("host-cache") <= has / 2, `${where}: --host-cache is over half of the memory`);
      check([...sizes.values()].reduce((all, one) => all + one) <= has * 5 / 8, `${where}: ${[...sizes.keys()].map((name) => `--${name}`).join(", ")} are over five eighths of the memory`);
      check(readinessProbe.initialDelaySeconds > DNS_CACHE_S + DNS_INTERVAL_S, `${where}: is ready before brokers know its address`);
      const needed = Number(flag("drain-needed-ms") ?? 0) / 1000;
      const replicated = objects.filter(is_leaf).length > 1;
      check(needed > DNS_CACHE_S + DNS_INTERVAL_S === replicated, `${where}: does not serve on until brokers know its replica's address, or has none`);
      check(drain + needed + LONGEST_SEARCH_S + LAST_REPLIES_S <= grace, `${where}: is killed while it drains`);
      check(Number(flag("lock-wait") ?? 60) > grace, `${where}: gives up while the leaf before it still ends`);
    } else if (object.kind === "Deployment") {
      check((flag("cache") ? bytes(flag("cache")) : Math.min(has * 0.06, 256 * MIB)) <= has / 2, `${where}: --cache is over half of the memory`);
      const before = Number(lifecycle.preStop.exec.command[1]);
      check(before + drain < grace, `${where}: is killed while it drains`);
    } else if (object.kind === "StatefulSet") {
      check(bytes(flag("max-unsent-bytes") ?? "256MiB") <= has / 2, `${where}: --max-unsent-bytes is over half of the memory`);
      const publish = Number(flag("drain-publish-ms") ?? 15000) / 1000;
      check(publish + LEASES_RELEASED_S + drain < grace, `${where}: is killed while it drains`);
    } else if (flag("memory-limit")) {
      check(bytes(flag("memory-limit")) <= has * 2 / 3, `${where}: --memory-limit is over two thirds of the memory`);
    }
  }
}

// Which files each Secret has, by the scripts that make them; kubectl names those of a certificate itself, and the
// object store's keys are the operator's.
function made_secrets() {
  const script = readFileSync(path.join(k8s, "make-keys"), "utf8");
  const made = { "broker-tls": ["tls.crt", "tls.key"], "object-storage": ["credentials"] };
  for (const [, name, files] of script.matchAll(/^secret (\S+) (.*)$/gm))
    made[name] = [...files.matchAll(/--from-file="(\w+)=/g)].map(([, file]) => file);
  for (const [, name, file] of readFileSync(path.join(k8s, "api-key"), "utf8").matchAll(/ create secret generic ([a-z-]+) --from-file="(\w+)=/g))
    made[name] = [file];
  return made;
}

// Files of Secrets: there, readable for the pod's group and nobody else, and swapped when the Secret is.
function check_secrets(build_name, objects) {
  const made = made_secrets();
  for (const object of objects.filter(pod_of)) {
    const { spec } = pod_of(object);
    const where = `${build_name}: ${object.kind} ${object.metadata.name}`;
    const [container] = spec.containers;
    const there = [];
    for (const { name, secret } of (spec.volumes ?? []).filter((volume) => volume.secret)) {
      const mounts = container.volumeMounts.filter((mount) => mount.name === name);
      check(mounts.length === 1 && mounts[0].readOnly && !mounts[0].subPath, `${where}: ${name} is not mounted as it should`);
      check(secret.defaultMode === 0o440 && spec.securityContext.fsGroup === spec.securityContext.runAsGroup,
            `${where}: ${name} is not the group's to read`);
      check(made[secret.secretName], `${where}: nobody makes ${secret.secretName}`);
      there.push(...(made[secret.secretName] ?? []).map((file) => `${mounts[0].mountPath}/${file}`));
    }
    const wanted = container.args.filter((arg) => /^--(curve-|tls-|s3-credentials|api-keys)/.test(arg)).map((arg) => arg.split("=")[1]);
    check(wanted.sort().join() === there.sort().join(), `${where}: wants ${wanted}; there are ${there}`);
  }
}

// A broker's port `admin`, plain HTTP, is what probes and Prometheus ask; clients have no way to it.
function check_admin(build_name, objects) {
  const { metadata, spec: { containers: [container] } } = pod_of(objects.find(({ kind }) => kind === "Deployment"));
  const port = container.ports.find(({ name }) => name === "admin")?.containerPort, where = `${build_name}: broker`;
  check(container.args.includes(`--admin-http=0.0.0.0:${port}`), `${where}: --admin-http is not the port admin`);
  for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"])
    check(container[probe].httpGet.port === "admin" && !container[probe].httpGet.scheme, `${where}: ${probe} asks another port`);
  check(metadata.annotations["prometheus.io/port"] === String(port) && !metadata.annotations["prometheus.io/scheme"], `${where}: scraped elsewhere`);
  for (const { metadata: { name }, spec } of objects.filter(({ kind }) => kind === "Service"))
    check(!spec.ports.some(({ targetPort }) => targetPort === "admin" || targetPort === port), `${build_name}: Service ${name} leads to admin`);
  const rules = objects.find(({ kind, metadata: { name } }) => kind === "NetworkPolicy" && name === "broker").spec.ingress;
  const from = rules.filter(({ ports }) => ports.some((one) => one.port === "admin")).flatMap((rule) => rule.from);
  check(JSON.stringify(from) === '[{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"monitoring"}}}]', `${where}: admin is not for monitoring alone`);
}

// Leaves that download: the server that they name is there. (Who may connect: manifests/reach.mjs.)
function check_repository(build_name, objects) {
  for (const leaf of objects.filter(is_leaf)) {
    const where = `${build_name}: StatefulSet ${leaf.metadata.name}`, spec = leaf.spec.template.spec, [{ args }] = spec.containers;
    const url = /^--repository=http:\/\/([^:]+):(\d+)\/repository$/.exec(args.find((arg) => arg.startsWith("--repository=")) ?? "");
    if (!url) continue;
    const service = objects.find(({ kind, metadata }) => kind === "Service" && metadata.name === url[1]);
    const servers = objects.filter((one) => one.kind === "StatefulSet" && service && selects(service.spec.selector, pods_of(one)[0]));
    check(servers.length === 1 && String(service.spec.ports[0].port) === url[2], `${where}: nothing serves ${url[0]}`);
    check(objects.flatMap(pods_of).filter((labels) => selects(service.spec.selector, labels)).length === 1, `${build_name}: Service ${url[1]} leads to other pods too`);
    const [{ args: flags, volumeMounts: mounts }] = servers[0].spec.template.spec.containers;
    const mount = mounts.find((one) => one.mountPath === "/repository"), writes = flags.some((arg) => arg.startsWith("--api-keys="));
    check(Boolean(mount.readOnly) !== writes && servers[0].spec.replicas === 1, `${build_name}: the repository's server may write without keys, or cannot with them, or is on two nodes`);
    check(!(spec.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim), `${where}: mounts the repository as well`);
    for (const job of objects.filter(({ kind }) => kind === "CronJob")) {
      const [term] = pod_of(job).spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      check(term?.topologyKey === "kubernetes.io/hostname" && selects(term.labelSelector.matchLabels, pods_of(servers[0])[0]), `${build_name}: CronJob ${job.metadata.name}: may run where the volume is not`);
    }
  }
}

// The indexer's service answers under each name that its Service has in the cluster's name servers.
function check_service_names(build_name, objects) {
  for (const { kind, metadata: { name, namespace }, spec } of objects) {
    const hosts = kind === "StatefulSet" && spec.template.spec.containers[0].args.find((arg) => arg.startsWith("--http-hosts="))?.split(/[=,]/);
    for (const ending of hosts ? ["", `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`] : [])
      check(hosts.includes(name + ending), `${build_name}: StatefulSet ${name} refuses to be called ${name}${ending}`);
  }
}

const helps = new Map();
function help_of(command) {
  const key = command.join(" ");
  if (!helps.has(key)) {
    const [program, ...rest] = command;
    helps.set(key, spawnSync(path.join(bin, program), [...rest, "--help-all"], { encoding: "utf8" }).stdout ?? "");
  }
  return helps.get(key);
}

function check_flags(build_name, objects) {
  for (const object of objects.filter(pod_of))
    for (const { command, args } of pod_of(object).spec.containers) {
      if (!existsSync(path.join(bin, command[0]))) continue;
      for (const arg of args)
        check(new RegExp(`${arg.split("=")[0]}[ ,=\\n]`).test(help_of(command)),
              `${build_name}: ${command.join(" ")} has no ${arg.split("=")[0]}`);
    }
}

const base = build("overlays/production");
const everything = [];
for (const name of BUILDS) {
  const objects = build(name);
  check_names(name, objects);
  check_pods(name, objects);
  check_budgets(name, objects);
  check_secrets(name, objects);
  check_admin(name, objects);
  check_disruption(name, objects, check);
  check_spread(name, objects, check);
  check_jobs(name, objects, check);
  check_repository(name, objects);
  check_service_names(name, objects);
  check_reach(name, objects, check);
  check_collections(name, objects, check);
  if (bin) check_flags(name, objects);
  everything.push(...objects);
}
faults.push(...type_faults(everything));

// That the types refuse what they should.
const wrong = structuredClone(base.find((object) => object.kind === "Deployment"));
wrong.spec.template.spec.containers[0].readinesProbe = {};
const older = structuredClone(base.find((object) => object.kind === "NetworkPolicy"));
older.spec.podSelector = "all";
check(type_faults([wrong]).length === 1, "an unknown field is not refused");
check(type_faults([older]).length === 1, "a field of a wrong type is not refused");

check_volumes(base, check);
check_image(k8s, build, (objects) => objects.filter(pod_of).flatMap((object) =>
  [...pod_of(object).spec.initContainers ?? [], ...pod_of(object).spec.containers].map(
    ({ image, imagePullPolicy }) => [`${object.kind} ${object.metadata.name}`, image, imagePullPolicy])), check);
check_small(build("overlays/dev"), check);
const generated = kustomize[0] === "kubectl" ? spawnSync(path.join(k8s, "generate"), ["--check"], { encoding: "utf8" }) : { status: 0 };
check(generated.status === 0, generated.stdout + generated.stderr);
const { watched, has_helm } = await check_chart(k8s, build, check);
check_monitoring("monitoring", build("monitoring"), watched, BUILDS.map(build), check);
check_written(k8s, base.find(({ kind }) => kind === "StatefulSet").spec.replicas, check);

for (const fault of faults) console.log(fault);
console.log(`${has_helm ? "Helm rendered the chart" : "no Helm here: templates.mjs rendered the chart"}`);
console.log(`${everything.length} objects of ${BUILDS.length} builds: ${faults.length} faults`);
process.exit(faults.length === 0 ? 0 : 1);
