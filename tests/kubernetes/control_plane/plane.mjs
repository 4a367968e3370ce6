// A real control plane on loopback: etcd, kube-apiserver and, where they are, kube-controller-manager and kube-scheduler, in
// a folder of its own that goes away with it. No kubelet: nodes.mjs stands in for those. Pod Security: where the server has no admission by
// namespace labels (before 1.23), a PodSecurityPolicy that asks for the same as the profile `restricted`.
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const PROGRAMS = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"];

// Where each program is: in `folder`, or else in the PATH; without those that are lacking.
export function find_programs(folder) {
  const place = (name) => [`${folder}/${name}`, name].find((program) => spawnSync(program, ["--version"]).status === 0);
  return Object.fromEntries(PROGRAMS.map((name) => [name, place(name)]).filter(([, program]) => program));
}

function free_port() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Waits until `tell` gives something true, and returns that; an error that names `what` after `seconds`.
export async function until(what, tell, seconds = 60) {
  for (const end = Date.now() + seconds * 1000; ;) {
    const told = await tell();
    if (told) return told;
    if (Date.now() > end) throw new Error(`not within ${seconds} s: ${what}`);
    await sleep(100);
  }
}

export class ControlPlane {
  #folder = mkdtempSync(path.join(tmpdir(), "frond-plane-"));
  #children = [];
  #token = randomBytes(16).toString("hex");
  #agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });
  #port;

  static async start(programs) {
    const plane = new ControlPlane();
    try {
      await plane.#start(programs);
    } catch (error) {
      console.log(plane.last_words());
      plane.stop();
      throw error;
    }
    return plane;
  }

  // As the API server's program says: a build without a stamp tells clients another one.
  version;
  minor;

  get folder() { return this.#folder; }
  get environment() { return { ...process.env, KUBECONFIG: this.#file("kubeconfig") }; }

  // A request to the API server: {status, body}. `patch` is the kind of a PATCH: merge or strategic-merge.
  request(method, where, body, patch = "merge") {
    const text = body === undefined ? "" : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const request = https.request({
        host: "127.0.0.1", port: this.#port, path: where, method, agent: this.#agent,
        headers: {
          authorization: `Bearer ${this.#token}`, "content-length": Buffer.byteLength(text),
          "content-type": method === "PATCH" ? `application/${patch}-patch+json` : "application/json",
        },
      }, (answer) => {
        const parts = [];
        answer.on("data", (part) => parts.push(part)).on("end", () => {
          const whole = Buffer.concat(parts).toString();
          let read = whole;
          try { read = JSON.parse(whole); } catch { /* plain text, as of /readyz */ }
          resolve({ status: answer.statusCode, body: read });
        });
      });
      request.on("error", reject).end(text);
    });
  }

  // As request, where only success will do: the body.
  async ask(method, where, body, patch) {
    const answer = await this.request(method, where, body, patch);
    if (answer.status >= 300) throw new Error(`${method} ${where}: ${JSON.stringify(answer.body.message ?? answer.body)}`);
    return answer.body;
  }

  kubectl(args, input) {
    return spawnSync("kubectl", args, { encoding: "utf8", input, env: this.environment, maxBuffer: 1 << 28 });
  }

  // The ends of the programs' logs, for whoever looks for the cause of a failure.
  last_words() {
    return this.#children.map(({ name }) =>
      `--- ${name}\n${readFileSync(this.#file(`${name}.log`), "utf8").split("\n").slice(-12).join("\n")}`).join("\n");
  }

  stop() {
    for (const { child } of this.#children.reverse()) child.kill("SIGKILL");
    this.#agent.destroy();
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  #file(name) { return path.join(this.#folder, name); }

  #run(name, program, args) {
    const log = openSync(this.#file(`${name}.log`), "w");
    this.#children.push({ name, child: spawn(program, args, { stdio: ["ignore", log, log] }) });
    closeSync(log);
  }

  async #start(programs) {
    const [etcd, peer, port, manager, scheduler] = await Promise.all(Array.from({ length: 5 }, free_port));
    this.#port = port;
    const url = (at) => `http://127.0.0.1:${at}`;
    this.#run("etcd", programs.etcd, [
      `--data-dir=${this.#file("etcd")}`, `--listen-client-urls=${url(etcd)}`, `--advertise-client-urls=${url(etcd)}`,
      `--listen-peer-urls=${url(peer)}`, `--initial-advertise-peer-urls=${url(peer)}`,
      `--initial-cluster=default=${url(peer)}`]);

    writeFileSync(this.#file("tokens"), `${this.#token},admin,admin,"system:masters"\n`, { mode: 0o600 });
    spawnSync("openssl", ["genrsa", "-out", this.#file("accounts.key"), "2048"]);
    const said = spawnSync(programs["kube-apiserver"], ["--version"], { encoding: "utf8" }).stdout;
    this.version = said.trim();
    const minor = this.minor = Number(/v1\.(\d+)/.exec(said)[1]);
    const policies = minor < 23 ? ["--enable-admission-plugins=PodSecurityPolicy"] : [];
    this.#run("kube-apiserver", programs["kube-apiserver"], [
      `--etcd-servers=${url(etcd)}`, "--bind-address=127.0.0.1", `--secure-port=${port}`, `--cert-dir=${this.#file("certs")}`,
      `--token-auth-file=${this.#file("tokens")}`, "--authorization-mode=RBAC", "--service-cluster-ip-range=10.96.0.0/16",
      `--service-account-key-file=${this.#file("accounts.key")}`,
      `--service-account-signing-key-file=${this.#file("accounts.key")}`, "--service-account-issuer=https://frond.test",
      ...policies]);
    await until("the API server is ready", async () => {
      try { return (await this.request("GET", "/readyz")).status === 200; } catch { return false; }
    }, 120);

    writeFileSync(this.#file("kubeconfig"), JSON.stringify({
      apiVersion: "v1", kind: "Config", "current-context": "test",
      clusters: [{ name: "test", cluster: { server: `https://127.0.0.1:${port}`, "insecure-skip-tls-verify": true } }],
      users: [{ name: "admin", user: { token: this.#token } }],
      contexts: [{ name: "test", context: { cluster: "test", user: "admin" } }],
    }), { mode: 0o600 });
    if (policies.length) await this.ask("POST", "/apis/policy/v1beta1/podsecuritypolicies", RESTRICTED);

    const common = [`--kubeconfig=${this.#file("kubeconfig")}`, "--leader-elect=false", "--bind-address=127.0.0.1",
                    `--cert-dir=${this.#file("certs")}`, ...minor < 23 ? ["--port=0"] : []];
    if (!programs["kube-controller-manager"] || !programs["kube-scheduler"]) return;
    // There are no kubelets whose silence would count.
    this.#run("kube-controller-manager", programs["kube-controller-manager"], [
      ...common, `--secure-port=${manager}`, "--controllers=*,-nodelifecycle", "--horizontal-pod-autoscaler-sync-period=1s",
      "--pvclaimbinder-sync-period=1s", `--service-account-private-key-file=${this.#file("accounts.key")}`]);
    this.#run("kube-scheduler", programs["kube-scheduler"], [...common, `--secure-port=${scheduler}`]);
  }
}

// What the profile `restricted` asks for, and no more than that: the server fills in what a pod leaves out, so a test also
// has to hold the pods against their templates.
const RESTRICTED = {
  apiVersion: "policy/v1beta1", kind: "PodSecurityPolicy",
  metadata: {
    name: "restricted",
    annotations: { "seccomp.security.alpha.kubernetes.io/allowedProfileNames": "runtime/default" },
  },
  spec: {
    privileged: false, allowPrivilegeEscalation: false, requiredDropCapabilities: ["ALL"], readOnlyRootFilesystem: true,
    volumes: ["configMap", "csi", "downwardAPI", "emptyDir", "persistentVolumeClaim", "projected", "secret"],
    hostNetwork: false, hostIPC: false, hostPID: false,
    runAsUser: { rule: "MustRunAsNonRoot" }, seLinux: { rule: "RunAsAny" },
    supplementalGroups: { rule: "RunAsAny" }, fsGroup: { rule: "RunAsAny" },
  },
};
