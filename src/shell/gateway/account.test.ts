import { connect, createServer, type AddressInfo } from "node:net";
import { assert, asyncProperty, integer, property } from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { EgressUse, HostRule } from "#model";
import { createAccount } from "./account.ts";

const TARGET: HostRule = { host: "a.example", port: 443 };
const LIMITS = { requests: 10, bytes: 10 };

/** An account whose uses are kept some turns after they were told. */
function openAccount(limits = LIMITS) {
  const kept: EgressUse[] = [];
  const onUse = async (use: EgressUse) => {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    kept.push(use);
    return true;
  };
  return { account: createAccount({ hosts: [], onUse }, limits), kept };
}

test("exactly as many requests as a run may make are counted as allowed", () => {
  assert(
    property(integer({ min: 0, max: 50 }), (requests) => {
      const { account } = openAccount({ ...LIMITS, requests });
      const begun = Array.from({ length: requests + 3 }, () => account.begin());
      expect(begun.filter(Boolean)).toHaveLength(requests);
      expect(begun.slice(requests)).toEqual([false, false, false]);
    }),
  );
});

test("the last byte that a run may carry goes, and the next one does not, however they come", () => {
  assert(
    property(integer({ min: 1, max: 10_000 }), integer({ min: 1, max: 100 }), (bytes, at) => {
      const { account } = openAccount({ ...LIMITS, bytes });
      const first = Math.min(at, bytes);
      expect([account.carry(first), account.carry(bytes - first), account.carry(1)]).toEqual([true, true, false]);
    }),
  );
});

test("a refusal is kept before anyone goes on, once for each place and reason, and of all twenty", async () => {
  await assert(
    asyncProperty(integer({ min: 1, max: 40 }), async (names) => {
      const { account, kept } = openAccount();
      for (let at = 0; at < 2 * names; at += 1) {
        const target = { ...TARGET, port: 1 + (at % names) };
        await account.refused(target, "unreachable");
        expect(kept).toHaveLength(Math.min(at + 1, names, 20));
      }
    }),
  );
  const { account, kept } = openAccount();
  await account.refused(null, "target_unreadable");
  await account.refused(TARGET, "unreachable");
  await account.refused(TARGET, "name_unknown");
  expect(kept).toEqual([
    { kind: "refused", target: null, reason: "target_unreadable" },
    { kind: "refused", target: TARGET, reason: "unreachable" },
    { kind: "refused", target: TARGET, reason: "name_unknown" },
  ]);
});

test("the sums of every host are kept before the account is over", async () => {
  const server = createServer((socket) => void socket.end("four"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { account, kept } = openAccount();
  const other = { host: "b.example", port: 80 };
  for (const target of [TARGET, other, TARGET]) {
    const socket = connect({ host: "127.0.0.1", port });
    account.follow(socket, target);
    const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
    socket.resume().end("ab");
    await closed;
  }
  await account.end();
  expect(kept).toEqual([
    { kind: "ended", ...TARGET, requests: 2, bytesSent: 4, bytesReceived: 8 },
    { kind: "ended", ...other, requests: 1, bytesSent: 2, bytesReceived: 4 },
  ]);
});
