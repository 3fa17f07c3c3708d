import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the attempts are aimed at: things of this machine that are really there, outside of any sandbox. */
export type Stage = {
  readonly port: number;
  readonly port6: number | null;
  readonly udpPort: number;
  readonly socketPath: string;
  readonly abstractName: string;
  /** A folder nobody granted, with a file in it. */
  readonly outside: string;
  readonly target: string;
  /** A folder that is granted to some attempts. */
  readonly granted: string;
  /** Where Silas keeps its databases and keys. */
  readonly own: readonly string[];
  readonly otherWorkspace: string;
  /** A process of this machine. */
  readonly victim: number;
  /** A value in the environment of every process an attempt starts. */
  readonly mark: string;
  /** What is no longer as it was; null when all is well. */
  damage(): string | null;
  clear(): Promise<void>;
};

type StageFacts = { readonly own: readonly string[]; readonly otherWorkspace: string; readonly mark: string };

const CONTENT = "untouched\n";

export async function setStage({ own, otherWorkspace, mark }: StageFacts): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "silas-escape-"));
  const outside = join(folder, "outside");
  const granted = join(folder, "granted");
  for (const place of [outside, granted]) {
    mkdirSync(place, { mode: 0o700 });
    writeFileSync(join(place, "target"), CONTENT);
  }
  let reached = 0;
  const servers = [...Array(4)].map(() => createServer((socket) => void (socket.destroy(), (reached += 1))));
  const [v4, v6, unix, abstract] = servers as [Server, Server, Server, Server];
  const socketPath = join(outside, "socket");
  const abstractName = `silas-escape-${mark}`;
  const ports = [
    await listen(v4, { port: 0, host: "127.0.0.1" }),
    await listen(v6, { port: 0, host: "::1" }).catch(() => null),
  ];
  await listen(unix, { path: socketPath });
  if (process.platform === "linux") await listen(abstract, { path: `\0${abstractName}` });
  const udp = createSocket("udp4", () => void (reached += 1));
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
  // Waits for the end of its input, so that it ends with this process whatever happens to it.
  const victim = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
  return {
    port: ports[0] ?? 0,
    port6: ports[1] ?? null,
    udpPort: udp.address().port,
    socketPath,
    abstractName,
    outside,
    target: join(outside, "target"),
    granted,
    own,
    otherWorkspace,
    victim: victim.pid ?? 0,
    mark,
    damage() {
      const other = [outside, granted].find((place) => readFileSync(join(place, "target"), "utf8") !== CONTENT);
      if (other !== undefined) return `a file in ${other} was changed`;
      if (readdirSync(outside).length !== 2) return `something was written into ${outside}`;
      const armed = ["", ...readdirSync(granted)].find((name) => (lstatSync(join(granted, name)).mode & 0o6000) !== 0);
      if (armed !== undefined) return `${join(granted, armed)} runs with the rights of its owner`;
      if (reached > 0) return "a server of this machine was reached";
      if (victim.exitCode !== null || victim.signalCode !== null) return "a process of this machine was ended";
      const left = survivors(mark);
      return left.length === 0 ? null : `processes ${left.join(", ")} live on`;
    },
    async clear() {
      victim.kill("SIGKILL");
      udp.close();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function listen(server: Server, where: { port: number; host: string } | { path: string }): Promise<number | null> {
  return new Promise((resolve, reject) => {
    server.once("error", reject).listen(where, () => {
      const address = server.address();
      resolve(typeof address === "object" ? (address?.port ?? null) : null);
    });
  });
}

/** Processes of this machine with the mark in their environment. */
function survivors(mark: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
    } catch {
      return false;
    }
  });
}
