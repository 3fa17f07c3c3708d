import type { SandboxBackend, SandboxLimits } from "./records.ts";

export type SandboxSupport =
  | { readonly state: "ready"; readonly backend: SandboxBackend; readonly version: string }
  | ({ readonly state: "refused" } & SandboxUnsupported);

/** Why nothing can run on this machine. There is no weaker way to run it instead. */
type SandboxUnsupported = {
  readonly code: "sandbox_unsupported";
  readonly backend: SandboxBackend;
  readonly reason:
    | "not_linux"
    | "processor_unknown"
    | "bwrap_missing"
    | "bwrap_too_old"
    | "namespaces_refused"
    | "work_dir_unusable"
    | "engine_missing"
    | "engine_wants_user"
    | "engine_refused"
    | "image_missing"
    | "image_unusable";
  /** What the machine answered, in its own words. */
  readonly detail: string | null;
};

type SandboxPathFault =
  | "not_absolute"
  | "missing"
  | "is_link"
  | "special_file"
  | "unreadable"
  | "holds_silas"
  | "bad_target"
  | "too_large";

/** Why a space was not opened or a run not begun. No program has started. */
export type SandboxRefusal =
  | SandboxUnsupported
  | { readonly code: "sandbox_path_refused"; readonly path: string; readonly reason: SandboxPathFault }
  | { readonly code: "sandbox_command_refused"; readonly reason: "empty" | "not_text" | "too_long" | "no_pipes" }
  | { readonly code: "sandbox_env_refused"; readonly name: string }
  | { readonly code: "sandbox_limit_refused"; readonly limit: keyof SandboxLimits }
  | { readonly code: "sandbox_cwd_refused"; readonly cwd: string }
  /** It asks for network, and no gateway is there that could keep it to its hosts. */
  | { readonly code: "sandbox_network_refused"; readonly reason: "no_gateway" | "not_opened" }
  /** It did run, and what it printed showed a secret: nothing of it is known any more. */
  | { readonly code: "sandbox_output_withheld"; readonly refId: string }
  | { readonly code: "sandbox_closed" }
  | { readonly code: "sandbox_stopped" }
  | { readonly code: "sandbox_not_started"; readonly detail: string };
