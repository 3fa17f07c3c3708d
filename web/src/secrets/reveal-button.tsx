import { Eye } from "lucide-react";
import type { KeyboardEvent, ReactNode } from "react";
import { IconButton } from "../parts/button.tsx";
import { words } from "../words.ts";

type RevealProps = { readonly onHold: (isHeld: boolean) => void; readonly isDisabled: boolean };

/** Shows what was typed for as long as it is held down, by finger, mouse or key; it cannot be left open. */
export function RevealButton({ onHold, isDisabled }: RevealProps): ReactNode {
  const release = (): void => onHold(false);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    onHold(true);
  };
  return (
    <IconButton
      label={words.secrets.reveal}
      disabled={isDisabled}
      onPointerDown={() => onHold(true)}
      onPointerUp={release}
      onPointerLeave={release}
      onPointerCancel={release}
      onKeyDown={onKeyDown}
      onKeyUp={release}
      onBlur={release}
      onContextMenu={(event) => event.preventDefault()}
    >
      <Eye size={20} aria-hidden />
    </IconButton>
  );
}
