import { err, LIMITS, ok, type Result } from "#base";
import type { Config, EgressRefusalReason, EgressSums } from "#model";
import type { BotCall, BotDoor, BotGateway, BotReply, EgressGrant, Timers } from "#ports";
import { systemNetwork, type Network } from "./network.ts";
import { connectPlace, type Place } from "./reach.ts";

type BotGatewayOptions = {
  readonly config: {
    readonly channels: { readonly telegram: Pick<Config["channels"]["telegram"], "token" | "apiRoot"> };
  };
  readonly timers: Timers;
  readonly network?: Network;
};

/** Any other address in the configuration is a Bot API of the owner's own, which may lie in a private network. */
const PUBLIC_HOST = "api.telegram.org";

/** The Bot API of the configuration. HTTP is read with the first call: every command would wait for it. */
export function createBotGateway({ config, timers, network = systemNetwork }: BotGatewayOptions): BotGateway {
  const { token, apiRoot } = config.channels.telegram;
  return {
    hasToken: token !== null,
    open(onUse) {
      const root = URL.canParse(apiRoot) ? new URL(apiRoot) : null;
      if (root === null || token === null) return CLOSED;
      return openDoor({ root, place: placeOf(root), reveal: () => token.reveal(), onUse, timers, network });
    },
  };
}

const CLOSED: BotDoor = { call: async () => null, close: async () => undefined };

function placeOf({ protocol, hostname: host, port }: URL): Place {
  if (protocol === "http:") return { host, port: Number(port || 80), reach: "local" };
  return { host, port: Number(port || 443), reach: host === PUBLIC_HOST ? "remote" : "own" };
}

type Opening = {
  readonly root: URL;
  readonly place: Place;
  readonly reveal: () => string;
  readonly onUse: EgressGrant["onUse"];
  readonly timers: Timers;
  readonly network: Network;
};

function openDoor(opening: Opening): BotDoor {
  const { place, onUse } = opening;
  const target = { host: place.host, port: place.port };
  const told = new Set<EgressRefusalReason>();
  let opened: Promise<boolean> | null = null;
  let sums: EgressSums | null = null;
  return {
    async call(call) {
      // Nothing leaves without a record; the next call tries to record it again.
      if (!(await (opened ??= onUse({ kind: "opened", ...target })))) {
        opened = null;
        return null;
      }
      const called = await callOnce(opening, call);
      if (called.ok) {
        sums = sumOf(sums, called.value.sums);
        return called.value.reply;
      }
      const reason = called.error;
      if (call.signal?.aborted !== true && !told.has(reason)) {
        told.add(reason);
        await onUse({ kind: "refused", target, reason });
      }
      return null;
    },
    async close() {
      const all = sums;
      sums = null;
      if (all !== null) await onUse({ kind: "ended", ...target, ...all });
    },
  };
}

const sumOf = (before: EgressSums | null, more: EgressSums): EgressSums => ({
  requests: (before?.requests ?? 0) + more.requests,
  bytesSent: (before?.bytesSent ?? 0) + more.bytesSent,
  bytesReceived: (before?.bytesReceived ?? 0) + more.bytesReceived,
});

type Called = { readonly reply: BotReply | null; readonly sums: EgressSums };

/** The token is part of the path, so neither the path nor a cause that may name it leaves this function. */
async function callOnce(
  { root, place, reveal, timers, network }: Opening,
  { method, body: content, timeoutMs, signal }: BotCall,
): Promise<Result<Called, EgressRefusalReason>> {
  const body = JSON.stringify(content);
  if (Buffer.byteLength(body) > LIMITS.telegramCallBytes) return err("too_many_bytes");
  const { exchange } = await import("./exchange.ts");
  const connected = await connectPlace(place, { network, timers, connectMs: LIMITS.placeConnectMs, signal });
  if (!connected.ok) return connected;
  const answer = await exchange(connected.value, {
    timers,
    timeoutMs,
    signal,
    path: new URL(`${root.href.replace(/\/$/, "")}/bot${reveal()}/${method}`).pathname,
    headers: { host: root.host },
    body,
    answerBytes: LIMITS.telegramAnswerBytes,
  });
  const { socket, proven } = connected.value;
  const isUnproven = !answer.ok && answer.error === "unreachable" && !(await proven);
  if (isUnproven) return err("credential_withheld");
  const { bytesWritten: bytesSent, bytesRead: bytesReceived } = socket;
  const reply = answer.ok ? { status: answer.value.status, text: answer.value.body.toString("utf8") } : null;
  return ok({ reply, sums: { requests: 1, bytesSent, bytesReceived } });
}
