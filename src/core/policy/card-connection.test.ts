import { expect, test } from "vitest";
import { sha256Hex } from "#base";
import type { Card, Payload } from "#model";
import { cardForPayload } from "./card-payload.ts";

const setup = (permissions: readonly string[], service = "Notes"): Payload => ({
  kind: "connection_setup",
  connection_id: "conn-0123456789abcdef",
  service,
  skill: "notes",
  tree_digest: sha256Hex("notes"),
  auth_strategy: "device_code",
  identity_hint: { name: null, email: null, domain: null },
  permissions: [...permissions],
  hosts: ["notes.example.com"],
  secrets: [{ name: "access", host: "notes.example.com" }],
});

function cardOf(permissions: readonly string[], service?: string): Card {
  const made = cardForPayload(setup(permissions, service), { strongAuth: "unavailable" });
  if (!made.ok) throw new Error(made.error.reason);
  return made.value;
}

test("[SETUP-10] asks to connect to the service and lists the permissions: a medium risk to read, a high one for anything else", () => {
  const reading = cardOf(["notes.read", "offline_access"]);
  expect(reading).toMatchObject({ intent: "Connect to Notes?", riskLevel: "medium" });
  expect(reading.details.rows.map(({ text }) => text)).toEqual(
    expect.arrayContaining(["notes.read", "offline_access"]),
  );
  for (const permission of ["notes.write", "Mail.ReadWrite", "admin", "read.all"]) {
    expect(cardOf(["notes.read", permission]).riskLevel, permission).toBe("high");
  }
});

test("a service is named in the question as long as its name leaves room for it", () => {
  const intentFor = (chars: number) => cardOf(["notes.read"], "N".repeat(chars)).intent;
  expect(intentFor(60)).toBe(`Connect to ${"N".repeat(60)}?`);
  expect(intentFor(61)).toBe("Connect to a service?");
});
