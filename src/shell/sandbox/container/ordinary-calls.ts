/**
 * Every call up to Linux 6.18 that no table refuses or judges. bubblewrap's filter goes by number and lets all others
 * through; an engine goes by name and skips a name that its library does not know yet, so it must be told what to allow.
 */
export const ORDINARY: readonly string[] = `
  accept accept4 access alarm arch_prctl bind brk cachestat capget capset chdir chown clock_getres clock_gettime
  clock_nanosleep close close_range connect copy_file_range dup dup2 dup3 epoll_create epoll_create1 epoll_ctl
  epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2
  fadvise64 fallocate fanotify_init fanotify_mark fchdir fchown fchownat fcntl fdatasync fgetxattr file_getattr
  file_setattr flistxattr flock fork fremovexattr fstat fstatfs fsync ftruncate futex futex_requeue futex_wait
  futex_waitv futex_wake futimesat get_mempolicy get_robust_list get_thread_area getcpu getcwd getdents getdents64
  getegid geteuid getgid getgroups getitimer getpeername getpgid getpgrp getpid getppid getpriority getrandom
  getresgid getresuid getrlimit getrusage getsid getsockname getsockopt gettid gettimeofday getuid getxattr
  getxattrat inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents
  io_pgetevents io_setup io_submit ioprio_get ioprio_set kill landlock_add_rule landlock_create_ruleset
  landlock_restrict_self lchown lgetxattr link linkat listen listxattr listxattrat llistxattr lremovexattr lseek
  lsm_get_self_attr lsm_list_modules lsm_set_self_attr lstat madvise map_shadow_stack mbind membarrier migrate_pages
  mincore mlock mlock2 mlockall mmap move_pages mprotect mq_getsetattr mq_notify mq_open mq_timedreceive
  mq_timedsend mq_unlink mremap mseal msgctl msgget msgrcv msgsnd msync munlock munlockall munmap nanosleep
  newfstatat pause pidfd_open pidfd_send_signal pipe pipe2 pkey_alloc pkey_free pkey_mprotect poll ppoll prctl
  pread64 preadv preadv2 prlimit64 process_madvise process_mrelease pselect6 pwrite64 pwritev pwritev2 read
  readahead readlink readlinkat readv recvfrom recvmmsg recvmsg remap_file_pages removexattr removexattrat rename
  renameat renameat2 restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo
  rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min
  sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity
  sched_setattr sched_setparam sched_setscheduler sched_yield seccomp select semctl semget semop semtimedop sendfile
  sendmmsg sendmsg sendto set_mempolicy set_mempolicy_home_node set_robust_list set_thread_area set_tid_address
  setfsgid setfsuid setgid setgroups setitimer setpgid setpriority setregid setresgid setresuid setreuid setrlimit
  setsid setsockopt setuid shmat shmctl shmdt shutdown sigaltstack signalfd signalfd4 socketpair splice stat statfs
  statx symlink symlinkat sync sync_file_range syncfs sysinfo tee tgkill time timer_create timer_delete
  timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime times tkill truncate
  umask uname unlink unlinkat utime utimensat utimes vfork vmsplice wait4 waitid write writev
`
  .trim()
  .split(/\s+/);
