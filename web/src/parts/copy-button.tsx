import { Check, Copy } from "lucide-react";
import { useState, type ReactNode } from "react";
import { words } from "../words.ts";
import { IconButton } from "./button.tsx";

type CopyButtonProps = { readonly text: string; readonly label: string };

/** Takes a text along, and says that it did. */
export function CopyButton({ text, label }: CopyButtonProps): ReactNode {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setIsCopied(true);
    } catch {
      // A browser that does not let a page write there: the text stands beside the button, to be read or selected.
      setIsCopied(false);
    }
  };
  return (
    <>
      <IconButton label={label} onClick={() => void copy()}>
        {isCopied ? <Check size={18} aria-hidden /> : <Copy size={18} aria-hidden />}
      </IconButton>
      <span className="hidden-visually" role="status">
        {isCopied ? words.actions.copied : ""}
      </span>
    </>
  );
}
