import type { ReactNode } from "react";

/** The sign of Silas: a dial with one needle. */
export function Mark({ size }: { readonly size: number }): ReactNode {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden="true">
      <path d="M6.5 23.5a13 13 0 1 1 19 0" stroke="currentColor" strokeWidth="2.5" strokeLinecap="round" />
      <path d="M16 17 22 9" stroke="var(--accent)" strokeWidth="3" strokeLinecap="round" />
      <circle cx="16" cy="17" r="3.2" fill="var(--accent)" />
      <path d="M9 28h14" stroke="currentColor" strokeWidth="2.5" strokeLinecap="round" />
    </svg>
  );
}
