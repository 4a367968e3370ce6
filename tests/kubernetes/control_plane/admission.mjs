// What the API server says to the manifests: types, values, Pod Security.
import assert from "node:assert/strict";
import { for_server, write } from "./older.mjs";

export function steps({ plane, minor, version, build, builds }) {
  return {
    "the API server takes every object of every build": async () => {
      const left_out = new Set();
      let count = 0;
      const first = (kind) => build("overlays/dev").find((object) => object.kind === kind);
      await plane.ask("POST", "/api/v1/namespaces", first("Namespace"));
      await plane.ask("POST", "/api/v1/namespaces/frond/serviceaccounts", first("ServiceAccount"));
      for (const name of builds) {
        const adapted = for_server(minor, build(name));
        const done = plane.kubectl(["apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-"],
                                   write(adapted.objects));
        assert.equal(done.status, 0, `${name}: ${done.stderr}`);
        assert.equal(done.stdout.trim().split("\n").length, adapted.objects.length);
        count += adapted.objects.length;
        adapted.left_out.forEach((field) => left_out.add(field));
      }
      console.log(`   ${count} objects`);
      for (const field of left_out) console.log(`   not asked, ${version} does not know it: ${field}`);
    },
    "it refuses an unknown field, and what is of the right type and wrong": () => {
      const objects = for_server(minor, build("overlays/production")).objects;
      const refused = (kind, change) => {
        const object = structuredClone(objects.find((one) => one.kind === kind));
        change(object);
        return plane.kubectl(["apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-"], write([object])).status !== 0;
      };
      assert(!refused("Deployment", () => {}));
      assert(refused("Deployment", ({ spec }) => { spec.template.spec.containers[0].readinesProbe = {}; }));
      assert(refused("Deployment", ({ spec }) => { spec.template.metadata.labels = { other: "pod" }; }));
      assert(refused("Deployment", ({ spec }) => { spec.template.spec.containers[0].volumeMounts[0].name = "nothing"; }));
      assert(refused("StatefulSet", ({ spec }) => { spec.podManagementPolicy = "AllAtOnce"; }));
      assert(refused("HorizontalPodAutoscaler", ({ spec }) => { spec.maxReplicas = 1; }));
      assert(refused("NetworkPolicy", ({ spec }) => { spec.policyTypes = ["Inwards"]; }));
    },
    "it admits no pod that is not `restricted`": async () => {
      const { template } = build("overlays/production").find(({ kind }) => kind === "Deployment").spec;
      const admitted = async (change) => {
        const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "other" }, spec: structuredClone(template.spec) };
        for (const constraint of pod.spec.topologySpreadConstraints) delete constraint.matchLabelKeys;
        delete pod.spec.priorityClassName;
        change(pod.spec, pod.spec.containers[0].securityContext);
        const answer = await plane.request("POST", "/api/v1/namespaces/frond/pods?dryRun=All", pod);
        assert([201, 403].includes(answer.status), JSON.stringify(answer.body));
        return answer.status === 201;
      };
      assert(await admitted(() => {}));
      assert(!await admitted((spec) => { spec.hostNetwork = true; }));
      assert(!await admitted((spec) => { spec.securityContext.runAsUser = 0; }));
      assert(!await admitted((spec) => { delete spec.securityContext.seccompProfile; }));
      assert(!await admitted((spec, container) => { container.allowPrivilegeEscalation = true; }));
      assert(!await admitted((spec, container) => { container.capabilities = { add: ["SYS_ADMIN"] }; }));
      assert(!await admitted((spec) => { spec.volumes = [{ name: "host", hostPath: { path: "/" } }]; }));
    },
  };
}
