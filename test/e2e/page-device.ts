/** A browser as the server sees one: a session, a key that only WebCrypto holds, and what a page sends. */
import type { webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "#base";
import {
  deviceCode,
  deviceProofText,
  tokenSigningBytes,
  unsignedTokenSchema,
  type DeviceChallengeBody,
  type DeviceWaitingBody,
  type MintedBody,
  type OwnerKeyBody,
  type PublicKeyHex,
  type ShownRequestBody,
} from "#model";
import { enrol, type Running } from "./server-start.ts";

export type Answered<T = unknown> = { readonly status: number; readonly code: string | null; readonly body: T };
export type Caller = { call<T>(path: string, json?: unknown): Promise<Answered<T>> };

export type PageDevice = Caller & {
  readonly sessionId: string;
  readonly token: string;
  readonly publicKey: PublicKeyHex;
  keyId: string;
  sign(text: string): Promise<string>;
};

export function callerFor(running: Pick<Running, "url">, token: string): Caller {
  return {
    async call<T>(path: string, json?: unknown): Promise<Answered<T>> {
      const headers: Record<string, string> = { authorization: `Bearer ${token}` };
      if (json !== undefined) headers["content-type"] = "application/json";
      const response = await fetch(running.url + path, {
        headers,
        ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
      });
      const body = (await response.json()) as { readonly error?: { readonly code: string } };
      return { status: response.status, code: body.error?.code ?? null, body: body as T };
    },
  };
}

/** The terminal of this machine, with the token the running instance left for it. */
export function terminalOf(running: Running): Caller {
  const file = JSON.parse(readFileSync(join(running.dir, "data", "instance.json"), "utf8")) as { cli_token: string };
  return callerFor(running, file.cli_token);
}

/** Signs a browser in, and makes its key; nothing is enrolled yet. */
export const openPage = (running: Running): Promise<PageDevice> => openPageAt(running.url, running.app.enrolmentLink());

export async function openPageAt(url: string, link: string): Promise<PageDevice> {
  const { token, session_id: sessionId } = await enrol(url, link);
  const made = await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
  const pair = made as webcrypto.CryptoKeyPair;
  const publicKey = hexOf(new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey))) as PublicKeyHex;
  const sign = async (text: string): Promise<string> =>
    Buffer.from(await crypto.subtle.sign("Ed25519", pair.privateKey, Buffer.from(text))).toString("base64");
  return { ...callerFor({ url }, token), token, sessionId, publicKey, keyId: "", sign };
}

export async function offerKey(page: PageDevice, name = "Kitchen tablet"): Promise<Answered<DeviceWaitingBody>> {
  const { body } = await page.call<DeviceChallengeBody>("/api/keys/devices/begin", {});
  const { challenge } = body;
  const { publicKey, sessionId } = page;
  const signature = await page.sign(deviceProofText({ challenge, name, publicKey, sessionId }));
  return page.call("/api/keys/devices", { name, public_key: publicKey, challenge, signature });
}

/** Offers, compares the code, and has the terminal confirm it. */
export async function enrolKey(running: Running, page: PageDevice): Promise<OwnerKeyBody> {
  const { body: waiting } = await offerKey(page);
  const code = deviceCode({ nonce: waiting.nonce, publicKey: page.publicKey, sessionId: page.sessionId });
  if (code !== waiting.code) throw new Error("the code of the server is another");
  const confirmed = await terminalOf(running).call<OwnerKeyBody>("/api/keys/devices/confirm", { code });
  if (confirmed.status !== 200) throw new Error(`confirm: ${String(confirmed.code)}`);
  page.keyId = confirmed.body.key_id;
  return confirmed.body;
}

export async function openEnrolledPage(running: Running): Promise<PageDevice> {
  const page = await openPage(running);
  await enrolKey(running, page);
  return page;
}

export type Shown = Pick<ShownRequestBody, "request_id" | "plan_hash" | "projection">;

export async function propose(running: Running, markdown: string): Promise<Shown> {
  const proposed = await terminalOf(running).call<{ readonly request: Shown }>("/api/approvals/propose", { markdown });
  if (proposed.status !== 200) throw new Error(`propose: ${String(proposed.code)}`);
  return proposed.body.request;
}

/** As the page does it: the hash is computed from what was shown. */
export const mintOf = (page: PageDevice, request: Shown, change: object = {}): Promise<Answered<MintedBody>> =>
  page.call("/api/approvals/mint", {
    request_id: request.request_id,
    shown_hash: sha256Hex(request.projection),
    friction: ["tap", "confirm"],
    key_id: page.keyId,
    ...change,
  });

export async function signedBody(page: PageDevice, request: Shown, minted: MintedBody) {
  const signatures = await Promise.all(
    minted.tokens.map(async (token) => ({
      token_id: token.token_id,
      signature: await page.sign(tokenSigningBytes(unsignedTokenSchema.parse(token))),
    })),
  );
  return { request_id: request.request_id, signatures, passkey_assertion: null };
}

export async function approve(page: PageDevice, request: Shown): Promise<Answered<ShownRequestBody>> {
  const minted = await mintOf(page, request);
  if (minted.status !== 200) return { ...minted, body: minted.body as unknown as ShownRequestBody };
  return page.call("/api/approvals/sign", await signedBody(page, request, minted.body));
}

/** Approves as the terminal does, with all the care there is. */
export async function approveAtTerminal(running: Running, request: Pick<Shown, "request_id" | "plan_hash">) {
  const { request_id, plan_hash: shown_hash } = request;
  const answer = { request_id, verdict: "approved", shown_hash, friction: ["tap", "confirm", "slide"] };
  const decided = await terminalOf(running).call<ShownRequestBody>("/api/approvals/decide", answer);
  if (decided.status !== 200) throw new Error(`decide: ${String(decided.code)}`);
  return decided.body;
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
