import { node, perl, shell, type Attempt } from "./attempt.ts";

/** System calls by number, x64 and arm64, with arguments that would harm nobody. */
type Call = readonly [what: string, x64: number | null, arm64: number, args: string];

const CALLS: readonly Call[] = [
  ["attach to a process as a debugger", 101, 117, "16, $ENV{PID}, 0, 0"],
  ["read the memory of another process", 310, 270, "$ENV{PID}, 0, 0, 0, 0, 0"],
  ["take an open file of another process", 438, 438, "0, 0, 0"],
  ["mount a file system", 165, 40, `"none", "/workspace", "tmpfs", 0, 0`],
  ["unmount the system", 166, 39, `"/usr", 2`],
  ["turn the root around", 155, 41, `"/workspace", "/workspace"`],
  ["change the root", 161, 51, `"/workspace"`],
  ["open a file system by the newer way", 430, 430, `"tmpfs", 0`],
  ["clone a tree of mounts", 428, 428, `-100, "/usr", 1`],
  ["make a user namespace of its own", 272, 97, "0x10000000"],
  ["make a network namespace of its own", 272, 97, "0x40000000"],
  ["enter another namespace", 308, 268, "0, 0"],
  ["read the keyring of the session", 250, 219, "11, -3, 0, 0, 0"],
  ["put a key into the keyring of the user", 248, 217, `"user", "silas-escape", "x", 1, -4`],
  ["ask the kernel for a key", 249, 218, `"user", "silas-escape", 0, 0`],
  ["load a program into the kernel", 321, 280, "0, 0, 0"],
  ["watch the machine through counters", 298, 241, "0, 0, -1, -1, 0"],
  ["handle faults of memory itself", 323, 282, "1"],
  ["queue calls past the filter", 425, 425, "8, 0"],
  ["open a file by its handle", 304, 265, "-100, 0, 0"],
  ["keep memory nobody counts", 319, 279, `"x", 0`],
  ["set the clock", 227, 112, "0, 0"],
  ["name the machine", 170, 161, `"escaped", 7`],
  ["load a module into the kernel", 313, 273, `0, "", 0`],
  ["start another kernel", 246, 104, "0, 0, 0, 0"],
  ["turn off swap", 168, 225, `"/workspace"`],
  ["read the log of the kernel", 103, 116, "3, 0, 0"],
  ["put on another personality", 135, 92, "0x0040000"],
];

/** Not permitted, no such call, no such process: the kernel or the filter said no. Anything else proves nothing. */
const SAID_NO = [1, 3, 13, 30, 38];

const calling = ([what, x64, arm64, args]: Call): Attempt => ({
  name: what,
  needs: "/usr/bin/perl",
  command: ({ victim }) =>
    perl(
      `my @args = (${args}); $! = 0; my $answer = syscall(${process.arch === "x64" ? x64 : arm64}, @args);
       print $answer != -1 ? "ESCAPED $answer\\n" : (grep { $_ == $!+0 } (${SAID_NO.join()})) ? "HELD $!\\n" : "UNSURE $!\\n";`,
      { PID: String(victim) },
    ),
});

/** Ways through the kernel and its devices. */
export const KERNEL_ATTEMPTS: readonly Attempt[] = [
  ...CALLS.map(calling),
  {
    name: "set the kernel through /proc/sys",
    command: () =>
      node(`const same = fs.readFileSync("/proc/sys/kernel/core_pattern");
        tries(() => fs.writeFileSync("/proc/sys/kernel/core_pattern", same));`),
  },
  ...["/proc/keys", "/proc/key-users"].map((file) => ({
    name: `read the keys of this machine in ${file}`,
    command: () => node(`tries(() => fs.readFileSync(env.FROM, "utf8") || held("empty"))`, { FROM: file }),
  })),
  {
    name: "open the emergency keys of the kernel",
    command: () => node(`tries(() => fs.openSync("/proc/sysrq-trigger", "w"))`),
  },
  {
    name: "reach devices through /sys",
    command: () =>
      node(
        `let seen = []; try { seen = fs.readdirSync("/sys"); } catch {} seen.length === 0 ? held("nothing there") : escaped(seen.join());`,
      ),
  },
  {
    name: "write anything in /proc that belongs to no process",
    command: () =>
      node(`const can = [];
        const look = (folder) => { for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
          const path = folder + "/" + entry.name;
          if (folder === "/proc" && /^(\\d+|self|thread-self)$/.test(entry.name)) continue;
          try { if (entry.isDirectory()) look(path); else if (fs.statSync(path).isFile()) { fs.accessSync(path, fs.constants.W_OK); can.push(path); } } catch {}
        } };
        look("/proc"); can.length === 0 ? held("nothing") : escaped(can.join());`),
  },
  {
    name: "open disks and memory",
    command: () =>
      node(`const there = ["sda", "vda", "nvme0n1", "mem", "kmem", "port", "kmsg", "fuse", "kvm", "vsock", "net/tun", "input"].filter((name) => fs.existsSync("/dev/" + name));
        there.length === 0 ? held("none there") : escaped(there.join());`),
  },
  {
    name: "make a device",
    command: () => shell("mknod /workspace/disk b 8 0 2>/dev/null && echo ESCAPED || echo HELD"),
  },
  {
    name: "become root",
    needs: "/usr/bin/perl",
    command: () =>
      perl(
        `$> = 0; $< = 0; my $call = syscall(${process.arch === "x64" ? 105 : 146}, 0); print $call == 0 || $> == 0 ? "ESCAPED\\n" : "HELD $!\\n";`,
      ),
  },
  {
    name: "gain rights from a program with the bit of root",
    command: () =>
      node(`const status = fs.readFileSync("/proc/self/status", "utf8"), field = (name) => new RegExp(name + ":\\\\s+(\\\\S+)").exec(status)[1];
        const caps = ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].map(field);
        field("NoNewPrivs") === "1" && field("Seccomp") === "2" && caps.every((c) => /^0+$/.test(c)) ? held("none to gain") : escaped(caps.join());`),
  },
  {
    name: "type into the terminal it was started from",
    needs: "/usr/bin/perl",
    command: () =>
      perl(`my $can = open(my $tty, "+<", "/dev/tty"); my $c = "x";
        my $did = $can ? ioctl($tty, 0x5412, $c) : undef; $did ||= ioctl(STDIN, 0x5412, $c);
        print $did ? "ESCAPED\\n" : "HELD $!\\n";`),
  },
  {
    name: "fill the disk with a device of zeros in /dev/shm",
    limits: { memoryMb: 64 },
    command: () =>
      shell("head -c 200000000 /dev/zero > /dev/shm/x 2>/dev/null && echo ESCAPED || { rm -f /dev/shm/x; echo HELD; }"),
  },
];
