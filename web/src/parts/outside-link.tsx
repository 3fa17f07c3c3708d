import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { outsideAddress } from "./outside-address.ts";

type LinkProps = {
  readonly url: string;
  /** What the link says; it names the host, because a text of others could say anything. */
  readonly label: (host: string) => string;
  readonly className?: string | undefined;
};

/** A way out of the page, to an address somebody else wrote. Nothing where it may not lead. */
export function OutsideLink({ url, label, className }: LinkProps): ReactNode {
  const address = outsideAddress(url);
  if (address === null) return null;
  return (
    <a className={className} href={address.href} target="_blank" rel="noreferrer noopener">
      {label(address.host)} <ExternalLink size={14} aria-hidden />
    </a>
  );
}
