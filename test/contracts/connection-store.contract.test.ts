import { describe, expect, test } from "vitest";
import { sha256Hex } from "#base";
import type { AuditDraft, KeptRequest } from "#model";
import type { ApprovalStore, AuditLog, ConnectionStore, KeptConnection } from "#ports";
import { BY, requestFor, spendingFor, tokenFor } from "./approval-fixture.ts";
import { at, must } from "./journal-fixture.ts";
import { openFile, openMemory } from "./work-fixture.ts";

type Opened = { readonly connections: ConnectionStore; readonly audit: AuditLog; readonly approvals: ApprovalStore };

const ID = "conn-0123456789abcdef";
const kept = (over: Partial<KeptConnection> = {}, record: Partial<KeptConnection["record"]> = {}): KeptConnection => ({
  record: {
    connectionId: ID,
    name: "Notes",
    domain: "personal",
    skillName: "notes",
    authStrategy: "device_code",
    permissions: ["observe"],
    permissionsGranted: [],
    permissionsAvailable: ["notes.read", "notes.write"],
    initialPermissions: ["notes.read"],
    status: "proposed",
    healthCheck: "*/30 * * * *",
    tokenExpiresAt: null,
    refreshTokenExpiresAt: null,
    lastHealthCheck: null,
    lastRefresh: null,
    ...record,
  },
  service: "Notes",
  treeDigest: sha256Hex("notes"),
  hint: { name: null, email: null, domain: null },
  requestId: null,
  probe: "unprobed",
  summary: null,
  failure: null,
  attempts: 0,
  registeredAt: null,
  widens: null,
  ...over,
});
const draft = (event: "connection_proposed" | "connection_removed"): AuditDraft => ({
  event,
  data: { connection_id: ID, skill: "notes" },
  at: at(1),
  actor: BY,
});

async function told({ audit }: Opened): Promise<readonly string[]> {
  const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 200 }));
  return entries.map(({ event }) => event).filter((event) => event.startsWith("connection_"));
}

function requestOf(kind: KeptRequest["kind"]): KeptRequest {
  const request = requestFor("one");
  return { ...request, kind, card: { ...request.card, cardType: kind } };
}

describe.each([
  ["in memory", openMemory],
  ["on disk", openFile],
] as const)("the connection store (%s)", (_name, open) => {
  test("keeps a connection as it is, with its entry in the chain, and forgets it with one", async () => {
    const opened = await open();
    const { connections } = opened;
    expect(must(await connections.list())).toEqual([]);
    must(await connections.keep(kept(), draft("connection_proposed")));
    must(await connections.keep(kept({ summary: "7 notes" }, { status: "active" }), null));
    expect(must(await connections.find(ID))).toEqual(kept({ summary: "7 notes" }, { status: "active" }));
    expect(must(await connections.remove(ID, draft("connection_removed")))).toBe(true);
    expect(must(await connections.remove(ID, draft("connection_removed")))).toBe(false);
    expect(await told(opened)).toEqual(["connection_removed", "connection_proposed"]);
  });

  test("[CONN-04] what a connection began with stays written down, whatever it is widened to", async () => {
    const { connections } = await open();
    const wider = { initialPermissions: ["notes.read", "notes.write"] };
    must(await connections.keep(kept({}, wider), null));
    must(await connections.keep(kept({ registeredAt: at(2) }), null));
    must(await connections.keep(kept({ registeredAt: at(3) }, wider), null));
    expect(must(await connections.find(ID))).toMatchObject({
      registeredAt: at(2),
      record: { initialPermissions: ["notes.read"] },
    });
  });

  test("whoever looked for a while keeps what was seen only of what it still is", async () => {
    const opened = await open();
    const { connections } = opened;
    const before = kept({ registeredAt: at(2) }, { status: "active" });
    const after = kept({ registeredAt: at(2), attempts: 1 }, { status: "failed" });
    const replace = () => connections.replace({ before, after, draft: draft("connection_removed") });
    expect(must(await replace())).toBe(false);
    expect(must(await connections.find(ID))).toBeNull();
    const wider = kept({ registeredAt: at(2) }, { status: "active", permissionsGranted: ["notes.write"] });
    must(await connections.keep(wider, null));
    expect(must(await replace())).toBe(false);
    expect(must(await connections.find(ID))).toEqual(wider);
    expect(await told(opened)).toEqual([]);
    must(await connections.keep(before, null));
    expect(must(await replace())).toBe(true);
    expect(must(await connections.find(ID))).toEqual(after);
    expect(await told(opened)).toEqual(["connection_removed"]);
  });

  test("one decision begins one setup", async () => {
    const opened = await open();
    const { connections, approvals } = opened;
    const request = requestOf("connection_setup");
    must(await approvals.propose(request));
    must(await approvals.spend(spendingFor(tokenFor("one"), { lineage: "run-one", request })));
    const begin = () =>
      connections.begin(request.requestId, kept({}, { status: "connecting" }), draft("connection_proposed"));
    // What was removed meanwhile does not come back by it.
    expect(must(await begin())).toBe(false);
    expect(must(await connections.find(ID))).toBeNull();
    must(await connections.keep(kept(), null));
    expect(must(await begin())).toBe(true);
    expect(must(await begin())).toBe(false);
    expect(await told(opened)).toEqual(["connection_proposed"]);
    expect(must(await connections.find(ID))?.record.status).toBe("connecting");
  });

  test("[PERM-07] what became of a wider sign-in is kept with the connection and its entry, once", async () => {
    const opened = await open();
    const { connections, approvals } = opened;
    const request = requestOf("permission_escalation");
    must(await approvals.propose(request));
    must(await approvals.spend(spendingFor(tokenFor("one"), { lineage: "run-one", request })));
    const { requestId } = request;
    expect(must(await connections.outcomeOf(requestId))).toBeNull();
    const begun = kept({ registeredAt: at(2), widens: requestId }, { status: "connecting" });
    must(await connections.keep({ ...begun, widens: null }, null));
    must(await connections.begin(requestId, begun, draft("connection_proposed")));
    expect(must(await connections.outcomeOf(requestId))).toBeNull();
    const connection = kept({ registeredAt: at(2) }, { status: "active", permissionsGranted: ["notes.write"] });
    const ended = { requestId, outcome: "granted", connection, draft: draft("connection_removed") } as const;
    must(await connections.widened(ended));
    expect(must(await connections.outcomeOf(requestId))).toBe("granted");
    expect(must(await connections.find(ID))).toEqual(connection);
    const again = connections.widened({ ...ended, outcome: "failed", connection: begun });
    expect(
      await again.then(
        ({ ok }) => ok,
        () => false,
      ),
    ).toBe(false);
    expect(must(await connections.outcomeOf(requestId))).toBe("granted");
    expect(must(await connections.find(ID))).toEqual(connection);
    expect(await told(opened)).toEqual(["connection_removed", "connection_proposed"]);
  });
});
