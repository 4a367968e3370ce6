// Who reaches whom, by the network policies of a build, as a plugin that enforces them decides it: a connection needs a rule for its
// end (`to`) and one for its beginning (`from`), of each side that any policy of its namespace isolates.
import { pods_of } from "./disruption.mjs";

const fits = ({ matchLabels = {}, matchExpressions = [] }, labels) =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) && matchExpressions.every(({ key, operator, values = [] }) => {
    switch (operator) {
      case "In": return values.includes(labels[key]);
      case "NotIn": return !values.includes(labels[key]);
      case "Exists": return key in labels;
      case "DoesNotExist": return !(key in labels);
      default: throw new Error(`operator ${operator}`);
    }
  });

const namespace_labels = (pod) => ({ "kubernetes.io/metadata.name": pod.namespace });

// A peer of a rule of a policy in `namespace`. Without a namespaceSelector it means pods of that namespace; addresses mean no pod.
const peer_is = (peer, namespace, pod) => !peer.ipBlock && fits(peer.podSelector ?? {}, pod.labels) &&
  (peer.namespaceSelector ? fits(peer.namespaceSelector, namespace_labels(pod)) : pod.namespace === namespace);

// Whether one side lets it happen. `port`: {protocol, number, name}, of the pod that is connected to.
function allows(policies, direction, pod, other, port) {
  const [type, rules, peers] = direction === "egress" ? ["Egress", "egress", "to"] : ["Ingress", "ingress", "from"];
  const isolating = policies.filter(({ metadata, spec }) => metadata.namespace === pod.namespace && fits(spec.podSelector, pod.labels) &&
    (spec.policyTypes ?? ["Ingress", ...spec.egress ? ["Egress"] : []]).includes(type));
  return isolating.length === 0 || isolating.some(({ metadata, spec }) => (spec[rules] ?? []).some((rule) =>
    (!rule[peers]?.length || rule[peers].some((peer) => peer_is(peer, metadata.namespace, other))) &&
    (!rule.ports?.length || rule.ports.some((one) => (one.protocol ?? "TCP") === port.protocol && [undefined, port.number, port.name].includes(one.port)))));
}

// Pods are {namespace, labels}.
export function reaches(objects, from, to, port) {
  const policies = objects.filter(({ kind }) => kind === "NetworkPolicy");
  return allows(policies, "egress", from, to, port) && allows(policies, "ingress", to, from, port);
}

const OUTSIDE = "shop";  // some namespace of the cluster that is not Frond's

// The pods of a build, and those that there are in every cluster: {name: pod}.
function inhabitants(objects) {
  const of = (program) => objects.flatMap((object) => pods_of(object).map((labels) => ({ object, labels })))
    .find(({ object: { kind, spec } }) => kind !== "CronJob" && spec.template.spec.containers[0].command.join(" ") === program)?.labels;
  const in_frond = Object.entries({ broker: of("frond-broker"), leaf: of("frond-leaf"), service: of("frond-indexer serve") });
  const builder = objects.flatMap((object) => (object.kind === "CronJob" && object.metadata.name === "index" ? pods_of(object) : []))[0];
  const pods = Object.fromEntries([...in_frond, ["builder", builder], ["neighbour", {}], ["writer", { "frond-writer": "true" }]]
    .filter(([, labels]) => labels).map(([name, labels]) => [name, { namespace: "frond", labels }]));
  return { ...pods, outsider: { namespace: OUTSIDE, labels: {} }, "writer elsewhere": { namespace: OUTSIDE, labels: { "frond-writer": "true" } },
           prometheus: { namespace: "monitoring", labels: {} }, names: { namespace: "kube-system", labels: { "k8s-app": "kube-dns" } } };
}

const PORTS = { search: [7001, "leaf"], api: [8080, "broker", "http"], admin: [8083, "broker"], "leaf's http": [8081, "leaf", "http"], "service's http": [8082, "service", "http"],
                "builder's http": [8082, "builder", "http"] };

// Exactly these connect to each port of a build. Pods of Frond's namespace that nothing is known of reach nothing at all.
export function check_reach(build_name, objects, check) {
  const pods = inhabitants(objects);
  const downloads = objects.some(({ kind, spec }) => kind === "StatefulSet" && spec.template.spec.containers[0].args.some((arg) => /^--repository=http/.test(arg)));
  const writes = objects.some(({ kind, spec }) => kind === "StatefulSet" &&
    spec.template.spec.containers[0].command[1] === "serve" && spec.template.spec.containers[0].args.some((arg) => arg.startsWith("--api-keys=")));
  const wanted = {
    api: ["outsider", "writer elsewhere", "prometheus", "names"], admin: ["prometheus"], search: ["broker"], "leaf's http": ["prometheus"], "builder's http": ["prometheus"],
    "service's http": ["prometheus", ...downloads ? ["leaf"] : [], ...writes ? ["writer", "writer elsewhere"] : []],
  };
  for (const [port, [number, at, name = port]] of Object.entries(PORTS)) {
    if (!pods[at]) continue;
    const found = Object.keys(pods).filter((from) => from !== at && reaches(objects, pods[from], pods[at], { protocol: "TCP", number, name }));
    check(found.sort().join() === wanted[port].sort().join(), `${build_name}: ${port} is reached by ${found}; meant are ${wanted[port]}`);
  }
  for (const [from, needs] of [["broker", true], ["leaf", downloads || build_name.includes("object-storage")], ["writer", writes], ["neighbour", false]])
    for (const protocol of ["UDP", "TCP"])
      check(reaches(objects, pods[from], pods.names, { protocol, number: 53 }) === needs, `${build_name}: ${from} ${needs ? "does not reach" : "reaches"} name servers over ${protocol}`);
}
