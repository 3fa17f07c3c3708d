import type { SandboxConfig, SandboxRefusal, SandboxRun } from "#model";
import type { SandboxCommand } from "#ports";
import type { Result } from "#base";
import type { OpenedPath } from "./granted-paths.ts";
import type { HandedPipes } from "./handed-pipe.ts";
import type { CheckedCommand, WayOut } from "./space.ts";

/** What every launch of a backend stands on, and the one way to launch. */
export type Ground = {
  readonly version: string;
  /** What the backend itself stands on: no grant may hold it. */
  readonly own: readonly string[];
  /** A program that ends well at once wherever this backend works. */
  readonly trial: readonly string[];
  /** Whether a program can be given open files; where it cannot, one that needs them is refused. */
  readonly handsOverPipes?: true;
  /** Whether a program can be spoken to while it runs, and can hand something back. */
  readonly talks?: true;
  start(order: RunOrder): Launched;
  /** Nothing of it is left afterwards. */
  leave(): Promise<void>;
};

/** Why a backend cannot be used here at all. */
export type Unsupported = Extract<SandboxRefusal, { readonly code: "sandbox_unsupported" }>;

/** One run of one program, checked and complete. What it may see is open already. */
export type RunOrder = CheckedCommand & {
  readonly config: SandboxConfig;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array | null;
  readonly onLine: SandboxCommand["onLine"];
  readonly onInput: SandboxCommand["onInput"];
  readonly workspace: string;
  /** The workspace, opened. */
  readonly handle: number;
  readonly paths: readonly OpenedPath[];
  readonly way: WayOut | null;
  readonly pipes: HandedPipes;
};

export type Launched = {
  /** When no process of the run is left. */
  readonly ended: Promise<Result<SandboxRun, SandboxRefusal>>;
  /** Ends every process of the run. */
  kill(): void;
};
