// Nodes without a kubelet: node objects that the scheduler can use, volumes that claims bind to, and a loop that says of
// pods what kubelets would: it runs where it was put, it is ready, it came to its end, it is gone.
import { sleep } from "./plane.mjs";

const condition = (type, good) => ({ type, status: good ? "True" : "False" });

export class Nodes {
  #plane;
  #going = true;
  #loop;
  #address = 0;
  // What a pod does: a function of the pod to "ready", "running" (not ready), "succeeded" or an exit code.
  behaviour = () => "ready";
  // Called with the pods of every round, so that a test sees states that pass.
  watch = () => {};

  constructor(plane) {
    this.#plane = plane;
    this.#loop = this.#follow();
  }

  async stop() {
    this.#going = false;
    await this.#loop;
  }

  // `count` nodes, in as many zones.
  async add(count) {
    for (let i = 0; i < count; ++i) {
      const name = `node-${i}`, size = { cpu: "64", memory: "256Gi", pods: "110", "ephemeral-storage": "500Gi" };
      await this.#plane.ask("POST", "/api/v1/nodes", {
        apiVersion: "v1", kind: "Node",
        metadata: { name, labels: { "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": `zone-${i}` } },
      });
      await this.#plane.ask("PATCH", `/api/v1/nodes/${name}/status`,
                            { status: { capacity: size, allocatable: size, conditions: [condition("Ready", true)] } });
      // Put there by admission, taken away by the controller that this control plane does without.
      await this.#plane.ask("PATCH", `/api/v1/nodes/${name}`, { spec: { taints: null } });
    }
  }

  async add_volumes(count, mode, storage) {
    for (let i = 0; i < count; ++i)
      await this.#plane.ask("POST", "/api/v1/persistentvolumes", {
        apiVersion: "v1", kind: "PersistentVolume", metadata: { name: `${mode.toLowerCase()}-${i}` },
        spec: { accessModes: [mode], capacity: { storage }, nfs: { server: "192.0.2.1", path: `/${i}` } },
      });
  }

  // The volumes of leaves' claims, each on one node as local volumes are: both leaves of a shard on different ones, and
  // neither may start anywhere else.
  async add_leaf_volumes(namespace = "frond") {
    for (const [claim, node] of [["a-0", 0], ["a-1", 1], ["b-0", 1], ["b-1", 0]])
      await this.#plane.ask("POST", "/api/v1/persistentvolumes", {
        apiVersion: "v1", kind: "PersistentVolume", metadata: { name: `leaf-${claim}` },
        spec: {
          accessModes: ["ReadWriteOnce"], capacity: { storage: "100Gi" }, local: { path: `/volumes/${claim}` },
          claimRef: { namespace, name: `data-leaf-${claim}` },
          nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [
            { key: "kubernetes.io/hostname", operator: "In", values: [`node-${node}`] }] }] } },
        },
      });
  }

  async pods(selector = "") {
    const query = selector && `?labelSelector=${encodeURIComponent(selector)}`;
    return (await this.#plane.ask("GET", `/api/v1/namespaces/frond/pods${query}`)).items;
  }

  async #follow() {
    while (this.#going) {
      try {
        const pods = await this.pods();
        this.watch(pods);
        for (const pod of pods) await this.#attend(pod);
      } catch (error) {
        if (this.#going) console.log(`   nodes: ${error.message}`);
      }
      await sleep(150);
    }
  }

  // The label of a StatefulSet's pod that later controllers (1.28) put there.
  async #number(pod) {
    const index = "apps.kubernetes.io/pod-index", { name, labels, ownerReferences } = pod.metadata;
    if (ownerReferences?.[0].kind !== "StatefulSet" || labels[index]) return;
    await this.#plane.ask("PATCH", `/api/v1/namespaces/frond/pods/${name}`,
                          { metadata: { labels: { [index]: name.split("-").at(-1) } } });
  }

  async #attend(pod) {
    const where = `/api/v1/namespaces/frond/pods/${pod.metadata.name}`;
    if (pod.metadata.deletionTimestamp)
      return this.#plane.request("DELETE", where, { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0 });
    if (!pod.spec.nodeName || ["Succeeded", "Failed"].includes(pod.status.phase)) return undefined;
    await this.#number(pod);
    const does = this.behaviour(pod);
    const ready = does === "ready", ended = does === "succeeded" ? 0 : does;
    const phase = typeof ended !== "number" ? "Running" : ended === 0 ? "Succeeded" : "Failed";
    const was = pod.status.conditions?.find(({ type }) => type === "Ready")?.status === "True";
    if (pod.status.phase === phase && was === ready) return undefined;
    const state = phase === "Running" ? { running: {} } :
      { terminated: { exitCode: ended, ...(ended && { reason: "Error", message: "the first line\na line of the log\n" }) } };
    return this.#plane.request("PATCH", `${where}/status`, {
      status: {
        phase, podIP: pod.status.podIP ?? `10.1.0.${++this.#address}`,
        conditions: ["Initialized", "PodScheduled"].map((type) => condition(type, true)).concat(
          ["ContainersReady", "Ready"].map((type) => condition(type, ready))),
        containerStatuses: pod.spec.containers.map(({ name, image }) => ({ name, image, imageID: image, ready, restartCount: 0, state })),
      },
    });
  }
}
