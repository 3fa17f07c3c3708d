/** A Silas that was started with open files of somebody else. Prints the open files that a program of its sandbox has. */
import { systemTimers } from "#runtime";
import { createSandboxes } from "./sandboxes.ts";
import { CONFIG, HOST, randomness } from "./sandbox.fixture.ts";

const [workDir = ""] = process.argv.slice(2);
const settings = { backend: "subprocess", workDir } as const;
const sandboxes = createSandboxes({ settings, own: [], host: HOST, randomness, timers: systemTimers });
const space = await sandboxes.open(CONFIG);
if (!space.ok) throw new Error(JSON.stringify(space.error));
const script = `for my $fd (3..63) { my $to = readlink("/proc/self/fd/$fd"); print "$fd $to\\n" if defined $to }`;
const ran = await space.value.run({ argv: ["/usr/bin/perl", "-e", script] });
if (!ran.ok) throw new Error(JSON.stringify(ran.error));
process.stdout.write(ran.value.stdout.bytes);
await sandboxes.close();
