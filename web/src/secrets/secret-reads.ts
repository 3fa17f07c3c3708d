import { useQuery } from "@tanstack/react-query";
import { err, ok, type Result } from "#base";
import type { ListedSecretBody, PendingSecretsBody, SecretsBody, VaultPlace } from "#model";
import { failureOf, ReadFailure } from "../data/reads.ts";
import { readStatus, send, type WireError } from "../wire/http.ts";

type SecretRead = {
  /** Null when nothing is asked for or kept under the name. */
  readonly data: ListedSecretBody | null | undefined;
  readonly error: WireError | null;
  readonly retry: () => void;
};

/** What is known about one secret, by its name. Never kept in this browser: an old answer would ask for it twice. */
export function useSecret(ref: string): SecretRead {
  const read = useQuery({
    // With what Review shows, so that it is read again whenever the server says that something there changed.
    queryKey: ["review", "secrets", "all"],
    queryFn: async () => {
      const answer = await send<SecretsBody>("/api/secrets", { method: "GET" });
      if (!answer.ok) throw new ReadFailure(answer.error);
      return answer.value.secrets;
    },
    staleTime: 0,
  });
  return {
    data: read.data === undefined ? undefined : (read.data.find(({ ref_id: id }) => id === ref) ?? null),
    error: failureOf(read),
    retry: () => void read.refetch(),
  };
}

/** Secrets that are asked for. */
export function useAskedSecrets(): PendingSecretsBody["requests"] {
  const { data } = useQuery({
    queryKey: ["review", "inputs"],
    queryFn: async () => {
      const answer = await send<PendingSecretsBody>("/api/secrets/pending", { method: "GET" });
      if (!answer.ok) throw new ReadFailure(answer.error);
      return answer.value.requests;
    },
    // The server says when another is asked for or brought; that the time of one ended, it does not.
    refetchOnWindowFocus: "always",
  });
  return data ?? NONE;
}
const NONE: PendingSecretsBody["requests"] = [];

/** Where secrets go on this machine; null until it is known. */
export function useVaultBackend(): VaultPlace["backend"] | null {
  const { data } = useQuery({
    queryKey: ["status"],
    queryFn: async () => {
      const answer = await readStatus();
      return answer.ok ? answer.value : null;
    },
  });
  return data?.vault.backend ?? null;
}

/** Sends a secret on its own, past the socket and past everything this page keeps. [SECRET-05] */
export async function sendSecret(ref: string, value: string): Promise<Result<void, WireError>> {
  const answer = await send<{ readonly stored: boolean }>(`/secrets/${encodeURIComponent(ref)}`, {
    method: "POST",
    json: { value },
  });
  return answer.ok ? ok() : err(answer.error);
}
