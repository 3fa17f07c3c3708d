import { expect, test } from "vitest";
import { judgeConnectionUse } from "./permission-gate.ts";

type Facts = Parameters<typeof judgeConnectionUse>[0];

const USE = {
  connectionId: "conn-0123456789abcdef",
  skill: "notes",
  file: "scripts/add.mjs",
  permissions: ["notes.write"],
};
const connected = (granted: string[], status: "active" | "connecting" | "failed" | "paused" = "active"): Facts => ({
  use: USE,
  connection: {
    record: { skillName: "notes", status, permissionsGranted: granted },
    registeredAt: "2026-11-16T08:00:00.000Z",
  },
  skill: {
    availablePermissions: ["notes.read", "notes.write"],
    scriptPermissions: { "scripts/add.mjs": ["notes.write"] },
  },
});
const kindOf = (facts: Facts): string => judgeConnectionUse(facts).kind;

test("[PERM-02] a use is allowed by what was granted, asked about when it is more, and refused for everything else", () => {
  expect(kindOf(connected(["notes.read", "notes.write"]))).toBe("allowed");
  expect(judgeConnectionUse(connected(["notes.read"]))).toEqual({ kind: "missing", permissions: ["notes.write"] });
  expect(kindOf({ ...connected(["notes.write"]), connection: null })).toBe("blocked");
  expect(kindOf({ ...connected(["notes.write"]), skill: { problem: "another version" } })).toBe("blocked");
  expect(kindOf({ ...connected(["notes.write"]), use: { ...USE, skill: "mail" } })).toBe("blocked");
});

test("[PERM-02] [CONN-06] what is not connected is not used, and while it is widened it goes on as it was", () => {
  for (const status of ["failed", "paused"] as const)
    expect(kindOf(connected(["notes.write"], status))).toBe("blocked");
  expect(kindOf(connected(["notes.write"], "connecting"))).toBe("allowed");
  const begun = connected(["notes.write"], "connecting");
  const connection = begun.connection === null ? null : { ...begun.connection, registeredAt: null };
  expect(kindOf({ ...begun, connection })).toBe("blocked");
});

test("[CONN-06] a script uses what its skill declares of it: neither less, nor more, nor nothing", () => {
  const granted = connected(["notes.read", "notes.write"]);
  for (const permissions of [[], ["notes.read"], ["notes.write", "notes.read"]])
    expect(kindOf({ ...granted, use: { ...USE, permissions } })).toBe("blocked");
  expect(kindOf({ ...granted, use: { ...USE, file: "scripts/other.mjs" } })).toBe("blocked");
  expect(kindOf({ ...granted, use: { ...USE, file: "scripts/other.mjs", permissions: [] } })).toBe("blocked");
  expect(kindOf({ ...granted, use: { ...USE, file: "constructor" } })).toBe("blocked");
  const unknown = { availablePermissions: ["notes.read"], scriptPermissions: { "scripts/add.mjs": ["notes.write"] } };
  expect(kindOf({ ...connected(["notes.read"]), skill: unknown })).toBe("blocked");
});
