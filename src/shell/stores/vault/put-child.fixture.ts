/** Puts secrets until it is killed: a counter as text, one after the other, each told when it is stored. */
import { openFile, ref } from "./file-vault.fixture.ts";

const vault = openFile(process.argv[2] ?? "");
for (let count = Number(process.argv[3]); ; count += 1) {
  const stored = await vault.put(ref("counter"), Buffer.from(String(count)));
  if (!stored.ok) process.exit(1);
  process.stdout.write(`${count}\n`);
}
