/** Numbers of the system calls the filter knows, as the kernel fixed them for each kind of processor. */
export type Numbers = readonly [x64: number | null, arm64: number | null];

/** Audit names of the processors, as the kernel hands them to a filter. */
export const PROCESSORS = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
export type Processor = keyof typeof PROCESSORS;

/** Refused with "not permitted": nothing a step of a plan needs, and each a known way out or a way to bother the host. */
export const DENIED: Readonly<Record<string, Numbers>> = {
  // Other processes and other memory.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  bpf: [321, 280],
  // Keys: the kernel's keyrings are no part of any namespace a program is put in.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // Namespaces and mounts.
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  // The machine itself.
  acct: [163, 89],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  settimeofday: [164, 170],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  reboot: [169, 142],
  syslog: [103, 116],
  swapon: [167, 224],
  swapoff: [168, 225],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  vhangup: [153, 58],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
};

/** Answered as if the kernel did not know them: programs then take the older way, which can be limited. */
export const UNKNOWN: Readonly<Record<string, Numbers>> = {
  // Its flags lie in memory, where a filter cannot look; `clone` shows them.
  clone3: [435, 435],
  // A second way to do most calls, past this filter.
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  // Memory that belongs to no process and is not counted with any.
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  shmget: [29, 194],
  // Its flags and mode lie in memory as well; `openat` shows them.
  openat2: [437, 437],
  // Newer ways to ask where mounts come from, which would name folders of this machine.
  statmount: [457, 457],
  listmount: [458, 458],
};

/** Answered as if no file system could do it: what they would attach to a file lies in memory. Copying goes on without. */
export const UNSUPPORTED: Readonly<Record<string, Numbers>> = {
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  fsetxattr: [190, 7],
  setxattrat: [463, 463],
};

/** The newest call this table knows (Linux 6.18). Newer ones could do what is refused here, so they count as unknown. */
export const NEWEST = 469;
