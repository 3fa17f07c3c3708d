/** A Silas that is killed while a program runs in its sandbox. Says when the program has begun. */
import { randomBytes } from "node:crypto";
import { defaultSandboxConfig } from "#model";
import { createSandboxes } from "#sandbox";
import { systemTimers } from "#runtime";

const [workDir = "", engineSocket = "", baseImage = "", mark = ""] = process.argv.slice(2);
const sandboxes = createSandboxes({
  settings: { backend: "docker", workDir, engineSocket, baseImage },
  own: [],
  host: { platform: process.platform, arch: process.arch, searchPath: "", node: process.execPath },
  randomness: { bytes: (count) => randomBytes(count) },
  timers: systemTimers,
});
const space = await sandboxes.open({ ...defaultSandboxConfig({ memoryMb: 128, cpuSeconds: 60 }), env: { MARK: mark } });
if (!space.ok) throw new Error(JSON.stringify(space.error));
await space.value.run({
  argv: ["/bin/sh", "-c", "echo begun; exec sleep 600"],
  onLine: ({ text }) => console.log(text),
});
