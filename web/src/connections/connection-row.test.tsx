import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Router } from "wouter";
import type { ConnectionViewBody } from "#model";
import { ConnectionRow } from "./connection-row.tsx";

const RECORD: ConnectionViewBody["record"] = {
  connection_id: "conn-0123456789abcdef",
  name: "Mailbox of Ana",
  domain: "personal",
  skill_name: "mailbox",
  auth_strategy: "device_code",
  permissions: ["observe"],
  permissions_granted: ["Mail.Read"],
  permissions_available: ["Mail.Read", "Mail.Send"],
  initial_permissions: ["Mail.Read"],
  status: "active",
  health_check: "*/30 * * * *",
  token_expires_at: null,
  refresh_token_expires_at: null,
  last_health_check: "2026-11-16T10:00:00.000Z",
  last_refresh: null,
};
const VIEW: ConnectionViewBody = {
  record: RECORD,
  service: "Example Mail",
  probe: "unprobed",
  summary: null,
  request_id: null,
  widens: null,
  setup: null,
  failure: null,
};
const draw = (view: Partial<ConnectionViewBody>): string =>
  renderToStaticMarkup(
    <Router ssrPath="/settings">
      <ConnectionRow view={{ ...VIEW, ...view }} isBlocked={false} onAsk={() => undefined} />
    </Router>,
  );
const textOf = (markup: string): string => markup.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
const buttonsIn = (markup: string): readonly string[] =>
  [...markup.matchAll(/<button[^>]*>(.*?)<\/button>/g)].map(([, inside = ""]) => textOf(inside).trim());

test("what is connected says what it may do, when it was found healthy and that nothing probed it", () => {
  const drawn = draw({});
  expect(textOf(drawn)).toMatch(
    /Mailbox of Ana\s+Connected\s+1 permission: Mail\.Read\s+last found healthy Nov 16, 2026/,
  );
  expect(textOf(drawn)).toContain("unprobed");
  expect(textOf(draw({ probe: "probed" }))).not.toContain("unprobed");
  expect(textOf(draw({ record: { ...RECORD, last_health_check: null } }))).toContain("not looked at yet");
  expect(buttonsIn(drawn)).toEqual(["Check now", "Remove"]);
});

test("what is not connected offers to connect it, or leads to the decision and the step that wait", () => {
  const proposed = { record: { ...RECORD, status: "proposed" } } as const;
  expect(buttonsIn(draw(proposed))).toEqual(["Connect Example Mail", "Remove"]);
  expect(textOf(draw(proposed))).not.toContain("permission");
  const asked = draw({ ...proposed, request_id: "req-1" });
  expect(asked).toContain('href="/review/req-1"');
  expect(buttonsIn(asked)).toEqual(["Remove"]);
});

test("[PERM-04] what signs in again to be given more says so, and what it has meanwhile", () => {
  const drawn = draw({ record: { ...RECORD, status: "connecting" }, widens: "req-2" });
  expect(textOf(drawn)).toMatch(/Mailbox of Ana\s+Signing in again\s+1 permission: Mail\.Read/);
});

test("what a service or a skill calls itself is text", () => {
  const drawn = draw({ record: { ...RECORD, name: "<b>\u202eAna" }, summary: "<img src=x>" });
  expect(drawn).not.toMatch(/<b>|<img|\u202e/);
});
