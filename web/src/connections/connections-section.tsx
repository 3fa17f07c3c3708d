import { useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import { oneLine } from "#base";
import type { ConnectionViewBody } from "#model";
import { Button } from "../parts/button.tsx";
import { Command } from "../parts/command.tsx";
import { Line } from "../parts/text.tsx";
import { invalidateReview } from "../review/review-reads.ts";
import { useWaiting } from "../review/waiting.ts";
import settings from "../settings/settings.module.css";
import { announce, toast } from "../ui-state.ts";
import { useConnection } from "../wire/connection.ts";
import { connectionWords as said } from "../words/connection-words.ts";
import { askConnection, connect, useConnectable, useConnections } from "./connection-reads.ts";
import { ConnectionRow, type RowVerb } from "./connection-row.tsx";

/** What is connected, how it stands, and the way to connect more. */
export function ConnectionsSection(): ReactNode {
  const { connections, isKnown } = useConnections();
  const isOffline = useConnection((state) => state.state === "offline");
  const { isBusy, ask } = useAsking();
  const { requests } = useWaiting();
  const connectable = useConnectable(connections);
  /** A request that was declined or missed leads nowhere: it can be asked anew. */
  const isAsked = ({ request_id: id }: ConnectionViewBody): boolean => requests.some((row) => row.request_id === id);
  return (
    <section id="connections" className={settings["card"]} aria-labelledby="connections-heading" aria-busy={isBusy}>
      <h2 id="connections-heading">{said.heading}</h2>
      <p className={settings["hint"]}>{said.lead}</p>
      {isKnown && connections.length + connectable.length === 0 && <None />}
      <ul className={settings["rows"]} aria-label={said.listLabel}>
        {connections.map((view) => (
          <ConnectionRow
            key={view.record.connection_id}
            view={isAsked(view) ? view : { ...view, request_id: null }}
            isBlocked={isOffline || isBusy}
            onAsk={(verb) => ask(askedOf(view, verb))}
          />
        ))}
        {connectable.map(({ skill, service }) => (
          <li key={skill} data-skill={skill}>
            <strong>
              <Line text={service} />
            </strong>
            <Button size="small" disabled={isOffline || isBusy} onClick={() => ask({ verb: "connect", skill })}>
              <Line text={said.connect(service)} />
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function None(): ReactNode {
  return (
    <>
      <p>{said.none}</p>
      <p className={settings["hint"]}>{said.noSkills}</p>
      <Command text={said.installCommand} />
    </>
  );
}

const refused = (message: string): void => toast(message || said.offline, { tone: "wrong" });

type Asked =
  | { readonly verb: "connect"; readonly skill: string }
  | { readonly verb: "check" | "remove"; readonly id: string; readonly name: string };

const askedOf = ({ record }: ConnectionViewBody, verb: RowVerb): Asked =>
  verb === "connect"
    ? { verb, skill: record.skill_name }
    : { verb, id: record.connection_id, name: oneLine(record.name) };

/** One thing at a time; what asks for a decision leads to it. */
function useAsking() {
  const [isBusy, setIsBusy] = useState(false);
  const [, navigate] = useLocation();
  const askOf = async (asked: Asked): Promise<void> => {
    if (asked.verb === "connect") {
      const answer = await connect(asked.skill);
      return answer.ok ? navigate(`/review/${answer.value.request.request_id}`) : refused(answer.error.message);
    }
    const answer = await askConnection(asked);
    if (answer.ok) announce(said.did[asked.verb](asked.name));
    else refused(answer.error.message);
  };
  const ask = async (asked: Asked): Promise<void> => {
    setIsBusy(true);
    await askOf(asked);
    await invalidateReview();
    setIsBusy(false);
  };
  return { isBusy, ask: (asked: Asked) => void ask(asked) };
}
