/** What `sandbox.backend` may name. */
export type SandboxBackend = "subprocess" | "docker";

/** The most one run may use. The first of them that is reached ends the run and all its processes. */
export type SandboxLimits = {
  readonly timeoutMs: number;
  /** Of all processes of the run together. */
  readonly cpuSeconds: number;
  /** Of all processes of the run together. */
  readonly memoryMb: number;
  /** Kept of standard output, and as much of standard error. */
  readonly outputBytes: number;
  readonly processes: number;
  /** Of any one file, and of everything in the workspace. */
  readonly fileBytes: number;
};

/** A file or folder of this machine, and where the program finds it. */
type SandboxPath = { readonly path: string; readonly as: string };

export type SandboxConfig = {
  /** A folder whose content the private workspace begins with, copied; null begins empty. */
  readonly workDir: string | null;
  readonly readPaths: readonly SandboxPath[];
  readonly writePaths: readonly SandboxPath[];
  readonly network: "none";
  /** Everything the program finds in its environment besides PATH, HOME and PWD. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
};

/** The defaults of a run whose plan says nothing else; memory and processor time are those of the configuration. */
export function defaultSandboxConfig(given: Pick<SandboxLimits, "memoryMb" | "cpuSeconds">): SandboxConfig {
  return {
    workDir: null,
    readPaths: [],
    writePaths: [],
    network: "none",
    env: {},
    limits: { ...given, timeoutMs: 300_000, outputBytes: 100_000, processes: 64, fileBytes: 256 * 1024 * 1024 },
  };
}

type SandboxLimitName = "cpu" | "memory" | "output" | "processes" | "files";

type SandboxEnd =
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "signal"; readonly signal: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "limit"; readonly which: SandboxLimitName };

/** The first bytes of what was printed: cut at the limit, so at the same byte for the same print. */
type SandboxOutput = { readonly bytes: Uint8Array; readonly isTruncated: boolean };

export type SandboxRun = {
  readonly end: SandboxEnd;
  readonly stdout: SandboxOutput;
  readonly stderr: SandboxOutput;
  readonly durationMs: number;
};

export type SandboxLine = { readonly stream: "stdout" | "stderr"; readonly text: string };
