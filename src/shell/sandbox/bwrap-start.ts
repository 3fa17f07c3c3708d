import { closeSync, openSync } from "node:fs";
import type { Timers } from "#ports";
import { bwrapOptions, HANDED, programArguments, tasksMaxOf } from "./bwrap-arguments.ts";
import { withEgress } from "./egress-program.ts";
import type { Launched, RunOrder } from "./ground.ts";
import { launch, type Inherited } from "./launch.ts";
import type { TaskGroups } from "./task-groups.ts";

/** bubblewrap and its first process, which are in the group of a run as well. */
const OWN_TASKS = 2;

/** What every launch of bubblewrap is given. */
type BwrapParts = {
  readonly bwrap: string;
  readonly mounts: readonly string[];
  readonly hidden: readonly string[];
  readonly filter: string;
  readonly inherited: Inherited;
  /** Null where the kernel counts by itself, or cannot. */
  readonly groups: TaskGroups | null;
  readonly timers: Timers;
};

export function startBwrap(order: RunOrder, parts: BwrapParts): Launched {
  const { bwrap, mounts, hidden, filter, inherited, groups, timers } = parts;
  const { argv, config, cwd, handle, paths, way, pipes } = order;
  const numbers = pipes.handles.map((_handle, index) => HANDED.first + index);
  const afterPipes = HANDED.first + numbers.length;
  const told = Object.fromEntries(pipes.names.map((name, index) => [name, String(numbers[index])]));
  const env = { ...order.env, ...told };
  // Read from the start by each launch, so each has its own handle on it.
  const opened = openSync(filter, "r");
  try {
    return launch({
      ...order,
      bwrap,
      options: bwrapOptions({
        mounts,
        hidden,
        config,
        paths,
        afterPipes,
        env,
        cwd,
        network: way === null ? "none" : "gateway",
      }),
      program: programArguments(way === null ? argv : withEgress(argv, numbers), config),
      inherited,
      group: groups?.open(tasksMaxOf(config.limits) + OWN_TASKS) ?? null,
      handed: [...pipes.handles, opened, handle, ...paths.map(({ fd }) => fd), ...(way === null ? [] : [way.handle])],
      limits: config.limits,
      timers,
    });
  } finally {
    closeSync(opened);
  }
}
