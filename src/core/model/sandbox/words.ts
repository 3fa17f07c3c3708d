import { oneLine } from "#base";
import type { SandboxRefusal } from "./refusals.ts";

/** What did not run, and the one thing that helps. */
type SandboxWords = { readonly what: string; readonly fix: string };

type Table = {
  readonly [C in SandboxRefusal["code"]]: (refusal: Extract<SandboxRefusal, { readonly code: C }>) => SandboxWords;
};

export const sandboxWords = (refusal: SandboxRefusal): SandboxWords =>
  (TABLE[refusal.code] as (refusal: SandboxRefusal) => SandboxWords)(refusal);

const TABLE: Table = {
  sandbox_unsupported: ({ reason, detail }) => {
    const { what, fix } = UNSUPPORTED[reason];
    return { what: detail === null ? what : `${what} (${oneLine(detail)})`, fix };
  },
  sandbox_path_refused: ({ path, reason }) => ({
    what: `${oneLine(path)} ${PATH_FAULTS[reason].what}`,
    fix: PATH_FAULTS[reason].fix,
  }),
  sandbox_command_refused: ({ reason }) => COMMAND_FAULTS[reason],
  sandbox_env_refused: ({ name }) => ({
    what: `the variable ${oneLine(name)} cannot be given to a program`,
    fix: "use letters, digits and underscores, text without NUL, neither PATH, HOME nor PWD, and none that shells keep, like IFS",
  }),
  sandbox_limit_refused: ({ limit }) => ({
    what: `the limit ${limit} is out of range`,
    fix: "give a whole number above 0",
  }),
  sandbox_cwd_refused: ({ cwd }) => ({
    what: `${oneLine(cwd)} is no place to run in`,
    fix: "name a folder in the workspace or in a granted path",
  }),
  sandbox_network_refused: ({ reason }) => ({
    what: reason === "no_gateway" ? "no gateway can give it network here" : "the gateway could not be opened for it",
    fix: "leave network out of the plan, or look into `silas logs`",
  }),
  sandbox_output_withheld: ({ refId }) => ({
    what: `what it printed or left showed the secret ${oneLine(refId)}, and was withheld`,
    fix: "have it print and leave nothing of the secret",
  }),
  sandbox_stopped: () => ({ what: "everything is stopped", fix: "`silas start-again` lets work begin again" }),
  sandbox_closed: () => ({ what: "the workspace is closed", fix: "open another one" }),
  sandbox_not_started: ({ detail }) => ({
    what: `the program was not started (${oneLine(detail)})`,
    fix: "`silas sandbox test` says whether the sandbox works on this machine",
  }),
};

const UNSUPPORTED: {
  readonly [R in Extract<SandboxRefusal, { code: "sandbox_unsupported" }>["reason"]]: SandboxWords;
} = {
  not_linux: {
    what: "programs can be isolated on Linux only",
    fix: "run Silas on Linux, in a virtual machine if need be",
  },
  processor_unknown: {
    what: "the filter of system calls is written for x64 and arm64 only",
    fix: "run Silas on a machine with one of them",
  },
  bwrap_missing: {
    what: "bubblewrap is not installed",
    fix: "apt-get install bubblewrap, or the package of that name",
  },
  bwrap_too_old: {
    what: "this bubblewrap cannot bind an opened folder",
    fix: "update bubblewrap to a version with --bind-fd: 0.10, or an older one with the fix for CVE-2024-42472",
  },
  namespaces_refused: {
    what: "the system does not let bubblewrap make namespaces",
    fix: "allow unprivileged user namespaces: sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone or kernel.apparmor_restrict_unprivileged_userns",
  },
  work_dir_unusable: {
    what: "the folder for workspaces cannot be used",
    fix: "check sandbox.work_dir and who owns it",
  },
  engine_missing: {
    what: "neither Docker nor Podman answers",
    fix: "systemctl --user start podman.socket, start Docker, or name its socket in sandbox.engine_socket",
  },
  engine_wants_user: {
    what: "Docker would run programs as root, because Silas runs as root",
    fix: "run Silas as an ordinary user, or use Podman, which gives programs a user of their own",
  },
  engine_refused: {
    what: "a trial in a container did not end as it must",
    fix: "read what it said; set sandbox.backend to subprocess to use bubblewrap instead",
  },
  image_missing: {
    what: "the image in sandbox.base_image is not on this machine, and Silas fetches none by itself",
    fix: "run the command in brackets once, or name an image that is there",
  },
  image_unusable: {
    what: "the image in sandbox.base_image brings places of its own that can be written",
    fix: "name an image without volumes",
  },
};

const PATH_FAULTS: {
  readonly [R in Extract<SandboxRefusal, { code: "sandbox_path_refused" }>["reason"]]: SandboxWords;
} = {
  not_absolute: { what: "is no plain absolute path", fix: "write it from / on, without . and .." },
  missing: { what: "is not there", fix: "make it first, or name another" },
  is_link: { what: "goes through a link", fix: "name the place the link leads to" },
  special_file: { what: "is neither a file nor a folder", fix: "name a file or a folder" },
  unreadable: { what: "cannot be opened", fix: "check who may read it" },
  holds_silas: { what: "reaches the data of Silas itself", fix: "name a path outside of it" },
  bad_target: {
    what: "cannot be shown there",
    fix: "choose a place of its own, apart from the system and /workspace",
  },
  too_large: { what: "holds more than the run may write", fix: "raise the limit of files, or name a smaller folder" },
};

const COMMAND_FAULTS: {
  readonly [R in Extract<SandboxRefusal, { code: "sandbox_command_refused" }>["reason"]]: SandboxWords;
} = {
  empty: { what: "there is no program to run", fix: "name one" },
  not_text: { what: "an argument holds NUL or is no valid text", fix: "put such bytes into a file or standard input" },
  no_pipes: {
    what: "this backend cannot hand a secret to a program",
    fix: "use `as: header`, or sandbox.backend: subprocess",
  },
  too_long: { what: "the arguments are too long", fix: "put them into a file or standard input" },
};
