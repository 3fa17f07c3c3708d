import type { SandboxConfig } from "#model";
import type { Engine } from "./find-engine.ts";

const MIB = 1024 * 1024;
/** For the two processes that stand beside the program; the watcher ends a run before the engine's limit does. */
const BESIDE_BYTES = 64 * MIB;
/** As in the other backend: a Node that may map less private memory than this does not start. */
const START_BYTES = 1024 * MIB;
/** Threads count as processes for the kernel; a Node has eleven. */
const THREADS_OF_PROCESS = 12;
const OPEN_FILES = 1024;
/** The user of programs inside. */
const USER = 1000;
/** Above what systems hand out to people and services: whoever is root inside is nobody outside. */
const NOBODIES = 0x7000_0000;

export const LABEL = { place: "silas.place", run: "silas.run" } as const;

export type Mount = { readonly source: string; readonly as: string; readonly access: "read" | "write" };

/** Everything about a container that an engine is told. Neither arguments nor environment of the program are among it. */
export type ContainerOrder = {
  readonly image: string;
  readonly command: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly limits: SandboxConfig["limits"];
  /** As this engine wants it: Docker the profile itself, Podman the file it is in. */
  readonly profile: string;
  /** Who Silas is on this machine. */
  readonly owner: { readonly uid: number; readonly gid: number };
};

export type Creation = { readonly path: string; readonly body: unknown };

export const creationFor = (engine: Pick<Engine, "kind" | "isRootless">, order: ContainerOrder): Creation =>
  engine.kind === "docker"
    ? { path: "/containers/create", body: dockerBody(order) }
    : { path: "/v4.0.0/libpod/containers/create", body: podmanBody(order, engine.isRootless ? "rootless" : "rootful") };

/** Devices and settings of the kernel. What is not there is not hidden. */
const HIDDEN = ["/sys", "/proc/acpi", "/proc/asound", "/proc/dynamic_debug", "/proc/kcore", "/proc/keys"].concat(
  ["/proc/latency_stats", "/proc/mtrr", "/proc/pressure", "/proc/sched_debug", "/proc/scsi", "/proc/timer_list"],
  ["/proc/timer_stats", "/proc/key-users"],
);
const READ_ONLY = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"];

const sumsOf = ({ memoryMb, processes }: ContainerOrder["limits"]) => ({
  memory: memoryMb * MIB + BESIDE_BYTES,
  tmp: Math.ceil((memoryMb * MIB) / 2),
  pids: (processes + 2) * THREADS_OF_PROCESS,
});

/** The second figure ends a program that ignores the first. */
const limitsOf = ({ cpuSeconds, memoryMb, fileBytes }: ContainerOrder["limits"]): readonly Limit[] => [
  ["cpu", cpuSeconds, cpuSeconds + 1],
  ["data", memoryMb * MIB + START_BYTES, memoryMb * MIB + START_BYTES],
  ["fsize", fileBytes, fileBytes],
  ["nofile", OPEN_FILES, OPEN_FILES],
  ["core", 0, 0],
];
type Limit = readonly [name: string, soft: number, hard: number];

const tmpOptions = (bytes: number): readonly string[] => [
  "rw",
  "nosuid",
  "nodev",
  "exec",
  "mode=1777",
  `size=${bytes}`,
];

/** Docker gives a container the numbers of the machine's own users, so a program is the user that Silas is. */
function dockerBody({ image, command, labels, mounts, limits, profile, owner }: ContainerOrder) {
  const { memory, tmp, pids } = sumsOf(limits);
  return {
    Image: image,
    Entrypoint: command,
    Cmd: [],
    Labels: labels,
    User: `${owner.uid}:${owner.gid}`,
    WorkingDir: "/",
    Hostname: "sandbox",
    Tty: false,
    OpenStdin: true,
    // Its input ends with whoever is attached to it: that is how it learns that Silas is gone.
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    NetworkDisabled: true,
    Healthcheck: { Test: ["NONE"] },
    HostConfig: {
      NetworkMode: "none",
      IpcMode: "private",
      CgroupnsMode: "private",
      ReadonlyRootfs: true,
      Privileged: false,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges:true", `seccomp=${profile}`, "label=disable"],
      MaskedPaths: HIDDEN,
      ReadonlyPaths: READ_ONLY,
      Memory: memory,
      MemorySwap: memory,
      PidsLimit: pids,
      ShmSize: tmp,
      Tmpfs: { "/tmp": tmpOptions(tmp).join() },
      Ulimits: limitsOf(limits).map(([Name, Soft, Hard]) => ({ Name, Soft, Hard })),
      LogConfig: { Type: "none" },
      RestartPolicy: { Name: "no" },
      // What is mounted inside a granted folder is not shown: engines do not make it read-only with the rest.
      Mounts: mounts.map(({ source, as, access }) => ({
        Type: "bind",
        Source: source,
        Target: as,
        ReadOnly: access === "read",
        BindOptions: { Propagation: "rprivate", NonRecursive: true },
      })),
    },
  };
}

/** Podman gives a container users of its own, of whom one is the owner of Silas outside and all others are nobody. */
function podmanBody(order: ContainerOrder, rights: "rootless" | "rootful") {
  const { image, command, labels, mounts, limits, profile, owner } = order;
  const { memory, tmp, pids } = sumsOf(limits);
  const threads = limits.processes * THREADS_OF_PROCESS;
  return {
    image,
    entrypoint: command,
    command: [],
    labels,
    user: `${USER}:${USER}`,
    ...(rights === "rootless"
      ? { userns: { nsmode: "keep-id", value: `uid=${USER},gid=${USER}` } }
      : {
          userns: { nsmode: "private" },
          idmappings: {
            HostUIDMapping: false,
            HostGIDMapping: false,
            UIDMap: idsFor(owner.uid),
            GIDMap: idsFor(owner.gid),
          },
        }),
    work_dir: "/",
    hostname: "sandbox",
    terminal: false,
    stdin: true,
    netns: { nsmode: "none" },
    use_image_hosts: true,
    use_image_resolv_conf: true,
    read_only_filesystem: true,
    read_write_tmpfs: false,
    image_volume_mode: "ignore",
    privileged: false,
    cap_drop: ["all"],
    no_new_privileges: true,
    seccomp_profile_path: profile,
    selinux_opts: ["disable"],
    mask: HIDDEN,
    healthconfig: { Test: ["NONE"] },
    log_configuration: { driver: "none" },
    shm_size: tmp,
    resource_limits: { memory: { limit: memory, swap: memory }, pids: { limit: pids } },
    r_limits: [...limitsOf(limits), ["nproc", threads, threads] as const].map(([name, soft, hard]) => ({
      type: name,
      soft,
      hard,
    })),
    mounts: [
      { type: "tmpfs", source: "tmpfs", destination: "/tmp", options: tmpOptions(tmp) },
      ...mounts.map(({ source, as, access }) => ({
        type: "bind",
        source,
        destination: as,
        options: ["bind", access === "read" ? "ro" : "rw", "nosuid", "nodev", "private"],
      })),
    ],
  };
}

const idsFor = (own: number) => [
  { container_id: 0, host_id: NOBODIES, size: USER },
  { container_id: USER, host_id: own, size: 1 },
  { container_id: USER + 1, host_id: NOBODIES + USER + 1, size: 65_535 - USER },
];
