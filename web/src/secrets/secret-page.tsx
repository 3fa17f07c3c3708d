import { CircleCheck } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { Link, useParams } from "wouter";
import { Failure, Skeleton } from "../parts/states.tsx";
import { Page } from "../shell/page.tsx";
import { words } from "../words.ts";
import { useSecret } from "./secret-reads.ts";
import styles from "./secret-page.module.css";
import { SecureInputCard } from "./secure-input-card.tsx";

/** The page of one secret, where a link from a terminal or a message leads. */
export function SecretPage(): ReactNode {
  const { ref = "" } = useParams<{ readonly ref: string }>();
  return (
    <Page title={words.secrets.title} width="text">
      <Secret key={ref} name={ref} />
    </Page>
  );
}

function Secret({ name }: { readonly name: string }): ReactNode {
  const { data, error, retry } = useSecret(name);
  const [isStored, setStored] = useState(false);
  if (isStored) return <Settled heading={words.secrets.stored} body={words.secrets.storedBody(name)} isNews />;
  if (error !== null) return <Failure error={error} onRetry={retry} />;
  if (data === undefined) return <Skeleton label={words.secrets.title} rows={3} />;
  if (data?.state === "pending" && data.request !== null) {
    const onStored = (): void => {
      setStored(true);
      retry();
    };
    return <SecureInputCard request={data.request} onStored={onStored} />;
  }
  if (data?.stored === true) {
    const command = words.secrets.setCommand(name);
    return <Settled heading={words.secrets.fulfilled} body={words.secrets.fulfilledBody} command={command} />;
  }
  return (
    <Settled
      heading={words.secrets.unknown}
      body={words.secrets.unknownBody}
      command={words.secrets.askCommand(name)}
    />
  );
}

type SettledProps = {
  readonly heading: string;
  readonly body: string;
  readonly command?: string;
  /** It just happened: read it out, and go on from here. */
  readonly isNews?: true;
};

function Settled({ heading, body, command, isNews }: SettledProps): ReactNode {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isNews) title.current?.focus();
  }, [isNews]);
  return (
    <section className={styles["settled"]} role={isNews ? "status" : undefined}>
      <h2 ref={title} tabIndex={-1}>
        {isNews && <CircleCheck size={22} aria-hidden />}
        {heading}
      </h2>
      <p>{body}</p>
      {command !== undefined && <code>{command}</code>}
      <Link href="/">{words.secrets.onward}</Link>
    </section>
  );
}
