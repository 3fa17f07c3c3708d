import { useQuery } from "@tanstack/react-query";
import type { Result } from "#base";
import type { ConnectionViewBody, SkillViewBody } from "#model";
import { failureOf, ReadFailure } from "../data/reads.ts";
import { send, type WireError } from "../wire/http.ts";

type ConnectionsBody = { readonly connections: readonly ConnectionViewBody[] };
type ConnectionsRead = {
  readonly connections: readonly ConnectionViewBody[];
  readonly isKnown: boolean;
  readonly error: WireError | null;
  readonly retry: () => void;
};

/** Every connection with what goes on about it. Never kept in this browser: an old step would ask for an answer twice. */
export function useConnections(): ConnectionsRead {
  const read = useQuery({
    // With what Review shows, so that it is read again whenever the server says that something there changed.
    queryKey: ["review", "connections"],
    queryFn: async () => {
      const answer = await send<ConnectionsBody>("/api/connections", { method: "GET" });
      if (!answer.ok) throw new ReadFailure(answer.error);
      return answer.value.connections;
    },
    refetchOnWindowFocus: "always",
  });
  return {
    connections: read.data ?? NONE,
    isKnown: read.data !== undefined,
    error: failureOf(read),
    retry: () => void read.refetch(),
  };
}
const NONE: readonly ConnectionViewBody[] = [];

type Connectable = { readonly skill: string; readonly service: string };

/** Services that an installed skill connects to and that nobody has asked for yet. */
export function useConnectable(connections: readonly ConnectionViewBody[]): readonly Connectable[] {
  const { data } = useQuery({
    queryKey: ["review", "connectable"],
    queryFn: async () => {
      const answer = await send<{ readonly skills: readonly SkillViewBody[] }>("/api/skills", { method: "GET" });
      if (!answer.ok) throw new ReadFailure(answer.error);
      return answer.value.skills;
    },
    // What was installed a moment ago can be connected now, and nobody says when a trial of scripts has ended.
    staleTime: 0,
  });
  const known = new Set(connections.map(({ record }) => record.skill_name));
  return (data ?? []).flatMap(({ name: skill, state, connects: service }) =>
    state === "active" && service !== null && !known.has(skill) ? [{ skill, service }] : [],
  );
}

type Answer = Promise<Result<unknown, WireError>>;

type Asked = {
  readonly id: string;
  readonly verb: "step" | "recover" | "check" | "remove";
  readonly json?: object;
};

/** What can be asked of one connection. */
export const askConnection = ({ id, verb, json = {} }: Asked): Answer =>
  send(`/api/connections/${encodeURIComponent(id)}/${verb}`, { method: "POST", json });

/** Looks for the service and asks to connect it; nothing of it starts before that is signed. */
export const connect = (skill: string) =>
  send<{ readonly request: { readonly request_id: string } }>("/api/connections/connect", {
    method: "POST",
    json: { skill, identity_hint: { name: null, email: null, domain: null } },
  });
