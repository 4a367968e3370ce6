// k8s/lib/why.sh, with the real kubectl and an API server that says what it is told: what pods are said to wait for.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { k8s } from "./run.mjs";

const resource = (name, kind) => ({ name, singularName: "", namespaced: true, kind, verbs: ["get", "list"] });

// An API server with the pods and events given; `asked` are the queries for events.
async function serve(pods, events, asked) {
  const list = (kind, items) => ({ kind: `${kind}List`, apiVersion: "v1", metadata: {}, items: items.map((item) => ({ kind, apiVersion: "v1", ...item })) });
  const answer = (url) => {
    switch (url.pathname) {
      case "/api": return { kind: "APIVersions", versions: ["v1"] };
      case "/apis": return { kind: "APIGroupList", apiVersion: "v1", groups: [] };
      case "/api/v1": return { kind: "APIResourceList", groupVersion: "v1", resources: [resource("pods", "Pod"), resource("events", "Event")] };
      case "/api/v1/namespaces/frond/pods":
        assert.equal(url.searchParams.get("labelSelector"), "job-name=index");
        return list("Pod", pods);
      case "/api/v1/namespaces/frond/events":
        asked.push(url.searchParams.get("fieldSelector"));
        return list("Event", events.filter(({ involvedObject }) => url.searchParams.get("fieldSelector").split(",").includes(`involvedObject.name=${involvedObject.name}`)));
      default: return undefined;
    }
  };
  const server = http.createServer((request, response) => {
    const told = answer(new URL(request.url, "http://test"));
    response.writeHead(told ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(told ?? {}));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

// What tell_pods prints for them, a line a pod.
async function told(pods, events = [], asked = []) {
  const server = await serve(pods, events, asked);
  const home = mkdtempSync(path.join(tmpdir(), "frond-why-"));  // kubectl keeps its cache there
  const child = spawn("bash", ["-euc", `set -o pipefail
    in_frond() { kubectl --server http://127.0.0.1:${server.address().port} --namespace frond "$@"; }
    . "${path.join(k8s, "lib/why.sh")}"; tell_pods job-name=index`], { env: { ...process.env, KUBECONFIG: "/dev/null", HOME: home } });
  let output = "", errors = "";
  child.stdout.on("data", (part) => { output += part; });
  child.stderr.on("data", (part) => { errors += part; });
  const [status] = await once(child, "close");
  server.close();
  rmSync(home, { recursive: true });
  assert.equal(status, 0, errors);
  return output.replace(/\n$/, "").split("\n");
}

const pod = (name, phase, status = {}, metadata = {}) => ({ metadata: { name, ...metadata }, status: { phase, ...status } });
const container = (state, more = {}) => ({ containerStatuses: [{ name: "indexer", state, ...more }] });
const ended = (reason, exitCode, message) => ({ terminated: { reason, exitCode, ...(message && { message }) } });

export const tests = {
  "why: pods that run, have ended or are starting have no trouble; those that are deleted are not told": async () => {
    const asked = [];
    assert.deepEqual(await told([
      pod("runs", "Running", container({ running: {} })), pod("ended", "Succeeded", container(ended("Completed", 0))),
      pod("new", "Pending"), pod("starts", "Pending", container({ waiting: { reason: "ContainerCreating" } })),
      pod("gone", "Running", {}, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    ], [], asked), ["runs\truns\t", "ended\tended\t", "new\tstarts\t", "starts\tstarts\t"]);
    assert.deepEqual(asked, ["type=Warning,involvedObject.name=starts"]);
  },
  "why: the scheduler's message, an image that is not there, a volume that is not": async () => {
    assert.deepEqual(await told([
      pod("a", "Pending", { conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1 nodes are available: 1 Insufficient cpu." }] }),
      pod("b", "Pending", { conditions: [{ type: "PodScheduled", status: "True" }],
                            ...container({ waiting: { reason: "ImagePullBackOff", message: "Back-off pulling image \"frond:2\"" } }) }),
      pod("c", "Pending", { initContainerStatuses: [{ name: "volumes", state: { waiting: { reason: "PodInitializing" } } }] }),
    ], [["c", "FailedScheduling", "an old one"], ["c", "FailedMount", "no such\nshare"], ["d", "Failed", "another's"]].map(
      ([name, reason, message], i) => ({ metadata: { name: `${i}`, creationTimestamp: `2026-01-01T00:00:0${i}Z` }, involvedObject: { kind: "Pod", name }, type: "Warning", reason, message }))), [
      "a\twaits\tUnschedulable: 0/1 nodes are available: 1 Insufficient cpu.",
      "b\twaits\tImagePullBackOff: Back-off pulling image \"frond:2\"",
      "c\twaits\tPodInitializing: FailedMount: no such share",
    ]);
  },
  "why: how a container ended, with the last line that it wrote; or what took the pod away": async () => {
    assert.deepEqual(await told([
      pod("a", "Failed", container(ended("Error", 1, "started\nfrond-indexer: creating /repository/docs: Permission denied\n\n"))),
      pod("b", "Failed", container(ended("OOMKilled", 137))),
      pod("c", "Failed", { reason: "Evicted", message: "The node was low on resource: memory." }),
      pod("d", "Running", container({ waiting: { reason: "CrashLoopBackOff", message: "back-off 10s" } }, { lastState: ended("Error", 2, "no key") })),
    ]), [
      "a\tfailed\tError, exit code 1: frond-indexer: creating /repository/docs: Permission denied",
      "b\tfailed\tOOMKilled, exit code 137",
      "c\tfailed\tEvicted: The node was low on resource: memory.",
      "d\twaits\tCrashLoopBackOff: back-off 10s; before: Error, exit code 2: no key",
    ]);
  },
};
