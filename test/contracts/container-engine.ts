import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A Podman of the tests' own, with one image that is made of this machine's programs: nothing is fetched. */
export type ContainerEngine = {
  readonly socket: string;
  readonly image: string;
  /** Names of all containers there are, running or not. */
  containers(): readonly string[];
  close(): Promise<void>;
};

const IMAGE = "localhost/silas-test:1";
const CACHE = fileURLToPath(new URL("../../node_modules/.cache/silas-test-image/", import.meta.url));

/** Fails where there is no Podman: what is not tried is not proven. */
export async function startContainerEngine(): Promise<ContainerEngine> {
  const folder = mkdtempSync(join(tmpdir(), "silas-engine-"));
  const options = [
    "--root",
    join(folder, "images"),
    "--runroot",
    join(folder, "run"),
    "--storage-driver",
    "vfs",
  ].concat(["--runtime", "runc", "--cgroup-manager", "cgroupfs", "--events-backend", "none"]);
  const podman = (...args: readonly string[]): string =>
    execFileSync("podman", [...options, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  podman("import", "--quiet", imageFile(), IMAGE);
  const socket = join(folder, "engine.sock");
  // The monitor of a container that ran out of memory leaves a file named `oom` in the folder it was started in.
  const service = spawn("podman", [...options, "system", "service", "--time=0", `unix://${socket}`], {
    stdio: "ignore",
    cwd: folder,
  });
  const gone = once(service, "exit");
  while (!(await answers(socket))) {
    if (service.exitCode !== null) throw new Error(`podman ended with ${service.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return {
    socket,
    image: IMAGE,
    containers: () => podman("ps", "--all", "--format", "{{.Names}}").split("\n").filter(Boolean),
    async close() {
      service.kill("SIGTERM");
      await gone;
      // What watched over its containers ends a moment after it.
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

const answers = (socketPath: string): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = get(
      { socketPath, path: "/_ping" },
      (answer) => void answer.resume().once("end", () => resolve(true)),
    );
    asked.once("error", () => resolve(false));
  });

const PROGRAMS =
  "sh env ls cat sleep yes seq head tr printf wc nohup touch chmod rm mkdir readlink mknod true echo setsid perl id"
    .split(" ")
    .map((name) => `/usr/bin/${name}`);

/** The programs above, what they and Node are linked with, and the folders a system has. Made once per machine. */
function imageFile(): string {
  const files = [...new Set([...PROGRAMS, ...linked([...PROGRAMS, process.execPath])].flatMap(withTarget))];
  const print = files.map((file) => `${file} ${statSync(file).mtimeMs} ${statSync(file).size}`).join("\n");
  const made = join(CACHE, `${createHash("sha256").update(print).digest("hex").slice(0, 16)}.tar`);
  if (existsSync(made)) return made;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, "making-"));
  for (const name of ["etc", "home", "run", "tmp", "var", "sys", "proc", "dev"]) mkdirSync(join(folder, name));
  for (const name of ["bin", "lib", "lib64", "sbin"]) symlinkSync(`usr/${name}`, join(folder, name));
  chmodSync(folder, 0o755);
  chmodSync(join(folder, "tmp"), 0o1777);
  writeFileSync(join(folder, "etc/passwd"), "root:x:0:0::/:/bin/sh\nsandbox:x:1000:1000::/workspace:/bin/sh\n");
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    execFileSync("/bin/cp", ["--no-dereference", file, join(folder, file)]);
  }
  execFileSync("tar", ["--create", "--file", `${folder}.tar`, "--owner=0", "--group=0", "--directory", folder, "."]);
  renameSync(`${folder}.tar`, made);
  rmSync(folder, { recursive: true, force: true });
  return made;
}

/** By the names they have in /usr: /lib and /lib64 are links into it. */
const linked = (programs: readonly string[]): readonly string[] =>
  [...execFileSync("ldd", programs, { encoding: "utf8" }).matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) =>
    path.replace(/^\/(lib|lib64)\//, "/usr/$1/"),
  );

const withTarget = (path: string): readonly string[] => [path, realpathSync(path)];
