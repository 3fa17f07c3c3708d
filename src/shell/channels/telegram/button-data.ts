import type { Randomness } from "#ports";

/** What comes back when a button is pressed. Telegram carries 64 bytes: a letter, the request and the nonce fit. */
export type ButtonData = {
  readonly verb: "approve" | "decline" | "confirm" | "back";
  readonly requestId: string;
  /** Kept with the hash of the plan that was shown; good for one press. */
  readonly nonce: string;
};

const LETTERS = { approve: "a", decline: "d", confirm: "c", back: "b" } as const;
const DATA = /^([adcb]):([A-Za-z0-9-]{1,36}):([A-Za-z0-9_-]{22})$/;
const NONCE_BYTES = 16;

export const buttonData = ({ verb, requestId, nonce }: ButtonData): string => `${LETTERS[verb]}:${requestId}:${nonce}`;

/** Null for anything that is not a button of Silas. */
export function parseButtonData(data: string): ButtonData | null {
  const [, letter, requestId, nonce] = DATA.exec(data) ?? [];
  const verb = (Object.keys(LETTERS) as ButtonData["verb"][]).find((one) => LETTERS[one] === letter);
  return verb === undefined || requestId === undefined || nonce === undefined ? null : { verb, requestId, nonce };
}

export const buttonNonce = (randomness: Randomness): string =>
  Buffer.from(randomness.bytes(NONCE_BYTES)).toString("base64url");

/** An answer in words: what, and which card by the beginning of its hash. */
export type WrittenAnswer = { readonly verb: "approve" | "decline" | "confirm"; readonly code: string };

const ANSWER = /^\s*(approve|decline|confirm)\s+([0-9a-f]{8,64})\s*$/i;

export function parseWrittenAnswer(text: string): WrittenAnswer | null {
  const [, verb, code] = ANSWER.exec(text) ?? [];
  if (verb === undefined || code === undefined) return null;
  return { verb: verb.toLowerCase() as WrittenAnswer["verb"], code: code.toLowerCase() };
}
