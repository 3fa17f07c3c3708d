import { isPublicAddress, parseIpAddress } from "#base";
import { isLoopbackHost } from "../config-rules.ts";
import type { Config } from "../config-schema.ts";
import type { SecretText } from "../config-nodes.ts";
import { hostWords } from "../egress/host-rule.ts";

/** Where each known provider answers. `compatible` answers where the configuration says. */
const ADDRESSES = {
  openrouter: "https://openrouter.ai/api/v1",
  ollama: "http://127.0.0.1:11434/v1",
  lmstudio: "http://127.0.0.1:1234/v1",
  llamacpp: "http://127.0.0.1:8080/v1",
  compatible: null,
} as const;
type Provider = keyof typeof ADDRESSES;

/** One model behind one address, which is all that is ever connected to for it. */
export type ModelPlace = {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly host: string;
  readonly port: number;
  /** `local`: this machine, without encryption; `remote`: the open internet, with it. */
  readonly reach: "local" | "remote";
  readonly key: ModelKey;
};
/** What proves to the provider who asks: a setting, a name in the vault, or nothing. */
export type ModelKey =
  | { readonly kind: "none" }
  | { readonly kind: "setting"; readonly secret: SecretText }
  | { readonly kind: "vault"; readonly ref: string };

const MODEL_ABSENCES = ["key_missing", "provider_unknown", "address_missing", "address_refused"] as const;
export type ModelAbsence = (typeof MODEL_ABSENCES)[number];
/** What the configuration says about the model that answers; nothing is tried to find that out. */
export type ModelSetting =
  | { readonly kind: "set"; readonly place: ModelPlace }
  | { readonly kind: "absent"; readonly reason: ModelAbsence };

export type ModelConfig = {
  readonly models: Pick<Config["models"], "planner">;
  readonly providers: Config["providers"];
};

/** Which model answers. Whatever is not whole is no model: Silas then works with built-in rules, and says so. */
export function modelSetting({ models, providers }: ModelConfig): ModelSetting {
  const [provider = "", ...rest] = models.planner.split(":");
  if (!isProvider(provider)) return absent("provider_unknown");
  const { baseUrl, apiKeyRef } = providers.compatible;
  const address = provider === "compatible" ? baseUrl : ADDRESSES[provider];
  if (address === null) return absent("address_missing");
  const reached = readAddress(address);
  if (reached === null) return absent("address_refused");
  const secret = providers.openrouter.apiKey;
  if (provider === "openrouter" && secret === null) return absent("key_missing");
  const key = keyFor({ provider, secret, ref: apiKeyRef });
  return { kind: "set", place: { provider, model: rest.join(":"), ...reached, key } };
}

const absent = (reason: ModelAbsence): ModelSetting => ({ kind: "absent", reason });
const isProvider = (name: string): name is Provider => Object.hasOwn(ADDRESSES, name);

type Keys = { readonly provider: Provider; readonly secret: SecretText | null; readonly ref: string | null };

function keyFor({ provider, secret, ref }: Keys): ModelKey {
  if (provider === "openrouter" && secret !== null) return { kind: "setting", secret };
  return provider === "compatible" && ref !== null ? { kind: "vault", ref } : { kind: "none" };
}

const ADDRESS = /^(https?):\/\/(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?(\/[A-Za-z0-9._~/-]*)?$/;

/**
 * An address of this machine, or an encrypted one elsewhere. What is asked holds the owner's words, and a key goes with
 * it: neither crosses a network that others read.
 */
function readAddress(text: string): Pick<ModelPlace, "baseUrl" | "host" | "port" | "reach"> | null {
  const [, scheme, written = "", portText, path = ""] = ADDRESS.exec(text) ?? [];
  if (scheme === undefined) return null;
  const host = written.replace(/^\[|\]$/g, "");
  const port = portText === undefined ? (scheme === "https" ? 443 : 80) : Number(portText);
  if (port < 1 || port > 65_535) return null;
  const baseUrl = `${scheme}://${written}${portText === undefined ? "" : `:${port}`}${path.replace(/\/+$/, "")}`;
  if (isLoopbackHost(host)) return scheme === "http" ? { baseUrl, host, port, reach: "local" } : null;
  const address = parseIpAddress(host);
  const isOpen = address === null ? host.includes(".") : isPublicAddress(address);
  return scheme === "https" && isOpen ? { baseUrl, host, port, reach: "remote" } : null;
}

/** The place as it is shown and recorded. */
export const placeWords = ({ host, port }: Pick<ModelPlace, "host" | "port">): string => hostWords({ host, port });

export type ModelBody = { readonly name: string; readonly host: string };
/** What is shown of a setting outside; null where nothing answers. */
export const modelToWire = (setting: ModelSetting): ModelBody | null =>
  setting.kind === "absent" ? null : { name: setting.place.model, host: placeWords(setting.place) };

/** What answers here: a model and where it is, or nothing that could be taken for one. */
export const modeWords = (model: ModelBody | null): string =>
  model === null ? "No AI model - built-in rules" : `${model.name} at ${model.host}`;
