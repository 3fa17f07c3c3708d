import { fstatSync, readFileSync, readlinkSync, realpathSync, statSync, type BigIntStats } from "node:fs";
import { basename, dirname } from "node:path";
import type { Config } from "#model";
import type { Randomness, Timers } from "#ports";
import { EGRESS_SOCKET, withEgress } from "../egress-program.ts";
import { WORKSPACE, type OpenedPath } from "../granted-paths.ts";
import type { Launched, RunOrder } from "../ground.ts";
import { SANDBOX_NODE } from "../system-mounts.ts";
import type { Host } from "../support.ts";
import { creationFor, LABEL, type ContainerOrder, type Mount } from "./container-order.ts";
import type { Engine } from "./find-engine.ts";
import { launchContainer } from "./launch-container.ts";
import { FIRST_PIPE, starterCommand, starterInput, type ShownPlace } from "./starter-program.ts";

type ContainerParts = Pick<ContainerOrder, "owner" | "profile"> & {
  readonly settings: Pick<Config["sandbox"], "workDir" | "baseImage">;
  readonly host: Host;
  readonly randomness: Randomness;
  readonly timers: Timers;
  readonly engine: Engine;
};

const PATH = "/usr/local/bin:/usr/bin:/bin";

export function startContainer(order: RunOrder, parts: ContainerParts): Launched {
  const { settings, randomness, engine, owner, profile, timers } = parts;
  const { argv, config, cwd, env, stdin, way, pipes } = order;
  const numbers = pipes.handles.map((_handle, at) => FIRST_PIPE + at);
  const named = Object.fromEntries(pipes.names.map((variable, at) => [variable, String(numbers[at])]));
  const hex = (count: number): string => Buffer.from(randomness.bytes(count)).toString("hex");
  const name = `silas-${hex(8)}`;
  const word = hex(16);
  const places = placesOf(order, parts);
  const creation = creationFor(engine, {
    image: settings.baseImage,
    command: starterCommand(name),
    // The folder of the space is named after this process, so that a later one knows whether it is gone.
    labels: { [LABEL.place]: settings.workDir, [LABEL.run]: basename(dirname(order.workspace)) },
    mounts: places.map(({ mount }) => mount),
    limits: config.limits,
    profile,
    owner,
  });
  const told = {
    word,
    argv: way === null ? argv : withEgress(argv, numbers),
    env: { PATH, HOME: WORKSPACE, PWD: cwd, ...env, ...named },
    cwd,
    shown: places.map(({ shown }) => shown),
    // No open file of this process can be handed into a container: what it holds is read and handed on.
    pipes: pipes.handles.map((handle) => readFileSync(handle, "base64")),
    stdinBytes: stdin?.length ?? null,
  };
  return launchContainer({ ...order, engine, creation, name, word, input: starterInput(told, stdin), timers });
}

type Place = { readonly mount: Mount; readonly shown: ShownPlace };

function placesOf({ handle, paths, way }: RunOrder, { host }: ContainerParts): readonly Place[] {
  const opened: readonly OpenedPath[] = [
    { fd: handle, as: WORKSPACE, access: "write" },
    ...paths,
    ...(way === null ? [] : [{ fd: way.handle, as: EGRESS_SOCKET, access: "read" as const }]),
  ];
  const node = realpathSync(host.node);
  return [
    placeOf({ source: node, as: SANDBOX_NODE, access: "read" }, statSync(node, { bigint: true })),
    ...opened.map(({ fd, as, access }) =>
      // An engine takes names only. This is the one the opened file has now; inside it is compared with the file itself.
      placeOf({ source: readlinkSync(`/proc/self/fd/${fd}`), as, access }, fstatSync(fd, { bigint: true })),
    ),
  ];
}

const placeOf = (mount: Mount, { dev, ino }: BigIntStats): Place => ({
  mount,
  shown: { as: mount.as, access: mount.access, dev: String(dev), ino: String(ino) },
});
