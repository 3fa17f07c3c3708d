import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { duration } from "../time/format.ts";
import { readStatus } from "../wire/http.ts";
import { words } from "../words.ts";
import settings from "./settings.module.css";

/** How long what is signed here holds, and where the machine's own key and all secrets are. */
export function TrustFacts(): ReactNode {
  const { data } = useQuery({
    queryKey: ["status"],
    queryFn: async () => {
      const answer = await readStatus();
      return answer.ok ? answer.value : null;
    },
  });
  if (data == null) return null;
  const { backend, opens_with: opensWith } = data.vault;
  const how = opensWith === null ? "" : `, ${words.signing.opensWith[opensWith]}`;
  return (
    <dl className={settings["facts"]}>
      <div>
        <dt>{words.signing.holds}</dt>
        <dd>{words.signing.holdsFor(duration(data.approval_valid_ms / 1000))}</dd>
      </div>
      <div>
        <dt>{words.signing.vault}</dt>
        <dd data-vault={backend}>{`${words.signing.backends[backend]}${how}`}</dd>
      </div>
    </dl>
  );
}
