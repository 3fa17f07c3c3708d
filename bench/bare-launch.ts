import { spawn } from "node:child_process";

/** A program in bubblewrap itself, with the same namespaces and mounts but without limits, filter, watcher and user. */
export function bareLaunch(workspace: string, program: string): () => Promise<void> {
  const system = ["--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib"];
  const places = ["--symlink", "usr/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"];
  const isolation = ["--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"];
  const own = ["--bind", workspace, "/workspace", "--chdir", "/workspace"];
  return () => launch("bwrap", [...isolation, ...system, ...places, ...own, "--", program]);
}

export function launch(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}`))));
  });
}
