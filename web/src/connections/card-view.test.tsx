import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { connectionCardSchema, type ConnectionCard } from "#model";
import { ConnectionCardView, type Answering } from "./card-view.tsx";

const SHOWN_AT = "2026-11-16T10:00:00.000Z";
const at = (seconds: number): number => Date.parse(SHOWN_AT) + seconds * 1000;
const FREE: Answering = { asked: null, isOffline: false, choose: () => undefined };

type Given = {
  readonly nowMs?: number;
  readonly answering?: Partial<Answering>;
  readonly place?: "same_machine" | "elsewhere";
};

const draw = (card: ConnectionCard, { nowMs = at(0), answering = {}, place = "same_machine" }: Given = {}): string =>
  renderToStaticMarkup(
    <ConnectionCardView
      shown={{ connectionId: "conn-0123456789abcdef", card, shownAt: SHOWN_AT }}
      nowMs={nowMs}
      answering={{ ...FREE, ...answering }}
      place={place}
    />,
  );

/** What is read, without what is drawn. */
const textOf = (markup: string): string => markup.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
const choicesIn = (markup: string): readonly string[] =>
  [...markup.matchAll(/<button[^>]*data-choice="([a-z_]+)"/g)].map((found) => found[1] ?? "");

const cta = (action: string, role: "recommended" | "safe" | "decline", label: string) => ({
  action,
  role,
  label,
  consequence_label: `What ${label} does`,
});
const COMMON = { intent: "Connect Mailbox", risk_level: "medium", rationale: "You asked for it." } as const;
const DEVICE = {
  ...COMMON,
  card_type: "device_code",
  verification_url: "https://login.example.com/device",
  user_code: "WDJBMJHT",
  expires_in: 900,
  poll_interval: 5,
  ctas: [
    cta("cancel", "decline", "Cancel"),
    cta("trouble", "safe", "Having trouble"),
    cta("done", "recommended", "I've done it"),
  ],
} as const satisfies ConnectionCard;
const REDIRECT = {
  ...COMMON,
  card_type: "browser_redirect",
  auth_url: "https://login.example.com/authorize?state=1",
  listening_on: "127.0.0.1:41873",
  ctas: [cta("trouble", "safe", "Having trouble"), cta("cancel", "decline", "Cancel")],
} as const satisfies ConnectionCard;
const FAILURE = {
  ...COMMON,
  card_type: "connection_failure",
  failure_type: "consent_denied",
  service: "Mailbox",
  message: "You declined at the service.",
  recovery_options: [
    { action: "retry", label: "Retry", description: "Asks again.", risk_level: "low" },
    {
      action: "retry_fewer_permissions",
      label: "Retry with fewer permissions",
      description: "Asks for less.",
      risk_level: "low",
    },
  ],
  ctas: [cta("retry", "recommended", "Retry")],
} as const satisfies ConnectionCard;

describe("the card of a device code", () => {
  test("[CARD-07] shows the code to be read and copied, a link with its host and the time that is left, with three choices", () => {
    const drawn = draw(DEVICE);
    const text = textOf(drawn);
    expect(text).toContain("WDJB MJHT");
    expect(drawn).toContain('aria-label="Code: W D J B M J H T"');
    expect(drawn).toContain('aria-label="Copy the code"');
    expect(drawn).toMatch(/<a [^>]*href="https:\/\/login\.example\.com\/device"[^>]*rel="noreferrer noopener"/);
    expect(text).toContain("Open login.example.com");
    expect(text).toContain("15:00 left");
    expect(choicesIn(drawn)).toEqual(["done", "trouble", "cancel"]);
    expect(text).toContain("I&#x27;ve done it What I&#x27;ve done it does");
  });

  test("[CARD-07] the time runs from when the server showed it, whenever the page is opened", () => {
    expect(textOf(draw(DEVICE, { nowMs: at(61) }))).toContain("13:59 left");
    expect(textOf(draw(DEVICE, { nowMs: at(899) }))).toContain("0:01 left");
    // A clock that is behind the server's gives nobody more time than there is.
    expect(textOf(draw(DEVICE, { nowMs: at(-30) }))).toContain("15:00 left");
  });

  test("a code whose time is over is not shown and cannot have been entered; the other choices stay", () => {
    const drawn = draw(DEVICE, { nowMs: at(900) });
    expect(textOf(drawn)).toContain("The time of this code is over.");
    expect(drawn).not.toContain("MJHT");
    expect(drawn).not.toContain("<a ");
    expect(choicesIn(drawn)).toEqual(["trouble", "cancel"]);
  });

  test("[CARD-07] whatever a script writes is text: no markup, no hidden direction, no link but an encrypted one", () => {
    const drawn = draw({
      ...DEVICE,
      user_code: "<b>\u202e1",
      verification_url: "javascript:alert(1)",
      rationale: '<img src="x" onerror="alert(1)">',
    });
    expect(drawn).not.toMatch(/<b>|<img|\u202e|href=/);
    expect(textOf(drawn)).toContain("Silas makes no link of this address.");
  });
});

describe("the card of a sign-in in the browser", () => {
  test("[CARD-08] says that the browser opens, where it leads, on what is waited and since when, with two choices", () => {
    const drawn = draw(REDIRECT, { nowMs: at(42) });
    const text = textOf(drawn);
    expect(text).toContain("Opening your browser at login.example.com.");
    expect(text).toContain("Nothing opened? Go to login.example.com");
    expect(drawn).toContain('href="https://login.example.com/authorize?state=1"');
    expect(text).toMatch(/Waiting on 127\.0\.0\.1:41873\s+for 0:00:42/);
    expect(choicesIn(drawn)).toEqual(["trouble", "cancel"]);
  });

  test("on another machine than the one that runs Silas there is no link: it would lead back to the wrong one", () => {
    const drawn = draw(REDIRECT, { place: "elsewhere" });
    expect(drawn).not.toContain("href=");
    expect(textOf(drawn)).toContain("in a browser on the machine that runs Silas");
  });
});

describe("what went wrong", () => {
  test("[CARD-10] each way on is a chip with what it does, and it can always be skipped", () => {
    const drawn = draw(FAILURE);
    const text = textOf(drawn);
    expect(text).toMatch(/Mailbox\s*:\s+You declined at the service\./);
    expect(choicesIn(drawn)).toEqual(["retry", "retry_fewer_permissions", "skip"]);
    expect(text).toContain("Retry with fewer permissions Asks for less.");
    expect(text).toContain("Skip Leaves it as it is.");
  });

  test("[CARD-10] a skip of the script's own is not doubled, and comes last", () => {
    const skip = { action: "skip", label: "Not now", description: "Waits.", risk_level: "low" } as const;
    const drawn = draw({ ...FAILURE, recovery_options: [skip, ...FAILURE.recovery_options] });
    expect(choicesIn(drawn)).toEqual(["retry", "retry_fewer_permissions", "skip"]);
    expect(textOf(drawn)).toContain("Not now Waits.");
  });
});

test.each([DEVICE, REDIRECT, FAILURE])(
  "[CARD-11] $card_type has the intent, the risk as shape and word, the reason and what each choice does",
  (card) => {
    const drawn = draw(card);
    expect(drawn).toContain(`data-risk="${card.risk_level}"`);
    expect(drawn).toContain(`data-shape="${card.risk_level}"`);
    expect(textOf(drawn)).toContain("Connect Mailbox");
    expect(textOf(drawn)).toContain("You asked for it.");
    for (const { label, consequence_label: means } of card.card_type === "connection_failure" ? [] : card.ctas) {
      const name = textOf(renderToStaticMarkup(<>{`${label} ${means}`}</>));
      expect(textOf(drawn)).toContain(name);
    }
    for (const field of ["intent", "risk_level", "rationale"]) {
      expect(connectionCardSchema.safeParse({ ...card, [field]: undefined }).success, field).toBe(false);
    }
    const bare = { ...card.ctas[0], consequence_label: "" };
    expect(connectionCardSchema.safeParse({ ...card, ctas: [bare] }).success).toBe(false);
    expect(connectionCardSchema.safeParse(card).success).toBe(true);
  },
);

test("without a connection nothing can be answered, and the reason is given; nor twice at once", () => {
  const offline = draw(DEVICE, { answering: { isOffline: true } });
  expect(offline.match(/<button[^>]*data-choice[^>]*disabled=""/g)).toHaveLength(3);
  expect(textOf(offline)).toContain("You are offline. An answer is never kept to be sent later");
  const busy = draw(DEVICE, { answering: { asked: "done" } });
  expect(busy.match(/<button[^>]*data-choice[^>]*disabled=""/g)).toHaveLength(3);
  expect(busy).toContain('aria-busy="true"');
});
