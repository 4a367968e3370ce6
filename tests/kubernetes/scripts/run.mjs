// Runs a script of k8s with a scripted kubectl and frond first in its PATH.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
export const k8s = path.join(here, "../../../k8s");

// A kubectl that appends its arguments to `asked`, one call a line, and then does what `body` says for them. `frond`: is there
// such a program? Both lie in the repository, where programs run: a folder of temporary files may be mounted noexec.
export function run(script, args, body, more = {}, frond = true, input = "") {
  const modules = path.join(here, "../node_modules");
  mkdirSync(modules, { recursive: true });  // it is missing where npm was not to be had
  const folder = mkdtempSync(path.join(modules, ".scripts-"));
  try {
    const asked = path.join(folder, "asked"), program = (name, text) =>
      writeFileSync(path.join(folder, name), `#!/usr/bin/env bash\n${text}\n`, { mode: 0o755 });
    program("kubectl", `echo "\${*//$'\\n'/ }" >>"${asked}"\n${body}`);
    // Says which files it was to make, and makes them.
    if (frond) program("frond", `echo "$3" >>"${folder}/made"; if [ "\${4-}" = --api-key ]; then
      echo "key-of-$5" >"$3.key"; echo "$5 $7 sha256:digest" >"$3.entry"; exit; fi; echo "secret-of-$(basename "$3")" >"$3.secret"; echo "public-of-$(basename "$3")" >"$3.public"`);
    const done = spawnSync(path.join(k8s, script), args,
                           { encoding: "utf8", input, env: { ...process.env, PATH: `${folder}:${frond ? process.env.PATH : "/usr/bin:/bin"}`, POLL_SECONDS: "0.01", ...more } });
    const lines = (name) => (existsSync(path.join(folder, name)) ? readFileSync(path.join(folder, name), "utf8").trim().split("\n") : []);
    return { status: done.status, output: done.stdout + done.stderr, asked: lines("asked"), made: lines("made") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
