/** Credentials in the forms their issuers give them, made anew from a seed so that no scanner takes this file for a leak. */
export type SecretText = {
  readonly name: string;
  /** As somebody would send it. */
  readonly text: string;
  /** The part that must not be found anywhere. */
  readonly canary: string;
};

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const BASE62 = LETTERS + DIGITS;
const HEX = "0123456789abcdef";
const BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";

/** Mulberry32: small, and the same everywhere. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The text around it, and the value itself. */
const put = (name: string, value: string, around = (it: string): string => `please use ${it} for the upload`) => ({
  name,
  text: around(value),
  canary: value.length > 60 ? value.slice(30, 60) : value,
});

/** What credentials are made of. */
function makersFrom(random: () => number) {
  const some = (count: number, alphabet = BASE62): string =>
    Array.from({ length: count }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
  const base64 = (bytes: number): string =>
    Buffer.from(Array.from({ length: bytes }, () => Math.floor(random() * 256))).toString("base64");
  const url64 = (bytes: number): string => base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const pem = (kind: string, magic: string): string =>
    [`-----BEGIN ${kind}`, ` KEY-----\n${magic}`, `${base64(240)}\n-----END ${kind} KEY-----`].join("");
  const word = (): string => `${some(1, "BCDFGHJKLMNPRST")}${some(6, "aeioubdfgklmnprst")}${some(3, DIGITS)}!`;
  const jwt = (): string =>
    [
      { alg: "HS256", typ: "JWT" },
      { sub: some(10, DIGITS), iat: 1_763_000_000 },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .concat(url64(32))
      .join(".");
  return { some, base64, url64, pem, word, jwt };
}

export function secretTexts(seed: number): readonly SecretText[] {
  const { some, base64, pem, word, jwt } = makersFrom(createRandom(seed));
  return [
    put("GitHub classic", ["ghp", some(36)].join("_")),
    put("GitHub fine-grained", ["github_pat", some(22), some(59)].join("_")),
    put("GitLab", ["glpat", some(20)].join("-")),
    put("npm", ["npm", some(36)].join("_")),
    put("Slack bot", ["xoxb", some(12, DIGITS), some(12, DIGITS), some(24)].join("-")),
    put("Slack webhook", `https://hooks.slack.com/${["services", `T${some(10)}`, `B${some(10)}`, some(24)].join("/")}`),
    put("AWS key id", `AKIA${some(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}`),
    put("AWS secret key", some(40), (it) => `aws_secret_access_key = ${it}`),
    put("Google API", `AIza${some(35)}`),
    put("OpenAI", ["sk", "proj", some(48)].join("-")),
    put("Anthropic", ["sk", "ant", "api03", `${some(93)}AA`].join("-")),
    put("Stripe", ["sk", "live", some(24)].join("_")),
    put("SendGrid", ["SG", some(22), some(43)].join(".")),
    put("RSA private key", pem("RSA PRIVATE", "MIIE"), (it) => it),
    put("OpenSSH private key", pem("OPENSSH PRIVATE", "b3BlbnNzaC1rZXktdjE"), (it) => `here it is:\n${it}\nthanks`),
    put("Telegram bot", `${some(10, "123456789")}:AA${some(33)}`),
    put("Tavily", ["tvly", "dev", some(32)].join("-")),
    put("DigitalOcean", `dop_v1_${some(64, HEX)}`),
    put("PyPI", `pypi-AgEIcHlwaS5vcmc${some(120)}`),
    put("age", `AGE-SECRET-KEY-1${some(58, BECH32)}`),
    put("bearer header", some(40), (it) => `curl -H "Authorization: Bearer ${it}" https://api.example.org/v1`),
    put("basic header", Buffer.from(`admin:${word()}`).toString("base64"), (it) => `Authorization: Basic ${it}`),
    put(
      "Azure storage",
      `${base64(64)}`,
      (it) => `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${it};EndpointSuffix=core.windows.net`,
    ),
    put("Twilio", `SK${some(32, HEX)}`),
    put("Doppler", `dp.pt.${some(43)}`),
    put("PostgreSQL address", word(), (it) => `DATABASE_URL=postgres://app:${it}@db.internal:5432/prod`),
    put("address with a password", some(12), (it) => `https://jane:${it}@files.example.org/share`),
    put("English words", word(), (it) => `Hi, my password is ${it} and I cannot log in`),
    put("German words", word(), (it) => `Mein Passwort lautet ${it}, bitte ändern`),
    put("German for a thing", word(), (it) => `Das Passwort für das WLAN ist ${it}`),
    put("session token", jwt()),
    put("Hugging Face", `hf_${some(34, LETTERS)}`),
    put("Shopify", `shpat_${some(32, HEX)}`),
    put("Vault", `hvs.${some(95)}`),
    put("Tailscale", ["tskey", "auth", some(17), some(32)].join("-")),
    put("environment", word(), (it) => `SMTP_PASSWORD=${it}`),
    put("ADO connection string", word(), (it) => `Server=db;Database=prod;User Id=sa;Password=${it};`),
    put("JSON", some(32), (it) => `{"client_secret": "${it}"}`),
  ];
}
