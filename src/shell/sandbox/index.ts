/**
 * sandbox: where programs of approved plans and their checks run, and nowhere else.
 *
 * Decides nothing about what may run; it makes sure that what runs reaches exactly what it was granted. There are two
 * backends, bubblewrap and containers of Docker or Podman: own namespaces of every kind, so no network and no loopback, a
 * read-only system, a private workspace, a filter of system calls, the kernel's limits and a watcher for their sums.
 * May import `#ports`, `#model` and `#base` only.
 * Invariants: isolation is proven by a launch before anything is opened, and where it cannot be, nothing runs (SBX-09,
 * SBX-10); arguments reach the program as they are (SBX-04); when a run has answered, no process of it is left (SBX-07);
 * when a space is closed, nothing of it is left (SBX-02); no backend stands in for
 * the other (SBX-11).
 */
export { createSandboxes, sweepSandboxes, type SandboxSettings } from "./sandboxes.ts";
export { SANDBOX_NODE } from "./system-mounts.ts";
