import type { ListenRefusal } from "#channels";
import type { StartRefusal } from "#compose";
import { startFaultSentence } from "#stores";
import { CommandFailure } from "../terminal/failure.ts";

/** Why Silas could not be composed, in words. */
export function startFailure(refusal: Exclude<StartRefusal, { readonly code: "already_running" }>): CommandFailure {
  if (refusal.code === "tls_unreadable") {
    return new CommandFailure({
      what: "The certificate or key of channels.web.tls could not be read.",
      kept: "Nothing was started.",
      next: "Check the two paths and that you may read the files.",
      cause: refusal.cause,
    });
  }
  const [what = "", kept = "", next = ""] = startFaultSentence(refusal).split("\n");
  return new CommandFailure({ what, kept, next, ...("cause" in refusal ? { cause: refusal.cause } : {}) });
}

/** Why nothing listens, in words. */
export function listenFailure(refusal: ListenRefusal): CommandFailure {
  const kept = "Nothing was started; your data is as it was.";
  switch (refusal.code) {
    case "port_in_use":
      return new CommandFailure({
        what: `Port ${refusal.port} is used by another program.`,
        kept,
        next: "Choose another with `silas start --port 8421`, or set channels.web.port.",
      });
    case "token_required":
      return new CommandFailure({
        what: `${refusal.host} can be reached from other machines, so a token is needed.`,
        kept,
        next: "Set SILAS_CHANNELS__WEB__AUTH_TOKEN, or use --host 127.0.0.1.",
      });
    case "listen_failed":
      return new CommandFailure({
        what: "The address of channels.web.host could not be listened on.",
        kept,
        next: "Check channels.web.host and channels.web.port.",
        cause: refusal.cause,
      });
  }
}
