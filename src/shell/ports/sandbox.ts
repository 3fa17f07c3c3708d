/** Sandboxes: where programs of approved plans, their checks and script gates run, and nowhere else. */
import type { Result } from "#base";
import type { SandboxConfig, SandboxLine, SandboxRefusal, SandboxRun, SandboxSupport } from "#model";
import type { EgressGrant } from "./egress.ts";

export interface Sandboxes {
  /** Whether isolation can be enforced here, tried with a real launch; asked once and remembered. */
  support(): Promise<SandboxSupport>;
  /** Removes what runs of dead processes left, then makes a private workspace. Refused where isolation cannot be enforced. */
  open(config: SandboxConfig): Promise<Result<SandboxSpace, SandboxRefusal>>;
  /** Ends every run and removes every workspace. */
  close(): Promise<void>;
}

/** One private workspace. Every run in it is a fresh set of namespaces; two spaces share nothing. */
export interface SandboxSpace {
  readonly id: string;
  /** Where the workspace is on this machine. What programs left there is hostile: links in it may point anywhere. */
  readonly workspace: string;
  /** Answers when no process of the run is left. */
  run(command: SandboxCommand): Promise<Result<SandboxRun, SandboxRefusal>>;
  /** Ends its runs and removes the workspace. Harmless the second time. */
  close(): Promise<void>;
}

export type SandboxCommand = {
  /** Program and arguments, as they are: no shell is in between. */
  readonly argv: readonly string[];
  /** Inside the sandbox; relative to the workspace, which is the default. */
  readonly cwd?: string;
  /** Added to that of the space, and before it. */
  readonly env?: Readonly<Record<string, string>>;
  /** Without it standard input is empty. */
  readonly stdin?: Uint8Array;
  /**
   * Texts that must be in no variable, argument or file: each is read once from an open file, whose number is in the
   * variable of this name. Refused where the backend cannot hand it over.
   */
  readonly pipes?: Readonly<Record<string, Uint8Array>>;
  /** Given once, as the program starts: what is said there it reads on its standard input, until that is ended. */
  readonly onInput?: (input: SandboxInput) => void;
  /**
   * What the program hands back that must be on no output and in no file: it writes to the open file whose number is in
   * the variable of this name. Told once, when the run has ended.
   */
  readonly handsBack?: { readonly name: string; readonly take: (bytes: Uint8Array) => void };
  /** Shorter than the limit of the space; a longer one does not count. */
  readonly timeoutMs?: number;
  /** What of the open internet it may reach; without it nothing. Refused where no gateway can enforce it. */
  readonly network?: EgressGrant;
  /** Told of each line as it is printed, up to the limit of output. */
  readonly onLine?: (line: SandboxLine) => void;
};

/** The standard input of a program that is spoken to while it runs. What is said after its end is nobody's loss. */
export type SandboxInput = { say(text: string): void; end(): void };
