// As much of Helm's template language as k8s/chart uses, for machines without Helm: values, `if`, `range`, and a few functions. What it
// does not know is an error.
const FUNCTIONS = {
  eq: (a, b) => a === b,
  or: (...all) => all.find(Boolean) ?? all.at(-1),
  default: (other, value) => (value === undefined || value === null || value === "" || value === 0 || value === false ? other : value),
  int: Number,
  until: (count) => Array.from({ length: count }, (_, i) => i),
  indent: (spaces, text) => text.replace(/^/gm, " ".repeat(spaces)),
};

// `default "8" $.Values.leaf.cpu`, with calls in parentheses and pipes, to its value.
function evaluate(expression, scope) {
  const words = expression.match(/"[^"]*"|[()|]|[^\s()|]+/g);
  const value = (word) => {
    if (word.startsWith('"')) return word.slice(1, -1);
    if (/^-?\d+$/.test(word)) return Number(word);
    if (word === "true" || word === "false") return word === "true";
    if (word.startsWith("$.")) return word.slice(2).split(".").reduce((at, name) => {
      if (at === null || typeof at !== "object" || !(name in at)) throw new Error(`no ${word}`);
      return at[name];
    }, scope.$);
    if (word in scope) return scope[word];
    throw new Error(`'${word}' in '${expression}'`);
  };
  const operand = () => {
    const word = words.shift();
    if (word !== "(") return word in FUNCTIONS ? FUNCTIONS[word] : value(word);
    const inner = call();
    if (words.shift() !== ")") throw new Error(`no ) in '${expression}'`);
    return inner;
  };
  const call = (...last) => {
    const [first, ...more] = [operand()];
    while (words.length && words[0] !== ")" && words[0] !== "|") more.push(operand());
    const result = typeof first === "function" ? first(...more, ...last) : first;
    return words[0] === "|" ? (words.shift(), call(result)) : result;
  };
  return call();
}

// The text of a template. `root`: {Values, Release, Files: {Get}}.
export function render(template, root) {
  const parts = template.replace(/\s*\{\{-/g, "{{").replace(/-\}\}\s*/g, "}}").split(/\{\{(.*?)\}\}/s);
  let at = 0;
  const block = (scope, shown) => {
    let out = "";
    while (at < parts.length) {
      if (shown) out += parts[at];
      if (++at >= parts.length) return out;
      const action = parts[at++].trim(), [word, ...rest] = action.split(" ");
      if (word === "end") return out;
      if (word === "if") {
        const inner = block(scope, shown && Boolean(evaluate(rest.join(" "), scope)));
        out += inner;
      } else if (word === "range") {
        const [, name, list] = /^range (\$\w+) := (.*)$/.exec(action), body = at;
        const items = shown ? evaluate(list, scope) : [];
        if (items.length === 0) block({ ...scope, [name]: 0 }, false);
        for (const item of items) {
          at = body;
          out += block({ ...scope, [name]: item }, true);
        }
      } else if (shown) {
        out += String(evaluate(action, scope));
      }
    }
    return out;
  };
  return block({ $: root, "$.Files.Get": root.Files?.Get }, true);
}
