import type { SandboxRun } from "#model";
import { node, ownWord, perl, shell, textOf, type Attempt } from "./attempt.ts";

const endsBy =
  (kind: SandboxRun["end"]["kind"]) =>
  (run: SandboxRun): string | null =>
    run.end.kind === kind ? null : `ended by ${JSON.stringify(run.end)}`;

const endsAtProcesses = (run: SandboxRun): string | null =>
  run.end.kind === "limit" && run.end.which === "processes" ? null : `${textOf(run.stdout)} not ended`;

/** Ways to other processes, and ways to outlive the run. What lives on is looked for after each attempt. */
export const PROCESS_ATTEMPTS: readonly Attempt[] = [
  {
    name: "read the environment of a process of this machine",
    command: ({ victim }) =>
      node(`tries(() => fs.readFileSync("/proc/" + env.PID + "/environ"))`, { PID: String(victim) }),
  },
  {
    name: "find variables of the parent in its own environment",
    command: ({ mark }) =>
      node(
        `const known = ["PATH", "HOME", "PWD", "MARK"], odd = Object.keys(env).filter((name) => !known.includes(name));
         const first = fs.readFileSync("/proc/1/environ", "utf8").split("\\0").filter((v) => v && !known.includes(v.split("=")[0]));
         odd.length + first.length === 0 ? held("none") : escaped([...odd, ...first].join());`,
        { MARK: mark },
      ),
  },
  {
    name: "see processes of this machine",
    command: () =>
      node(`const seen = fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name));
        seen.length <= 3 ? held(seen.join()) : escaped(seen.join());`),
  },
  {
    name: "end a process of this machine",
    command: ({ victim }) => node(`tries(() => process.kill(Number(env.PID), "SIGKILL"))`, { PID: String(victim) }),
  },
  {
    name: "end the process group of this machine's process",
    command: ({ victim }) => node(`tries(() => process.kill(-Number(env.PID), "SIGKILL"))`, { PID: String(victim) }),
  },
  {
    name: "move a process of this machine to another priority",
    command: ({ victim }) =>
      node(`tries(() => require("os").setPriority(Number(env.PID), 5))`, { PID: String(victim) }),
  },
  { name: "live on by forking twice", command: () => shell("( ( sleep 600 & ) & ); echo HELD") },
  {
    name: "live on in a session of its own",
    command: () => shell("setsid sleep 600 & setsid -f sleep 600; echo HELD"),
  },
  {
    name: "live on under nohup",
    command: () => shell("nohup sleep 600 >/dev/null 2>&1 & nohup setsid sleep 600 >/dev/null 2>&1 & echo HELD"),
  },
  {
    name: "live on deaf to every signal",
    command: () => shell("(trap '' TERM HUP INT QUIT PIPE USR1; while :; do sleep 1; done) & echo HELD"),
  },
  {
    name: "live on holding the output open",
    command: () => node(`spawn("/bin/sleep", ["600"], { detached: true, stdio: "inherit" }).unref(); held("started");`),
  },
  {
    name: "leave the dead unburied",
    needs: "/usr/bin/perl",
    command: () => perl(`for (1..15) { exit 0 unless fork; } $| = 1; print "HELD\\n"; sleep 1;`),
  },
  { name: "end the first process of its own", command: () => shell("kill -9 1; sleep 0.2; echo HELD") },
  {
    name: "ignore the end of its time",
    limits: { timeoutMs: 700 },
    command: () => shell("trap '' TERM INT HUP; while :; do sleep 1; done"),
    judge: endsBy("timeout"),
  },
  {
    name: "stop itself beyond the end of its time",
    limits: { timeoutMs: 700 },
    command: () => shell("kill -STOP $$; echo on"),
    judge: endsBy("timeout"),
  },
  {
    name: "fork until the machine is full",
    limits: { processes: 24 },
    needs: "/usr/bin/perl",
    // Bounded, should the sandbox not hold: each of at most 400 children waits and ends.
    command: () =>
      perl(`$| = 1; my $made = 0; for (1..400) { my $pid = fork; if (!defined $pid) { print "HELD after $made\\n"; sleep 20; exit }
        if ($pid == 0) { sleep 20; exit } $made++ } sleep 20; print "ESCAPED with $made\\n";`),
    judge: (run) => (run.end.kind === "limit" && run.end.which === "processes" ? null : ownWord(run)),
  },
  {
    name: "fork in every process until the machine is full",
    limits: { processes: 24 },
    needs: "/usr/bin/perl",
    // Bounded, should the sandbox not hold: there would be 4,096 of them, for a minute.
    command: () =>
      perl(`my $depth = 0; while ($depth < 12) { $depth++; last unless defined fork }
        my $began = time; 1 while time - $began < 60; print "ESCAPED\\n";`),
    judge: endsAtProcesses,
  },
  {
    name: "hide processes below processes, many deep",
    limits: { processes: 24 },
    needs: "/usr/bin/perl",
    command: () =>
      perl(`$| = 1; for (1..200) { my $pid = fork; if (!defined $pid) { print "HELD\\n"; sleep 20; exit }
        if ($pid) { sleep 20; exit } } print "ESCAPED\\n"; sleep 20;`),
    judge: endsAtProcesses,
  },
];
