import { expect, test } from "vitest";
import { connectionViewSchema, type ConnectionView } from "#model";
import { connectionRow, describeConnection, waitingLine } from "./connection-lines.ts";

const cta = (action: string, role: string, label: string) => ({
  action,
  role,
  label,
  consequence_label: `What ${label} does.`,
});
const COMMON = { intent: "Type the code at Notes", risk_level: "low", rationale: "It shows a page of its own." };

/** As the running Silas sends it. */
const viewOf = (more: object): ConnectionView =>
  connectionViewSchema.parse({
    record: {
      connection_id: "conn-0123456789abcdef",
      name: "Notes of Ada",
      domain: "personal",
      skill_name: "notes",
      auth_strategy: "device_code",
      permissions: ["observe"],
      permissions_granted: ["notes.read"],
      permissions_available: ["notes.read"],
      initial_permissions: ["notes.read"],
      status: "connecting",
      health_check: "*/30 * * * *",
      token_expires_at: null,
      refresh_token_expires_at: null,
      last_health_check: null,
      last_refresh: null,
    },
    service: "Notes",
    probe: "unprobed",
    summary: null,
    request_id: null,
    widens: null,
    setup: null,
    failure: null,
    ...more,
  });
const SETUP = {
  step_id: "code",
  step_type: "device_code",
  shown_at: "2026-11-16T10:00:00.000Z",
  card: {
    ...COMMON,
    card_type: "device_code",
    verification_url: "https://notes.example.com/go",
    user_code: "WXYZ-1234",
    expires_in: 600,
    poll_interval: 5,
    ctas: [cta("done", "recommended", "I've done it"), cta("cancel", "decline", "Cancel")],
  },
};

test("[CARD-07] at the terminal a device code is a line with its address, and each answer is a command", () => {
  const lines = describeConnection(viewOf({ setup: SETUP }));
  expect(lines).toContain("Type WXYZ-1234 at https://notes.example.com/go");
  expect(lines.join("\n")).toContain(
    "silas connections answer conn-0123456789abcdef done  I've done it: What I've done it does.",
  );
  expect(lines.join("\n")).toContain("silas connections answer conn-0123456789abcdef cancel");
});

test("[CARD-10] a failure is told in its words, with every way on and skipping as a command", () => {
  const option = (action: string) => ({ action, label: action, description: `Does ${action}.`, risk_level: "low" });
  const failure = {
    ...COMMON,
    card_type: "connection_failure",
    intent: "Notes is not connected",
    failure_type: "consent_denied",
    service: "Notes",
    message: "It was declined.",
    recovery_options: [option("retry"), option("skip")],
    ctas: [cta("retry", "recommended", "Retry"), cta("skip", "decline", "Skip")],
  };
  const view = viewOf({ failure });
  const text = describeConnection(view).join("\n");
  for (const action of ["retry", "skip"]) {
    expect(text).toContain(`silas connections recover conn-0123456789abcdef ${action}`);
  }
  expect(waitingLine(view)).toBe(
    "Connection Notes of Ada: Notes is not connected. `silas connections show conn-0123456789abcdef` says how to go on.",
  );
});

test("how it stands is what waits: a sign-in that goes on, a question that is open, or nothing any more", () => {
  const { record } = viewOf({});
  const proposed = { ...viewOf({}), record: { ...record, status: "proposed" } } as const;
  const stands = (view: ConnectionView): string | undefined => connectionRow(view)[2];
  expect(stands({ ...proposed, request_id: "req-1" })).toBe("proposed");
  expect(stands(proposed)).toBe("not connected");
  expect(stands(viewOf({ widens: "req-2" }))).toBe("signing in again");
});

test("a row says what it may do, and that nobody has looked or probed yet", () => {
  expect(connectionRow(viewOf({}))).toEqual([
    "conn-0123456789abcdef",
    "Notes of Ada",
    "connecting",
    "notes.read",
    "never",
    "unprobed",
  ]);
});
